import { describe, expect, it, test } from "vitest";
import { peekValue } from "../../src/containers/payloads/peek.ts";
import type { Item, ToolCall } from "../../src/conversation/item.ts";
import { protocols } from "../../src/protocols/index.ts";
import { openaiResponses } from "../../src/protocols/openai-responses/index.ts";
import { urlFits } from "../../src/protocols/paths.ts";
import type { Frame } from "../../src/protocols/protocol.ts";
import { place, requestBody, streamBody } from "./bodies.ts";

const items = (item: unknown): readonly Item[] => openaiResponses.decodeElement(item).items;
const flaws = (item: unknown) => items(item).flatMap((read) => read.flaws ?? []);

function request(body: Record<string, unknown>) {
  return openaiResponses.decodeRequest(requestBody(body, "input"));
}

const reply = (value: unknown, status = 200) => openaiResponses.decodeReply({ value, place, status });

function stream(events: readonly object[], isCut = false) {
  return openaiResponses.decodeStream(streamBody(events, { isCut }));
}

const call = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "weather",
  arguments: '{"city":"Oslo"}',
  status: "completed",
};
const says = (text: string) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  content: [{ type: "output_text", text }],
});

describe("items", () => {
  test("a call has two ids: its own, and the one that its result names", () => {
    expect(items(call)).toEqual([
      {
        kind: "call",
        role: "assistant",
        pointer: "",
        id: "call_1",
        itemId: "fc_1",
        name: "weather",
        argumentsText: '{"city":"Oslo"}',
        arguments: { city: "Oslo" },
        isJson: true,
        wireType: "function_call",
        isHosted: false,
        state: "complete",
      },
    ]);
  });

  test("a result may be text, or a list of parts", () => {
    expect(items({ type: "function_call_output", call_id: "call_1", output: "9 °C" })).toMatchObject([
      { kind: "result", callId: "call_1", text: "9 °C", wireType: "function_call_output" },
    ]);
    expect(
      items({
        type: "custom_tool_call_output",
        call_id: "call_1",
        output: [
          { type: "input_text", text: "9" },
          { type: "input_image", image_url: "…" },
        ],
      }),
    ).toMatchObject([{ text: "9", hasMedia: true }]);
  });

  test("messages may leave out their type, and an id alone is a reference", () => {
    expect(items({ role: "user", content: "Oslo?" })).toMatchObject([
      { kind: "message", role: "user", text: "Oslo?" },
    ]);
    expect(items({ role: "developer", content: "Be brief." })).toMatchObject([{ role: "system" }]);
    expect(items({ id: "fc_1" })).toMatchObject([{ kind: "reference", id: "fc_1" }]);
    expect(items({ type: "item_reference", id: "rs_1" })).toMatchObject([{ kind: "reference", id: "rs_1" }]);
    expect(items("Oslo?")).toMatchObject([{ kind: "message", role: "user", text: "Oslo?" }]);
  });

  test("reasoning keeps what only the server can read", () => {
    expect(
      items({
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "Oslo first." }],
        encrypted_content: "c2Vj",
      }),
    ).toEqual([
      { kind: "reasoning", role: "assistant", pointer: "", id: "rs_1", text: "Oslo first.", seal: "c2Vj" },
    ]);
  });

  test.each([
    ["web_search_call", true],
    ["code_interpreter_call", true],
    ["mcp_call", true],
    ["custom_tool_call", false],
    ["local_shell_call", false],
    ["apply_patch_call", false],
  ])("%s: run by the server? %s", (type, isHosted) => {
    expect(items({ type, id: "x_1", call_id: "call_1", name: "exec", input: "ls" })).toMatchObject([
      { kind: "call", isHosted, wireType: type },
    ]);
  });

  test("a free-text call is no JSON, though its text may look like it", () => {
    const [read] = items({
      type: "custom_tool_call",
      call_id: "call_1",
      name: "exec",
      input: "{ list(); }",
    }) as readonly ToolCall[];
    expect(read).toMatchObject({ argumentsText: "{ list(); }", isJson: false });
    expect(read?.arguments).toBeUndefined();
  });

  test("what nobody knows is kept as it is", () => {
    expect(items({ type: "brand_new_item", id: "bn_1" })).toMatchObject([
      { kind: "opaque", wireType: "brand_new_item", id: "bn_1" },
    ]);
    for (const odd of [
      undefined,
      null,
      7,
      [],
      {},
      { type: 7 },
      { type: "message", content: 7 },
      { type: "function_call" },
    ])
      expect(items(odd)).toEqual(expect.any(Array));
  });

  test.each<[string, object, object]>([
    ["a result without its type", { call_id: "call_1", output: "9" }, { kind: "missing-type", pointer: "" }],
    [
      "a call without its type",
      { call_id: "call_1", name: "weather", arguments: "{}" },
      { kind: "missing-type", pointer: "" },
    ],
    [
      "a call without the id that results name",
      { type: "function_call", id: "fc_1", name: "weather", arguments: "{}" },
      { kind: "missing-id", pointer: "" },
    ],
    [
      "arguments that were not serialised",
      { ...call, arguments: { city: "Oslo" } },
      { kind: "arguments-type", pointer: "/arguments", detail: "object" },
    ],
    [
      "a result that was not serialised",
      { type: "function_call_output", call_id: "call_1", output: { celsius: 9 } },
      { kind: "bad-content", pointer: "/output", detail: "object" },
    ],
    [
      "a result that is a tool's own list",
      { type: "function_call_output", call_id: "call_1", output: [{ celsius: 9 }] },
      { kind: "bad-content", pointer: "/output", detail: "array (without content parts)" },
    ],
    [
      "a message of the chat API",
      { role: "tool", tool_call_id: "call_1", content: "9" },
      { kind: "other-protocol", pointer: "", detail: "chat message" },
    ],
    [
      "the parts of the other side",
      { type: "message", role: "assistant", content: [{ type: "input_text", text: "Hi." }] },
      { kind: "bad-content", pointer: "/content/0", detail: "input_text" },
    ],
    [
      "blocks of another API",
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
      { kind: "other-protocol", pointer: "/content/0", detail: "tool_result" },
    ],
  ])("%s is named as a flaw", (_, item, flaw) => {
    expect(flaws(item)).toContainEqual(flaw);
  });
});

