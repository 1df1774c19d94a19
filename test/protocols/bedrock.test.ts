import { expect, test } from "vitest";
import { peekValue } from "../../src/containers/payloads/peek.ts";
import type { Item } from "../../src/conversation/item.ts";
import { bedrock } from "../../src/protocols/bedrock/index.ts";
import { protocols } from "../../src/protocols/index.ts";
import { urlFits } from "../../src/protocols/paths.ts";
import type { Frame, RequestBody } from "../../src/protocols/protocol.ts";
import { place, requestBody, streamBody } from "./bodies.ts";

function request(body: Record<string, unknown>, around: Partial<RequestBody> = {}) {
  return bedrock.decodeRequest(requestBody(body, "messages", around));
}

const reply = (value: unknown, status = 200) => bedrock.decodeReply({ value, place, status });

/** Events as the SDKs give them: one object each, whose one member is the event's name. */
function stream(...events: (Record<string, unknown> | Frame)[]) {
  const body = streamBody(events);
  const frames = body.frames.map((frame, index): Frame => {
    const event = events[index] ?? {};
    return "extent" in event ? { ...(event as Frame), extent: frame.extent } : frame;
  });
  return bedrock.decodeStream({ ...body, frames });
}

const start = (contentBlockIndex: number, toolUse: unknown) => ({
  contentBlockStart: { contentBlockIndex, start: { toolUse } },
});
const delta = (contentBlockIndex: number, value: unknown) => ({
  contentBlockDelta: { contentBlockIndex, delta: value },
});
const stop = (contentBlockIndex: number) => ({ contentBlockStop: { contentBlockIndex } });
const ends = (stopReason: string) => ({ messageStop: { stopReason } });

const items = (message: unknown): readonly Item[] => bedrock.decodeElement(message).items;
const flaws = (message: unknown) => items(message).flatMap((item) => item.flaws ?? []);

const call = { toolUse: { toolUseId: "tooluse_1", name: "weather", input: { city: "Oslo" } } };
const question = { role: "user", content: [{ text: "How cold is it in Oslo?" }] };
const tools = [{ toolSpec: { name: "weather", inputSchema: { json: { type: "object" } } } }];

test("blocks are named by their one member", () => {
  const content = [
    { reasoningContent: { reasoningText: { text: "Look it up.", signature: "c2ln" } } },
    { reasoningContent: { redactedContent: "aGlkZGVu" } },
    { text: "Looking." },
    call,
  ];
  expect(items({ role: "assistant", content })).toMatchObject([
    { kind: "reasoning", text: "Look it up.", seal: "c2ln", pointer: "/content/0" },
    { kind: "reasoning", text: "", seal: "aGlkZGVu" },
    { kind: "message", role: "assistant", text: "Looking.", hasMedia: false },
    {
      kind: "call",
      id: "tooluse_1",
      name: "weather",
      argumentsText: '{"city":"Oslo"}',
      pointer: "/content/3",
    },
  ]);
});

test("a result says its texts and its JSON, and whether the tool failed", () => {
  const content = [{ text: "Oslo:" }, { json: { degrees: -3 } }, { image: { format: "png", source: {} } }];
  const failed = { toolUseId: "tooluse_2", content: [{ text: "no such city" }], status: "error" };
  expect(
    items({
      role: "user",
      content: [{ toolResult: { toolUseId: "tooluse_1", content } }, { toolResult: failed }],
    }),
  ).toMatchObject([
    { kind: "result", callId: "tooluse_1", text: 'Oslo:\n{"degrees":-3}', hasMedia: true, isHosted: false },
    { kind: "result", callId: "tooluse_2", text: "no such city", isError: true },
  ]);
});

test("documents and images are media, and cache points are nothing", () => {
  const document = { document: { format: "pdf", name: "map", source: { bytes: "" } } };
  const content = [document, { text: "Where is Oslo?" }, { cachePoint: { type: "default" } }];
  expect(items({ role: "user", content })).toMatchObject([
    { kind: "message", text: "", hasMedia: true, pointer: "/content/0" },
    { kind: "message", text: "Where is Oslo?", pointer: "/content/1" },
  ]);
});

