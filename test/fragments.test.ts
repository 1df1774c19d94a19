import { describe, expect, test } from "vitest";
import { checkFiles } from "../src/check/check.ts";
import { bytesSource } from "../src/reading/source.ts";

/** The root findings above info, as `rule:severity`. */
async function found(log: string, path = "pasted.txt"): Promise<string[]> {
  const { report } = await checkFiles([{ path, source: bytesSource(path, Buffer.from(log)) }]);
  return report.findings
    .filter(({ severity, cause }) => severity !== "info" && cause === null)
    .map(({ rule, severity }) => `${rule}:${severity}`);
}

/** A call and a result that names another one, in the form of an API. */
const forms = {
  "items of Responses": (callId: string, resultId: string) => [
    { type: "function_call", id: "fc_1", call_id: callId, name: "get_fare", arguments: '{"to":"Ghent"}' },
    { type: "function_call_output", call_id: resultId, output: "12 EUR" },
  ],
  "messages of Chat Completions": (callId: string, resultId: string) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: callId, type: "function", function: { name: "get_fare", arguments: '{"to":"Ghent"}' } },
      ],
    },
    { role: "tool", tool_call_id: resultId, content: "12 EUR" },
  ],
  "messages of Anthropic": (callId: string, resultId: string) => [
    {
      role: "assistant",
      content: [{ type: "tool_use", id: callId, name: "get_fare", input: { to: "Ghent" } }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: resultId, content: "12 EUR" }] },
  ],
};

const compact = (value: unknown): string => JSON.stringify(value);
const laidOut = (value: unknown): string => JSON.stringify(value, undefined, 2);

describe.each(Object.entries(forms))("records with one call: %s", (_, form) => {
  test.each([
    ["a line each", compact],
    ["laid out", laidOut],
  ])("%s", async (_name, write) => {
    const log = (resultId: string): string => form("call_1", resultId).map(write).join("\n");
    expect(await found(log("call_2"))).toEqual(["call-id-mismatch:warning"]);
    expect(await found(log("call_1"))).toEqual([]);
  });

  test("that keep no ids", async () => {
    const log = form("call_1", "call_2")
      .map(compact)
      .map((line) => line.replace(/"(?:id|(?:tool_)?call_id|tool_use_id)":"\w+",?/g, ""));
    expect(await found(log.join("\n"))).toEqual([]);
  });

  test("a result of a call that was made before them", async () => {
    expect(await found(form("call_1", "call_2").map(compact).reverse().join("\n"))).toEqual([]);
  });
});

const talk =
  "The gateway answers as below, since version 3.1, on Linux and on macOS, with and without a proxy.\n";

/** A message whose call has half of its arguments, as each API sends it. */
const cutOff: Record<string, unknown> = {
  "a choice": {
    index: 0,
    message: {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "get_fare", arguments: '{"to":' } }],
    },
    finish_reason: "tool_calls",
  },
  "a message": {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name: "get_fare", arguments: '{"to":' } }],
  },
  "an item": { type: "function_call", call_id: "call_1", name: "get_fare", arguments: '{"to":' },
};

describe.each(Object.entries(cutOff))("%s in a block of code, between many words", (_, value) => {
  test.each([
    ["a fence", (json: string) => `${talk.repeat(9)}\n\`\`\`json\n${json}\n\`\`\`\n\n${talk}`],
    ["tildes in a quote", (json: string) => `${talk.repeat(9)}\n> ~~~\n> ${json}\n> ~~~\n`],
    ["no end", (json: string) => `${talk.repeat(9)}\n\`\`\`\n${json}\n`],
  ])("%s", async (_name, around) => {
    expect(await found(around(compact(value)))).toEqual(["incomplete-arguments:warning"]);
  });
});

test.each(["a message", "an item"])("%s within a program is a part of its source", async (name) => {
  const program = `const wanted = ${compact(cutOff[name])};\n${"expect(told(log)).toEqual(wanted);\n".repeat(12)}`;
  expect(await found(`${talk.repeat(9)}\n\`\`\`ts\n${program}\`\`\`\n`)).toEqual([]);
});
