import { describe, expect, it, test } from "vitest";
import { peekValue } from "../../src/containers/payloads/peek.ts";
import type { Item, ToolCall } from "../../src/conversation/item.ts";
import { protocols } from "../../src/protocols/index.ts";
import { openaiChat } from "../../src/protocols/openai-chat/index.ts";
import { urlFits } from "../../src/protocols/paths.ts";
import type { StreamBody } from "../../src/protocols/protocol.ts";
import { place, requestBody, streamBody } from "./bodies.ts";

const items = (message: unknown): readonly Item[] => openaiChat.decodeElement(message).items;
const flaws = (message: unknown) => items(message).flatMap((item) => item.flaws ?? []);

function request(body: Record<string, unknown>) {
  return openaiChat.decodeRequest(requestBody(body, "messages"));
}

function reply(value: unknown, status = 200) {
  return openaiChat.decodeReply({ value, place, status });
}

function stream(events: readonly unknown[], options: Partial<StreamBody> = {}) {
  return openaiChat.decodeStream(streamBody(events, options));
}

const chunk = (delta: object, more: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  model: "gpt-5",
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const finish = (finish_reason: string) => chunk({}, { finish_reason });
const piece = (
  index: number | undefined,
  argumentsText: string | undefined,
  more: object = {},
  name?: string,
) =>
  chunk({
    tool_calls: [
      {
        ...(index !== undefined && { index }),
        ...more,
        function: {
          ...(name !== undefined && { name }),
          ...(argumentsText !== undefined && { arguments: argumentsText }),
        },
      },
    ],
  });
const callsOf = (read: { readonly items: readonly Item[] }): string[] =>
  read.items
    .filter((item): item is ToolCall => item.kind === "call")
    .map(
      ({ id, name, argumentsText, state }) =>
        `${id ?? "?"} ${name} ${argumentsText}${state === "open" ? " (open)" : ""}`,
    );

describe("messages", () => {
  test("an assistant's message is its reasoning, its text and its calls, each with its own pointer", () => {
    expect(
      items({
        role: "assistant",
        reasoning_content: "Oslo is in Norway.",
        content: "Let me look.",
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
        ],
      }),
    ).toEqual([
      { kind: "reasoning", role: "assistant", pointer: "/reasoning_content", text: "Oslo is in Norway." },
      { kind: "message", role: "assistant", pointer: "/content", text: "Let me look.", hasMedia: false },
      {
        kind: "call",
        role: "assistant",
        pointer: "/tool_calls/0",
        id: "call_1",
        name: "weather",
        argumentsText: '{"city":"Oslo"}',
        arguments: { city: "Oslo" },
        isJson: true,
        wireType: "function",
        isHosted: false,
        state: "complete",
      },
    ]);
  });

  test.each([null, "", undefined])("content %j beside calls is nothing, and no flaw", (content) => {
    const call = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } };
    const read = items({ role: "assistant", ...(content !== undefined && { content }), tool_calls: [call] });
    expect(read.map(({ kind, flaws }) => [kind, flaws])).toEqual([["call", undefined]]);
    expect((read[0] as ToolCall).isTextless).toBe(content === undefined ? true : undefined);
  });

  test("a result may be text or a list of parts", () => {
    expect(items({ role: "tool", tool_call_id: "call_1", name: "weather", content: "9 °C" })).toEqual([
      {
        kind: "result",
        role: "tool",
        pointer: "",
        callId: "call_1",
        name: "weather",
        text: "9 °C",
        hasMedia: false,
        wireType: "function",
        isHosted: false,
      },
    ]);
    expect(
      items({
        role: "tool",
        tool_call_id: "call_1",
        content: [
          { type: "text", text: "9" },
          { type: "text", text: "°C" },
        ],
      }),
    ).toMatchObject([{ text: "9\n°C" }]);
  });

  test("`developer` is `system`, and pictures are media", () => {
    expect(openaiChat.decodeElement({ role: "developer", content: "Be brief." }).role).toBe("system");
    expect(
      items({
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: "data:…" } },
        ],
      }),
    ).toMatchObject([{ text: "What is this?", hasMedia: true }]);
  });

  test("free-text tools have no JSON, and the old form has no ids", () => {
    expect(
      items({
        role: "assistant",
        tool_calls: [{ id: "call_1", type: "custom", custom: { name: "patch", input: "*** Begin" } }],
      }),
    ).toMatchObject([{ argumentsText: "*** Begin", isJson: false, wireType: "custom" }]);
    expect(
      items({ role: "assistant", content: null, function_call: { name: "weather", arguments: "{}" } }),
    ).toMatchObject([
      { kind: "call", name: "weather", wireType: "function_call", pointer: "/function_call" },
    ]);
    expect(items({ role: "function", name: "weather", content: "9" })).toMatchObject([
      { kind: "result", name: "weather", wireType: "function_call" },
    ]);
  });

  test.each<[string, object, object]>([
    [
      "arguments that were not serialised",
      {
        role: "assistant",
        tool_calls: [{ id: "call_1", function: { name: "weather", arguments: { city: "Oslo" } } }],
      },
      { kind: "arguments-type", pointer: "/tool_calls/0/function/arguments", detail: "object" },
    ],
    [
      "a call without an id",
      { role: "assistant", tool_calls: [{ function: { name: "weather", arguments: "{}" } }] },
      { kind: "missing-id", pointer: "/tool_calls/0" },
    ],
    [
      "an id that is a number",
      { role: "assistant", tool_calls: [{ id: 7, function: { name: "weather", arguments: "{}" } }] },
      { kind: "bad-id", pointer: "/tool_calls/0/id", detail: "7" },
    ],
    [
      "an empty list of calls",
      { role: "assistant", content: "Hi.", tool_calls: [] },
      { kind: "empty-calls", pointer: "/tool_calls" },
    ],
    [
      "a message that says nothing",
      { role: "assistant", content: "" },
      { kind: "empty-message", pointer: "" },
    ],
    ["a user who says nothing", { role: "user", content: "" }, { kind: "empty-text", pointer: "/content" }],
    ["a result without an id", { role: "tool", content: "9" }, { kind: "missing-id", pointer: "" }],
    [
      "a result that is an object",
      { role: "tool", tool_call_id: "call_1", content: { celsius: 9 } },
      { kind: "bad-content", pointer: "/content", detail: "object" },
    ],
    [
      "a result that is a tool's own list",
      { role: "tool", tool_call_id: "call_1", content: [{ name: "a.csv", size: 9 }] },
      { kind: "bad-content", pointer: "/content", detail: "array (without content parts)" },
    ],
    [
      "blocks of another API",
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "9" }] },
      { kind: "other-protocol", pointer: "/content/0", detail: "tool_result" },
    ],
  ])("%s is named as a flaw", (_, message, flaw) => {
    expect(flaws(message)).toContainEqual(flaw);
  });

  test("parts without a type are parts, and a tool's own list is read as the text that it should be", () => {
    const result = (content: unknown) => items({ role: "tool", tool_call_id: "call_1", content })[0];
    expect(result([{ text: "9 °C" }])).toMatchObject({ text: "9 °C", hasMedia: false });
    expect(result([{ image_url: { url: "https://example.com/a.png" } }])).not.toHaveProperty("flaws");
    expect(result([{ name: "a.csv" }])).toMatchObject({ text: '[{"name":"a.csv"}]', hasMedia: false });
  });

  test("whatever a message is, it is read", () => {
    for (const message of [
      undefined,
      null,
      7,
      "text",
      [],
      {},
      { role: 7 },
      { role: "assistant", tool_calls: [null, 7] },
      { role: "tool", content: 7 },
    ])
      expect(items(message)).toEqual(expect.any(Array));
  });
});