describe("a request", () => {
  it("says what it offers, and what it leaves to the server", () => {
    expect(
      request({
        model: "gpt-5",
        instructions: "Be brief.",
        input: [{ role: "user", content: "Oslo?" }],
        tools: [
          { type: "function", name: "weather", parameters: { type: "object", properties: {} } },
          { type: "web_search" },
        ],
        tool_choice: { type: "function", name: "weather" },
        previous_response_id: "resp_1",
        prompt_cache_key: "run-7",
        max_output_tokens: 64,
        reasoning: { effort: "high" },
        store: false,
      }),
    ).toMatchObject({
      historyPointer: "/input",
      system: "Be brief.",
      tools: [
        { name: "weather", isHosted: false, pointer: "/tools/0" },
        { name: "web_search", isHosted: true, pointer: "/tools/1" },
      ],
      toolChoice: { mode: "tool", name: "weather" },
      links: { previousReply: "resp_1", clientKey: "run-7" },
      maxTokens: 64,
      settings: { reasoning: true, isUnstored: true },
    });
  });

  it("may be a plain text, and belong to a conversation", () => {
    const read = request({ model: "gpt-5", input: "Oslo?", conversation: { id: "conv_1" } });
    expect(read.history.items(0)).toMatchObject([{ role: "user", text: "Oslo?" }]);
    expect(read.links.conversation).toBe("conv_1");
  });

  it("may offer tools in namespaces and in items", () => {
    const read = request({
      model: "gpt-6",
      input: [
        { type: "additional_tools", tools: [{ type: "custom", name: "exec" }] },
        { role: "user", content: "Hi." },
      ],
      tools: [{ type: "namespace", name: "agents", tools: [{ type: "function", name: "spawn" }] }],
    });
    expect(read.tools?.map(({ name, pointer }) => `${name} ${pointer}`)).toEqual([
      "spawn /tools/0/tools/0",
      "exec /input/0/tools/0",
    ]);
  });
});

