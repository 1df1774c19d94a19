import Anthropic, { BadRequestError } from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { profiles } from "../../src/protocols/profiles/index.ts";
import type { ServedItem, ServedReply } from "../../src/protocols/server-side.ts";
import type { AskedTurn } from "../../src/serve/answers/answer-source.ts";
import { type RunningServer, startModelServer } from "../../src/serve/serve.ts";

/** What the model says next, set by each test. */
let reply: (turn: AskedTurn) => ServedReply;
let server: RunningServer;
let client: Anthropic;

beforeAll(async () => {
  server = await startModelServer({
    port: 0,
    answers: { answer: (turn) => ({ kind: "reply", reply: reply(turn) }) },
  });
  client = new Anthropic({ apiKey: "test", baseURL: server.url, maxRetries: 0 });
});
afterAll(() => server.close());

const says = (...items: ServedItem[]): void => {
  reply = () => ({ items });
};
const words = (text: string): ServedItem => ({ kind: "text", text });
const thought = (text: string): ServedItem => ({ kind: "reasoning", text });
const wants = (name: string, args: unknown): ServedItem => ({ kind: "call", name, arguments: args });

const question = { role: "user" as const, content: "What is the weather in Lima?" };
const weather = {
  name: "get_weather",
  description: "The weather of a city",
  input_schema: { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] },
};
const call = (id: string) => ({ type: "tool_use", id, name: "get_weather", input: { city: "Lima" } });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "18 degrees" });
const model = (...content: object[]) => ({ role: "assistant", content });
const user = (...content: object[]) => ({ role: "user", content });
const body = (messages: unknown, more: object = {}) => ({
  model: "claude-opus-4-5",
  max_tokens: 4096,
  tools: [weather],
  messages,
  ...more,
});
const thinking = { thinking: { type: "enabled" as const, budget_tokens: 1024 } };