describe("a request", () => {
  it("says what it offers, forces and links to", () => {
    expect(
      request({
        model: "gpt-5",
        messages: [{ role: "user", content: "Oslo?" }],
        tools: [
          { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } },
          { type: "custom", custom: { name: "patch" } },
        ],
        tool_choice: { type: "function", function: { name: "weather" } },
        max_completion_tokens: 64,
        stream: true,
        prompt_cache_key: "run-7",
      }),
    ).toMatchObject({
      historyPointer: "/messages",
      tools: [
        {
          name: "weather",
          parameters: { type: "object", properties: {} },
          isHosted: false,
          pointer: "/tools/0",
        },
        { name: "patch", pointer: "/tools/1" },
      ],
      toolChoice: { mode: "tool", name: "weather" },
      model: "gpt-5",
      maxTokens: 64,
      isStreaming: true,
      links: { clientKey: "run-7" },
    });
  });

  it.each([
    ["auto", { mode: "auto" }],
    ["none", { mode: "none" }],
    ["required", { mode: "required" }],
    ["any", { mode: "required" }],
    [
      { type: "custom", custom: { name: "patch" } },
      { mode: "tool", name: "patch" },
    ],
    [undefined, undefined],
  ])("with tool_choice %j", (tool_choice, expected) => {
    expect(request({ messages: [], tool_choice }).toolChoice).toEqual(expected);
  });

  it("may use the words from before there were tools", () => {
    expect(
      request({ messages: [], functions: [{ name: "weather" }], function_call: { name: "weather" } }),
    ).toMatchObject({
      tools: [{ name: "weather", pointer: "/functions/0" }],
      toolChoice: { mode: "tool", name: "weather" },
    });
  });
});

