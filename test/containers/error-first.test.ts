import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { open } from "./stories.ts";

const pretty = (body: object): string => JSON.stringify(body, null, 2);

/** The roots above info. */
async function roots(log: string): Promise<string[]> {
  const { findings } = await check(Buffer.from(log));
  const own = findings.filter(({ cause, severity }) => cause === null && severity !== "info");
  return own.map(({ rule, location }) => `${rule} ${location.pointer}`);
}

const chat = {
  model: "house-model",
  messages: [
    { role: "user", content: "Is room 12 free?" },
    { role: "tool", tool_call_id: "call_1", content: "yes" },
  ],
};
const claude = {
  model: "claude-sonnet-4-5",
  max_tokens: 100,
  messages: [
    { role: "user", content: "Is room 12 free?" },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "rooms", input: {} }] },
    { role: "user", content: "Hello?" },
  ],
};
const response = (room: string) => ({
  role: "function",
  parts: [{ functionResponse: { name: "rooms", response: { room } } }],
});
const call = (room: string) => ({ functionCall: { name: "rooms", args: { room } } });
const gemini = {
  contents: [
    { role: "user", parts: [{ text: "Are rooms 12 and 13 free?" }] },
    { role: "model", parts: [call("12"), call("13")] },
    response("12"),
    response("13"),
  ],
};
const count =
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
const unanswered =
  "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.";
const noCall = "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'";

describe("an error that is pasted before its request answers it", () => {
  test.each([
    [
      "as a body of JSON",
      `It fails with\n${pretty({ error: { code: 400, message: count, status: "INVALID_ARGUMENT" } })}\nThe request:\n${pretty(gemini)}\n`,
      "misplaced-tool-result /contents/3/parts/0",
    ],
    [
      "in fences",
      `\`\`\`json\n${pretty({ type: "error", error: { type: "invalid_request_error", message: unanswered } })}\n\`\`\`\nWhat I send:\n\`\`\`json\n${pretty(claude)}\n\`\`\`\n`,
      "unanswered-tool-call /messages/1/content/0",
    ],
    [
      "as Ruby prints it",
      `app.rb:6:in 'ask': {"error" => {"code" => 400, "message" => "${count}", "status" => "INVALID_ARGUMENT"}} (StandardError)\nThe payload:\n${pretty(gemini)}\n`,
      "misplaced-tool-result /contents/3/parts/0",
    ],
    [
      "as Python prints it, with a history in Python",
      `Error: {'error': {'message': "${noCall}", 'type': 'invalid_request_error'}}\n\nmessages = [{'role': 'user', 'content': 'Is room 12 free?'}, {'role': 'tool', 'tool_call_id': 'call_1', 'content': 'yes'}]\n`,
      "orphaned-tool-result /1",
    ],
    [
      "without its wrapper, as Mistral writes it",
      `API error occurred: Status 400\n${JSON.stringify({ object: "Error", message: "Unexpected role 'tool' after role 'user'", code: 3230 })}\n${pretty(chat)}\n`,
      "orphaned-tool-result /messages/1",
    ],
    [
      "without its wrapper, as Qianfan writes it",
      `${JSON.stringify({ error_code: 336003, error_msg: noCall, id: "as-1" })}\n${pretty(chat)}\n`,
      "orphaned-tool-result /messages/1",
    ],
    ["in its own words alone", `${noCall}\n\n${pretty(chat)}\n`, "orphaned-tool-result /messages/1"],
    [
      "as a member whose object is not there",
      `"error": {"message": "${noCall}", "param": "messages.[1].role"}\n${pretty(chat)}\n`,
      "orphaned-tool-result /messages/1",
    ],
  ])("%s", async (_, log, finding) => {
    const { exchanges } = await open(log);
    expect(exchanges.map(({ reply }) => reply?.error !== undefined)).toEqual([true]);
    expect(await roots(log)).toEqual([finding]);
  });

  test("and so does one behind it", async () => {
    for (const words of [`\`400 ${noCall}\``, `"error":{"message":"${noCall}"}}`]) {
      const { exchanges } = await open(`${pretty(chat)}\n\n${words}\n`);
      expect(exchanges.map(({ reply }) => reply?.error !== undefined)).toEqual([true]);
    }
  });

  const error = JSON.stringify({ error: { message: noCall, type: "invalid_request_error" } });
  const healthy = { ...chat, messages: chat.messages.slice(0, 1) };
  test("but not where the log goes on", async () => {
    const { exchanges } = await open(`${error}\n${pretty(healthy)}\n${pretty(healthy)}\n`);
    expect(exchanges.filter(({ request, reply }) => request && reply)).toEqual([]);
  });

  test.each([
    `The docs say: whoever sends results alone reads in the answer that ${noCall}`,
    `I know ${noCall.slice(0, 30)} …`,
  ])("nor words in the middle of a sentence: %s", async (line) => {
    const { exchanges } = await open(`${line}\n\n${pretty(healthy)}\n`);
    expect(exchanges.map(({ reply }) => reply)).toEqual([undefined]);
  });
});

test("a list of tools is no reply of the model", async () => {
  const tools = [{ type: "function", function: { name: "rooms", parameters: { type: "object" } } }];
  const log = `messages = ${JSON.stringify(chat.messages)}\ntools = ${JSON.stringify(tools)}\n`;
  const { exchanges } = await open(log);
  expect(exchanges.map(({ reply }) => reply)).toEqual([undefined]);
});
