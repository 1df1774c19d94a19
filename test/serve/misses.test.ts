import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import { openLogs } from "../../src/log/open.ts";
import { memorySource } from "../../src/reading/source.ts";
import { recordedAnswers } from "../../src/serve/answers/recorded.ts";
import { type RunningServer, startModelServer } from "../../src/serve/serve.ts";
import { logOf, replayed } from "./replayed.ts";

const path = "/v1/chat/completions";
const url = `https://api.openai.com${path}`;

const user = (content: string) => ({ role: "user", content });
const says = (content: string) => ({ role: "assistant", content });
const calls = (city: string) => ({
  role: "assistant",
  content: null,
  tool_calls: [
    {
      id: "call_1",
      type: "function",
      function: { name: "get_weather", arguments: JSON.stringify({ city }) },
    },
  ],
});
const result = (content: string) => ({ role: "tool", tool_call_id: "call_1", content });
const asks = (...messages: readonly object[]) => ({ model: "gpt-5", messages });
const reply = (message: object) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1700000000,
  model: "gpt-5",
  choices: [{ index: 0, message, finish_reason: "tool_calls" in message ? "tool_calls" : "stop" }],
});

const question = user("What is the weather in Lima?");
const log = logOf(url, [
  [asks(question), reply(calls("Lima"))],
  [asks(question, calls("Lima"), result("18 degrees")), reply(says("It is 18 degrees."))],
  [asks(user("Tell me a joke about parrots.")), reply(says("A parrot walks into a bar."))],
]);

describe("a miss names what differs from the nearest recorded conversation", () => {
  const cases: readonly (readonly [what: string, messages: readonly object[], why: string])[] = [
    [
      "a result",
      [question, calls("Lima"), result("19 degrees")],
      "message 3 (result of get_weather) is `19 degrees`; run.jsonl:2 has `18 degrees`",
    ],
    [
      "the arguments of a call",
      [question, calls("Cusco"), result("18 degrees")],
      'message 2 (call of get_weather) is `{"city":"Cusco"}`; run.jsonl:1 has `{"city":"Lima"}`',
    ],
    [
      "something else in place of a call",
      [question, says("I cannot know."), user("Try.")],
      'message 2 is assistant text `I cannot know.`; run.jsonl:1 has call of get_weather `{"city":"Lima"}`',
    ],
    [
      "the beginning: the most similar one is named",
      [user("Tell me a joke about cats.")],
      "the log has no conversation that begins with `Tell me a joke about cats.`; run.jsonl:3 begins with `Tell me a joke about parrots.`",
    ],
    [
      "the end: the log goes no further",
      [user("Tell me a joke about parrots."), says("A parrot walks into a bar."), user("Another!")],
      "the log ends here: nothing follows run.jsonl:3, and the history continues with message 3 (user text `Another!`)",
    ],
    [
      "a reply that the client has changed",
      [user("Tell me a joke about parrots."), says("A parrot walks."), user("Another!")],
      "message 2 (assistant text) is `A parrot walks.`; run.jsonl:3 has `A parrot walks into a bar.`",
    ],
    [
      "what would move a terminal",
      [user("Tell\u001b[31m me \u202Ea joke about parrots, and ".padEnd(300, "x"))],
      "the log has no conversation that begins with `Tell\\u{1b}[31m me \\u{202e}a joke about parrots, and xxxxxxxxxxxxxxxxxxx…`; run.jsonl:3 begins with `Tell me a joke about parrots.`",
    ],
  ];
  test.each(cases)("%s", async (_, messages, why) => {
    const { ask, server } = await replayed(["run.jsonl", log]);
    const { status, text } = await ask(path, asks(...messages));
    expect(server.misses.map((miss) => miss.why)).toEqual([why]);
    expect([status, JSON.parse(text).error.message]).toEqual([404, `toollint serve has no answer: ${why}`]);
  });
});

test("a log that begins in the middle has no reply to the beginning", async () => {
  const { ask, server } = await replayed(["run.jsonl", log.split("\n")[1] ?? ""]);
  await ask(path, asks(question));
  expect(server.misses[0]?.why).toBe(
    'the log has no request that ends here: run.jsonl:1 continues with call of get_weather `{"city":"Lima"}`',
  );
});

