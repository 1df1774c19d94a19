import { expect, test } from "vitest";
import { peekValue } from "../../src/containers/payloads/peek.ts";
import type { Item } from "../../src/conversation/item.ts";
import { protocols } from "../../src/protocols/index.ts";
import { ollama } from "../../src/protocols/ollama/index.ts";
import { openaiChat } from "../../src/protocols/openai-chat/index.ts";
import { urlFits } from "../../src/protocols/paths.ts";
import { place, requestBody, streamBody } from "./bodies.ts";

function request(body: Record<string, unknown>) {
  return ollama.decodeRequest(requestBody(body, "messages", { url: "/api/chat" }));
}

const items = (message: unknown): readonly Item[] => ollama.decodeElement(message).items;

function stream(lines: unknown[], isCut = false) {
  return ollama.decodeStream(streamBody(lines, { framing: "ndjson", isCut }));
}

const call = (city: string) => ({ function: { name: "weather", arguments: { city } } });
const line = (message: Record<string, unknown>) => ({
  model: "qwen3:8b",
  message: { role: "assistant", content: "", ...message },
  done: false,
});
const last = {
  model: "qwen3:8b",
  message: { role: "assistant", content: "" },
  done: true,
  done_reason: "stop",
  prompt_eval_count: 50,
  eval_count: 9,
};

test("calls carry objects and no ids, results name the tool", () => {
  expect(
    items({ role: "assistant", content: "", thinking: "Oslo first.", tool_calls: [call("Oslo")] }),
  ).toEqual([
    { kind: "reasoning", role: "assistant", pointer: "/thinking", text: "Oslo first." },
    {
      kind: "call",
      role: "assistant",
      pointer: "/tool_calls/0",
      name: "weather",
      argumentsText: '{"city":"Oslo"}',
      arguments: { city: "Oslo" },
      isJson: true,
      wireType: "function",
      isHosted: false,
      state: "complete",
    },
  ]);
  expect(items({ role: "tool", tool_name: "weather", content: "-3 °C" })).toMatchObject([
    { kind: "result", role: "tool", pointer: "", name: "weather", text: "-3 °C" },
  ]);
});

test("a result may name nothing, or an id", () => {
  expect(items({ role: "tool", content: "-3" })[0]).not.toHaveProperty("flaws");
  expect(items({ role: "tool", tool_call_id: "call_1", content: "-3" })).toMatchObject([
    { callId: "call_1" },
  ]);
});

test("what the server would refuse, or the model not understand, is named", () => {
  const flaws = (message: unknown) => items(message).flatMap((item) => item.flaws ?? []);
  const asText = { function: { name: "weather", arguments: '{"city":"Oslo"}' } };
  expect(flaws({ role: "assistant", content: "", tool_calls: [asText] })).toEqual([
    { kind: "arguments-type", pointer: "/tool_calls/0/function/arguments", detail: "string" },
  ]);
  expect(flaws({ role: "user", content: [{ type: "text", text: "Oslo?" }] })).toEqual([
    { kind: "bad-content", pointer: "/content", detail: "array" },
  ]);
  expect(flaws({ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] })).toMatchObject([
    { kind: "other-protocol", pointer: "/content/0" },
    { kind: "empty-text" },
  ]);
  expect(flaws({ role: "assistant", content: "" })).toEqual([{ kind: "empty-message", pointer: "" }]);
  expect(flaws({ role: "assistant", content: "", tool_calls: [call("Oslo")] })).toEqual([]);
});

test("arguments as text are read all the same", () => {
  const asText = { function: { name: "weather", arguments: '{"city":"Oslo"}' } };
  expect(items({ role: "assistant", tool_calls: [asText] })).toMatchObject([{ arguments: { city: "Oslo" } }]);
});

test("a request streams unless it says otherwise", () => {
  const read = request({
    model: "qwen3:8b",
    messages: [{ role: "user", content: "Oslo?", images: ["aGk="] }],
    tools: [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }],
    options: { num_predict: 64 },
    think: "high",
    tool_choice: "required",
  });
  expect(read).toMatchObject({
    historyPointer: "/messages",
    tools: [{ name: "weather", pointer: "/tools/0", isHosted: false }],
    maxTokens: 64,
    isStreaming: true,
    settings: { reasoning: true },
  });
  expect(read.toolChoice).toBeUndefined();
  expect(read.history.items(0)).toMatchObject([{ text: "Oslo?", hasMedia: true }]);
  expect(request({ messages: [{ role: "user", content: "hi" }], stream: false, think: false })).toMatchObject(
    {
      isStreaming: false,
      settings: { reasoning: false },
    },
  );
});

test("a request without messages only loads the model", () => {
  expect(request({ model: "qwen3:8b", messages: [] }).settings.isProbe).toBe(true);
});

