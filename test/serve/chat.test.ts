import { afterAll, expect, test } from "vitest";
import { type RunningServer, startModelServer } from "../../src/serve/serve.ts";

const server: RunningServer = await startModelServer({ port: 0, host: "127.0.0.1" });
afterAll(() => server.close());

const question = { role: "user", content: "What is the weather in Lima?" };
const call = (id: string) => ({
  id,
  type: "function",
  function: { name: "get_weather", arguments: '{"city":"Lima"}' },
});
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "18 degrees" });

async function post(body: unknown, path = "/v1/chat/completions") {
  const response = await fetch(server.url + path, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const chat = (...messages: object[]) => ({ model: "gpt-5", messages });

test("a whole history is answered", async () => {
  const { status, text } = await post(
    chat(question, { role: "assistant", content: null, tool_calls: [call("call_1")] }, result("call_1")),
  );
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({
    object: "chat.completion",
    model: "gpt-5",
    choices: [{ message: { role: "assistant", content: "All done." }, finish_reason: "stop" }],
  });
});

test("a stream ends with [DONE]", async () => {
  const { text } = await post({ ...chat(question), stream: true });
  expect(text).toMatch(/^data: \{.*\n\n[\s\S]*data: \[DONE\]\n\n$/);
});

test("calls without results are refused in OpenAI's words, all in one sentence", async () => {
  const { status, text } = await post(
    chat(question, { role: "assistant", tool_calls: [call("call_1"), call("call_2")] }, question),
  );
  expect(status).toBe(400);
  expect(JSON.parse(text)).toEqual({
    error: {
      message:
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1, call_2",
      type: "invalid_request_error",
      param: "messages.[2].role",
      code: null,
    },
  });
});

test("a result without a call is refused", async () => {
  const { status, text } = await post(chat(question, result("call_1")));
  expect(status).toBe(400);
  expect(JSON.parse(text).error.param).toBe("messages.[1].role");
});

test("a misspelt role is refused, also alone", async () => {
  const { status, text } = await post(chat({ role: "asistant", content: "Hi" }));
  expect(status).toBe(400);
  expect(JSON.parse(text).error).toMatchObject({
    message: expect.stringMatching(/^Invalid value: 'asistant'\. Supported values are: /),
    param: "messages[0].role",
  });
});

test("a request names its model; on Azure, the address does", async () => {
  const { status, text } = await post({ messages: [question] });
  expect(status).toBe(400);
  expect(JSON.parse(text).error).toEqual({
    message: "you must provide a model parameter",
    type: "invalid_request_error",
    param: null,
    code: null,
  });
  const responses = await post({ input: "Hi" }, "/v1/responses");
  expect(responses.status).toBe(400);
  expect(JSON.parse(responses.text).error).toMatchObject({
    message: "Missing required parameter: 'model'.",
    code: "missing_required_parameter",
  });
  const azure = "/openai/deployments/mine/chat/completions?api-version=2024-10-21";
  expect((await post({ messages: [question] }, azure)).status).toBe(200);
});

test("an empty list of tools is refused, which the Responses API takes", async () => {
  const { status, text } = await post({ ...chat(question), tools: [] });
  expect(status).toBe(400);
  expect(JSON.parse(text).error).toMatchObject({ param: "tools", code: "empty_array" });
  expect((await post({ model: "gpt-5", input: "Hi", tools: [] }, "/v1/responses")).status).toBe(200);
});

test("a path that misspells a provider is noted", async () => {
  const before = server.model.notes.length;
  for (const path of ["/mistrl/v1/chat/completions", "/mistrl/v1/chat/completions", "/v1/chat/completions"])
    expect((await post(chat(question), path)).status).toBe(200);
  expect(server.model.notes.slice(before)).toEqual([
    "no profile is called `mistrl`, so `/mistrl/…` was judged as openai; did you mean `/mistral/…`?",
  ]);
});

test("bytes that are no JSON, and an unknown address", async () => {
  expect((await post("{bad")).status).toBe(400);
  expect((await post({}, "/v1/nothing")).status).toBe(404);
  expect(server.model.misses.at(-1)?.why).toBe("no API is served at POST /v1/nothing");
});
