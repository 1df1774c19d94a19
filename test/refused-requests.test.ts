import { describe, expect, test } from "vitest";
import { check } from "../src/index.ts";

const host = "https://api.openai.com/v1/responses";
const weather = { type: "function", name: "get_weather", parameters: { type: "object", properties: {} } };
const call = (id: string): object => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "get_weather",
  arguments: "{}",
});
const output = (id: string, text: unknown = "rain"): object => ({
  type: "function_call_output",
  call_id: id,
  output: text,
});
const user = (text: string): object => ({ role: "user", content: text });
const completed = (id: string, items: readonly object[]): object => ({
  id,
  object: "response",
  status: "completed",
  model: "gpt-4.1",
  output: items,
});
const text = (words: string): object => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: words, annotations: [] }],
});
const refused = (message: string, param: string | null = "input"): object => ({
  error: { message, type: "invalid_request_error", param, code: null },
});

interface Turn {
  readonly input: readonly object[];
  readonly previous?: string;
  readonly reply?: object;
  readonly status?: number;
  readonly url?: string;
}
const log = (...turns: readonly Turn[]): Buffer =>
  Buffer.from(
    turns
      .map(({ input, previous, reply, status = 200, url = host }) =>
        JSON.stringify({
          url,
          request: {
            model: "gpt-4.1",
            input,
            tools: [weather],
            ...(previous && { previous_response_id: previous }),
          },
          ...(reply && { status, response: reply }),
        }),
      )
      .join("\n"),
  );

async function roots(bytes: Buffer): Promise<[string, string, string][]> {
  const { findings } = await check(bytes);
  return findings
    .filter(({ cause }) => cause === null)
    .map(({ rule, kind, severity }) => [rule, kind, severity]);
}

describe("a refusal that the request itself contradicts", () => {
  const whole = [user("Rain?"), call("call_1"), output("call_1"), text("Yes."), user("A report, please.")];
  test("does not ask for a result that is there", async () => {
    const unanswered = { reply: refused("No tool output found for function call call_1."), status: 400 };
    expect(await roots(log({ input: whole, ...unanswered }))).toEqual([
      ["provider-rejected", "denied", "error"],
    ]);
    const { diagnoses } = await check(log({ input: whole, ...unanswered }));
    expect(diagnoses[0]?.change).not.toContain("send one result");
  });

  test("asks for it where it is missing", async () => {
    const input = whole.toSpliced(2, 1);
    const turn = { input, reply: refused("No tool output found for function call call_1."), status: 400 };
    expect(await roots(log(turn))).toEqual([["unanswered-tool-call", "noResult", "error"]]);
  });

  test("also where chat's messages or Anthropic's blocks are paired", async () => {
    const chat = {
      url: "https://gateway.example/v1/chat/completions",
      request: {
        model: "gpt-4.1",
        messages: [
          user("Rain?"),
          {
            role: "assistant",
            content: null,
            tool_calls: [
              { id: "call_1", type: "function", function: { name: "get_weather", arguments: "{}" } },
            ],
          },
          { role: "tool", tool_call_id: "call_1", content: "rain" },
        ],
        tools: [
          {
            type: "function",
            function: { name: "get_weather", parameters: { type: "object", properties: {} } },
          },
        ],
      },
      status: 400,
      response: refused(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
        "messages.[1].role",
      ),
    };
    const blocks = {
      url: "https://api.anthropic.com/v1/messages",
      request: {
        model: "claude-sonnet-4-5",
        max_tokens: 500,
        messages: [
          user("Rain?"),
          {
            role: "assistant",
            content: [{ type: "tool_use", id: "toolu_1", name: "get_weather", input: {} }],
          },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "rain" }] },
        ],
        tools: [{ name: "get_weather", input_schema: { type: "object", properties: {} } }],
      },
      status: 400,
      response: {
        type: "error",
        error: {
          type: "invalid_request_error",
          message:
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        },
      },
    };
    for (const record of [chat, blocks])
      expect(await roots(Buffer.from(JSON.stringify(record)))).toEqual([
        ["provider-rejected", "denied", "error"],
      ]);
  });
});

