import { expect, test } from "vitest";
import { peekValue } from "../../src/containers/payloads/peek.ts";
import type { Item } from "../../src/conversation/item.ts";
import { anthropic } from "../../src/protocols/anthropic/index.ts";
import { protocols } from "../../src/protocols/index.ts";
import { urlFits } from "../../src/protocols/paths.ts";
import type { StreamBody } from "../../src/protocols/protocol.ts";
import { extentAt, place, requestBody, streamBody } from "./bodies.ts";

const certainty = (value: Record<string, unknown>): number =>
  anthropic.recognize(peekValue(value))?.certainty ?? 0;

function request(body: Record<string, unknown>, url?: string) {
  return anthropic.decodeRequest(requestBody(body, "messages", { url }));
}

const items = (message: unknown): readonly Item[] => anthropic.decodeElement(message).items;

function stream(events: unknown[], options: Partial<StreamBody> = {}) {
  return anthropic.decodeStream(streamBody(events, options));
}

const begin = {
  type: "message_start",
  message: { id: "msg_1", model: "claude-opus-5", content: [], usage: { input_tokens: 20 } },
};
const stop = { type: "message_stop" };
const stopFor = (stop_reason: string) => ({
  type: "message_delta",
  delta: { stop_reason },
  usage: { output_tokens: 7 },
});
const block = (index: number, content_block: unknown) => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, value: unknown) => ({ type: "content_block_delta", index, delta: value });
const json = (index: number, partial_json: string) =>
  delta(index, { type: "input_json_delta", partial_json });
const close = (index: number) => ({ type: "content_block_stop", index });
const weather = { type: "tool_use", id: "toolu_1", name: "weather", input: {} };

test("every block of a message is one item with its own pointer", () => {
  const read = items({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Oslo is in Norway.", signature: "c2ln" },
      { type: "text", text: "Let me look." },
      { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Oslo" } },
    ],
  });
  expect(read).toEqual([
    { kind: "reasoning", role: "assistant", pointer: "/content/0", text: "Oslo is in Norway.", seal: "c2ln" },
    { kind: "message", role: "assistant", pointer: "/content/1", text: "Let me look.", hasMedia: false },
    {
      kind: "call",
      role: "assistant",
      pointer: "/content/2",
      id: "toolu_1",
      name: "weather",
      argumentsText: '{"city":"Oslo"}',
      arguments: { city: "Oslo" },
      isJson: true,
      wireType: "tool_use",
      isHosted: false,
      state: "complete",
    },
  ]);
});

test("results may be text, blocks, media, or nothing at all", () => {
  const result = (content?: unknown) =>
    items({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_1", ...(content !== undefined && { content }) }],
    })[0];
  expect(result("-3 °C")).toMatchObject({
    kind: "result",
    role: "user",
    callId: "toolu_1",
    text: "-3 °C",
    hasMedia: false,
  });
  expect(
    result([
      { type: "text", text: "map:" },
      { type: "image", source: {} },
    ]),
  ).toMatchObject({ text: "map:", hasMedia: true });
  expect(result()).toMatchObject({ text: "" });
  expect(result()).not.toHaveProperty("flaws");
  expect(result("")).not.toHaveProperty("flaws");
});

test("what the provider ran is hosted, and needs no answer", () => {
  const read = items({
    role: "assistant",
    content: [
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "Oslo" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_1",
        content: [{ type: "web_search_result", url: "https://yr.no" }],
      },
      { type: "mcp_tool_use", id: "mcptoolu_1", name: "lookup", server_name: "wiki", input: {} },
    ],
  });
  expect(read).toMatchObject([
    { kind: "call", isHosted: true },
    { kind: "result", callId: "srvtoolu_1", isHosted: true },
    { kind: "call", isHosted: true, wireType: "mcp_tool_use" },
  ]);
});