async function post(sent: unknown, path = "/v1/messages", headers: Record<string, string> = {}) {
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: { "anthropic-version": "2023-06-01", ...headers },
    body: typeof sent === "string" ? sent : JSON.stringify(sent),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe("the Messages API refuses in its own words", () => {
  const cases: readonly (readonly [string, object | string, string])[] = [
    [
      "calls without results, all in one sentence",
      body([question, model(call("toolu_1"), call("toolu_2")), question]),
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1, toolu_2. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ],
    [
      "a result without a call",
      body([
        question,
        model({ type: "text", text: "Hm." }),
        user({ type: "text", text: "?" }, result("toolu_9")),
      ]),
      "messages.2.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_9. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ],
    [
      "a result under another id",
      body([question, model(call("toolu_1")), user(result("toolu_2"))]),
      "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_2. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ],
    [
      "a result that comes too late",
      body([
        question,
        model(call("toolu_1")),
        question,
        model({ type: "text", text: "Wait." }),
        user(result("toolu_1")),
      ]),
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ],
    [
      "two results for one call",
      body([
        question,
        model(call("toolu_1")),
        user(result("toolu_1"), { ...result("toolu_1"), content: "14" }),
      ]),
      "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_1",
    ],
    [
      "a place with the kind of its block",
      body([question, model(call("functions.f:0")), user(result("functions.f:0"))]),
      "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    [
      "a result that names no call",
      body([question, model(call("toolu_1")), user({ type: "tool_result", content: "18 degrees" })]),
      "messages.2.content.0.tool_result.tool_use_id: Field required",
    ],
    [
      "a part of another API",
      body([user({ type: "image_url", image_url: { url: "https://example.com/a.png" } })]),
      "messages.0.content.0: Input tag 'image_url' found using 'type' does not match any of the expected tags:",
    ],
    [
      "a result within a result",
      body([question, model(call("toolu_1")), user({ ...result("toolu_1"), content: [result("toolu_1")] })]),
      "messages.2.content.0.tool_result.content.0: Input tag 'tool_result' found using 'type' does not match any of the expected tags: 'document', 'image', 'search_result', 'text', 'tool_reference'",
    ],
    [
      "a message of another API",
      body([question, { role: "tool", tool_call_id: "call_1", content: "18 degrees" }]),
      'messages: Unexpected role "tool". Allowed roles are "user" or "assistant". For instructions on how to use tools, see https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview.',
    ],
    ["no messages", body([]), "messages: at least one message is required"],
    ["messages that are no list", body("hello"), "messages: Input should be a valid list"],
    [
      "a system prompt that is no text",
      body([question], { system: 1 }),
      "system: Input should be a valid list",
    ],
    ["no limit", { model: "claude-opus-4-5", messages: [question] }, "max_tokens: Field required"],
    ["no model", { max_tokens: 1, messages: [question] }, "model: Field required"],
    [
      "a member of another API",
      body([question], { response_format: { type: "json_object" } }),
      "response_format: Extra inputs are not permitted",
    ],
    ["bytes that are no JSON", "{bad", "The request body is not valid JSON: "],
  ];

  test.each(cases)("%s", async (_, sent, message) => {
    says(words("Never said."));
    const { status, headers, text } = await post(sent);
    expect(status).toBe(400);
    const said = JSON.parse(text);
    expect(said).toEqual({
      type: "error",
      error: { type: "invalid_request_error", message: expect.any(String) },
      request_id: headers.get("request-id"),
    });
    expect(said.error.message.slice(0, message.length)).toBe(message);
    // Only lists of what is allowed and a parser's words may follow.
    if (!message.endsWith(":") && !message.endsWith(": ")) expect(said.error.message).toBe(message);
  });

  test("what the validator says comes before what the history's order says", async () => {
    const { text } = await post(
      body([
        question,
        model(call("toolu_1")),
        model({ ...call("toolu_2"), input: "Lima" }),
        user(result("toolu_2")),
      ]),
    );
    expect(JSON.parse(text).error.message).toBe(
      "messages.2.content.0.tool_use.input: Input should be a valid dictionary",
    );
  });

  test("a request without its version is answered, and noted once", async () => {
    const post = () =>
      fetch(`${server.url}/v1/messages`, { method: "POST", body: JSON.stringify(body([question])) });
    expect([(await post()).status, (await post()).status]).toEqual([200, 200]);
    const note = "a request came without the header `anthropic-version`, which Anthropic requires";
    expect(server.model.notes.filter((each) => each === note)).toHaveLength(1);
  });

  test("DeepSeek says it in the envelope of its chat API, and of thinking in its own words", async () => {
    const { status, text } = await post(
      body([question, model(call("toolu_1")), user(result("toolu_1"))], thinking),
      "/deepseek/anthropic/v1/messages",
    );
    expect(status).toBe(400);
    expect(JSON.parse(text)).toEqual({
      error: {
        message: "The `content[].thinking` in the thinking mode must be passed back to the API.",
        type: "invalid_request_error",
        param: null,
        code: "invalid_request_error",
      },
    });
  });

  test("Vertex and Bedrock name the model in the path and the version in the body", async () => {
    says(words("18 degrees."));
    const { model: _, ...unnamed } = body([question], { anthropic_version: "vertex-2023-10-16" });
    const send = async (path: string, sent: unknown) => {
      const response = await fetch(server.url + path, { method: "POST", body: JSON.stringify(sent) });
      return { status: response.status, text: await response.text() };
    };
    const place = "/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-4-5@20251101";
    const whole = await send(`${place}:rawPredict`, unnamed);
    expect(JSON.parse(whole.text)).toMatchObject({ type: "message", model: "claude-opus-4-5@20251101" });
    expect((await send(`${place}:streamRawPredict`, unnamed)).text).toMatch(/^event: message_start\n/);
    const refused = await send("/bedrock/model/anthropic.claude-opus-4-5-20251101-v1%3A0/invoke", {
      ...unnamed,
      messages: [question, model(call("toolu_1"))],
    });
    expect([refused.status, Object.keys(JSON.parse(refused.text))]).toEqual([400, ["message"]]);
  });

  /** What a server with this profile answers, which asks for neither a version nor a limit. */
  async function imitated(name: string, ...messages: object[]) {
    const imitation = await startModelServer({
      port: 0,
      profile: profiles.find((profile) => profile.name === name),
    });
    const response = await fetch(`${imitation.url}/v1/messages`, {
      method: "POST",
      body: JSON.stringify({ model: "qwen3.5-27b", messages }),
    });
    const answer = { status: response.status, body: await response.json() };
    await imitation.close();
    return answer;
  }

  test("servers that imitate the API want less", async () => {
    const { status } = await imitated("ollama", question, model(call("functions.f:0")));
    expect(status).toBe(200);
  });

  test("and fail where the model's template does", async () => {
    const results = [model(call("toolu_1")), user(result("toolu_1"))];
    expect(await imitated("vllm", ...results)).toEqual({
      status: 400,
      body: {
        type: "error",
        error: { type: "BadRequestError", message: "No user query found in messages." },
      },
    });
    expect(await imitated("llama.cpp", ...results)).toEqual({
      status: 500,
      body: {
        error: {
          code: 500,
          message: "Error: Jinja Exception: No user query found in messages.",
          type: "server_error",
        },
      },
    });
  });
});

describe("a stream has the grammar of the API", () => {
  const names = (text: string): string[] =>
    [...text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)].map(([, name = "", data = "{}"]) => {
      const { type, delta, content_block: block } = JSON.parse(data);
      expect(type).toBe(name);
      return [name, block?.type ?? delta?.type].filter(Boolean).join(" ");
    });

  test("of text, thinking and a call", async () => {
    says(thought("I look it up."), words("One moment."), wants("get_weather", { city: "Lima" }));
    const { headers, text } = await post(
      body([question], { ...thinking, stream: true }),
      "/v1/messages?beta=true",
    );
    expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(headers.get("anthropic-ratelimit-requests-limit")).toMatch(/^\d+$/);
    expect(names(text)).toEqual([
      "message_start",
      "content_block_start thinking",
      "ping",
      "content_block_delta thinking_delta",
      "content_block_delta thinking_delta",
      "content_block_delta signature_delta",
      "content_block_stop",
      "content_block_start text",
      "content_block_delta text_delta",
      "content_block_stop",
      "content_block_start tool_use",
      "content_block_delta input_json_delta",
      "content_block_delta input_json_delta",
      "content_block_delta input_json_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(text).toContain('"delta":{"type":"input_json_delta","partial_json":""}');
    expect(text).toMatch(
      /"delta":\{"stop_reason":"tool_use".*"usage":\{"input_tokens":\d+,.*"output_tokens":\d+\}/,
    );
  });

  test("of a call without arguments: one empty fragment", async () => {
    says(wants("get_weather", {}));
    const { text } = await post(body([question], { stream: true }));
    expect(text.match(/input_json_delta/g)).toHaveLength(1);
  });
});

describe("the SDK", () => {
  test("reads a whole reply", async () => {
    reply = () => ({ items: [words("18 degrees.")], usage: { input: 30, output: 5, cached: 20 } });
    const message = await client.messages.create({
      model: "claude-opus-4-5",
      max_tokens: 100,
      messages: [question],
    });
    expect(message).toMatchObject({
      id: expect.stringMatching(/^msg_01\w{22}$/),
      model: "claude-opus-4-5",
      role: "assistant",
      content: [{ type: "text", text: "18 degrees." }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 10, cache_read_input_tokens: 20, output_tokens: 5 },
    });
    expect(message._request_id).toMatch(/^req_/);
  });

  test("puts a stream together", async () => {
    says(words("I look it up."), wants("get_weather", { city: "São Paulo" }), wants("get_weather", {}));
    const stream = client.messages.stream({
      model: "claude-opus-4-5",
      max_tokens: 100,
      tools: [weather],
      messages: [question],
    });
    const { content, stop_reason } = await stream.finalMessage();
    expect(content).toMatchObject([
      { type: "text", text: "I look it up." },
      { type: "tool_use", name: "get_weather", input: { city: "São Paulo" } },
      { type: "tool_use", name: "get_weather", input: {} },
    ]);
    expect(stop_reason).toBe("tool_use");
  });

  test("runs tools to the end", async () => {
    reply = ({ request: { history } }) =>
      history.length === 1
        ? { items: [wants("get_weather", { city: "Lima" }), wants("get_weather", { city: "Quito" })] }
        : { items: [words("18 and 14 degrees.")] };
    const asked: unknown[] = [];
    const message = await client.beta.messages.toolRunner({
      model: "claude-opus-4-5",
      max_tokens: 100,
      messages: [question],
      tools: [
        {
          ...weather,
          type: "custom",
          parse: (input: unknown) => input as { city: string },
          run: (input: { city: string }) => {
            asked.push(input.city);
            return "18 degrees";
          },
        },
      ],
    });
    expect(asked).toEqual(["Lima", "Quito"]);
    expect(message.content).toMatchObject([{ text: "18 and 14 degrees." }]);
  });

  test("counts tokens, of judged histories only", async () => {
    const { input_tokens } = await client.messages.countTokens({
      model: "claude-opus-4-5",
      messages: [question],
    });
    expect(input_tokens).toBeGreaterThan(5);
    await expect(
      client.messages.countTokens({ model: "claude-opus-4-5", messages: [] }),
    ).rejects.toMatchObject({ status: 400 });
  });

  test("lists models, while clients of OpenAI find theirs at the same address", async () => {
    const listed = [];
    for await (const one of client.models.list()) listed.push(one);
    expect(listed).toMatchObject([{ type: "model", display_name: expect.any(String) }]);
    expect(await client.models.retrieve("claude-opus-4-5")).toMatchObject({
      type: "model",
      id: "claude-opus-4-5",
    });
    const other = await fetch(`${server.url}/v1/models`);
    expect(await other.json()).toMatchObject({ object: "list" });
  });

  test("throws the error class of a refusal", async () => {
    const asking = client.messages.create({
      model: "claude-opus-4-5",
      max_tokens: 100,
      messages: [question, { role: "assistant", content: "18 " }],
    });
    await expect(asking).rejects.toBeInstanceOf(BadRequestError);
    await expect(asking).rejects.toMatchObject({
      status: 400,
      type: "invalid_request_error",
      message: expect.stringContaining(
        "messages: final assistant content cannot end with trailing whitespace",
      ),
      requestID: expect.stringMatching(/^req_/),
    });
  });

  test("gets thinking only where it asked for it", async () => {
    says(thought("I look it up."), words("18 degrees."));
    const plain = { model: "claude-opus-4-5", max_tokens: 2000, messages: [question] };
    const types = async (more: object): Promise<string[]> =>
      (await client.messages.create({ ...plain, ...more })).content.map(({ type }) => type);
    expect(await types({})).toEqual(["text"]);
    expect(await types({ thinking: { type: "disabled" } })).toEqual(["text"]);
    expect(await types(thinking)).toEqual(["thinking", "text"]);
    expect(await types({ thinking: { type: "adaptive" } })).toEqual(["thinking", "text"]);
    expect(await types({ model: "claude-opus-5" })).toEqual(["thinking", "text"]);
    expect(await types({ model: "claude-opus-4-8" })).toEqual(["text"]);
  });

  test("reads thinking whose words are kept back", async () => {
    says(thought("I look it up."), words("18 degrees."));
    const asked = { model: "claude-opus-5", max_tokens: 2000, messages: [question] };
    const [block] = (await client.messages.stream(asked).finalMessage()).content;
    expect(block).toEqual({
      type: "thinking",
      thinking: "",
      signature: expect.stringMatching(/^E[\w+/]{80,}$/),
    });
    const shown = { thinking: { type: "adaptive" as const, display: "summarized" as const } };
    const [summary] = (await client.messages.create({ ...asked, ...shown })).content;
    expect(summary).toMatchObject({ thinking: "I look it up." });
  });

  test("learns that a stop sequence was met", async () => {
    says(words("18 degrees. END And more."));
    const message = await client.messages.create({
      model: "claude-opus-4-5",
      max_tokens: 100,
      stop_sequences: ["STOP", "END"],
      messages: [question],
    });
    expect(message).toMatchObject({
      content: [{ text: "18 degrees. " }],
      stop_reason: "stop_sequence",
      stop_sequence: "END",
    });
  });

  test.each([
    ["length", "max_tokens"],
    ["refusal", "refusal"],
    ["pause", "pause_turn"],
  ] as const)("learns why the model stopped: %s", async (stop, reason) => {
    reply = () => ({ items: [words("18")], stop });
    const message = await client.messages.create({
      model: "claude-opus-4-5",
      max_tokens: 1000,
      messages: [question],
    });
    expect(message.stop_reason).toBe(reason);
  });
});

describe("thinking comes back as it was signed", () => {
  interface Block {
    readonly type: string;
    readonly id?: string;
    readonly thinking?: string;
    readonly signature?: string;
  }

  /** The blocks of a reply that thinks and calls. */
  async function thoughtAndCall(): Promise<readonly Block[]> {
    says(thought("I look it up."), wants("get_weather", { city: "Lima" }));
    const { text } = await post(body([question], thinking));
    says(words("18 degrees."));
    return JSON.parse(text).content;
  }

  /** The next request, with thinking as a client sends it back. */
  const next = ([block, asked]: readonly Block[], changed: object, more: object = thinking) =>
    post(
      body([question, model({ ...block, ...changed }, { ...asked }), user(result(asked?.id ?? ""))], more),
    );

  test("unchanged it is taken", async () => {
    expect((await next(await thoughtAndCall(), {})).status).toBe(200);
  });

  test("a turn begins with it where thinking is on, also if nobody wrote any", async () => {
    says(wants("get_weather", { city: "Lima" }));
    const ask = async (...messages: object[]): Promise<readonly Block[]> => {
      const { status, text } = await post(body([question, ...messages], thinking));
      expect(status).toBe(200);
      return JSON.parse(text).content;
    };
    const first = await ask();
    expect(first.map(({ type }) => type)).toEqual(["thinking", "tool_use"]);
    const history = [model(...first), user(result(first[1]?.id ?? ""))];
    const second = await ask(...history);
    expect(second.map(({ type }) => type)).toEqual(["tool_use"]);
    says(words("18 degrees."));
    const third = await ask(...history, model(...second), user(result(second[0]?.id ?? "")));
    expect(third.map(({ type }) => type)).toEqual(["text"]);
  });

  test("another text is refused", async () => {
    const { status, text } = await next(await thoughtAndCall(), { thinking: "I know it." });
    expect(status).toBe(400);
    expect(JSON.parse(text).error.message).toBe(
      "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
    );
  });

  test("a cut signature is refused", async () => {
    const blocks = await thoughtAndCall();
    const { status, text } = await next(blocks, { signature: blocks[0]?.signature?.slice(0, 40) });
    expect(status).toBe(400);
    expect(JSON.parse(text).error.message).toBe(
      "messages.1.content.0: Invalid `signature` in `thinking` block",
    );
  });

  test("another server's signature cannot be judged, and without thinking none is read", async () => {
    const blocks = await thoughtAndCall();
    expect((await next(blocks, { thinking: "Hm.", signature: "EqQBCkYIBxgC" })).status).toBe(200);
    expect((await next(blocks, { thinking: "I know it." }, {})).status).toBe(200);
  });
});

describe("a message thread keeps the conversation", () => {
  /** The first request of a thread, whose reply calls. */
  async function created(): Promise<{ readonly id: string; readonly asked: string }> {
    says(wants("get_weather", { city: "Lima" }));
    const { text } = await post(body([question], { thread: { type: "create" } }));
    says(words("18 degrees."));
    const { id, content } = JSON.parse(text);
    return { id, asked: content[0].id };
  }

  const goOn = (id: string, ...messages: object[]) =>
    post({
      model: "claude-opus-4-5",
      max_tokens: 100,
      messages,
      thread: { type: "continue", previous_message_id: id },
    });

  test("which goes on with its results, once from each reply", async () => {
    const { id, asked } = await created();
    const second = await goOn(id, user(result(asked)));
    expect(second.status).toBe(200);
    expect((await goOn(JSON.parse(second.text).id, question)).status).toBe(200);
    const again = await goOn(id, user(result(asked)));
    expect([again.status, JSON.parse(again.text).error.details]).toEqual([
      400,
      { error_code: "thread_already_continued" },
    ]);
  });

  test("and its calls want results", async () => {
    const { id, asked } = await created();
    const { status, text } = await goOn(id, question);
    expect(status).toBe(400);
    expect(JSON.parse(text).error.message).toBe(
      `messages.1: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${asked}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  });

  test("which may have begun on another server, and is not found under any other name", async () => {
    const begun = await goOn("msg_01elsewhere", user(result("toolu_1")));
    expect(begun.status).toBe(200);
    expect(server.model.notes.at(-1)).toContain("the thread behind msg_01elsewhere");
    expect((await goOn(JSON.parse(begun.text).id, question)).status).toBe(200);
    const { status, text } = await goOn("thread_1", question);
    expect(status).toBe(404);
    expect(JSON.parse(text).error).toEqual({
      type: "not_found_error",
      message: "Thread not found.",
      details: { error_code: "thread_not_found" },
    });
  });
});