describe("a refusal that misses a result and names none", () => {
  const message =
    "Please ensure that the number of function response parts should be equal to number of function call parts of the function call turn.";
  const made = (name: string): object => ({ role: "model", parts: [{ functionCall: { name, args: {} } }] });
  const given = (...names: readonly string[]): object => ({
    role: "user",
    parts: names.map((name) => ({ functionResponse: { name, response: { output: "1" } } })),
  });
  const sent = (...contents: readonly object[]): Buffer =>
    Buffer.from(
      JSON.stringify({
        url: "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1/publishers/google/models/gemini-1.5-pro:generateContent",
        request: { contents: [{ role: "user", parts: [{ text: "Who and what?" }] }, ...contents] },
        status: 400,
        response: { error: { code: 400, message, status: "INVALID_ARGUMENT" } },
      }),
    );
  test("does not ask for one where each call has its result", async () => {
    const both = {
      role: "model",
      parts: ["who", "what"].map((name) => ({ functionCall: { name, args: {} } })),
    };
    expect(await roots(sent(both, given("who", "what")))).toContainEqual([
      "provider-rejected",
      "whole",
      "error",
    ]);
    expect(await roots(sent(made("who"), made("what"), given("who", "what")))).toContainEqual([
      "provider-rejected",
      "apart",
      "error",
    ]);
    expect((await roots(sent(made("who"), made("what"), given("who")))).map(([rule]) => rule)).toContain(
      "unanswered-tool-call",
    );
  });
});

describe("a refusal of calls in two messages in a row", () => {
  const call = (id: string): object => ({
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "get_weather", arguments: "{}" } }],
  });
  const result = (id: string): object => ({ role: "tool", tool_call_id: id, content: "rain" });
  const sent = (message: string, ...messages: readonly object[]): Buffer =>
    Buffer.from(
      JSON.stringify({
        url: "https://gateway.example/v1/chat/completions",
        request: { model: "gpt-4.1", messages: [user("Rain?"), ...messages] },
        status: 400,
        response: refused(message),
      }),
    );
  const message =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
  const inARow = [call("call_1"), call("call_2"), result("call_1"), result("call_2")];

  test.each([
    ["names none", message],
    ["names one", `${message} The following tool_call_ids did not have response messages: call_1`],
  ])("points at the first of them, if it %s", async (_, said) => {
    const { findings } = await check(sent(said, ...inARow));
    const found = findings.find(({ rule }) => rule === "provider-rejected");
    expect(found).toMatchObject({ kind: "apart", location: { pointer: "/messages/1/tool_calls/0" } });
  });

  test("leaves out a call that really lacks its result", async () => {
    const found = await roots(sent(message, ...inARow.slice(0, 3)));
    expect(found.map(([rule]) => rule)).toContain("unanswered-tool-call");
    expect(found.map(([, kind]) => kind)).not.toContain("apart");
  });
});

describe("an error that a log cut, behind a gateway's status", () => {
  test("says what it means if its sentence is whole", async () => {
    const cut = (body: string): Buffer =>
      Buffer.from(
        `unexpected status 502 Bad Gateway: DeepSeek 400: ${body}, url: http://127.0.0.1:11435/v1/responses\n`,
      );
    const whole = `{"error":{"message":"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)","type":"inva`;
    expect((await roots(cut(whole))).map(([rule]) => rule)).toContain("provider-rejected");
    const other =
      '{"error":{"message":"The upstream server is overloaded, please try again later.","type":"serv';
    expect((await roots(cut(other))).map(([rule]) => rule)).not.toContain("provider-rejected");
  });
});

describe("a reply that a gateway ends with `error`", () => {
  test("has failed for the reason that the model's server gives", async () => {
    const reply = (native: string): Buffer =>
      Buffer.from(
        JSON.stringify({
          id: "gen-1",
          object: "chat.completion",
          model: "google/gemini-3-flash-preview",
          choices: [
            {
              index: 0,
              finish_reason: "error",
              native_finish_reason: native,
              message: { role: "assistant", content: null },
            },
          ],
        }),
      );
    const { findings } = await check(reply("MALFORMED_FUNCTION_CALL"));
    expect(findings[0]?.message).toBe(
      "the provider reports the model's call as malformed (`MALFORMED_FUNCTION_CALL`)",
    );
    expect((await roots(reply("OTHER"))).map(([rule]) => rule)).not.toContain("failed-reply-used");
  });

  test.each([
    ["gemini", '{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","index":0}],"usageMetadata":{ … }}'],
    [
      "bedrock",
      '{"output":{"message":{"role":"assistant","content":[]}},"stopReason":"malformed_tool_use",…}',
    ],
    [
      "openai",
      '{"object":"chat.completion","choices":[{"index":0,"finish_reason":"content_filter","message":{"role":"assistant","content":null}}],"usage":{...}}',
    ],
  ])("has failed also where somebody left out what is beside it: %s", async (_, reply) => {
    expect((await roots(Buffer.from(reply))).map(([rule]) => rule)).toContain("failed-reply-used");
  });
});

