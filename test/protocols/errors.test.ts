import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";

const question = { role: "user", content: "Is it raining in Oslo?" };
const calls = {
  role: "assistant",
  content: null,
  tool_calls: [
    { id: "call_oslo", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
    { id: "call_oslo2", type: "function", function: { name: "get_forecast", arguments: '{"city":"Oslo"}' } },
  ],
};
const results = [
  { role: "tool", tool_call_id: "call_oslo", content: "rain" },
  { role: "tool", tool_call_id: "call_oslo2", content: "more rain" },
];
const request = { model: "gpt-5-mini", messages: [question, calls, ...results] };

/** What is refused, and where it points: `pointer: message`. */
async function refused(record: object): Promise<string[]> {
  const { findings } = await check(Buffer.from(`${JSON.stringify(record)}\n`));
  return findings
    .filter(({ rule }) => rule === "provider-rejected")
    .map(({ location, message }) => `${location.pointer}: ${message}`);
}

function answered(error: unknown, status = 400): object {
  return { request, response: { status, body: error } };
}

describe("what a provider's error points at", () => {
  test("its `param`, when its words point at nothing", async () => {
    const error = {
      message: "Invalid parameter: only one of these is supported.",
      type: "invalid_request_error",
      param: "messages.[1].tool_calls[1].function",
      code: null,
    };
    expect(await refused(answered({ error }))).toEqual([
      "/messages/1/tool_calls/1: the provider rejected the request (400) because of the call to `get_forecast`: Invalid parameter: only one of these is supported.",
    ]);
  });

  test("an element of the Responses API", async () => {
    const input = [
      question,
      { type: "function_call", call_id: "call_1", name: "get_weather", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "rain" },
    ];
    const error = {
      message: "Invalid value.",
      type: "invalid_request_error",
      param: "input[2]",
      code: "invalid_value",
    };
    expect(
      await refused({ request: { model: "gpt-5", input }, response: { status: 400, body: { error } } }),
    ).toEqual([
      "/input/2: the provider rejected the request (400) because of the result of `call_1`: Invalid value.",
    ]);
  });

  test("the place that a validating server names", async () => {
    const detail = [
      { type: "missing", loc: ["body", "messages", 3, "tool", "content"], msg: "Field required", input: {} },
    ];
    expect(await refused(answered({ detail }, 422))).toEqual([
      '/messages/3: the provider rejected the request (422) because of the result of `call_oslo2`: [{"type":"missing","loc":["body","messages",3,"tool","content"],"msg":"Field required","input":{}}]',
    ]);
  });

  test("not a parameter beside the history", async () => {
    const error = {
      message: "Unknown parameter: 'tools[0].strictly'.",
      param: "tools[0].strictly",
      code: "unknown_parameter",
    };
    expect(await refused(answered({ error }))).toEqual([]);
  });
});

describe("what a server further behind says", () => {
  const text = "The following tool_call_ids did not have response messages: call_oslo2";
  const own = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. ${text}`;

  test("as JSON text in OpenRouter's metadata", async () => {
    const raw = JSON.stringify({ error: { message: own, type: "invalid_request_error", param: "messages" } });
    const error = {
      message: "Provider returned error",
      code: 400,
      metadata: { raw, provider_name: "Azure" },
    };
    expect(await refused(answered({ error }))).toEqual([
      expect.stringMatching(
        /^\/messages\/1\/tool_calls\/1: .* because of the call to `get_forecast`, although the request holds its result: An assistant message with 'tool_calls' must/,
      ),
    ]);
  });

  test("in an error inside a 200 of OpenRouter, whose code is the status", async () => {
    const error = { message: "Provider returned error", code: 400, metadata: { raw: own } };
    expect(await refused({ request, response: { status: 200, body: { error } } })).toHaveLength(1);
  });

  test("in Azure's inner error", async () => {
    const error = {
      code: "BadRequest",
      message: "The request is invalid.",
      innererror: { code: "InvalidHistory", message: own },
    };
    expect(await refused(answered({ error }))).toEqual([
      expect.stringMatching(/^\/messages\/1\/tool_calls\/1: .* An assistant message with 'tool_calls' must/),
    ]);
  });

  test("in the violations that Google lists", async () => {
    const contents = [
      { role: "user", parts: [{ text: "Is it raining?" }] },
      { role: "model", parts: [] },
      { role: "user", parts: [{ text: "Well?" }] },
    ];
    const error = {
      code: 400,
      message: "Request contains an invalid argument.",
      status: "INVALID_ARGUMENT",
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.BadRequest",
          fieldViolations: [{ field: "contents[1].parts", description: "contents.parts must not be empty." }],
        },
      ],
    };
    const url = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent";
    expect(await refused({ url, request: { contents }, response: { status: 400, body: { error } } })).toEqual(
      [
        expect.stringMatching(
          /^\/contents\/1.*: the provider rejected the request \(400\) because of element 1 of its history: contents\[1\]\.parts contents\.parts must not be empty\./,
        ),
      ],
    );
  });

  test("not when it is nested deeper than anybody would write, nor when it is no JSON", async () => {
    let raw: unknown = own;
    for (let depth = 0; depth < 50; depth++) raw = { error: raw };
    const unknown =
      "/error: the provider rejected the request (400), and toollint does not know why: Provider returned error";
    expect(
      await refused(answered({ error: { message: "Provider returned error", metadata: { raw } } })),
    ).toEqual([unknown]);
    expect(
      await refused(answered({ error: { message: "Provider returned error", metadata: { raw: "{{{" } } })),
    ).toEqual([unknown]);
  });
});

describe("an error inside a stream that had begun as a success", () => {
  const stream = (error: object) => ({
    request: {
      ...request,
      stream: true,
      tools: ["get_weather", "get_forecast"].map((name) => ({ type: "function", function: { name } })),
    },
    response: {
      status: 200,
      body: [
        {
          id: "gen-1",
          object: "chat.completion.chunk",
          choices: [{ index: 0, delta: { role: "assistant", content: "" } }],
        },
        {
          id: "gen-1",
          object: "chat.completion.chunk",
          error,
          choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
        },
      ]
        .map((event) => `data: ${JSON.stringify(event)}\n\n`)
        .join(""),
    },
  });
  const rules = async (error: object) =>
    (await check(Buffer.from(`${JSON.stringify(stream(error))}\n`))).findings.map(
      ({ rule, cause }) => `${rule}${cause === null ? "" : ", a consequence"}`,
    );

  test("is a refusal where its words are known to be about the history", async () => {
    const raw =
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
    const found = await rules({ code: 400, message: "Provider returned error", metadata: { raw } });
    expect(found).toEqual(["provider-rejected", "stream-error, a consequence"]);
  });

  test("and a matter of the stream otherwise", async () => {
    expect(await rules({ code: 502, message: "Upstream is overloaded" })).toEqual(["stream-error"]);
  });
});

test("an attempt of a gateway that failed before another provider answered is an info, at its place in the reply", async () => {
  const attempts = [
    {
      provider: "vertex",
      success: false,
      statusCode: 400,
      error:
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    },
    { provider: "google", success: true, statusCode: 200 },
  ];
  const message = {
    role: "assistant",
    content: "Yes, it is.",
    provider_metadata: { gateway: { routing: { attempts } } },
  };
  const body = {
    id: "gen_1",
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: "stop" }],
  };
  const record = { request: { ...request, tools: [] }, response: { status: 200, body } };
  const { findings } = await check(Buffer.from(`${JSON.stringify(record)}\n`));
  const attempt = findings.find(({ rule }) => rule === "provider-rejected");
  expect([attempt?.severity, attempt?.location.pointer]).toEqual([
    "info",
    "/choices/0/message/provider_metadata/gateway/routing/attempts/0",
  ]);
  expect(attempt?.message).toMatch(
    /^a provider behind the gateway rejected the history \(400\), and another one answered: Please/,
  );
});

test("a refusal names the reply that made the call and the request in which it was sent first", async () => {
  const reply = (message: object, reason: string) => ({
    id: "c1",
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: reason }],
  });
  const later = [question, calls, results[0], { role: "user", content: "Well?" }];
  const refusal = {
    message:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_oslo2",
  };
  const log = [
    { request: { model: "m", messages: [question] }, response: reply(calls, "tool_calls") },
    { request: { model: "m", messages: later }, response: { status: 400, body: { error: refusal } } },
    {
      request: { model: "m", messages: [...later, { role: "user", content: "Hello?" }] },
      response: { status: 400, body: { error: refusal } },
    },
  ];
  const { findings } = await check(Buffer.from(log.map((record) => `${JSON.stringify(record)}\n`).join("")));
  const refusals = findings.filter(({ rule }) => rule === "provider-rejected");
  expect(refusals.map(({ location, alsoIn }) => [location.exchange, alsoIn])).toEqual([[2, [3]]]);
  expect(refusals[0]?.related.map(({ message, location }) => `${message}: line ${location.line}`)).toEqual([
    "the provider's answer: line 2",
    "the model made the call here: line 1",
  ]);
});

describe("the provider's error alone, without the request", () => {
  const schema =
    "Unknown name \"$schema\" at 'tools[0].function_declarations[0].parameters': Cannot find field.";
  const google = { error: { code: 400, message: schema, status: "INVALID_ARGUMENT" } };
  const anthropic = {
    type: "error",
    error: { type: "invalid_request_error", message: "tools.0.custom.input_schema: Field required" },
  };
  const chat = { error: { message: "Nobody knows this.", type: "invalid_request_error", code: null } };
  const found = async (log: string) =>
    (await check(Buffer.from(log))).findings.map(({ severity, message }) => `${severity}: ${message}`);

  test.each([
    ["a body", JSON.stringify(google)],
    ["a body over several lines", JSON.stringify(google, null, 2)],
    [
      "a line of a log",
      `[debug] [executor.go:204] request error, status: 400, body: ${JSON.stringify(google)}`,
    ],
    ["a text in a record", JSON.stringify({ level: 40, status: 400, errorText: JSON.stringify(google) })],
  ])("is told where it is about the request: %s", async (_, log) => {
    expect(await found(log)).toEqual([`error: the provider rejected the request (400): ${schema}`]);
  });

  test("is told without a status", async () => {
    expect(await found(JSON.stringify(anthropic))).toEqual([
      "error: the provider rejected the request: tools.0.custom.input_schema: Field required",
    ]);
  });

  test("says what to change by what the text complains of", async () => {
    const changes = await Promise.all([google, anthropic].map((body) => check(JSON.stringify(body))));
    expect(changes.map(({ diagnoses }) => diagnoses[0]?.change)).toEqual([
      "this error means invalid-request: leave `tools[0].function_declarations[0].parameters.$schema` out, or spell it as the API does",
      "this error means invalid-request: add `tools[0].custom.input_schema`, which is missing",
    ]);
  });

  test("is not passed over where its text is unknown", async () => {
    expect(await found(JSON.stringify(chat))).toEqual([
      "info: the provider rejected the request, and toollint does not know why: Nobody knows this.",
    ]);
  });

  test("is an info where the service is busy", async () => {
    const busy = { error: { code: 429, message: "Resource exhausted", status: "RESOURCE_EXHAUSTED" } };
    expect(await found(JSON.stringify(busy))).toEqual([
      "info: the service answers with an error (429): Resource exhausted",
    ]);
  });

  test.each([
    ["a filter", "Output blocked by content filtering policy"],
    ["the balance", "Your credit balance is too low to access the API."],
  ])("is an info where %s stopped the request, whatever the status", async (_, message) => {
    const body = { type: "error", error: { type: "invalid_request_error", message } };
    expect(await found(JSON.stringify({ ...body, status: 400 }))).toEqual([
      expect.stringMatching(/^info: the service answers with an error(?: \(400\))?: /),
    ]);
  });
});

describe("an empty error beside what the model said", () => {
  const replies: Readonly<Record<string, object>> = {
    "openai-responses": {
      id: "resp_1",
      object: "response",
      status: "completed",
      model: "gpt-5",
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "It rains." }] }],
    },
    "openai-chat": {
      id: "chatcmpl-1",
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: "It rains." }, finish_reason: "stop" }],
    },
    anthropic: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [{ type: "text", text: "It rains." }],
      stop_reason: "end_turn",
    },
    ollama: {
      model: "llama3",
      created_at: "2026-01-05T00:00:00Z",
      message: { role: "assistant", content: "It rains." },
      done: true,
      done_reason: "stop",
    },
    gemini: {
      candidates: [{ content: { role: "model", parts: [{ text: "It rains." }] }, finishReason: "STOP" }],
      modelVersion: "gemini-3",
    },
  };
  const empty = [{}, [], "", false, null];
  const cases = Object.entries(replies).flatMap(([name, reply]) =>
    empty.map((error) => [name, JSON.stringify(error), { ...reply, error }] as const),
  );
  test.each(cases)("%s: %s is none", async (_name, _error, reply) => {
    const { findings } = await check(
      JSON.stringify({ custom_id: "1", response: { status_code: 200, body: reply } }),
    );
    expect(findings).toEqual([]);
  });

  test("in the chunks of a stream, too", async () => {
    const chunk = (delta: object, finish_reason: string | null) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", error: {}, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const log = `${chunk({ role: "assistant", content: "It rains." }, null)}${chunk({}, "stop")}data: [DONE]\n\n`;
    expect((await check(log)).findings).toEqual([]);
  });

  test.each([
    ["with a message", { message: "Overloaded" }],
    ["with a code alone", { code: 500 }],
  ])("an error %s is one", async (_, error) => {
    const { findings } = await check(JSON.stringify({ response: { status: 200, body: { error } } }));
    expect(findings.map(({ rule }) => rule)).toEqual(["stream-error"]);
  });
});