describe("a whole reply", () => {
  it("is read with its status and its costs", () => {
    expect(
      reply({
        id: "resp_1",
        object: "response",
        model: "gpt-5",
        status: "completed",
        output: [says("Looking."), call],
        usage: { input_tokens: 20, output_tokens: 4 },
      }),
    ).toMatchObject({
      id: "resp_1",
      items: [
        { kind: "message", pointer: "/output/0", text: "Looking." },
        { kind: "call", pointer: "/output/1" },
      ],
      finish: { reason: "completed", meaning: "answer", pointer: "/status" },
      usage: { input: 20, output: 4 },
      state: "complete",
    });
  });

  it.each([
    [{ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, "length"],
    [{ status: "incomplete", incomplete_details: { reason: "content_filter" } }, "filter"],
    [{ status: "failed" }, "error"],
  ])("%j means %s", (value, meaning) => {
    expect(reply({ output: [], ...value }).finish?.meaning).toBe(meaning);
  });

  it("is open while the server still works on it", () => {
    expect(reply({ id: "resp_1", status: "in_progress", output: [] })).toMatchObject({ state: "open" });
  });

  it("may be an error", () => {
    expect(
      reply(
        {
          error: {
            message: "No tool output found for function call call_1.",
            type: "invalid_request_error",
            param: "input",
          },
        },
        400,
      ).error,
    ).toMatchObject({ message: "No tool output found for function call call_1.", isMidStream: false });
    expect(
      reply({
        id: "resp_1",
        status: "failed",
        output: [],
        error: { code: "server_error", message: "overloaded" },
      }).error,
    ).toMatchObject({ code: "server_error" });
  });
});

describe("a stream", () => {
  const added = (output_index: number, item: object) => ({
    type: "response.output_item.added",
    output_index,
    item,
  });
  const done = (output_index: number, item: object) => ({
    type: "response.output_item.done",
    output_index,
    item,
  });
  const delta = (output_index: number, text: string) => ({
    type: "response.function_call_arguments.delta",
    output_index,
    delta: text,
  });
  const created = {
    type: "response.created",
    response: { id: "resp_1", model: "gpt-5", status: "in_progress", output: [] },
  };
  const empty = { ...call, arguments: "", status: "in_progress" };
  const pieces = [created, added(0, empty), delta(0, '{"city":'), delta(0, '"Oslo"}')];

  it("is what its last event says, and knows where the pieces stand", () => {
    const read = stream([
      ...pieces,
      done(0, call),
      { type: "response.completed", response: { id: "resp_1", status: "completed", output: [call] } },
    ]);
    expect(read).toMatchObject({
      id: "resp_1",
      items: [
        {
          kind: "call",
          id: "call_1",
          argumentsText: '{"city":"Oslo"}',
          pointer: "/output/0",
          fragments: { last: { start: 30, end: 39 } },
        },
      ],
      finish: { reason: "completed", extent: { start: 50, end: 59 } },
      state: "complete",
      flaws: [],
    });
  });

  it("repeats each part of an item in an event, which counts where deltas are missing", () => {
    const at = (type: string, fields: object) => ({ type: `response.${type}`, output_index: 0, ...fields });
    const texts = (...events: object[]) =>
      stream(events).items.map((item) =>
        "argumentsText" in item ? item.argumentsText : "text" in item ? item.text : "",
      );
    const written = '{"city":"Oslo"}';
    expect(
      texts(
        at("output_text.delta", { content_index: 0, delta: "</tool_call>" }),
        at("output_text.done", { content_index: 0, text: "<tool_call></tool_call>" }),
        at("output_text.delta", { content_index: 1, delta: " Bern" }),
        at("output_text.done", { content_index: 1, text: "" }),
      ),
    ).toEqual(["<tool_call></tool_call> Bern"]);
    expect(texts(at("refusal.done", { refusal: "No." }))).toEqual(["No."]);
    expect(
      texts(added(0, empty), delta(0, 'lo"}'), at("function_call_arguments.done", { arguments: written })),
    ).toEqual([written]);
    expect(
      texts(
        added(0, { type: "custom_tool_call", call_id: "c1", name: "shell" }),
        at("custom_tool_call_input.delta", { delta: "s" }),
        at("custom_tool_call_input.done", { input: "ls" }),
      ),
    ).toEqual(["ls"]);
    expect(
      texts(
        added(0, { type: "reasoning" }),
        at("reasoning_summary_text.done", { summary_index: 0, text: "Ask." }),
        at("reasoning_summary_text.done", { summary_index: 1, text: " Then tell." }),
      ),
    ).toEqual(["Ask. Then tell."]);
  });

  it("is put together from its pieces where the last event is missing", () => {
    const read = stream(pieces);
    expect(read).toMatchObject({
      id: "resp_1",
      state: "open",
      items: [{ argumentsText: '{"city":"Oslo"}', state: "open" }],
    });
    expect(stream([...pieces, done(0, call)])).toMatchObject({
      state: "open",
      items: [{ state: "complete" }],
    });
  });

  it("is put together where the last event leaves its output out", () => {
    const read = stream([
      created,
      added(0, { type: "message", id: "msg_1", role: "assistant", content: [] }),
      { type: "response.output_text.delta", output_index: 0, delta: "9 " },
      { type: "response.output_text.delta", output_index: 0, delta: "°C." },
      { type: "response.completed", response: { id: "resp_1", status: "completed", output: [] } },
    ]);
    expect(read.items).toMatchObject([{ kind: "message", text: "9 °C." }]);
  });

  it("may number no items, as gateways that run tools themselves write it", () => {
    const item = (type: "added" | "done", value: object) => ({
      type: `response.output_item.${type}`,
      item: value,
    });
    const { id: itemId } = call;
    const output = { type: "function_call_output", id: "fco_1", call_id: "call_1", output: "9 °C" };
    const message = {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: "9 °C." }],
    };
    const read = stream([
      created,
      { type: "response.reasoning_text.delta", delta: "The forecast says" },
      item("added", empty),
      { type: "response.function_call_arguments.delta", item_id: itemId, delta: '{"city":"Oslo"}' },
      item("done", call),
      item("done", output),
      item("done", message),
      { type: "response.completed", response: { id: "resp_1", status: "completed", output: [] } },
    ]);
    expect(read.items).toMatchObject([
      { kind: "call", id: "call_1", argumentsText: '{"city":"Oslo"}' },
      { kind: "result", callId: "call_1" },
      { kind: "message", text: "9 °C." },
    ]);
    // Numbered items come first, wherever they arrive.
    const mixed = stream([created, item("done", message), added(0, empty), done(0, call)]);
    expect(mixed.items).toMatchObject([{ kind: "call" }, { kind: "message" }]);
  });

  it("may fail", () => {
    expect(
      stream([
        created,
        {
          type: "response.failed",
          response: {
            id: "resp_1",
            status: "failed",
            output: [],
            error: { code: "server_error", message: "overloaded" },
          },
        },
      ]),
    ).toMatchObject({
      state: "complete",
      error: { message: "overloaded", isMidStream: true },
      finish: { meaning: "error" },
    });
    expect(
      stream([created, { type: "error", message: "rate limited", code: "rate_limit" }]).error,
    ).toMatchObject({ message: "rate limited", extent: { start: 10, end: 19 } });
  });

  it("is told by its events whose it is and when it ends", () => {
    const frame = (value: object): Frame => ({ value, data: "", extent: { start: 0, end: 0 } });
    expect(openaiResponses.replyId(frame(created))).toBe("resp_1");
    expect(openaiResponses.replyId(frame(delta(0, "x")))).toBeUndefined();
    expect(
      [created, { type: "response.completed" }, { type: "response.incomplete" }, { type: "error" }].map(
        (event) => openaiResponses.isTerminal(frame(event)),
      ),
    ).toEqual([false, true, true, true]);
  });
});