describe("in each protocol", () => {
  const lima = { city: "Lima" };
  const gemini = "/v1beta/models/gemini-3-pro:generateContent";
  const protocols: readonly {
    readonly name: string;
    readonly url: string;
    readonly history: (degrees: string) => object;
    readonly response: object;
    readonly message: (body: { error: { message: string } }) => string;
  }[] = [
    {
      name: "anthropic",
      url: "https://api.anthropic.com/v1/messages",
      history: (degrees) => ({
        model: "claude-sonnet-5",
        max_tokens: 100,
        tools: [{ name: "get_weather", input_schema: { type: "object" } }],
        messages: [
          question,
          {
            role: "assistant",
            content: [{ type: "tool_use", id: "toolu_01A", name: "get_weather", input: lima }],
          },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_01A", content: degrees }] },
        ],
      }),
      response: {
        id: "msg_01",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-5",
        content: [{ type: "text", text: "It is 18 degrees." }],
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 10, output_tokens: 5 },
      },
      message: ({ error }) => error.message,
    },
    {
      name: "openai-responses",
      url: "https://api.openai.com/v1/responses",
      history: (degrees) => ({
        model: "gpt-5",
        input: [
          question,
          { type: "function_call", call_id: "call_1", name: "get_weather", arguments: JSON.stringify(lima) },
          { type: "function_call_output", call_id: "call_1", output: degrees },
        ],
      }),
      response: {
        id: "resp_1",
        object: "response",
        created_at: 1700000000,
        status: "completed",
        model: "gpt-5",
        output: [
          {
            type: "message",
            id: "msg_1",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: "It is 18 degrees.", annotations: [] }],
          },
        ],
      },
      message: ({ error }) => error.message,
    },
    {
      name: "gemini",
      url: `https://generativelanguage.googleapis.com${gemini}`,
      history: (degrees) => ({
        contents: [
          { role: "user", parts: [{ text: question.content }] },
          {
            role: "model",
            parts: [{ functionCall: { name: "get_weather", args: lima }, thoughtSignature: "Q2hlY2s=" }],
          },
          {
            role: "user",
            parts: [{ functionResponse: { name: "get_weather", response: { result: degrees } } }],
          },
        ],
        tools: [
          {
            functionDeclarations: [
              {
                name: "get_weather",
                parameters: { type: "OBJECT", properties: { city: { type: "STRING" } } },
              },
            ],
          },
        ],
      }),
      response: {
        candidates: [
          {
            content: { role: "model", parts: [{ text: "It is 18 degrees." }] },
            finishReason: "STOP",
            index: 0,
          },
        ],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
        modelVersion: "gemini-3-pro",
      },
      message: ({ error }) => error.message,
    },
    {
      name: "ollama",
      url: "http://localhost:11434/api/chat",
      history: (degrees) => ({
        model: "qwen3",
        stream: false,
        messages: [
          question,
          {
            role: "assistant",
            content: "",
            tool_calls: [{ function: { name: "get_weather", arguments: lima } }],
          },
          { role: "tool", tool_name: "get_weather", content: degrees },
        ],
      }),
      response: {
        model: "qwen3",
        created_at: "2026-01-01T00:00:00Z",
        message: { role: "assistant", content: "It is 18 degrees." },
        done_reason: "stop",
        done: true,
      },
      message: ({ error }) => error as unknown as string,
    },
  ];

  test.each(protocols)("$name: a hit, and a miss in the provider's envelope", async (each) => {
    const { ask, server } = await replayed([
      "run.jsonl",
      logOf(each.url, [[each.history("18 degrees"), each.response]]),
    ]);
    const target = new URL(each.url).pathname;
    const hit = await ask(target, each.history("18 degrees"));
    expect(JSON.parse(hit.text)).toEqual(each.response);
    const missed = await ask(target, each.history("19 degrees"));
    const why = "message 3 (result of get_weather) is `19 degrees`; run.jsonl:1 has `18 degrees`";
    expect(server.misses.map((miss) => miss.why)).toEqual([why]);
    expect(missed.status).toBe(404);
    expect(each.message(JSON.parse(missed.text))).toBe(`toollint serve has no answer: ${why}`);
  });
});

describe("a client that swallows the miss", () => {
  const running: RunningServer[] = [];
  afterEach(async () => {
    for (const server of running.splice(0)) await server.close();
  });

  async function served(text: string) {
    const source = memorySource("run.jsonl", Buffer.from(text));
    const runs = await openLogs([{ path: "run.jsonl", source }], { keepsReplies: true });
    const server = await startModelServer({ port: 0, host: "127.0.0.1", answers: recordedAnswers(runs) });
    running.push(server);
    return server;
  }

  test("openai: it does not ask again, and the miss stands", async () => {
    const { url: baseURL, model } = await served(log);
    const client = new OpenAI({ apiKey: "none", baseURL: `${baseURL}/v1`, maxRetries: 3 });
    const swallowed = await client.chat.completions
      .create({ model: "gpt-5", messages: [{ role: "user", content: "Hello" }] })
      .catch((error: unknown) => (error instanceof OpenAI.NotFoundError ? error.status : error));
    expect(swallowed).toBe(404);
    expect(model.misses).toMatchObject([{ request: 1, method: "POST", target: path }]);
    expect(model.requests).toBe(1);
  });

  test("anthropic: it does not ask again, and the miss stands", async () => {
    const { url: baseURL, model } = await served(log);
    const client = new Anthropic({ apiKey: "none", baseURL, maxRetries: 3 });
    const swallowed = await client.messages
      .create({
        model: "claude-sonnet-5",
        max_tokens: 100,
        messages: [{ role: "user", content: question.content }],
      })
      .catch((error: unknown) => (error instanceof Anthropic.NotFoundError ? error.status : error));
    expect(swallowed).toBe(404);
    // The log has this text in another protocol, which is no hint.
    expect(model.misses.map(({ why }) => why)).toEqual([
      "this request is anthropic, and the log has only openai-chat",
    ]);
    expect(model.requests).toBe(1);
  });
});