test("what is wrong with a block is named, and where", () => {
  const flaws = (message: unknown) => items(message).flatMap((item) => item.flaws ?? []);
  const user = (...content: unknown[]) => ({ role: "user", content });
  expect(flaws(user({ type: "text", text: "" }))).toEqual([
    { kind: "empty-text", pointer: "/content/0/text" },
  ]);
  expect(flaws(user({ type: "text", text: " \n" }))).toEqual([
    { kind: "blank-text", pointer: "/content/0/text" },
  ]);
  expect(flaws(user({ type: "text" }))).toEqual([{ kind: "empty-text", pointer: "/content/0/text" }]);
  expect(flaws(user({ type: "text", cache_control: { type: "ephemeral" } }))).toHaveLength(1);
  for (const said of [{ content: "Why?" }, { input: { city: "Bern" } }, { words: ["Why?"] }])
    expect(flaws(user({ type: "text", ...said }))).toEqual([]);
  expect(flaws(user())).toEqual([{ kind: "empty-message", pointer: "/content" }]);
  expect(flaws({ role: "assistant", content: "" })).toEqual([{ kind: "empty-message", pointer: "/content" }]);
  expect(flaws(user({ type: "tool_result", tool_use_id: "toolu_1", content: [] }))).toEqual([
    { kind: "bad-content", pointer: "/content/0/content", detail: "an empty list" },
  ]);
  expect(flaws(user({ type: "tool_result", tool_use_id: "toolu_1", content: [{ celsius: 9 }] }))).toEqual([
    {
      kind: "bad-content",
      pointer: "/content/0/content",
      detail: "array (without content blocks)",
    },
  ]);
  expect(flaws(user({ type: "tool_result", content: "ok" }))).toEqual([
    { kind: "missing-id", pointer: "/content/0" },
  ]);
  expect(flaws({ role: "assistant", content: [{ ...weather, input: '{"city":"Oslo"}' }] })).toEqual([
    { kind: "arguments-type", pointer: "/content/0/input", detail: "string" },
  ]);
  expect(flaws(user({ type: "thinking", thinking: "", signature: "c2ln" }))).toEqual([]);
});

test("calls and results in the chat format are read, and said to be out of place", () => {
  const call = {
    id: "call_1",
    type: "function",
    function: { name: "weather", arguments: '{"city":"Oslo"}' },
  };
  expect(items({ role: "assistant", content: "", tool_calls: [call] })).toMatchObject([
    { kind: "call", id: "call_1", pointer: "/tool_calls/0", flaws: [{ kind: "other-protocol" }] },
  ]);
  expect(items({ role: "tool", tool_call_id: "call_1", content: "-3" })).toMatchObject([
    { kind: "result", callId: "call_1", flaws: [{ kind: "other-protocol", pointer: "/role" }] },
  ]);
});

test("one call written in both formats is one call", () => {
  const both = {
    role: "assistant",
    content: [weather],
    tool_calls: [{ id: "toolu_1", function: { name: "weather" } }],
  };
  expect(items(both).filter((item) => item.kind === "call")).toHaveLength(1);
});

test("a system message inside the history is legal", () => {
  const { role, items: read } = anthropic.decodeElement({
    role: "system",
    content: "Be brief from here on.",
  });
  expect(role).toBe("system");
  expect(read[0]).not.toHaveProperty("flaws");
});

test("a request says what it offers, forces and leans on", () => {
  const read = request({
    model: "claude-opus-5",
    max_tokens: 1024,
    stream: true,
    system: [{ type: "text", text: "You are helpful.", cache_control: { type: "ephemeral" } }],
    thinking: { type: "enabled", budget_tokens: 2048 },
    tool_choice: { type: "any" },
    tools: [
      { name: "weather", input_schema: { type: "object" } },
      { type: "web_search_20250305", name: "web_search" },
      { type: "bash_20250124", name: "bash" },
    ],
    metadata: { user_id: "session_7" },
    thread: { type: "continue", previous_message_id: "msg_0" },
    messages: [{ role: "user", content: "Oslo?" }],
  });
  expect(read).toMatchObject({
    historyPointer: "/messages",
    system: "You are helpful.",
    toolChoice: { mode: "required" },
    maxTokens: 1024,
    isStreaming: true,
    links: { previousReply: "msg_0", clientKey: "session_7" },
    settings: { reasoning: true },
  });
  expect(read.tools).toEqual([
    { name: "weather", parameters: { type: "object" }, isHosted: false, pointer: "/tools/0" },
    { name: "web_search", isHosted: true, pointer: "/tools/1" },
    { name: "bash", isHosted: false, pointer: "/tools/2" },
  ]);
  expect(read.history.length).toBe(1);
});

