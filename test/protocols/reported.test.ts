import { describe, expect, test } from "vitest";
import { peekValue } from "../../src/containers/payloads/peek.ts";
import { sdkMessages } from "../../src/protocols/reported/index.ts";
import type { PayloadPlace } from "../../src/traffic/place.ts";

const place = {} as PayloadPlace;
const decode = (message: object) => sdkMessages.decodeElement(message);
const recognize = (...messages: object[]) => sdkMessages.recognize(peekValue({ messages }));

const call = { kind: "call", id: "call_1", name: "refund", arguments: { order: 7 } };
const result = { kind: "result", callId: "call_1", text: '{"refunded":true}' };
const args = { order: 7 };
const outcome = { refunded: true };

describe("a call stands", () => {
  test.each([
    [
      "in a part of the AI SDK",
      { content: [{ type: "tool-call", toolCallId: "call_1", toolName: "refund", input: args }] },
    ],
    [
      "in a part of its fourth version",
      { content: [{ type: "tool-call", toolCallId: "call_1", toolName: "refund", args }] },
    ],
    [
      "in a part of OpenTelemetry",
      { parts: [{ type: "tool_call", id: "call_1", name: "refund", arguments: args }] },
    ],
    [
      "in a block of Anthropic",
      { content: [{ type: "tool_use", id: "call_1", name: "refund", input: args }] },
    ],
    [
      "in a block of Bedrock",
      { content: [{ toolUse: { toolUseId: "call_1", name: "refund", input: args } }] },
    ],
    ["in a list of LangChain", { content: "", tool_calls: [{ id: "call_1", name: "refund", args }] }],
    [
      "in a list of OpenAI",
      {
        content: null,
        tool_calls: [{ id: "call_1", function: { name: "refund", arguments: '{"order":7}' } }],
      },
    ],
    [
      "in a list of OpenInference",
      {
        tool_calls: [{ tool_call: { id: "call_1", function: { name: "refund", arguments: '{"order":7}' } } }],
      },
    ],
    [
      "in what LangChain keeps of the provider's list",
      {
        content: "",
        tool_calls: [],
        additional_kwargs: {
          tool_calls: [{ id: "call_1", function: { name: "refund", arguments: '{"order":7}' } }],
        },
      },
    ],
    [
      "in a list of Ax",
      { functionCalls: [{ id: "call_1", type: "function", function: { name: "refund", params: args } }] },
    ],
    [
      "in a part of a UI message that waits",
      { parts: [{ type: "tool-refund", toolCallId: "call_1", state: "input-available", input: args }] },
    ],
  ])("%s", (_, message) => {
    expect(decode({ role: "assistant", ...message }).items).toMatchObject([call]);
  });
});

describe("a result stands", () => {
  test.each([
    [
      "in a part of the AI SDK",
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "call_1",
            toolName: "refund",
            output: { type: "json", value: outcome },
          },
        ],
      },
    ],
    [
      "in a part of its fourth version",
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "call_1", toolName: "refund", result: outcome }],
      },
    ],
    [
      "in a part of OpenTelemetry",
      { role: "tool", parts: [{ type: "tool_call_response", id: "call_1", response: outcome }] },
    ],
    ["in a message of OpenAI", { role: "tool", tool_call_id: "call_1", content: '{"refunded":true}' }],
    [
      "in a message with a list of ids",
      { role: "tool", tool_call_ids: ["call_1"], content: '{"refunded":true}' },
    ],
    ["in a message of LangChain", { type: "tool", tool_call_id: "call_1", content: '{"refunded":true}' }],
    [
      "in the stored form of LangChain",
      { type: "tool", data: { tool_call_id: "call_1", content: '{"refunded":true}' } },
    ],
  ])("%s", (_, message) => {
    expect(decode(message)).toMatchObject({ role: "tool", items: [result] });
  });
});