describe("a whole reply", () => {
  it("is read with its reason and its costs", () => {
    expect(
      reply({
        id: "chatcmpl-1",
        model: "gpt-5",
        choices: [{ index: 0, message: { role: "assistant", content: "9 °C." }, finish_reason: "stop" }],
        usage: { prompt_tokens: 20, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 16 } },
      }),
    ).toMatchObject({
      form: "json",
      id: "chatcmpl-1",
      items: [{ kind: "message", pointer: "/choices/0/message/content", text: "9 °C." }],
      finish: { reason: "stop", meaning: "answer", pointer: "/choices/0/finish_reason" },
      usage: { input: 20, output: 4, cached: 16 },
      state: "complete",
      otherChoices: 0,
    });
  });

  it.each([
    ["tool_calls", "calls"],
    ["length", "length"],
    ["content_filter", "filter"],
    ["error", "error"],
    ["something_new", "other"],
  ])("%s means %s", (finish_reason, meaning) => {
    expect(reply({ choices: [{ message: { content: "x" }, finish_reason }] }).finish?.meaning).toBe(meaning);
  });

  it("names a reason that JavaScript treats specially like any other", () => {
    expect(
      reply({ choices: [{ message: { content: "x" }, finish_reason: "constructor" }] }).finish?.meaning,
    ).toBe("other");
    expect(openaiChat.decodeElement({ role: "constructor", content: "x" }).role).toBe("unknown");
  });

  it.each<[string, unknown, object]>([
    [
      "OpenAI",
      { error: { message: "No tool output found", type: "invalid_request_error", code: null } },
      { message: "No tool output found", type: "invalid_request_error" },
    ],
    ["clones that write plain text", { error: "model not found" }, { message: "model not found" }],
    [
      "clones without a wrapper",
      { object: "error", message: "too long", code: 400 },
      { message: "too long", code: "400" },
    ],
  ])("may be an error as %s writes it", (_, value, error) => {
    expect(reply(value, 400).error).toMatchObject({ ...error, isMidStream: false });
  });

  it("may have further choices", () => {
    const choice = { message: { role: "assistant", content: "x" }, finish_reason: "stop" };
    expect(reply({ choices: [choice, choice, choice] }).otherChoices).toBe(2);
  });

  it("may lack what calls need", () => {
    const call = { type: "function", function: { arguments: "{}" } };
    expect(
      reply({ choices: [{ message: { tool_calls: [call, { ...call, id: "" }] } }] }).flaws.map(
        ({ kind, isHarmless }) => `${kind} ${isHarmless}`,
      ),
    ).toEqual(["missing-id false", "missing-name false", "empty-id false", "missing-name false"]);
  });
});