test("texts with citations or for a guardrail are read like others", () => {
  const cited = { citationsContent: { content: [{ text: "Oslo " }, { text: "is cold." }], citations: [] } };
  const guarded = { guardContent: { text: { text: "Is it?", qualifiers: ["query"] } } };
  expect(items({ role: "assistant", content: [cited, guarded] })).toMatchObject([
    { kind: "message", text: "Oslo is cold.", hasMedia: false },
    { kind: "message", text: "Is it?", hasMedia: false },
  ]);
});

test("a tool that AWS runs is hosted, and so is its result in the same message", () => {
  const code = { toolUseId: "tooluse_9", name: "nova_code_interpreter", input: {}, type: "server_tool_use" };
  const outcome = { toolUseId: "tooluse_9", content: [{ json: { stdOut: "2" } }], status: "success" };
  expect(items({ role: "assistant", content: [{ toolUse: code }, { toolResult: outcome }] })).toMatchObject([
    { kind: "call", isHosted: true },
    { kind: "result", isHosted: true, isError: false },
  ]);
});

test("what is wrong with a message is named, and where", () => {
  const withResult = (value: unknown) => flaws({ role: "user", content: [{ toolResult: value }] });
  expect(flaws({ role: "user", content: [] })).toEqual([{ kind: "empty-message", pointer: "/content" }]);
  expect(flaws({ role: "user", content: "Oslo?" })).toEqual([
    { kind: "other-protocol", pointer: "/content", detail: "string" },
  ]);
  expect(flaws({ role: "user", content: [{ text: " " }, { text: "" }] })).toEqual([
    { kind: "blank-text", pointer: "/content/0/text" },
    { kind: "empty-text", pointer: "/content/1/text" },
  ]);
  expect(
    flaws({ role: "assistant", content: [{ toolUse: { name: "weather", input: '{"city":"Oslo"}' } }] }),
  ).toEqual([
    { kind: "missing-id", pointer: "/content/0/toolUse" },
    { kind: "arguments-type", pointer: "/content/0/toolUse/input", detail: "string" },
  ]);
  expect(withResult({ toolUseId: "tooluse_1", content: "-3 °C" })).toEqual([
    { kind: "bad-content", pointer: "/content/0/toolResult/content", detail: "string" },
  ]);
  expect(withResult({ toolUseId: "tooluse_1", content: [], status: "error" })).toEqual([
    { kind: "bad-content", pointer: "/content/0/toolResult/content", detail: "an empty list" },
  ]);
  expect(withResult({ toolUseId: "tooluse_1", content: [] })).toEqual([]);
  expect(flaws({ role: "user", content: [{ type: "tool_result", tool_use_id: "tooluse_1" }] })).toEqual([
    { kind: "other-protocol", pointer: "/content/0", detail: "tool_result" },
  ]);
});

test("a request says its tools, its system prompt and its limits", () => {
  const read = request(
    {
      messages: [question],
      system: [{ text: "Be brief." }, { cachePoint: { type: "default" } }],
      toolConfig: {
        tools: [...tools, { cachePoint: { type: "default" } }, { systemTool: { name: "nova_grounding" } }],
        toolChoice: { tool: { name: "weather" } },
      },
      inferenceConfig: { maxTokens: 99 },
    },
    {
      url: "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.amazon.nova-lite-v1%3A0/converse-stream",
    },
  );
  expect(read).toMatchObject({
    historyPointer: "/messages",
    system: "Be brief.",
    tools: [
      {
        name: "weather",
        parameters: { type: "object" },
        isHosted: false,
        pointer: "/toolConfig/tools/0/toolSpec",
      },
      { name: "nova_grounding", isHosted: true, pointer: "/toolConfig/tools/2/systemTool" },
    ],
    toolChoice: { mode: "tool", name: "weather" },
    model: "us.amazon.nova-lite-v1:0",
    maxTokens: 99,
    isStreaming: true,
  });
});