test("quota checks ask the model for nothing", () => {
  const messages = [{ role: "user", content: "quota" }];
  expect(request({ max_tokens: 1, messages }).settings.isProbe).toBe(true);
  expect(request({ max_tokens: 100, messages }, "/v1/messages").settings).toEqual({});
});

test("Bedrock and Vertex name the model in the path", () => {
  const messages = [{ role: "user", content: "hi" }];
  const bedrock =
    "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-sonnet-4-v1%3A0/invoke-with-response-stream";
  expect(request({ messages }, bedrock)).toMatchObject({
    model: "anthropic.claude-sonnet-4-v1:0",
    isStreaming: true,
  });
  const vertex = "/v1/projects/p/locations/us/publishers/anthropic/models/claude-opus-5:streamRawPredict";
  expect(request({ messages }, vertex)).toMatchObject({ model: "claude-opus-5", isStreaming: true });
});

test("a reply is read with its reason and all of its prompt's tokens", () => {
  const reply = anthropic.decodeReply({
    value: {
      type: "message",
      id: "msg_1",
      role: "assistant",
      model: "claude-opus-5",
      content: [
        { type: "text", text: "" },
        { ...weather, input: { city: "Oslo" } },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 5 },
    },
    place,
    status: 200,
  });
  expect(reply.items).toMatchObject([{ kind: "call", pointer: "/content/1", arguments: { city: "Oslo" } }]);
  expect(reply).toMatchObject({
    id: "msg_1",
    finish: { reason: "tool_use", meaning: "calls", pointer: "/stop_reason" },
    usage: { input: 100, output: 5, cached: 90 },
    state: "complete",
  });
});

test.each([
  ["end_turn", "answer"],
  ["stop_sequence", "answer"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["pause_turn", "pause"],
  ["refusal", "refusal"],
  ["compaction", "compaction"],
  ["something_new", "other"],
])("stop_reason %s means %s", (stop_reason, meaning) => {
  const value = { type: "message", role: "assistant", content: [], stop_reason };
  expect(anthropic.decodeReply({ value, place, status: 200 }).finish?.meaning).toBe(meaning);
});

test("a refusal of the request is an error, not a message", () => {
  const value = {
    type: "error",
    error: { type: "invalid_request_error", message: "messages.2: unexpected `tool_use_id`" },
  };
  const reply = anthropic.decodeReply({ value, place, status: 400 });
  expect(reply.error).toEqual({
    type: "invalid_request_error",
    message: "messages.2: unexpected `tool_use_id`",
    isMidStream: false,
    pointer: "/error",
  });
});

test("fragments of a streamed call are joined, and their places kept", () => {
  const reply = stream([
    begin,
    block(0, { type: "text", text: "" }),
    { type: "ping" },
    delta(0, { type: "text_delta", text: "Let me " }),
    delta(0, { type: "text_delta", text: "look." }),
    close(0),
    block(1, weather),
    json(1, ""),
    json(1, '{"ci'),
    json(1, 'ty":"Oslo"}'),
    close(1),
    stopFor("tool_use"),
    stop,
  ]);
  expect(reply.items).toMatchObject([
    {
      kind: "message",
      pointer: "/content/0",
      text: "Let me look.",
      fragments: { count: 2, first: extentAt(3), last: extentAt(4) },
    },
    {
      kind: "call",
      pointer: "/content/1",
      argumentsText: '{"city":"Oslo"}',
      state: "complete",
      fragments: { count: 3, first: extentAt(6), last: extentAt(9) },
    },
  ]);
  expect(reply).toMatchObject({
    id: "msg_1",
    model: "claude-opus-5",
    state: "complete",
    usage: { input: 20, output: 7 },
  });
  expect(reply.finish).toMatchObject({ meaning: "calls", extent: extentAt(11) });
  expect(reply.flaws).toEqual([]);
});

test("thinking keeps its signature, and hosted calls their results", () => {
  const reply = stream([
    begin,
    block(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "Look it up." }),
    delta(0, { type: "signature_delta", signature: "c2ln" }),
    close(0),
    block(1, { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }),
    json(1, '{"query":"Oslo"}'),
    close(1),
    block(2, { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }),
    close(2),
    stopFor("pause_turn"),
    stop,
  ]);
  expect(reply.items).toMatchObject([
    { kind: "reasoning", text: "Look it up.", seal: "c2ln" },
    { kind: "call", isHosted: true, arguments: { query: "Oslo" } },
    { kind: "result", isHosted: true, callId: "srvtoolu_1" },
  ]);
  expect(reply.finish?.meaning).toBe("pause");
});

