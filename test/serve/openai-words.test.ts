import { describe, expect, test } from "vitest";
import { profiles } from "../../src/protocols/profiles/index.ts";
import { shortAnswers } from "../../src/serve/answers/answer-source.ts";
import { ModelServer } from "../../src/serve/model-server.ts";
import { answer, calling, chat, history, question, result, weatherCall } from "../refusals/chats.ts";

/** What servers of the chat API and of the Responses API answer, word for word. */

interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The rules that warn. */
  readonly warns: readonly string[];
}

async function asked(profile: string, body: object, path = "/v1/chat/completions"): Promise<Answer> {
  const server = await ModelServer.create({
    profile: profiles.find(({ name }) => name === profile),
    answers: shortAnswers,
  });
  const { status, body: text } = await server.handle({
    method: "POST",
    target: path,
    headers: { "content-type": "application/json" },
    headerList: [],
    body: Buffer.from(JSON.stringify(body)),
  });
  return {
    status,
    body: JSON.parse(String(text)),
    warns: server.warnings.map(({ rule }) => rule),
  };
}

const model = "gpt-4.1-mini";
const next = { role: "user", content: "And in Bergen?" };
const second = { ...weatherCall, id: "call_bergen" };
const both = { ...calling, tool_calls: [weatherCall, second] };
const type = "invalid_request_error";

type Row = readonly [what: string, body: object, message: string, param: string | null, code: string | null];

function testWords(profile: string, path: string, rows: readonly Row[]): void {
  test.each(rows)("%s", async (_, body, message, param, code) => {
    const { status: seen, body: error } = await asked(profile, body, path);
    expect(error).toEqual({ error: { message, type, param, code } });
    expect(seen).toBe(400);
  });
}