test.each([
  [{ auto: {} }, { mode: "auto" }],
  [{ any: {} }, { mode: "required" }],
  [undefined, undefined],
])("the tool choice %j", (toolChoice, expected) => {
  expect(request({ messages: [question], toolConfig: { tools, toolChoice } }).toolChoice).toEqual(expected);
});

test("thinking has to come back to Claude only", () => {
  const fields = {
    messages: [question],
    additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 2000 } },
  };
  const wanted = (modelId: string) => bedrock.demands.reasoning?.(request({ ...fields, modelId }));
  expect(wanted("us.anthropic.claude-sonnet-4-6")).toBe("first-of-turn");
  expect(wanted("us.amazon.nova-2-lite-v1:0")).toBeUndefined();
});

test("a reply holds its message inside, and counts what came from the cache", () => {
  const read = reply({
    output: { message: { role: "assistant", content: [{ text: "" }, { text: "Looking." }, call] } },
    stopReason: "tool_use",
    usage: { inputTokens: 30, outputTokens: 4, cacheReadInputTokens: 100, cacheWriteInputTokens: 7 },
    metrics: { latencyMs: 658 },
  });
  expect(read).toMatchObject({
    items: [
      { kind: "message", text: "Looking.", pointer: "/output/message/content/1" },
      { kind: "call", id: "tooluse_1", pointer: "/output/message/content/2", state: "complete" },
    ],
    finish: { reason: "tool_use", meaning: "calls", pointer: "/stopReason" },
    usage: { input: 137, output: 4, cached: 100 },
    state: "complete",
    flaws: [],
  });
  expect(read).not.toHaveProperty("error");
});

test.each([
  ["stop_sequence", "answer"],
  ["max_tokens", "length"],
  ["guardrail_intervened", "filter"],
  ["malformed_tool_use", "malformed-call"],
  ["something_new", "other"],
])("the reason %s means %s", (stopReason, meaning) => {
  const read = reply({ output: { message: { role: "assistant", content: [{ text: "Hm." }] } }, stopReason });
  expect(read.finish).toMatchObject({ reason: stopReason, meaning });
});

test("a refusal is read as Bedrock writes it, and as boto3 keeps it", () => {
  const message =
    "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.";
  const type = "com.amazon.coral.validate#ValidationException";
  expect(reply({ message, __type: type }, 400).error).toMatchObject({ message, type: "ValidationException" });
  expect(reply({ Error: { Code: "ValidationException", Message: message } }, 400).error).toMatchObject({
    message,
    type: "ValidationException",
    pointer: "/Error",
  });
});

test("a stream is put together by its blocks", () => {
  const read = stream(
    { messageStart: { role: "assistant" } },
    delta(0, { reasoningContent: { text: "Look " } }),
    delta(0, { reasoningContent: { text: "it up." } }),
    delta(0, { reasoningContent: { signature: "c2ln" } }),
    stop(0),
    delta(1, { text: "Looking." }),
    stop(1),
    start(2, { toolUseId: "tooluse_1", name: "weather" }),
    delta(2, { toolUse: { input: "" } }),
    delta(2, { toolUse: { input: '{"city":' } }),
    delta(2, { toolUse: { input: '"Oslo"}' } }),
    stop(2),
    ends("tool_use"),
    { metadata: { usage: { inputTokens: 30, outputTokens: 12 }, metrics: { latencyMs: 625 } } },
  );
  expect(read).toMatchObject({
    items: [
      { kind: "reasoning", text: "Look it up.", seal: "c2ln", fragments: { count: 3 } },
      { kind: "message", text: "Looking.", pointer: "/output/message/content/1" },
      {
        kind: "call",
        id: "tooluse_1",
        name: "weather",
        arguments: { city: "Oslo" },
        state: "complete",
        fragments: { count: 3, first: { start: 70, end: 79 }, last: { start: 100, end: 109 } },
      },
    ],
    finish: { meaning: "calls", extent: { start: 120, end: 129 } },
    usage: { input: 30, output: 12 },
    state: "complete",
    flaws: [],
  });
});