describe("a stream", () => {
  it("is put together by the index of its calls, and knows where the pieces stand", () => {
    const read = stream([
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "Look" }),
      chunk({ content: "ing." }),
      piece(0, "", { id: "call_1", type: "function" }, "weather"),
      piece(0, '{"city":'),
      piece(1, "", { id: "call_2", type: "function" }, "weather"),
      piece(0, '"Oslo"}'),
      piece(1, '{"city":"Bern"}'),
      finish("tool_calls"),
      { id: "chatcmpl-1", choices: [], usage: { prompt_tokens: 20, completion_tokens: 9 } },
      "[DONE]",
    ]);
    expect(read).toMatchObject({
      form: "stream",
      id: "chatcmpl-1",
      model: "gpt-5",
      items: [
        {
          kind: "message",
          text: "Looking.",
          fragments: { count: 2, first: { start: 10, end: 19 }, last: { start: 20, end: 29 } },
        },
        {
          kind: "call",
          id: "call_1",
          argumentsText: '{"city":"Oslo"}',
          pointer: "/choices/0/message/tool_calls/0",
          fragments: { count: 3, first: { start: 30, end: 39 }, last: { start: 60, end: 69 } },
        },
        {
          kind: "call",
          id: "call_2",
          argumentsText: '{"city":"Bern"}',
          pointer: "/choices/0/message/tool_calls/1",
          fragments: { count: 2 },
        },
      ],
      finish: { reason: "tool_calls", meaning: "calls", extent: { start: 80, end: 89 } },
      usage: { input: 20, output: 9 },
      state: "complete",
      flaws: [],
    });
  });

  it("is open without its end, and a call is open that lacks a part", () => {
    const read = stream([piece(0, '{"city":', { id: "call_1" }, "weather")], { isCut: true });
    expect({ state: read.state, calls: callsOf(read), flaws: read.flaws }).toEqual({
      state: "open",
      calls: ['call_1 weather {"city": (open)'],
      flaws: [],
    });
    expect(callsOf(stream([piece(0, "{}", { id: "call_1" }, "weather")]))).toEqual(["call_1 weather {}"]);
  });

  it.each<[string, unknown[], string[], string[]]>([
    [
      "every call with index 0",
      [
        piece(0, '{"city":"Oslo"}', { id: "call_1" }, "weather"),
        piece(0, '{"city":"Bern"}', { id: "call_2" }, "weather"),
      ],
      ['call_1 weather {"city":"Oslo"}', 'call_2 weather {"city":"Bern"}'],
      ["repeated-index"],
    ],
    [
      "no index",
      [piece(undefined, '{"city":', { id: "call_1" }, "weather"), piece(undefined, '"Oslo"}')],
      ['call_1 weather {"city":"Oslo"}'],
      ["missing-index"],
    ],
    [
      "ids repeated in every piece",
      [piece(0, '{"city":', { id: "call_1" }, "weather"), piece(0, '"Oslo"}', { id: "call_1" })],
      ['call_1 weather {"city":"Oslo"}'],
      [],
    ],
    [
      "empty ids after the first",
      [piece(0, '{"city":', { id: "call_1" }, "weather"), piece(0, '"Oslo"}', { id: "" })],
      ['call_1 weather {"city":"Oslo"}'],
      [],
    ],
    [
      "an id that changes",
      [piece(0, '{"city":', { id: "call_1" }, "weather"), piece(0, '"Oslo"}', { id: "call_x" })],
      ['call_1 weather {"city":"Oslo"}'],
      ["changed-id"],
    ],
    [
      "names repeated in every piece",
      [piece(0, '{"city":', { id: "call_1" }, "weather"), piece(0, '"Oslo"}', {}, "weather")],
      ['call_1 weather {"city":"Oslo"}'],
      [],
    ],
    [
      "no arguments",
      [piece(0, undefined, { id: "call_1" }, "weather")],
      ["call_1 weather "],
      ["missing-arguments"],
    ],
    ["no id", [piece(0, "{}", {}, "weather")], ["? weather {}"], ["missing-id"]],
    ["no name", [piece(0, "{}", { id: "call_1" })], ["call_1  {}"], ["missing-name"]],
  ])("may have %s", (_, events, calls, kinds) => {
    const read = stream([...events, finish("tool_calls"), "[DONE]"]);
    expect(callsOf(read)).toEqual(calls);
    expect(read.flaws.map(({ kind }) => kind)).toEqual(kinds);
  });

  it("may say [DONE] without a reason", () => {
    expect(stream([chunk({ content: "Hi." }), "[DONE]"]).flaws.map(({ kind }) => kind)).toEqual([
      "no-finish-reason",
    ]);
  });

  it.each([
    ["in one piece beside an empty delta", [["", "It rains."]], "It rains."],
    [
      "that repeats beside each delta what was said",
      [
        ["It ", "It "],
        ["rains.", "It rains."],
        ["", "It rains."],
      ],
      "It rains.",
    ],
  ])("may hold the message %s", (_, pieces, text) => {
    const events = pieces.map(([delta, content], index) => ({
      object: "chat.completion",
      choices: [
        {
          index: 0,
          delta: { role: "assistant", content: delta },
          message: { role: "assistant", content },
          finish_reason: index === pieces.length - 1 ? "stop" : null,
        },
      ],
    }));
    expect(stream(events).items).toMatchObject([{ kind: "message", text }]);
  });

  it("may break off with an error", () => {
    expect(
      stream([chunk({ content: "Hi" }), { error: { message: "upstream closed", code: 502 } }]),
    ).toMatchObject({
      state: "open",
      error: { message: "upstream closed", code: "502", isMidStream: true, extent: { start: 10, end: 19 } },
    });
  });

  it("may reason before it answers", () => {
    expect(
      stream([
        chunk({ reasoning_content: "Oslo " }),
        chunk({ reasoning_content: "first." }),
        chunk({ content: "9." }),
        finish("stop"),
      ]).items,
    ).toMatchObject([
      {
        kind: "reasoning",
        text: "Oslo first.",
        pointer: "/choices/0/message/reasoning_content",
        fragments: { count: 2 },
      },
      { kind: "message", text: "9." },
    ]);
  });
});