test("a part of a UI message holds the call and its result", () => {
  const done = {
    type: "tool-refund",
    toolCallId: "call_1",
    state: "output-available",
    input: args,
    output: outcome,
  };
  const failed = { ...done, state: "output-error", output: undefined, errorText: "no such order" };
  const legacy = {
    type: "tool-invocation",
    toolInvocation: { state: "result", toolCallId: "call_1", toolName: "refund", args, result: outcome },
  };
  expect(decode({ role: "assistant", parts: [{ type: "step-start" }, done] }).items).toMatchObject([
    call,
    result,
  ]);
  expect(decode({ role: "assistant", content: "", parts: [legacy] }).items).toMatchObject([call, result]);
  expect(decode({ role: "assistant", parts: [failed] }).items).toMatchObject([
    call,
    { isError: true, text: "no such order" },
  ]);
});

test("calls that stand in the parts and in a list beside them are the same calls", () => {
  const part = { type: "tool_use", id: "call_1", name: "refund", input: args };
  const listed = { id: "call_1", name: "refund", args };
  expect(decode({ type: "ai", content: [part], tool_calls: [listed] }).items).toHaveLength(1);
});

test("Ax answers a call in the role of a function, and says what it thought before", () => {
  const thought = "Look it up.";
  const asked = { functionCalls: [{ id: "call_1", function: { name: "refund", params: args } }], thought };
  expect(decode({ role: "assistant", ...asked }).items).toMatchObject([
    { kind: "reasoning", text: thought },
    call,
  ]);
  const answered = { role: "function", functionId: "call_1", result: '{"refunded":true}' };
  expect(decode(answered)).toMatchObject({ role: "tool", items: [result] });
});

test("ShareGPT keeps a call as JSON, and its result as an observation", () => {
  expect(decode({ from: "function_call", value: '{"name":"refund","arguments":{"order":7}}' })).toMatchObject(
    {
      role: "assistant",
      items: [{ kind: "call", name: "refund", arguments: { order: 7 } }],
    },
  );
  expect(decode({ from: "observation", value: '{"refunded":true}' })).toMatchObject({
    role: "tool",
    items: [{ text: '{"refunded":true}' }],
  });
});

test("an id that was blotted out is no id", () => {
  expect(
    decode({ type: "ai", content: "", tool_calls: [{ id: "<redacted>", name: "refund", args }] }).items,
  ).toEqual([expect.not.objectContaining({ id: expect.anything() })]);
});

test("where a message stands in wrappers, its items are found through them", () => {
  const message = {
    lc: 1,
    type: "constructor",
    id: ["langchain_core", "messages", "AIMessage"],
    kwargs: { content: [{ type: "text", text: "Done." }] },
  };
  expect(decode(message).items).toMatchObject([
    { role: "assistant", pointer: "/kwargs/content/0", text: "Done." },
  ]);
});

describe("messages are taken for this protocol's", () => {
  const user = { role: "user", content: "Refund order 7." };
  test.each([
    [
      "by parts of the AI SDK",
      [user, { role: "assistant", content: [{ type: "tool-call", toolCallId: "call_1" }] }],
    ],
    [
      "by the parts of UI messages",
      [{ id: "1", role: "user", parts: [{ type: "text", text: "Refund order 7." }] }],
    ],
    ["by LangChain's types", [{ type: "human", content: "Refund order 7." }]],
    [
      "by LangChain's classes",
      [{ id: ["langchain", "schema", "HumanMessage"], kwargs: { content: "Refund order 7." } }],
    ],
  ])("%s", (_, messages) => {
    expect(recognize(...messages)).toMatchObject({ part: "request", certainty: 0.88 });
  });

  test("but plain ones hardly", () => {
    expect(recognize(user, { role: "assistant", content: "Done." })).toMatchObject({ certainty: 0.2 });
  });

  test("and other lists not at all", () => {
    expect(recognize({ role: "user" })).toBeUndefined();
    expect(recognize({ type: "text", content: "Refund order 7." })).toBeUndefined();
  });
});