describe("what is a Responses payload", () => {
  test("items that an agent shows under names of its own are none", () => {
    const shown = [
      { type: "userMessage", id: "1", content: [] },
      { type: "reasoning", id: "2" },
      { type: "agentMessage", id: "3", text: "Done." },
    ];
    expect(openaiResponses.recognize(peekValue({ input: shown }))).toBeUndefined();
  });

  test("an error is one where the address says so: other protocols have the same", () => {
    const body = { error: { message: "Unknown parameter: 'max_output_token'.", param: "max_output_token" } };
    expect(openaiResponses.recognize(peekValue(body))).toEqual({ part: "reply", certainty: 0.3 });
    expect(urlFits(protocols)(openaiResponses, "https://api.openai.com/v1/responses")).toBe(1);
    expect(urlFits(protocols)(openaiResponses, "https://api.openai.com/v1/chat/completions")).toBe(-1);
  });

  const recognized = (value: object) => openaiResponses.recognize(peekValue(value))?.part;

  test.each<[object, string | undefined]>([
    [{ type: "response.output_text.delta", delta: "9" }, "event"],
    [{ object: "response", output: [] }, "reply"],
    [{ id: "resp_1", output: [call] }, "reply"],
    [{ object: "response", input: [], output: [call], tools: [], model: "gpt-5" }, "reply"],
    [{ object: "list", output: [] }, undefined],
    [{ input: [{ id: "a1", role: "Repository agent", goal: "Fix it." }], tools: [] }, undefined],
    [{ input: [{ role: "critic", content: "Hi." }] }, "request"],
    [{ model: "gpt-5", input: [call] }, "request"],
    [{ input: [{ role: "user", content: "Hi." }] }, "request"],
    [{ model: "gpt-5", input: "Hi.", instructions: "Be brief." }, "request"],
    [{ model: "text-embedding-3-small", input: "Hi." }, undefined],
    [{ model: "gpt-4o-mini-tts", input: "Hi.", voice: "alloy" }, undefined],
    [{ input: [1, 2, 3] }, undefined],
    [{ input: ["a", "b"] }, undefined],
    [{ input: { city: "Oslo" } }, undefined],
  ])("%j: %s", (value, part) => {
    expect(recognized(value)).toBe(part);
  });

  test.each([
    ["https://api.openai.com/v1/responses", 1],
    ["https://api.openai.com/v1/responses/compact", 1],
    ["https://api.openai.com/v1/chat/completions", -1],
    ["https://api.openai.com/v1/embeddings", -1],
    ["https://example.com/", 0],
  ])("%s counts %i", (url, fit) => {
    expect(urlFits(protocols)(openaiResponses, url)).toBe(fit);
  });
});
