import { describe, expect, test } from "vitest";
import { check, read } from "../../src/index.ts";
import { answers, asks, stream, url } from "./stories.ts";

/** Some programs keep a message as it went over the wire, with its head, in one string. */
const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-request-id: r1\r\n\r\n";
const sent = `POST /v1/chat/completions HTTP/1.1\r\nHost: api.openai.com\r\n\r\n${JSON.stringify(asks)}`;

const bodies: Readonly<Record<string, string>> = {
  "a stream": head + stream("chatcmpl-1"),
  "a body of JSON": head + JSON.stringify(answers),
  "a body behind many headers":
    head.replace("\r\n\r\n", `\r\n${"x-a: 1\r\n".repeat(90)}\r\n`) + JSON.stringify(answers),
};
const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const keepings: Readonly<Record<string, readonly [file: string, keep: (reply: string) => string]>> = {
  "a record": ["run.jsonl", (reply) => `${JSON.stringify({ url, request: asks, response: reply })}\n`],
  "a record with both messages": [
    "run.jsonl",
    (reply) => `${JSON.stringify({ request: sent, response: reply })}\n`,
  ],
  "a string in a string": [
    "run.jsonl",
    (reply) => `${JSON.stringify({ log: JSON.stringify({ url, request: asks, response: reply }) })}\n`,
  ],
  "a table": ["run.csv", (reply) => `id,request,response\n1,${cell(sent)},${cell(reply)}\n`],
  "a table of replies": ["run.csv", (reply) => `id,response\n1,${cell(reply)}\n`],
};

describe.each(Object.entries(bodies))("an HTTP message in a string: %s", (_, reply) => {
  test.each(Object.entries(keepings))("is read in %s", async (_, [name, keep]) => {
    const bytes = Buffer.from(keep(reply));
    const { exchanges } = await read(bytes, { name });
    expect(exchanges).toHaveLength(1);
    expect(exchanges[0]?.reply?.items.length).toBeGreaterThan(0);
    const { findings } = await check(bytes, { name });
    expect(findings.filter(({ rule }) => rule === "unreadable-record")).toEqual([]);
  });
});

test("a damaged body behind its head is named at its place", async () => {
  const broken = JSON.stringify(answers).replace('"choices":', '"choices"');
  const line = JSON.stringify({ url, request: asks, response: head + broken });
  const { findings } = await check(Buffer.from(`${line}\n`), { name: "run.jsonl" });
  expect(findings.map(({ rule, message }) => [rule, message])).toContainEqual([
    "unreadable-record",
    "not valid JSON: a colon is expected here; what came after is not checked",
  ]);
});

describe("what a cell of a notebook printed", () => {
  const notebook = (text: string): string =>
    JSON.stringify({
      cells: [
        {
          cell_type: "code",
          outputs: [{ name: "stdout", output_type: "stream", text: [JSON.stringify(answers)] }],
        },
        { cell_type: "code", outputs: [{ name: "stdout", output_type: "stream", text: [text] }] },
      ],
      nbformat: 4,
    });
  const found = async (text: string): Promise<string[]> => {
    const { findings } = await check(Buffer.from(notebook(text)), { name: "run.ipynb" });
    return findings.filter(({ severity }) => severity !== "info").map(({ rule }) => rule);
  };

  test.each([
    "[------------------->] 3/3",
    "[25] www.example.org",
    "[1, 2] of 3 rows",
    "[12] A. “Prompts” Apr 2023.",
  ])("is no broken body: %s", async (text) => {
    expect(await found(text)).toEqual([]);
  });

  test("is not the code that printed it", async () => {
    const code = 'agent({"messages": [{"role": "user", "content": "Hi"}]},\n  config=config)';
    const lines = ["answer = agent(\n", '    {"messages": [{"role": "user", "content": "Hi"}]},\n', ")"];
    for (const source of [lines, code]) {
      const cell = { cell_type: "code", source, outputs: [] };
      const own = JSON.stringify({ cells: [...JSON.parse(notebook("done")).cells, cell], nbformat: 4 });
      const { findings, files } = await check(Buffer.from(own), { name: "run.ipynb" });
      expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
      expect(files[0]?.exchanges).toBe(1);
    }
  });

  test("may be one that is cut", async () => {
    const cut = notebook('{"model":"gpt-5","messages":[{"role":"user"');
    const { findings } = await check(Buffer.from(cut), { name: "run.ipynb" });
    expect(findings.map(({ rule }) => rule)).toContain("unreadable-record");
  });
});