describe("a result for a call of another response", () => {
  const asked = { input: [user("Rain in Oslo?")], reply: completed("resp_1", [text("No.")]) };
  const called = {
    input: [user("And in Rome?")],
    previous: "resp_1",
    reply: completed("resp_2", [call("call_1")]),
  };
  const answer = { input: [output("call_1")] };
  test("names the response that the request should continue", async () => {
    const reply = refused("No tool call found for function call output with call_id call_1.");
    const { findings } = await check(
      log(asked, called, { ...answer, previous: "resp_1", reply, status: 400 }),
    );
    expect(findings.map(({ rule, kind }) => [rule, kind])).toEqual([
      ["dropped-tool-call", "passedOver"],
      ["orphaned-tool-result", "cut"],
      ["provider-rejected", "item"],
    ]);
    expect(findings[0]?.message).toBe(
      "the call to `get_weather` (`call_1`) was made in `resp_2`, but this request continues `resp_1`",
    );
  });

  test("does not say that the other response is older", async () => {
    const other = { ...asked, previous: "resp_1", reply: completed("resp_3", [text("Which city?")]) };
    const { diagnoses } = await check(log(asked, called, other, { ...answer, previous: "resp_3" }));
    expect(diagnoses[0]).toMatchObject({
      title: "The client continues another response than the one that made the call",
      change: "continue the response that made the call in the request that sends the result",
    });
  });

  test("is none if the request continues it, and a client that sends all is told of the call", async () => {
    const done = completed("resp_3", [text("Yes.")]);
    expect(await roots(log(asked, called, { ...answer, previous: "resp_2", reply: done }))).toEqual([]);
    const alone = { input: [user("Rain in Oslo?"), text("No."), user("And in Rome?"), output("call_1")] };
    const sent = { ...called, input: alone.input.slice(0, 3) };
    expect(await roots(log({ input: sent.input, reply: sent.reply }, alone))).toEqual([
      ["dropped-tool-call", "withResult", "error"],
    ]);
  });
});

describe("an output of `null`", () => {
  test("is refused by OpenAI, and perhaps by others", async () => {
    const input = [user("Delete it."), call("call_1"), output("call_1", null)];
    expect(await roots(log({ input }))).toEqual([["malformed-tool-result", "content", "error"]]);
    expect(
      await roots(
        log({
          input,
          reply: completed("resp_1", [text("Done.")]),
          url: "http://localhost:8000/v1/responses",
        }),
      ),
    ).toEqual([["malformed-tool-result", "content", "warning"]]);
    expect(await roots(log({ input: input.with(2, output("call_1", "")) }))).toEqual([]);
  });
});

describe("places in Azure's details", () => {
  test("lead to the item", async () => {
    const input = [user("Which repos?"), { ...text("None."), id: "msg_1", status: null }, user("Sure?")];
    const details = [
      { message: "Value is 'array' but should be 'string'", param: "/input" },
      { message: "Value is 'null' but should be 'string'", param: "/input/1/status" },
    ];
    const reply = { error: { code: "invalid_payload", message: "Invalid payload", details } };
    const { findings } = await check(
      log({ input, reply, status: 400, url: "https://res.services.ai.azure.com/openai/v1/responses" }),
    );
    const [found] = findings.filter(({ cause }) => cause === null);
    expect(found?.location.pointer).toMatch(/^\/input\/1/);
    expect(findings.some(({ rule, kind }) => rule === "provider-rejected" && kind === "unknown")).toBe(false);
  });
});

