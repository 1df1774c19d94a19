import { expect, test } from "vitest";
import { check } from "../src/index.ts";

/** A client that adds up the fragments of a stream, names and all, whatever call they belong to. */

const tools = [{ type: "function", function: { name: "search", parameters: { type: "object" } } }];
const question = { role: "user", content: "Find circulars 0, 1 and 2" };
const event = (delta: object, reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "gpt-5", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
const streamed = (...deltas: object[]): string =>
  `${deltas.map((delta) => event(delta)).join("")}${event({}, "tool_calls")}data: [DONE]\n\n`;
const fragment = (index: number, more: object): object => ({ tool_calls: [{ index, ...more }] });
const begun = (index: number, name: string): object =>
  fragment(index, { id: `call_${index}`, type: "function", function: { name, arguments: "" } });

async function roots(stream: string, name: string, args: string): Promise<string[]> {
  const call = { id: "call_0", type: "function", function: { name, arguments: args } };
  const messages = [
    question,
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_0", content: `tool ${name} not found` },
  ];
  const records = [
    { request: { model: "gpt-5", stream: true, messages: [question], tools }, response: stream },
    { request: { model: "gpt-5", stream: true, messages, tools } },
  ];
  const { findings } = await check(Buffer.from(records.map((record) => JSON.stringify(record)).join("\n")));
  return findings
    .filter(({ cause, severity }) => cause === null && severity !== "info")
    .map(({ rule, kind, severity }) => `${severity} ${rule}/${kind}`);
}

test("three calls that became one have one cause", async () => {
  const stream = streamed(
    ...[0, 1, 2].map((index) => begun(index, "search")),
    ...[0, 1, 2].map((index) => fragment(index, { function: { arguments: `{"no":${index}}` } })),
  );
  expect(await roots(stream, "searchsearchsearch", '{"no":0}{"no":1}{"no":2}')).toEqual([
    "error lost-fragments/name",
  ]);
});

test("a name that every fragment repeats", async () => {
  const pieces = ['{"no"', ":0", "}"].map((piece) =>
    fragment(0, { function: { name: "search", arguments: piece } }),
  );
  const stream = streamed(begun(0, "search"), ...pieces);
  expect(await roots(stream, "search".repeat(4), '{"no":0}')).toContain("error lost-fragments/name");
});

test("another name is no repetition", async () => {
  const stream = streamed(begun(0, "search"), fragment(0, { function: { arguments: '{"no":0}' } }));
  expect(await roots(stream, "searching", '{"no":0}')).not.toContain("error lost-fragments/name");
});