describe("OpenAI's chat API refuses", () => {
  const unanswered = (ids: string): string =>
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids}`;
  const noCall =
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
  const asText = { role: "user", content: "Tool result: rain" };
  testWords("openai", "/v1/chat/completions", [
    [
      "calls that are not answered where the next message stands",
      history(model, [question, both, result, next]),
      unanswered("call_bergen"),
      "messages.[3].role",
      null,
    ],
    [
      "calls at the end, all in one sentence",
      history(model, [question, both]),
      unanswered("call_oslo, call_bergen"),
      "messages.[2].role",
      null,
    ],
    [
      "a result that comes too late, where the call lacks one",
      history(model, [question, calling, next, result]),
      unanswered("call_oslo"),
      "messages.[2].role",
      null,
    ],
    [
      "a result as words of the user, where the call lacks one",
      history(model, [question, calling, asText]),
      unanswered("call_oslo"),
      "messages.[2].role",
      null,
    ],
    [
      "a result without a call",
      history(model, [question, answer, result]),
      noCall,
      "messages.[2].role",
      null,
    ],
    [
      "a result of a call that was answered in an earlier round",
      history(model, [question, calling, result, answer, next, result]),
      noCall,
      "messages.[5].role",
      null,
    ],
    [
      "a result under another id",
      history(model, [question, calling, { ...result, tool_call_id: "oslo" }]),
      "Invalid parameter: 'tool_call_id' of 'oslo' not found in 'tool_calls' of previous message.",
      "messages.[2].tool_call_id",
      null,
    ],
    [
      "a result without an id",
      history(model, [question, calling, { role: "tool", content: "rain" }]),
      "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
      "messages.[2].tool_call_id",
      null,
    ],
    [
      "a call without an id",
      history(model, [question, { ...calling, tool_calls: [{ ...weatherCall, id: undefined }] }, result]),
      "Missing required parameter: 'messages[1].tool_calls[0].id'.",
      "messages[1].tool_calls[0].id",
      "missing_required_parameter",
    ],
    [
      "two results of one call",
      history(model, [question, calling, result, { ...result, content: "snow" }]),
      "Invalid parameter: Duplicate value for 'tool_call_id' of 'call_oslo', in messages[2] and messages[3].",
      "messages.[3].tool_call_id",
      null,
    ],
    [
      "an empty list of calls",
      history(model, [question, { ...answer, tool_calls: [] }, next]),
      "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      "messages[1].tool_calls",
      "empty_array",
    ],
    [
      "an id of 65 characters, before it looks at the order",
      history(model, [
        question,
        { ...calling, tool_calls: [{ ...weatherCall, id: "x".repeat(65) }] },
        { ...result, tool_call_id: "x".repeat(65) },
        result,
      ]),
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
      "messages[1].tool_calls[0].id",
      "string_above_max_length",
    ],
    [
      "content that is an object",
      history(model, [{ role: "user", content: { text: "Is it raining?" } }]),
      "Invalid type for 'messages[0].content': expected one of a string or array of objects, but got an object instead.",
      "messages[0].content",
      "invalid_type",
    ],
    [
      "a message without content",
      history(model, [question, { role: "assistant", content: null }, next]),
      "Invalid value for 'content': expected a string, got null.",
      "messages.[1].content",
      null,
    ],
    [
      "the same of a developer, in the schema's words",
      history(model, [{ role: "developer" }, question]),
      "Missing required parameter: 'messages[0].content'.",
      "messages[0].content",
      "missing_required_parameter",
    ],
    [
      "a role of another library",
      history(model, [{ role: "human", content: "Is it raining?" }]),
      "Invalid value: 'human'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
      "messages[0].role",
      "invalid_value",
    ],
    [
      "a block of another API",
      history(model, [question, { role: "assistant", content: [{ type: "tool_use", id: "toolu_1" }] }]),
      "Invalid value: 'tool_use'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'.",
      "messages[1].content[0].type",
      "invalid_value",
    ],
    [
      "a misspelt setting",
      chat(model, { temperatur: 0 }),
      "Unknown parameter: 'temperatur'. Did you mean 'temperature'?",
      "temperatur",
      "unknown_parameter",
    ],
    [
      "a setting of another type",
      chat(model, { seed: 1.5 }),
      "Invalid type for 'seed': expected an integer, but got a decimal number instead.",
      "seed",
      "invalid_type",
    ],
    [
      "messages that are a text",
      { model, messages: "hi" },
      "Invalid type for 'messages': expected an array of objects, but got a string instead.",
      "messages",
      "invalid_type",
    ],
    [
      "no messages",
      { model },
      "Missing required parameter: 'messages'.",
      "messages",
      "missing_required_parameter",
    ],
    [
      "a strict function that leaves an inner property open",
      chat(model, {
        messages: [question],
        tools: [
          {
            type: "function",
            function: {
              name: "locate",
              strict: true,
              parameters: {
                type: "object",
                properties: {
                  at: { type: "object", properties: { x: { type: "number" } }, additionalProperties: false },
                },
                required: ["at"],
                additionalProperties: false,
              },
            },
          },
        ],
      }),
      "Invalid schema for function 'locate': In context=('properties', 'at'), 'required' is required to be supplied and to be an array including every key in properties. Missing 'x'.",
      "tools[0].function.parameters",
      "invalid_function_parameters",
    ],
  ]);
});

describe("OpenAI's Responses API refuses", () => {
  const user = { role: "user", content: "Is it raining in Oslo?" };
  const call = { type: "function_call", call_id: "call_1", name: "get_weather", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "call_1", output: "rain" };
  const tools = [{ type: "function", name: "get_weather", parameters: { type: "object", properties: {} } }];
  const body = (input: unknown, more: object = {}) => ({ model: "gpt-5", input, tools, ...more });
  testWords("openai", "/v1/responses", [
    [
      "a call without output",
      body([user, call, user]),
      "No tool output found for function call call_1.",
      "input",
      null,
    ],
    [
      "a custom call without output",
      body([user, { type: "custom_tool_call", call_id: "call_2", name: "sql", input: "select 1" }]),
      "No tool output found for custom tool call call_2.",
      "input",
      null,
    ],
    [
      "an output without call",
      body([user, output]),
      "No tool call found for function call output with call_id call_1.",
      "input",
      null,
    ],
    [
      "an output of another kind",
      body([user, call, { ...output, type: "custom_tool_call_output" }]),
      "No tool call found for custom tool call output with call_id call_1.",
      "input",
      null,
    ],
    [
      "an output without its type, which it reads as a message",
      body([user, call, { call_id: "call_1", output: "rain" }]),
      "Invalid value: ''. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
      "input[2]",
      "invalid_value",
    ],
    [
      "a message of the chat API",
      body([user, call, { role: "tool", tool_call_id: "call_1", content: "rain" }]),
      "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
      "input[2]",
      "invalid_value",
    ],
    [
      "words of the assistant as input",
      body([user, { role: "assistant", content: [{ type: "input_text", text: "Yes." }] }, user]),
      "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
      "input[1].content[0]",
      "invalid_value",
    ],
    [
      "a call's id as the item's",
      body([user, { ...call, id: "call_1" }, output]),
      "Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'.",
      "input[1].id",
      "invalid_value",
    ],
    [
      "an item twice",
      body([user, { ...call, id: "fc_1" }, { ...call, id: "fc_1" }, output]),
      "Duplicate item found with id fc_1. Remove duplicate items from your input and try again.",
      "input",
      null,
    ],
    [
      "reasoning that nothing follows",
      body([user, { type: "reasoning", id: "rs_1", summary: [] }, user]),
      "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
      "input",
      null,
    ],
    [
      "no input",
      { model: "gpt-5" },
      "Missing required parameter: 'input'.",
      "input",
      "missing_required_parameter",
    ],
    [
      "an empty input",
      body([]),
      "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided.",
      null,
      "missing_required_parameter",
    ],
    [
      "messages in place of input",
      { model: "gpt-5", messages: [user] },
      "Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to 'input'. Try again with the new parameter. See the API documentation for more information: https://platform.openai.com/docs/api-reference/responses/create.",
      null,
      "unsupported_parameter",
    ],
  ]);
});

describe("OpenAI accepts what looks odd", () => {
  const broken = { ...weatherCall, function: { name: "get_weather", arguments: '{"city":"Os' } };
  test.each<[string, object, readonly string[]]>([
    [
      "arguments that break off, with a warning",
      history(model, [question, { ...calling, tool_calls: [broken] }, result]),
      ["incomplete-arguments"],
    ],
    ["a role that is perhaps new", history(model, [{ role: "critic", content: "Is it?" }]), []],
    ["two messages of the user in a row", history(model, [question, next]), []],
    ["the user right after a result", history(model, [question, calling, result, next]), []],
    ["the model's words at the end", history(model, [question, answer]), []],
    ["an empty answer", history(model, [question, { role: "assistant", content: "" }, next]), []],
    ["an empty result", history(model, [question, calling, { ...result, content: "" }]), []],
    [
      "results in another order than their calls",
      history(model, [question, both, { ...result, tool_call_id: "call_bergen" }, result]),
      [],
    ],
    [
      "an id that an earlier round had",
      history(model, [question, calling, result, next, calling, result]),
      [],
    ],
    ["calls without tools", { model, messages: [question, calling, result] }, []],
  ])("%s", async (_, body, warns) => {
    expect(await asked("openai", body)).toMatchObject({ status: 200, warns });
  });
});

describe("others refuse in words and envelopes of their own", () => {
  const open = (name: string) => history(name, [question, calling, next]);
  const sentence =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
  const mistral = { id: "a1B2c3D4e", type: "function", function: { name: "get_weather", arguments: "{}" } };

  test.each<[string, object, number, object]>([
    [
      "deepseek",
      open("deepseek-chat"),
      400,
      {
        error: {
          message: `${sentence} (insufficient tool messages following tool_calls message)`,
          type,
          param: null,
          code: type,
        },
      },
    ],
    [
      "deepseek",
      history("deepseek-chat", [{ role: "human", content: "hi" }], { tools: undefined }),
      400,
      {
        error: {
          message: expect.stringMatching(
            /^Failed to deserialize the JSON body into the target type: messages\[0\]\.role: unknown variant `human`, expected one of `system`, `user`, `assistant`, `tool`, `latest_reminder` at line 1 column \d+$/,
          ),
          type,
          param: null,
          code: type,
        },
      },
    ],
    [
      "mistral",
      history("mistral-large-latest", [question, { ...calling, tool_calls: [mistral] }, answer, next]),
      400,
      {
        object: "error",
        message: "Not the same number of function calls and responses",
        type: "invalid_request_message_order",
        param: null,
        code: "3230",
      },
    ],
    [
      "mistral",
      history("mistral-large-latest", [{ ...question, name: "Ada" }]),
      422,
      {
        object: "error",
        message: {
          detail: [
            {
              type: "extra_forbidden",
              loc: ["body", "messages", 0, "user", "name"],
              msg: "Extra inputs are not permitted",
              input: "Ada",
            },
          ],
        },
        type,
        param: null,
        code: null,
      },
    ],
    [
      "moonshot",
      open("kimi-k2-0905-preview"),
      400,
      {
        error: {
          message:
            "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_oslo",
          type,
        },
      },
    ],
    [
      "dashscope",
      open("qwen3-max"),
      400,
      {
        error: {
          code: "invalid_parameter_error",
          param: null,
          message:
            '<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be followed by tool messages responding to each "tool_call_id". The following tool_call_ids did not have response messages: message[2].role',
          type,
        },
        id: expect.stringMatching(/^chatcmpl-/),
        request_id: expect.any(String),
      },
    ],
    [
      "minimax",
      history("minimax-m2", [question, answer, result]),
      400,
      {
        type: "error",
        error: {
          type: "bad_request_error",
          message: "invalid params, tool result's tool id(call_oslo) not found (2013)",
          http_code: "400",
        },
        request_id: expect.any(String),
      },
    ],
    [
      "groq",
      history("llama-3.3-70b-versatile", [question, { ...calling, reasoning: "…" }, result]),
      400,
      {
        error: {
          message:
            "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning' is unsupported)]",
          type,
        },
      },
    ],
    [
      "xai",
      history("grok-4", [question, { role: "assistant", content: "" }, next]),
      400,
      {
        code: "Client specified an invalid argument",
        error: "Invalid request content: Each message must have at least one content element.",
      },
    ],
    [
      "gemini",
      chat("gemini-3-flash-preview"),
      400,
      [
        {
          error: {
            code: 400,
            message: expect.stringMatching(
              /^Function call is missing a thought_signature .* function call `default_api:get_weather` , position 2\./,
            ),
            status: "INVALID_ARGUMENT",
          },
        },
      ],
    ],
    [
      "llama.cpp",
      history("gemma-3-27b-it", [question, next]),
      500,
      {
        error: {
          code: 500,
          message:
            "Error: Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...",
          type: "server_error",
        },
      },
    ],
    [
      "vllm",
      history("Qwen/Qwen3.5-27B", [calling, result]),
      400,
      {
        error: {
          message: "No user query found in messages.",
          type: "BadRequestError",
          param: null,
          code: 400,
        },
      },
    ],
  ])("%s", async (profile, body, status, error) => {
    expect(await asked(profile, body)).toMatchObject({ status, body: error });
  });

  test("OpenRouter wraps the words of the provider behind it", async () => {
    const { status, body } = await asked("openrouter", open("openai/gpt-4.1"));
    const raw = (body as { error: { metadata: { raw: string } } }).error.metadata.raw;
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { message: "Provider returned error", code: 400 } });
    expect(JSON.parse(raw)).toMatchObject({ error: { param: "messages.[2].role", type } });
  });

  test("Mistral takes arguments as an object, and servers of one's own pair nothing", async () => {
    const asObject = { ...mistral, function: { name: "get_weather", arguments: { city: "Oslo" } } };
    const round = [
      question,
      { ...calling, tool_calls: [asObject] },
      { ...result, tool_call_id: "a1B2c3D4e" },
    ];
    expect((await asked("mistral", history("mistral-large-latest", round))).status).toBe(200);
    expect((await asked("vllm", history("Qwen/Qwen3-32B", [question, calling, next]))).status).toBe(200);
  });
});

test("every text of every profile fills its braces", async () => {
  const bodies = [
    history(model, [question, calling, next]),
    history(model, [question, answer, result]),
    history(model, [{ role: "human", content: "hi" }]),
    history(model, [question, { ...calling, tool_calls: [{ ...weatherCall, id: 5 }] }, result]),
    { model, messages: [{ role: "user", content: 7 }] },
    chat(model, { stream: "yes", tools: "none" }),
  ];
  const chats = profiles.filter(({ protocols }) => Object.hasOwn(protocols, "openai-chat"));
  for (const { name } of chats)
    for (const body of bodies) {
      const answered = JSON.stringify((await asked(name, body)).body);
      expect(answered, name).not.toMatch(/\{\w+\}|undefined|\[object/);
    }
});