describe("a server that says what it demands", () => {
  const said = (content: unknown, more: object = {}): object => ({ role: "assistant", content, ...more });
  const calls = {
    tool_calls: [{ id: "call_1", type: "function", function: { name: "get_weather", arguments: "{}" } }],
  };
  const result = { role: "tool", tool_call_id: "call_1", content: "rain" };
  const chat = (messages: readonly object[], url: string, response?: object): Buffer =>
    Buffer.from(
      JSON.stringify({
        url,
        request: {
          model: "some-model",
          messages,
          tools: [{ type: "function", function: { name: "get_weather", parameters: { type: "object" } } }],
        },
        ...(response && { status: 400, response }),
      }),
    );
  const xai = "https://api.x.ai/v1/chat/completions";
  const gateway = "https://llm.example/v1/chat/completions";
  const noContent = {
    code: "Client specified an invalid argument",
    error: "Invalid request content: Each message must have at least one content element.",
  };

  test("of contents leads to the empty one", async () => {
    const thought = said([], { reasoning_content: "A reminder." });
    const messages = [user("Remind me."), thought, user("Hello?")];
    expect(await roots(chat(messages, xai))).toEqual([["empty-content", "list", "warning"]]);
    expect(await roots(chat(messages, gateway, noContent))).toEqual([["empty-content", "list", "error"]]);
    // DeepSeek and its clones write nothing beside a thought.
    expect(await roots(chat(messages, gateway))).toEqual([]);
    const silent = [user("Rain?"), { role: "assistant", ...calls }, result, user("And now?")];
    expect(await roots(chat(silent, xai))).toEqual([]);
    const { findings } = await check(chat(silent, xai, noContent));
    expect(findings.map(({ rule, location }) => [rule, location.pointer])).toEqual([
      ["provider-rejected", "/messages/1/tool_calls/0"],
    ]);
  });

  test("of Gemini's turns leads to the words between a call and its response", async () => {
    const contents = [
      { role: "user", parts: [{ text: "List the files." }] },
      { role: "model", parts: [{ functionCall: { name: "ls", args: { path: "." } } }] },
      { role: "user", parts: [{ text: "(cwd is /w)" }] },
      { role: "user", parts: [{ functionResponse: { name: "ls", response: { output: "a b" } } }] },
    ];
    const tools = [
      {
        functionDeclarations: [
          {
            name: "ls",
            description: "lists",
            parameters: { type: "OBJECT", properties: { path: { type: "STRING" } } },
          },
        ],
      },
    ];
    const message = "Please ensure that function response turn comes immediately after a function call turn.";
    const sent = (of: readonly object[], isRefused: boolean): Buffer =>
      Buffer.from(
        JSON.stringify({
          url: "http://localhost:4000/v1beta/models/gemini-2.5-flash:generateContent",
          request: { contents: of, tools },
          ...(isRefused && {
            status: 400,
            response: { error: { code: 400, message, status: "INVALID_ARGUMENT" } },
          }),
        }),
      );
    expect(await roots(sent(contents, true))).toEqual([["misplaced-tool-result", "not-adjacent", "error"]]);
    expect(await roots(sent(contents, false))).toEqual([]);
    expect((await roots(sent(contents.toSpliced(2, 1), true))).map(([rule]) => rule)).toEqual([
      "provider-rejected",
    ]);
  });
});

describe("a stream that ends more than once", () => {
  const chunk = (delta: object, reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", model: "glm-5.3", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  const part = (text: string, name?: string, index = 0): object => ({
    tool_calls: [
      {
        index,
        ...(name && { id: `call_${index}`, type: "function" }),
        function: { ...(name && { name }), arguments: text },
      },
    ],
  });
  const stop = chunk({}, "stop");

  test("in the middle of a call is the server's fault", async () => {
    const stream = [
      chunk({ role: "assistant", content: "" }),
      stop,
      chunk(part("", "bash")),
      stop,
      chunk(part('{"command":')),
      stop,
      chunk(part('"ls"}')),
      chunk({}, "tool_calls"),
      "data: [DONE]\n\n",
    ];
    expect(await roots(Buffer.from(stream.join("")))).toEqual([["malformed-stream", "early", "warning"]]);
  });

  test("behind its calls is none: gateways repeat the reason, some tell one for each call", async () => {
    const whole = [
      chunk(part('{"command":"ls"}', "bash")),
      chunk({}, "tool_calls"),
      stop,
      "data: [DONE]\n\n",
    ];
    expect(await roots(Buffer.from(whole.join("")))).toEqual([["unclosed-loop", "unclosed", "info"]]);
    const each = [
      chunk(part("{}", "bash"), "tool_calls"),
      chunk(part("{}", "ls", 1), "tool_calls"),
      "data: [DONE]\n\n",
    ];
    const padded = [
      chunk(part("{}", "bash"), "tool_calls"),
      chunk(part(" "), "tool_calls"),
      "data: [DONE]\n\n",
    ];
    for (const stream of [each, padded]) {
      const found = await roots(Buffer.from(stream.join("")));
      expect(found.filter(([rule]) => rule === "malformed-stream")).toEqual([]);
    }
  });
});

describe("a refusal that names no field", () => {
  test("does not speak of fields below", async () => {
    for (const message of [
      "The messages parameter is illegal. Please check the documentation.",
      "Invalid schema for function 'search': 'select' is not valid under any of the given schemas.",
    ]) {
      const { diagnoses } = await check(
        Buffer.from(JSON.stringify({ error: { message, type: "invalid_request_error" } })),
      );
      expect(diagnoses[0]?.change).toMatch(
        /^this error means invalid-request: (?:it says this of|correct the JSON Schema)/,
      );
    }
  });
});

test("vLLM's class of an error tells a refusal without its status, on Anthropic's API, too", async () => {
  const error = { type: "BadRequestError", message: "This house takes no calls." };
  const request = { model: "house", max_tokens: 9, messages: [user("Oslo?")] };
  const { findings } = await check({ request, response: { type: "error", error } });
  expect(findings.map(({ rule }) => rule)).toEqual(["provider-rejected"]);
});