describe("a stream of the AI SDK", () => {
  const stream = (...events: object[]) => {
    const frames = events.map((value, index) => ({
      value,
      data: JSON.stringify(value),
      extent: { start: index, end: index + 1 },
    }));
    return sdkMessages.decodeStream({ frames, place, status: 200, framing: "sse", isCut: false });
  };

  test("to a browser holds text, calls and results", () => {
    const reply = stream(
      { type: "start" },
      { type: "text-delta", id: "0", delta: "I'll look " },
      { type: "text-delta", id: "0", delta: "it up." },
      { type: "text-end", id: "0" },
      { type: "tool-input-start", toolCallId: "call_1", toolName: "refund" },
      { type: "tool-input-delta", toolCallId: "call_1", inputTextDelta: '{"order":' },
      { type: "tool-input-delta", toolCallId: "call_1", inputTextDelta: "7}" },
      { type: "tool-input-available", toolCallId: "call_1", toolName: "refund", input: args },
      { type: "tool-output-available", toolCallId: "call_1", output: outcome },
      { type: "finish" },
    );
    expect(reply.items).toMatchObject([
      { text: "I'll look it up.", fragments: { count: 2 } },
      { ...call, fragments: { count: 4 } },
      { ...result, name: "refund" },
    ]);
    expect(reply.state).toBe("complete");
  });

  test("that breaks off leaves its call open", () => {
    const reply = stream(
      { type: "tool-input-start", toolCallId: "call_1", toolName: "refund" },
      { type: "tool-input-delta", toolCallId: "call_1", inputTextDelta: '{"order":' },
    );
    expect(reply.items).toMatchObject([
      { kind: "call", name: "refund", argumentsText: '{"order":', state: "open" },
    ]);
    expect(reply.state).toBe("open");
  });

  test("of assistant-ui names its parts by their places", () => {
    const start = (part: object, path: readonly number[] = []): object => ({
      type: "part-start",
      part,
      path,
    });
    const delta = (textDelta: string, ...path: readonly number[]): object => ({
      type: "text-delta",
      textDelta,
      path,
    });
    const reply = stream(
      { type: "step-start", messageId: "m1" },
      start({ type: "reasoning" }),
      delta("Which ", 0),
      start({ type: "tool-call", toolCallId: "call_1", toolName: "refund" }),
      start({ type: "text" }, [1]),
      delta("inside", 1, 0),
      start({ type: "text" }),
      delta('{"order":', 1),
      delta("Done.", 2),
      delta("one?", 0),
      delta("7}", 1),
      { type: "result", result: outcome, isError: false, path: [1] },
      { type: "message-finish", path: [], finishReason: "stop" },
    );
    expect(reply.items).toMatchObject([
      { kind: "reasoning", text: "Which one?" },
      { ...call, fragments: { count: 3 } },
      { kind: "message", text: "inside" },
      { kind: "message", text: "Done." },
      { ...result, name: "refund" },
    ]);
    expect(reply).toMatchObject({ state: "complete", finish: { meaning: "answer" } });
    expect(
      stream(start({ type: "tool-call", toolCallId: "call_1", toolName: "refund" }), delta("{}", 0), {
        type: "result",
        result: { why: "late" },
        isError: true,
        path: [0],
      }).items,
    ).toMatchObject([{ kind: "call" }, { kind: "result", isError: true, text: '{"why":"late"}' }]);
  });

  test("of a model says why it ended", () => {
    const reply = stream(
      { type: "stream-start", warnings: [] },
      { type: "tool-call", toolCallId: "call_1", toolName: "refund", input: '{"order":7}' },
      { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" } },
    );
    expect(reply.items).toMatchObject([call]);
    expect(reply.finish).toMatchObject({ reason: "tool-calls", meaning: "calls" });
  });

  test("is known by its own words, not by those that all have", () => {
    const known = (event: object) => sdkMessages.recognize(peekValue(event))?.certainty;
    expect(
      known({ type: "tool-input-available", toolCallId: "call_1", toolName: "refund", input: args }),
    ).toBe(0.9);
    expect(known({ type: "text-delta", id: "0", delta: "It" })).toBe(0.9);
    expect(known({ type: "text-delta" })).toBeUndefined();
    expect(known({ type: "finish" })).toBe(0.3);
  });
});

describe("a reply in parts", () => {
  const frames = (values: readonly object[]) =>
    values.map((value, index) => ({ value, data: "", extent: { start: index, end: index + 1 } }));
  const decoded = (values: readonly object[], framing: "array" | "sse" = "array") =>
    sdkMessages.decodeStream({ frames: frames(values), place, status: 200, framing, isCut: false });

  test("is whole as a list of content, and a stream only with events around it", () => {
    const parts = [
      { type: "text", text: "I look." },
      { type: "tool-call", toolCallId: "call_1", toolName: "refund", input: '{"order":7}' },
    ];
    const whole = decoded(parts);
    expect(whole).toMatchObject({ form: "json", state: "complete", items: [{ text: "I look." }, call] });
    expect(decoded([{ type: "start" }, ...parts])).toMatchObject({ form: "stream", state: "open" });
  });

  test("is put together from the updates of Microsoft.Extensions.AI", () => {
    const update = (...contents: object[]) => ({ role: "assistant", contents, responseId: "r1" });
    const read = decoded([
      update(),
      update({ $type: "text", text: "I " }),
      update({ $type: "text", text: "look." }),
      update({ $type: "functionCall", callId: "call_1", name: "refund", arguments: args }),
      { role: "tool", contents: [{ $type: "functionResult", callId: "call_1", result: outcome }] },
      { ...update({ $type: "usage" }), finishReason: "stop" },
    ]);
    expect(read).toMatchObject({
      id: "r1",
      items: [{ kind: "message", text: "I look." }, call, result],
      finish: { meaning: "answer" },
      state: "complete",
    });
    expect(sdkMessages.recognize(peekValue(update()))?.part).toBe("event");
  });
});

test("a model's message in LangChain's stores is the reply of the record that holds it", () => {
  const message = (type: string, more: object = { response_metadata: { finish_reason: "tool_calls" } }) => ({
    type,
    data: { content: "", tool_calls: [{ id: "call_1", name: "refund", args }], ...more },
  });
  const recognized = (value: object) => sdkMessages.recognize(peekValue(value))?.part;
  expect(recognized(message("ai"))).toBe("reply");
  expect([recognized(message("human")), recognized(message("ai", {}))]).toEqual([undefined, undefined]);
  const reply = sdkMessages.decodeReply({ value: message("ai"), place, status: undefined });
  expect(reply).toMatchObject({ items: [call], finish: { meaning: "calls" } });
});

describe("a call that the server runs has its result in the same message", () => {
  const made = { type: "tool-call", toolCallId: "call_1", toolName: "web_search", providerExecuted: true };
  const hosted = (role: string, call: object, outcome: object) =>
    decode({ role, content: [call, outcome, { type: "text", text: "done" }] }).items.map((item) =>
      item.kind === "message"
        ? undefined
        : item.kind === "reasoning"
          ? undefined
          : (item as { isHosted?: boolean }).isHosted,
    );

  test.each([
    ["with a JSON output", { ...made, input: {} }, { output: { type: "json", value: outcome } }],
    ["with an error", { ...made, input: {} }, { output: { type: "error-text", value: "no" } }],
    ["of the fourth version", { ...made, args: {} }, { result: outcome }],
  ])("%s", (_, call, said) => {
    const answer = { type: "tool-result", toolCallId: "call_1", toolName: "web_search", ...said };
    expect(hosted("assistant", call, answer)).toEqual([true, true, undefined]);
  });

  test("and the results of other calls are the client's", () => {
    const answer = {
      type: "tool-result",
      toolCallId: "call_2",
      toolName: "refund",
      output: { type: "text", value: "1" },
    };
    expect(hosted("assistant", { ...made, input: {} }, answer)).toEqual([true, false, undefined]);
  });
});
