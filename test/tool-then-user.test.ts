import { expect, test } from "vitest";
import { check } from "../src/index.ts";
import { matchErrorText } from "../src/rules/match-error-text.ts";

// Mistral wants the model's answer between the results of tools and the next words of the user.

const refusal = "Unexpected role 'user' after role 'tool'";
const call = { id: "abcdefghi", type: "function", function: { name: "weather", arguments: "{}" } };
const request = {
  model: "mistral-small-latest",
  messages: [
    { role: "user", content: "How warm is it in Paris?" },
    { role: "assistant", content: "", tool_calls: [call] },
    { role: "tool", tool_call_id: "abcdefghi", content: "17 °C" },
    { role: "user", content: "And in Rome?" },
  ],
  tools: [
    { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } },
  ],
};
const body = { object: "error", message: refusal, type: "invalid_request_message_order", code: "3230" };

test("a user's words after results are told with what stands between them", async () => {
  const url = "https://api.mistral.ai/v1/chat/completions";
  const { diagnoses } = await check(JSON.stringify({ url, request, response: { status: 400, body } }));
  expect(diagnoses.map(({ change }) => change)).toEqual([
    expect.stringMatching(/^send an assistant message between the results and the user's next message/),
  ]);
});

test.each([
  ["alone", refusal],
  ["in the words of a gateway", `HTTP 400: {"message":"${refusal}","code":"3230"}`],
])("the refusal is told with the same advice: %s", (_, text) => {
  expect(matchErrorText(text)).toMatchObject({
    rule: "bad-turn-order",
    advice: "send an assistant message between the results and the user's next message",
  });
});
