import { expect, test } from "vitest";
import { check } from "../src/index.ts";

/** Results without an id that a server takes, beside those that it refuses. */

const messages = [
  { role: "user", content: "What is the root of 9?" },
  { role: "assistant", content: '{"number":"9"}' },
  { role: "tool", content: "3" },
];
const tools = [{ type: "function", function: { name: "root", parameters: { type: "object" } } }];
const workersAi =
  "https://api.cloudflare.com/client/v4/accounts/a/ai/run/@cf/meta/llama-3.3-70b-instruct-fp8-fast";
const local = "http://localhost:8000/v1/chat/completions";
const said = { result: { response: "It is 3." }, success: true, errors: [], messages: [] };
const choices = [{ index: 0, message: { role: "assistant", content: "It is 3." }, finish_reason: "stop" }];
const completion = { id: "c1", object: "chat.completion", model: "m", choices };

async function found(
  url: string,
  status: number,
  response: object,
  sent: object[] = messages,
): Promise<string[]> {
  const record = { method: "POST", url, request: { model: "m", messages: sent, tools }, status, response };
  const { findings } = await check(Buffer.from(JSON.stringify(record)), { name: "run.json" });
  return findings
    .filter(({ rule }) => rule === "orphaned-tool-result")
    .map(({ severity, kind }) => `${severity} ${kind}`);
}

test("a server that answers takes results without ids", async () => {
  expect(await found(workersAi, 200, said)).toEqual(["warning unnamed"]);
  expect(await found(local, 200, completion)).toEqual(["warning unnamed"]);
});

test("an error remains where the server refuses them, or the result names a call", async () => {
  const error = { error: { message: "tool_call_id is required", type: "invalid_request_error" } };
  expect(await found(local, 400, error)).toEqual(["error unnamed"]);
  const named = messages.map((message) =>
    message.role === "tool" ? { ...message, tool_call_id: "call_1" } : message,
  );
  expect(await found(local, 200, completion, named)).toEqual(["error noCall"]);
  expect(await found("https://api.openai.com/v1/chat/completions", 200, completion)).toEqual([
    "error unnamed",
  ]);
});
