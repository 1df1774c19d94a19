import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";

const asked = { role: "user", content: "What does order 17 cost?" };
const thanks = { role: "user", content: "And order 18?" };

/** The errors of a request with these messages, sent to each API. */
const apis = {
  chat: (...messages: readonly object[]) => ({
    url: "https://api.openai.com/v1/chat/completions",
    request: { model: "gpt-5", messages: [asked, ...messages, thanks] },
  }),
  responses: (...input: readonly object[]) => ({
    url: "https://api.openai.com/v1/responses",
    request: { model: "gpt-5", input: [asked, ...input, thanks] },
  }),
  anthropic: (call: object, ...results: readonly object[]) => ({
    url: "https://api.anthropic.com/v1/messages",
    request: {
      model: "claude-sonnet-4-5",
      max_tokens: 64,
      messages: [
        asked,
        { role: "assistant", content: [call] },
        { role: "user", content: results },
        { role: "assistant", content: "It costs 12.50." },
        thanks,
      ],
    },
  }),
};

async function errorsOf(record: object): Promise<readonly string[]> {
  const { findings } = await check(Buffer.from(`${JSON.stringify(record)}\n`), { name: "run.jsonl" });
  return findings.filter(({ severity }) => severity === "error").map(({ rule }) => rule);
}

const name = "look_up";
const chatCall = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "call_1", type: "function", function: { name, arguments: "{}" } }],
};
const functionCall = { type: "function_call", call_id: "call_1", name, arguments: "{}" };
const output = { type: "function_call_output", call_id: "call_1", output: "12.50" };
const toolUse = { type: "tool_use", id: "toolu_1", name, input: {} };
const toolResult = { type: "tool_result", tool_use_id: "toolu_1", content: "12.50" };

describe("what toollint does not know may be the result of the call that it names", () => {
  test.each([
    ["a role", apis.chat(chatCall, { role: "outcome", tool_call_id: "call_1", content: "12.50" })],
    ["a type", apis.responses(functionCall, { type: "sealed", call_id: "call_1", data: "Zg==" })],
    ["an output", apis.responses(functionCall, { type: "sealed_output", call_id: "call_1", data: "Zg==" })],
    ["a block", apis.anthropic(toolUse, { type: "sealed", tool_use_id: "toolu_1", data: "Zg==" })],
    ["a result", apis.anthropic(toolUse, { type: "sealed_tool_result", tool_use_id: "toolu_1" })],
  ])("%s", async (_, record) => {
    expect(await errorsOf(record)).toEqual([]);
  });

  test("unless it names another one", async () => {
    const other = { type: "sealed", call_id: "call_2", data: "Zg==" };
    expect(await errorsOf(apis.responses(functionCall, other))).toEqual(["unanswered-tool-call"]);
  });
});

describe("and may be the call that a result names", () => {
  test.each([
    ["a type", apis.responses({ type: "sealed", call_id: "call_1", data: "Zg==" }, output)],
    ["a call", apis.responses({ type: "sealed_call", call_id: "call_1", data: "Zg==" }, output)],
    ["a block", apis.anthropic({ type: "sealed", id: "toolu_1" }, toolResult)],
    ["a use", apis.anthropic({ type: "sealed_tool_use", id: "toolu_1", name, input: {} }, toolResult)],
  ])("%s", async (_, record) => {
    expect(await errorsOf(record)).toEqual([]);
  });

  test("unless it names another one", async () => {
    const other = { type: "sealed", call_id: "call_2", data: "Zg==" };
    expect(await errorsOf(apis.responses(other, output))).toEqual(["orphaned-tool-result"]);
  });
});