test("a whole reply is read; stop is said of calls, too", () => {
  const value = { ...last, message: { role: "assistant", content: "Looking.", tool_calls: [call("Oslo")] } };
  expect(ollama.decodeReply({ value, place, status: 200 })).toMatchObject({
    model: "qwen3:8b",
    items: [
      { kind: "message", pointer: "/message/content", text: "Looking." },
      { kind: "call", pointer: "/message/tool_calls/0" },
    ],
    finish: { reason: "stop", meaning: "answer", pointer: "/done_reason" },
    usage: { input: 50, output: 9 },
    state: "complete",
  });
});

test("lines of a stream may carry one call each; the last line is empty", () => {
  const reply = stream([
    line({ thinking: "Both " }),
    line({ thinking: "cities." }),
    line({ content: "Looking" }),
    line({ content: "…" }),
    line({ tool_calls: [call("Oslo")] }),
    line({ tool_calls: [call("Bergen")] }),
    last,
  ]);
  expect(reply.items).toMatchObject([
    { kind: "reasoning", text: "Both cities.", fragments: { count: 2, first: { start: 0, end: 9 } } },
    { kind: "message", text: "Looking…", fragments: { count: 2, last: { start: 30, end: 39 } } },
    {
      kind: "call",
      pointer: "/message/tool_calls/0",
      arguments: { city: "Oslo" },
      fragments: { first: { start: 40, end: 49 } },
    },
    {
      kind: "call",
      pointer: "/message/tool_calls/1",
      arguments: { city: "Bergen" },
      fragments: { first: { start: 50, end: 59 } },
    },
  ]);
  expect(reply).toMatchObject({ state: "complete", finish: { meaning: "answer" }, usage: { input: 50 } });
});

test("a stream without its last line is open", () => {
  expect(stream([line({ content: "Look" })], true)).toMatchObject({
    state: "open",
    items: [{ text: "Look" }],
    flaws: [],
  });
});

test("an error is a line of its own", () => {
  expect(stream([line({ content: "Look" }), { error: "model runner has stopped" }]).error).toEqual({
    message: "model runner has stopped",
    isMidStream: true,
    pointer: "/error",
    extent: { start: 10, end: 19 },
  });
  const value = { error: "server busy, please try again" };
  expect(ollama.decodeReply({ value, place, status: 503 }).error).toMatchObject({
    message: value.error,
    isMidStream: false,
  });
});

test("only what the chat format lacks makes a request an Ollama one", () => {
  const sure = (value: object) => {
    const own = ollama.recognize(peekValue(value))?.certainty ?? 0;
    return own > (openaiChat.recognize(peekValue(value))?.certainty ?? 0);
  };
  const model = "qwen3:8b";
  const messages = [{ role: "user", content: "Oslo?" }];
  const tools = [{ type: "function", function: { name: "weather" } }];
  expect(sure({ model, messages, stream: true })).toBe(false);
  expect(sure({ model, messages, tools })).toBe(false);
  expect(sure({ model, messages, tools, keep_alive: "5m" })).toBe(true);
  expect(sure({ model, messages, tools, think: false, tool_choice: "auto" })).toBe(true);
  expect(sure({ model, messages, tools, options: { num_ctx: 8192 } })).toBe(true);
  const asked = { role: "assistant", content: "", tool_calls: [call("Oslo")] };
  expect(sure({ model, messages: [...messages, asked, { role: "tool", content: "-3" }], tools })).toBe(true);
  // A chat client that forgot to serialise: its ids say which format it means.
  const mistaken = {
    role: "assistant",
    content: "",
    tool_calls: [{ id: "call_1", type: "function", ...call("Oslo") }],
  };
  const answer = { role: "tool", tool_call_id: "call_1", content: "-3" };
  expect(sure({ model: "gpt-6", messages: [...messages, mistaken, answer], tools })).toBe(false);
  expect(ollama.recognize(peekValue({ messages: [{ role: "user", parts: [] }] }))).toBeUndefined();
});

test("replies and lines of streams are told by `message` and `done`", () => {
  expect(ollama.recognize(peekValue(last))).toEqual({ part: "reply", certainty: 0.95 });
  expect(ollama.recognize(peekValue(line({ content: "hi" })))).toEqual({ part: "event", certainty: 0.95 });
  expect(ollama.recognize(peekValue({ message: { text: "sent" }, done: true }))).toBeUndefined();
});

test.each([
  ["http://localhost:11434/api/chat", 1],
  ["/api/chat?trace=1", 1],
  ["/api/chat/completions", -1],
  ["/v1/chat/completions", -1],
  ["/api/tags", 0],
])("the path %s counts %i", (url, fit) => {
  expect(urlFits(protocols)(ollama, url)).toBe(fit);
});