test("input may come whole at the start of the block", () => {
  const whole = { ...weather, input: { city: "Oslo" } };
  const reply = stream([begin, block(0, whole), close(0), stopFor("tool_use"), stop]);
  expect(reply.items).toMatchObject([{ kind: "call", arguments: { city: "Oslo" } }]);
  expect(reply.flaws).toEqual([]);
});

test("a call without any fragment of input is noted as harmless", () => {
  const reply = stream([begin, block(0, weather), close(0), stopFor("tool_use"), stop]);
  expect(reply.items).toMatchObject([{ kind: "call", arguments: {}, state: "complete" }]);
  expect(reply.flaws).toMatchObject([
    { kind: "missing-arguments", isHarmless: true, pointer: "/content/0/input" },
  ]);
});

test("a stream that breaks off leaves its call open", () => {
  const reply = stream([begin, block(0, weather), json(0, '{"city":')], { isCut: true });
  expect(reply.state).toBe("open");
  expect(reply.finish).toBeUndefined();
  expect(reply.items).toMatchObject([{ kind: "call", state: "open", argumentsText: '{"city":' }]);
  expect(reply.items[0]).not.toHaveProperty("flaws");
});

test("a call that the token limit cut is open although its block was closed", () => {
  const reply = stream([
    begin,
    block(0, weather),
    json(0, '{"city":'),
    close(0),
    stopFor("max_tokens"),
    stop,
  ]);
  expect(reply.state).toBe("complete");
  expect(reply.items).toMatchObject([{ kind: "call", state: "open" }]);
});

test("deltas for a closed or an unknown block are a flaw of the server", () => {
  const late = stream([
    begin,
    block(0, weather),
    close(0),
    json(0, '{"city":"Oslo"}'),
    stopFor("tool_use"),
    stop,
  ]);
  expect(late.flaws).toMatchObject([{ kind: "closed-block", isHarmless: false, pointer: "/content/0" }]);
  expect(late.items).toMatchObject([{ arguments: { city: "Oslo" } }]);
  const unknown = stream([
    begin,
    block(0, weather),
    json(3, '{"city":"Oslo"}'),
    close(0),
    stopFor("tool_use"),
    stop,
  ]);
  expect(unknown.flaws).toMatchObject([{ kind: "closed-block", isHarmless: true }]);
  expect(unknown.items).toMatchObject([{ arguments: { city: "Oslo" } }]);
});

test("two blocks with one index stay two blocks", () => {
  const second = { ...weather, id: "toolu_2" };
  const reply = stream([
    begin,
    block(0, weather),
    json(0, '{"city":"Oslo"}'),
    close(0),
    block(0, second),
    json(0, '{"city":"Bergen"}'),
    close(0),
    stopFor("tool_use"),
    stop,
  ]);
  expect(reply.items).toMatchObject([
    { arguments: { city: "Oslo" } },
    { id: "toolu_2", arguments: { city: "Bergen" } },
  ]);
  expect(reply.flaws).toMatchObject([{ kind: "repeated-index", isHarmless: true }]);
});