describe("what is a chat payload", () => {
  const recognized = (value: object) => {
    const found = openaiChat.recognize(peekValue(value));
    return found && `${found.part} ${found.certainty.toFixed(2)}`;
  };

  test.each<[object, string | undefined]>([
    [{ choices: [{ message: { role: "assistant", content: "Hi." } }] }, "reply 0.95"],
    [{ object: "chat.completion.chunk", choices: [] }, "event 0.95"],
    [{ choices: [{ delta: { content: "Hi" } }] }, "event 0.95"],
    [{ id: "chatcmpl-1", choices: [], usage: {} }, "event 0.60"],
    [{ model: "gpt-5", messages: [{ role: "user", content: "Hi." }] }, "request 0.60"],
    [
      {
        model: "gpt-5",
        messages: [{ role: "tool", tool_call_id: "call_1", content: "9" }],
        stream_options: {},
      },
      "request 0.90",
    ],
    [{ messages: [{ role: "user", content: "Hi." }] }, "request 0.50"],
    [{ messages: [{ text: "Hi." }] }, undefined],
    [{ messages: [] }, undefined],
    [{ choices: ["yes", "no"], question: "Go on?" }, undefined],
    [{ hello: "world" }, undefined],
  ])("%j: %s", (value, expected) => {
    expect(recognized(value)).toBe(expected);
  });

  test.each([
    ["https://api.openai.com/v1/chat/completions", 1],
    ["https://openrouter.ai/api/v1/chat/completions?x=1", 1],
    ["https://api.openai.com/v1/responses", -1],
    ["http://localhost:11434/api/chat", -1],
    ["https://example.com/", 0],
  ])("%s counts %i", (url, fit) => {
    expect(urlFits(protocols)(openaiChat, url)).toBe(fit);
  });
});

describe("a reply in an envelope", () => {
  const message = {
    role: "assistant",
    content: "",
    tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } }],
  };

  test("of DashScope is read, also as a stream that repeats what was said", () => {
    const output = (said: object, reason: string) => ({
      output: { choices: [{ finish_reason: reason, message: said }] },
      request_id: "r1",
      usage: { total_tokens: 9 },
    });
    const whole = output(message, "tool_calls");
    expect(openaiChat.recognize(peekValue(whole))?.part).toBe("reply");
    expect(reply(whole)).toMatchObject({
      id: "r1",
      items: [{ kind: "call", name: "weather", pointer: "/output/choices/0/message/tool_calls/0" }],
      finish: { meaning: "calls", pointer: "/output/choices/0/finish_reason" },
    });
    const said = (content: string, reason = "null") => output({ role: "assistant", content }, reason);
    const streamed = stream([said("It"), said("It rains"), said("It rains.", "stop")]);
    expect(streamed).toMatchObject({ items: [{ text: "It rains." }], state: "complete" });
    expect(stream([said("It "), said("rains."), said("", "stop")]).items).toMatchObject([
      { text: "It rains." },
    ]);
  });

  test("of Workers AI is read, whose calls have no ids", () => {
    const called = {
      result: { response: null, tool_calls: [{ name: "weather", arguments: {} }] },
      success: true,
    };
    expect(openaiChat.recognize(peekValue(called))?.part).toBe("reply");
    const read = reply(called);
    expect(read).toMatchObject({
      items: [{ kind: "call", name: "weather", pointer: "/result/tool_calls/0" }],
    });
    expect(read.flaws).toEqual([]);
    expect(read.error).toBeUndefined();
    const said = reply({ result: { response: "Cold." }, success: true });
    expect(said.items).toMatchObject([{ text: "Cold.", pointer: "/result/response" }]);
    expect(openaiChat.recognize(peekValue({ result: { rows: [] }, success: true }))).toBeUndefined();
  });

  test("of Workers AI is read in pieces that are padded, with the usage as their end", () => {
    const [said, last] = [
      { response: "It is ", tool_calls: [], p: "abc" },
      { response: "", usage: {} },
    ];
    expect(openaiChat.recognize(peekValue(said))?.part).toBe("event");
    const read = stream([said, { response: "cold.", p: "abcde" }, last]);
    expect(read).toMatchObject({ items: [{ text: "It is cold." }], state: "complete" });
    expect(read.flaws).toEqual([]);
    expect(stream([said, { response: "cold.", p: "abcde" }]).state).toBe("open");
    const called = { tool_calls: [{ name: "weather", arguments: { city: "Bern" } }], p: "ab" };
    expect(callsOf(stream([called, last]))).toHaveLength(1);
    // Ollama's completions have a response, too.
    for (const other of [
      { model: "m", response: "It", done: false },
      { response: "It" },
      { p: 1, response: "It" },
    ])
      expect(openaiChat.recognize(peekValue(other))).toBeUndefined();
  });

  test("may be spread over two choices, where both have the reason of the whole", () => {
    const choices = [
      { message: { role: "assistant", content: "I look." }, finish_reason: "tool_calls" },
      { message, finish_reason: "tool_calls" },
    ];
    const read = reply({ id: "c", choices });
    expect(read.items.map(({ pointer }) => pointer)).toEqual([
      "/choices/0/message/content",
      "/choices/1/message/tool_calls/0",
    ]);
    expect(read.otherChoices).toBe(0);
    const [first, second] = choices;
    const alternatives = reply({ id: "c", choices: [{ ...first, finish_reason: "stop" }, second] });
    expect(callsOf(alternatives)).toEqual([]);
    expect(alternatives.otherChoices).toBe(1);
  });
});

