import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { matchErrorText } from "../../src/rules/match-error-text.ts";
import { testRefusals } from "./table.ts";

const text = (words: string) => ({ text: words });
const user = (...parts: object[]) => ({ role: "user", parts });
const question = user(text("What is on page 2 of spec.pdf?"));
const call = {
  role: "model",
  parts: [{ functionCall: { name: "read_file", args: {} }, thoughtSignature: "CpcBAdHt" }],
};
const response = { name: "read_file", response: { output: "see parts" } };
const result = { functionResponse: response };
const page = [{ inlineData: { mimeType: "application/pdf", data: "JVBERi0xLjQKJeLjz9MK" } }];
const paged = { functionResponse: { ...response, parts: page } };
const tools = [{ functionDeclarations: [{ name: "read_file" }] }];

const vertex = (model: string, ...contents: object[]): object => ({
  url: `https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google/models/${model}:generateContent`,
  request: { contents, tools },
});
const studio = (model: string, ...contents: object[]): object => ({
  url: `https://generativelanguage.googleapis.com/v1beta/models/${model}:generateContent`,
  request: { contents, tools },
});

describe("Gemini on Google Cloud", () => {
  testRefusals(undefined, [
    {
      refusal: "parts in a result, before Gemini 3",
      source: "https://github.com/google-gemini/gemini-cli/issues/19436",
      body: vertex("gemini-2.5-pro", question, call, user(paged)),
      rule: "invalid-request",
      severity: "error",
      pointer: "/contents/2/parts/0/functionResponse/parts",
      legal: [
        vertex("gemini-2.5-pro", question, call, user(result)),
        vertex("gemini-3-pro-preview", question, call, user(paged)),
        studio("gemini-2.5-pro", question, call, user(paged)),
      ],
    },
    {
      refusal: "words beside a result, from 3.6 Flash on",
      source: "https://github.com/envoyproxy/ai-gateway/pull/2686",
      body: vertex("gemini-3.7-flash", question, call, user(result, text("Answer now."))),
      rule: "invalid-request",
      severity: "error",
      pointer: "/contents/2/parts/1",
      legal: [
        vertex("gemini-3.7-flash", question, call, user(result), user(text("Answer now."))),
        vertex("gemini-2.5-flash", question, call, user(result, text("Answer now."))),
        studio("gemini-3.7-flash", question, call, user(result, text("Answer now."))),
      ],
    },
  ]);

  test("words beside a result are the cause, though the refusal speaks of the model's turn", async () => {
    const message = "Requests ending with a model turn are not supported.";
    const { findings } = await check({
      ...vertex("gemini-3.6-flash", question, call, user(text("Stop."), result)),
      status: 400,
      response: { error: { code: 400, message, status: "INVALID_ARGUMENT" } },
    });
    expect(findings.map(({ rule, cause }) => [rule, cause === null])).toEqual([
      ["invalid-request", true],
      ["provider-rejected", false],
    ]);
  });
});

describe("an error in an envelope of Anthropic's form", () => {
  const request = {
    model: "MiniMax-M3",
    messages: [
      { role: "user", content: "Weather in Hanoi and Paris?" },
      {
        role: "assistant",
        content: "",
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Hanoi"}{}' } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "invalid" },
    ],
    tools: [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }],
  };
  const message = "invalid params, invalid function arguments json string, tool_call_id: call_1 (2013)";
  const lines = (...records: object[]) => Buffer.from(records.map((each) => JSON.stringify(each)).join("\n"));

  test("answers the request of another API that stands before it", async () => {
    const error = { type: "error", error: { type: "bad_request_error", message, http_code: "400" } };
    const { files, findings } = await check(
      lines({ type: "request", body: request }, { type: "response", status: 400, body: error }),
    );
    expect(files[0]?.exchanges).toBe(1);
    expect(findings.map(({ rule, cause }) => [rule, cause === null])).toEqual([
      ["incomplete-arguments", true],
      ["provider-rejected", false],
    ]);
  });

  test("is Anthropic's own where its type is", async () => {
    const error = { type: "error", error: { type: "invalid_request_error", message: "messages: no" } };
    const { files } = await check(lines(error));
    expect(files[0]?.protocols).toEqual(["anthropic"]);
  });
});

test("a call without arguments lacks a member, and is not misencoded", () => {
  const text =
    "1 validation error: {'type': 'missing', 'loc': ('body', 'messages', 1, 'tool_calls', 0, 'function', 'arguments'), 'msg': 'Field required', 'input': {'name': 'now'}}";
  expect(matchErrorText(text)).toMatchObject({ rule: "invalid-request", index: 1 });
  expect(
    matchErrorText("messages.1.tool_calls.0.function.arguments: Input should be a valid string"),
  ).toMatchObject({ rule: "misencoded-arguments" });
});
