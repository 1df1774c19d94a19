import { expect, test } from "vitest";
import { fixed } from "./log.ts";

const sites = [{ id: "1", name: "site" }];
const texts = [{ text: "a.txt" }, { text: "b.txt" }];

/** A call and its result, in the form of each API. */
const bedrock = (content: unknown): object => ({
  modelId: "anthropic.claude-3-7-sonnet-20250219-v1:0",
  messages: [
    { role: "user", content: [{ text: "Which sites are there?" }] },
    { role: "assistant", content: [{ toolUse: { toolUseId: "tooluse_1", name: "sites", input: {} } }] },
    { role: "user", content: [{ toolResult: { toolUseId: "tooluse_1", content } }] },
  ],
});
const gemini = (response: unknown): object => ({
  contents: [
    { role: "user", parts: [{ text: "Which files are there?" }] },
    { role: "model", parts: [{ functionCall: { name: "files", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name: "files", response } }] },
  ],
});
const chat = (content: unknown): object => ({
  model: "gpt-5",
  messages: [
    { role: "user", content: "Which files are there?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "files", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "call_1", content },
  ],
});

test.each([
  ["a list in a block of JSON", bedrock([{ json: sites }]), bedrock([{ json: { output: sites } }])],
  ["a text in place of blocks", bedrock("none"), bedrock([{ text: "none" }])],
  ["texts in place of an object", gemini(texts), gemini({ output: "a.txt\nb.txt" })],
  ["a text part in place of a text", chat({ text: "a.txt" }), chat("a.txt")],
  ["an object in place of a text", chat({ files: 2 }), chat('{"files":2}')],
  ["a tool's own list in place of a text", chat(sites), chat(JSON.stringify(sites))],
])("the result of a tool is written as its API takes it: %s", async (_, broken, right) => {
  const { text } = await fixed(`${JSON.stringify({ request: broken })}\n`);
  expect(text).toBe(`${JSON.stringify({ request: right })}\n`);
});

/** A request of {@link bedrock} or {@link gemini} in which the call and its result stand twice. */
function twice(body: object): object {
  const [key, [asks, calls, results]] = Object.entries(body).at(-1) as [string, Record<string, unknown>[]];
  const doubled = (message: Record<string, unknown> = {}): object =>
    Object.fromEntries(
      Object.entries(message).map(([name, value]) => [
        name,
        Array.isArray(value)
          ? [...value, ...JSON.parse(JSON.stringify(value).replace("tooluse_1", "tooluse_2"))]
          : value,
      ]),
    );
  return { ...body, [key]: [asks, doubled(calls), doubled(results)] };
}

test.each([
  ["a list in a block of JSON", bedrock([{ json: sites }]), bedrock([{ json: { output: sites } }])],
  ["a text in place of blocks", bedrock("none"), bedrock([{ text: "none" }])],
  ["a text in place of an object", gemini("none"), gemini({ output: "none" })],
  ["a list in place of an object", gemini([1, 2]), gemini({ output: [1, 2] })],
])("of several results in a wrong form, none is wrapped twice: %s", async (_, broken, right) => {
  const { text } = await fixed(`${JSON.stringify({ request: twice(broken) })}\n`);
  expect(text).toBe(`${JSON.stringify({ request: twice(right) })}\n`);
});

test("of three results for one call, a safe repair leaves out the one that stands twice, and no other one", async () => {
  const { messages: [asks, looks, found] = [], ...rest } = chat("a.txt") as { messages?: object[] };
  const later = { ...found, content: "a.txt, b.txt" };
  const log = (...results: unknown[]): string =>
    `${JSON.stringify({ request: { ...rest, messages: [asks, looks, ...results] } })}\n`;
  expect((await fixed(log(found, found, later))).text).toBe(log(found, later));
  expect((await fixed(log(found, later))).text).toBe(log(found, later));
});

test("a result in the form of another API makes room for its copy, or is written in the form of this one", async () => {
  const foreign = { role: "tool", tool_call_id: "call_1", content: "a.txt" };
  const own = { type: "function_call_output", call_id: "call_1", output: "a.txt" };
  const log = (...results: unknown[]): string => {
    const question = { role: "user", content: "Which files are there?" };
    const call = { type: "function_call", call_id: "call_1", name: "files", arguments: "{}" };
    return `${JSON.stringify({ request: { model: "gpt-5", input: [question, call, ...results] } })}\n`;
  };
  expect((await fixed(log(foreign, own))).text).toBe(log(own));
  expect((await fixed(log(own, foreign))).text).toBe(log(own));
  expect((await fixed(log(foreign))).text).toBe(log(own));
});