test("an error event inside a stream is kept with its place", () => {
  const reply = stream([
    begin,
    { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  ]);
  expect(reply.error).toMatchObject({
    type: "overloaded_error",
    isMidStream: true,
    extent: { start: 10, end: 19 },
  });
  expect(reply.state).toBe("open");
});

test("blocks and events that nobody knows yet do no harm", () => {
  const reply = stream([
    begin,
    { type: "message_note", note: 1 },
    block(0, { type: "hologram", id: "h_1" }),
    delta(0, { type: "hologram_delta", light: "…" }),
    close(0),
    stopFor("end_turn"),
    stop,
  ]);
  expect(reply.items).toMatchObject([{ kind: "opaque", wireType: "hologram", id: "h_1" }]);
  expect(reply.flaws).toEqual([]);
});

test("only what no other API has makes a request an Anthropic one", () => {
  const messages = [{ role: "user", content: "Oslo?" }];
  const tools = [{ name: "weather", input_schema: {} }];
  const round = [
    { role: "assistant", content: [weather] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
  ];
  expect(certainty({ messages, tools })).toBeGreaterThan(0.9);
  expect(certainty({ messages: round })).toBeGreaterThan(0.9);
  expect(certainty({ messages, system: "Be brief.", max_tokens: 9 })).toBeGreaterThan(0.9);
  expect(certainty({ messages, model: "claude-opus-5", max_tokens: 9 })).toBe(0.85);
  expect(certainty({ messages, model: "glm-5", max_tokens: 9 })).toBe(0.55);
  expect(certainty({ messages, model: "gpt-6" })).toBe(0);
  const chatTools = [{ type: "function", function: { name: "weather" } }];
  expect(certainty({ messages, model: "claude-opus-5", max_tokens: 9, tools: chatTools })).toBe(0);
  expect(
    certainty({ messages: [{ role: "user", content: [{ text: "Oslo?" }] }], system: [{ text: "Brief." }] }),
  ).toBe(0);
  expect(
    certainty({ messages: [{ role: "user", content: [{ type: "tool-result" }] }], system: "Brief." }),
  ).toBe(0);
});

test("what agents tell of each message is none of its events, although it begins as one", () => {
  const started = (message: object) => anthropic.recognize(peekValue({ type: "message_start", message }));
  const content = [{ type: "text", text: "Hi." }];
  expect(started({ role: "user", content, timestamp: 1 })).toBeUndefined();
  expect(started({ role: "toolResult", content, toolCallId: "call_1" })).toBeUndefined();
  expect(
    started({ role: "assistant", content: [], stopReason: "stop", api: "openai-responses" }),
  ).toBeUndefined();
  expect(started({ id: "msg_1", content: [], usage: {} })?.part).toBe("event");
});

test("replies and events are told from those of other APIs by their names", () => {
  expect(anthropic.recognize(peekValue(begin))).toEqual({ part: "event", certainty: 0.97 });
  expect(anthropic.recognize(peekValue(close(0)))?.part).toBe("event");
  const message = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    content: [],
    model: "m",
    stop_reason: null,
  };
  expect(anthropic.recognize(peekValue(message))?.part).toBe("reply");
  const responsesItem = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "hi" }],
  };
  expect(anthropic.recognize(peekValue(responsesItem))).toBeUndefined();
  expect(
    anthropic.recognize(peekValue({ type: "error", code: "x", message: "y", sequence_number: 3 })),
  ).toBeUndefined();
  expect(anthropic.recognize(peekValue({ type: "message", text: "hello" }))).toBeUndefined();
});

test.each([
  ["https://api.anthropic.com/v1/messages?beta=true", 1],
  ["/v1/messages/count_tokens", 1],
  ["/model/us.anthropic.claude-sonnet-4-v1:0/invoke", 1],
  ["/v1/threads/thread_1/messages", 0],
  ["/v1/chat/completions", -1],
  ["/api/chat", -1],
])("the path %s counts %i", (url, fit) => {
  expect(urlFits(protocols)(anthropic, url)).toBe(fit);
});

test("a stop reason ends the reply although `message_stop` is missing; without one the stream is cut", () => {
  const events = [begin, block(0, weather), json(0, '{"city":"Oslo"}')];
  const { state, items: said, flaws } = stream([...events, stopFor("tool_use")]);
  expect([state, said.map((item) => item.kind === "call" && item.state)]).toEqual(["complete", ["complete"]]);
  expect(flaws.map(({ kind, isHarmless }) => `${kind} ${isHarmless}`)).toEqual(["missing-keys true"]);
  expect(stream(events).state).toBe("open");
});