test("an event's name may stand apart from its payload", () => {
  const apart = (event: string, value: unknown): Frame => {
    return { event, value, data: JSON.stringify(value), extent: { start: 0, end: 0 } };
  };
  const read = stream(
    apart("messageStart", { p: "abcd", role: "assistant" }),
    apart("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "-3 " }, p: "abcdefg" }),
    { event: "contentBlockDelta", data: { contentBlockIndex: 0, delta: { text: "°C" } } },
    { contentBlockIndex: 0, delta: { text: "." }, p: "abc" },
    apart("messageStop", { p: "ab", stopReason: "end_turn" }),
  );
  expect(read).toMatchObject({
    items: [{ kind: "message", text: "-3 °C." }],
    finish: { meaning: "answer" },
    state: "complete",
  });
});

test("pieces of a text that each have an index of their own are one text", () => {
  const read = stream(
    delta(0, { text: "It is " }),
    stop(0),
    delta(1, { text: "-3 °C" }),
    stop(1),
    start(2, { toolUseId: "tooluse_1", name: "weather" }),
    delta(2, { toolUse: { input: '{"city":"Oslo"}' } }),
    stop(2),
    delta(3, { text: "Looking again." }),
    ends("tool_use"),
  );
  expect(read.items).toMatchObject([
    { text: "It is -3 °C", pointer: "/output/message/content/0" },
    { kind: "call", pointer: "/output/message/content/1" },
    { text: "Looking again.", pointer: "/output/message/content/2" },
  ]);
  expect(read.flaws).toEqual([]);
});

test("a stream that ends early leaves its call open", () => {
  const read = stream(
    start(0, { toolUseId: "tooluse_1", name: "weather" }),
    delta(0, { toolUse: { input: '{"ci' } }),
  );
  expect(read).toMatchObject({
    state: "open",
    items: [{ kind: "call", argumentsText: '{"ci', state: "open" }],
  });
  expect(read.items[0]).not.toHaveProperty("flaws");
});

test("an exception inside a stream is its error", () => {
  const read = stream(delta(0, { text: "It is " }), {
    modelStreamErrorException: { message: "The model stopped responding.", originalStatusCode: 424 },
  });
  expect(read).toMatchObject({
    state: "open",
    error: {
      type: "modelStreamErrorException",
      message: "The model stopped responding.",
      isMidStream: true,
    },
  });
});

test("what a server does wrong in a stream is named", () => {
  const kinds = (...events: Record<string, unknown>[]) => {
    return stream(...events, ends("tool_use")).flaws.map(({ kind, isHarmless }) => [kind, isHarmless]);
  };
  const weather = { toolUseId: "tooluse_1", name: "weather" };
  expect(kinds(start(0, weather), stop(0))).toEqual([["missing-arguments", true]]);
  expect(kinds(delta(1, { toolUse: { input: "{}" } }))).toEqual([["closed-block", false]]);
  expect(kinds(start(0, weather), delta(1, { toolUse: { input: "{}" } }))).toEqual([["closed-block", true]]);
  expect(kinds(start(0, { name: "weather" }), delta(0, { toolUse: { input: "{}" } }))).toEqual([
    ["missing-id", false],
  ]);
  const twice = [start(0, weather), delta(0, { toolUse: { input: "{}" } })];
  expect(kinds(...twice, ...twice)).toEqual([["repeated-index", true]]);
});

test("a stream ends with its usage, which follows the stop reason", () => {
  const isTerminal = (value: unknown) => {
    return bedrock.isTerminal({ value, data: JSON.stringify(value), extent: { start: 0, end: 0 } });
  };
  expect(isTerminal(ends("end_turn"))).toBe(false);
  expect(isTerminal({ metadata: { usage: { inputTokens: 30, outputTokens: 12 } } })).toBe(true);
  expect(isTerminal({ throttlingException: { message: "Too many tokens" } })).toBe(true);
});

const recognized = (value: object, event?: string) => bedrock.recognize(peekValue(value, event));

test.each([
  ["a request with tools", { messages: [question], toolConfig: { tools } }, 0.9],
  ["a request with settings", { messages: [question], inferenceConfig: {} }, 0.9],
  ["a history with a call", { messages: [question, { role: "assistant", content: [call] }] }, 0.9],
  [
    "messages of another API with Bedrock's settings",
    { messages: [{ role: "user", content: "Oslo?" }], toolConfig: { tools } },
    0.8,
  ],
  ["texts alone", { messages: [question] }, 0.5],
  ["Nova's own body", { schemaVersion: "messages-v1", messages: [question] }, 0.9],
])("%s is recognised, and by no other protocol", (_, value, least) => {
  const found = recognized(value);
  expect(found?.part).toBe("request");
  expect(found?.certainty).toBeGreaterThanOrEqual(least);
  const rivals = protocols.filter(({ name }) => name !== bedrock.name);
  const strongest = Math.max(...rivals.map((rival) => rival.recognize(peekValue(value))?.certainty ?? 0));
  expect(strongest).toBeLessThan(found?.certainty ?? 0);
});

test.each([
  ["Gemini", { contents: [{ role: "user", parts: [{ text: "Oslo?" }] }] }],
  ["Anthropic", { messages: [{ role: "user", content: [{ type: "text", text: "Oslo?" }] }], max_tokens: 9 }],
  ["Claude through InvokeModel", { anthropic_version: "bedrock-2023-05-31", messages: [question] }],
  ["the chat format", { model: "gpt-5", messages: [{ role: "user", content: "Oslo?" }] }],
  [
    "an SDK's history",
    {
      messages: [
        { role: "assistant", content: [{ type: "tool-call", toolCallId: "1", toolName: "weather" }] },
      ],
    },
  ],
  ["DashScope", { messages: [{ role: "user", content: [{ image: "https://example.com/oslo.png" }] }] }],
  ["a list without roles", { messages: [{ content: [{ text: "Oslo?" }] }] }],
  ["a Responses item", { type: "message", role: "assistant", content: [{ type: "output_text", text: "" }] }],
  ["a record with metadata", { metadata: { usage: { inputTokens: 3 } }, request: { messages: [] } }],
  ["another agent's stop reason", { stopReason: "end_turn" }],
  ["a Java log's exception", { nullPointerException: { message: "x" } }],
])("%s is not taken", (_, value) => {
  expect(recognized(value)).toBeUndefined();
});

test("replies and errors are recognised by what no other API writes", () => {
  const output = { message: { role: "assistant", content: [{ text: "-3 °C" }] } };
  expect(recognized({ output, stopReason: "end_turn", usage: {} })).toEqual({
    part: "reply",
    certainty: 0.97,
  });
  expect(recognized({ message: "Malformed input", __type: "ValidationException" })?.part).toBe("reply");
  // A log's own `{"message": …}` is below what is taken without a URL.
  expect(recognized({ message: "server started" })?.certainty).toBeLessThan(0.3);
  expect(recognized({ output: { message: "done" } })).toBeUndefined();
});

test.each([
  [delta(0, { text: "Oslo" }), undefined],
  [ends("end_turn"), undefined],
  [{ role: "assistant", p: "abcd" }, "messageStart"],
  [{ usage: { inputTokens: 3, outputTokens: 1 }, metrics: {} }, "metadata"],
  [{ contentBlockIndex: 0, delta: { text: "Oslo" } }, undefined],
  [{ metadata: { usage: { inputTokens: 3 } }, "amazon-bedrock-invocationMetrics": {} }, undefined],
  [{ throttlingException: { message: "Too many tokens" } }, undefined],
])("%j is an event", (value, event) => {
  const found = recognized(value, event);
  expect(found?.part).toBe("event");
  expect(found?.certainty).toBeGreaterThanOrEqual(0.6);
});

test.each([
  ["https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.nova-lite-v1%3A0/converse", 1],
  ["/model/us.anthropic.claude-sonnet-4-6/converse-stream", 1],
  ["/model/amazon.nova-micro-v1%3A0/invoke-with-response-stream", 1],
  ["/model/us.anthropic.claude-sonnet-4-6/invoke", -1],
  ["https://api.openai.com/v1/chat/completions", -1],
  ["https://example.com/agent", 0],
])("the address %s", (url, fit) => {
  expect(urlFits(protocols)(bedrock, url)).toBe(fit);
});
