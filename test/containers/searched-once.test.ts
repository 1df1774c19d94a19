import { describe, expect, test } from "vitest";
import { containers } from "../../src/containers/index.ts";
import { readLog } from "../../src/log/read.ts";
import { protocols } from "../../src/protocols/index.ts";
import { memorySource } from "../../src/reading/source.ts";
import { type AnyContainer, loaded } from "../../src/traffic/container.ts";

/** How often a log is read as a text, and what comes out of it. */
async function readAs(text: string): Promise<{ readonly texts: number; readonly exchanges: number }> {
  let texts = 0;
  const counted = containers.map(
    (container): AnyContainer =>
      container.isFallback
        ? {
            ...container,
            load: async (source) => {
              texts++;
              return loaded(container, source);
            },
          }
        : container,
  );
  const file = await readLog(memorySource("log", Buffer.from(text)), counted, protocols);
  return { texts, exchanges: file.exchanges.length };
}

const nested = (key: string, depth: number): unknown[] =>
  depth === 0 ? [] : Array.from({ length: 3 }, () => ({ [key]: nested(key, depth - 1) }));

describe("JSON in which all was searched is not searched again as a text", () => {
  test.each([
    ["lists of a queue", nested("messages", 4)],
    ["lists of an archive", nested("contents", 4)],
    ["lists of a pipeline", { pipelines: nested("input", 4) }],
    ["records", { steps: [{ name: "a" }, { name: "b" }] }],
    ["a document", { a: { b: [1, 2] } }],
  ])("%s", async (_, value) => {
    for (const indent of [undefined, 2])
      expect(await readAs(`${JSON.stringify(value, undefined, indent)}\n`)).toEqual({
        texts: 0,
        exchanges: 0,
      });
  });
});

describe("a text is looked for", () => {
  test("where a document is no JSON", async () => {
    expect(await readAs(`{"steps": [{"name": "a"}, {"name": "b",}]}\n`)).toMatchObject({ texts: 1 });
  });

  test("where lines follow a document", async () => {
    expect(await readAs(`{"a": {"b": [1, 2]}}\ndone\n`)).toMatchObject({ texts: 1 });
  });

  test("where the strings of a document are the lines of a wire log", async () => {
    const request = JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: "hi" }] });
    const line = `DEBUG http-outgoing-0 >> ${JSON.stringify(request)}`;
    expect(await readAs(JSON.stringify({ lines: [line, "done"] }, undefined, 2))).toMatchObject({ texts: 1 });
  });
});

test("what is nobody's record is read as a whole", async () => {
  const steps = [
    { step_id: 1, source: "user", message: "What is in a.txt?" },
    {
      step_id: 2,
      source: "agent",
      message: "",
      tool_calls: [{ tool_call_id: "c1", function_name: "read", arguments: { path: "a.txt" } }],
      observation: { results: [{ source_call_id: "c1", content: "hello" }] },
    },
    { step_id: 3, source: "agent", message: "It says hello." },
  ];
  const trajectory = {
    schema_version: "ATIF-v1.2",
    session_id: "s",
    agent: { name: "a", version: "1" },
    steps,
  };
  expect(await readAs(JSON.stringify(trajectory))).toEqual({ texts: 0, exchanges: 1 });
});