describe("chunks with ids of their own", () => {
  test("are one reply, whose server is at fault without harm", () => {
    const parts = [
      chunk({ role: "assistant", content: "It " }),
      chunk({ content: "rains." }),
      finish("stop"),
    ];
    const read = stream(parts.map((each, index) => ({ ...each, id: `c${index}` })));
    expect(read).toMatchObject({ items: [{ text: "It rains." }], state: "complete" });
    expect(read.flaws).toMatchObject([{ kind: "changed-reply-id", isHarmless: true }]);
    expect(stream(parts).flaws).toEqual([]);
  });
});

test("a call in the place of the list of calls is a call", () => {
  const call = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } };
  expect(items({ role: "assistant", content: null, tool_calls: call })).toMatchObject([
    { kind: "call", id: "call_1", pointer: "/tool_calls" },
  ]);
  expect(items({ role: "tool", id: "x", extra: { function_id: "call_1" }, content: "ok" })).toMatchObject([
    { kind: "result", callId: "call_1" },
  ]);
});

test("an empty refusal beside an answer is none", () => {
  const choice = (message: object) => ({ choices: [{ index: 0, message, finish_reason: "stop" }] });
  const refusals = (message: object) =>
    (reply(choice({ role: "assistant", ...message }))?.items ?? []).map(
      (item) => item.kind === "message" && item.isRefusal === true,
    );
  expect(refusals({ content: "Hello!", refusal: "" })).toEqual([false]);
  expect(refusals({ content: null, refusal: "I can't help with that." })).toEqual([true]);
});

test.each([
  ["a value that a schema asked for", { city: "Oslo", degrees: 2 }, '{"city":"Oslo","degrees":2}', false],
  ["one part without its list", { type: "text", text: "It rains." }, "It rains.", false],
  ["an image without its list", { type: "image_url", image_url: { url: "https://sky.example/1" } }, "", true],
])("an object as content is %s", (_, content, text, hasMedia) => {
  expect(items({ role: "assistant", content })).toMatchObject([{ kind: "message", text, hasMedia }]);
});

test("spoken words are an answer", () => {
  const audio = { id: "audio_1", data: "//OExAAA", transcript: "It rains." };
  const spoken = { kind: "message", text: "", hasMedia: true };
  expect(items({ role: "assistant", content: "", audio })).toMatchObject([spoken]);
  expect(items({ role: "assistant", audio: { id: "audio_1" } })).toMatchObject([spoken]);
  const events = [chunk({ audio: { id: "audio_1" } }), chunk({ audio: { data: "//OE" } }), finish("stop")];
  expect(stream(events).items).toMatchObject([spoken]);
  // OpenAI gives no reason when the words end.
  const unexplained = stream([...events.slice(0, -1), "[DONE]"]);
  expect([unexplained.state, unexplained.flaws]).toEqual(["complete", []]);
  expect(stream([chunk({ content: "It rains." }), "[DONE]"]).flaws).toMatchObject([
    { kind: "no-finish-reason" },
  ]);
});
