import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { generateText } from "ai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import type { ServedReply } from "../../src/protocols/server-side.ts";
import { recordingLine } from "../../src/record/line.ts";
import type { AnswerSource } from "../../src/serve/answers/answer-source.ts";
import { parseFault, parseKinds } from "../../src/serve/faults/parse.ts";
import { ModelServer } from "../../src/serve/model-server.ts";
import { recordedExchange } from "../../src/serve/recorded.ts";
import { type RunningServer, startModelServer } from "../../src/serve/serve.ts";

const weather = { kind: "call", name: "get_weather", arguments: { city: "Lima", unit: "celsius" } } as const;
const twoCalls: ServedReply = {
  items: [{ kind: "text", text: "I look it up." }, weather, { ...weather, arguments: { city: "Oslo" } }],
};
const words: ServedReply = { items: [{ kind: "text", text: "It is 18 degrees in Lima, and it rains." }] };

/** Says the same reply until it was sent whole, then the next. */
function replies(...all: readonly ServedReply[]): AnswerSource {
  let next = 0;
  return {
    answer: () => ({ kind: "reply", reply: all[Math.min(next, all.length - 1)] ?? words }),
    sent: () => void next++,
  };
}

let server: RunningServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(faults: readonly string[], ...said: readonly ServedReply[]): Promise<RunningServer> {
  server = await startModelServer({
    port: 0,
    host: "127.0.0.1",
    answers: replies(...said),
    faults: faults.map(parseFault),
  });
  return server;
}

interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body was broken off. */
  readonly isCut: boolean;
}

const question = { role: "user", content: "What is the weather in Lima?" } as const;
const chat = { model: "gpt-5", messages: [question] };
const stream = { ...chat, stream: true };

async function post(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Got> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify(body),
    headers,
  });
  const chunks: Uint8Array[] = [];
  let isCut = false;
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk);
  } catch {
    isCut = true;
  }
  return { status: response.status, headers: response.headers, text: String(Buffer.concat(chunks)), isCut };
}

const eventsIn = (text: string): string[] => text.split(/\r?\n\r?\n/).filter((event) => event !== "");

describe("a fault is written", () => {
  test.each([
    ["3:429,retry-after=2", { first: 3, last: 3, fault: { retryAfterMs: 2000 } }],
    ["2-4:529", { first: 2, last: 4, fault: { instead: { kind: "status", status: 529 } } }],
    ["*:slow=50ms", { first: 1, last: Number.POSITIVE_INFINITY, fault: { pauseMs: 50 } }],
    ["1:cut@120b", { fault: { ending: { how: "cut", after: 120, unit: "byte" } } }],
    ["1: index-0 , no-done", { fault: { oddities: ["index-0", "no-done"] } }],
  ])("%s", (text, expected) => {
    expect(parseFault(text)).toMatchObject(expected);
  });

  test.each([
    [
      "429",
      "`429` does not name a turn: a fault begins with the number of a turn, as in `3:429`, `2-4:529` or `*:slow=50ms`",
    ],
    [
      "0:429",
      "`0` is not a turn; turns count from 1: a fault begins with the number of a turn, as in `3:429`, `2-4:529` or `*:slow=50ms`",
    ],
    ["4-2:429", "the turns `4-2` are reversed: write `2-4`"],
    ["1:200", "`200` is not an error status: use 400 to 599"],
    ["1:rest", "`rest` is not a fault; did you mean `reset`?"],
    ["1:no-dnoe", "`no-dnoe` is not a fault; did you mean `no-done`?"],
    ["1:cut", "`cut` is not understood: write `cut@5` or `cut@120b`"],
    ["1:slow=50", "`slow=50` is not understood: write `slow=50ms`"],
    ["1:no-done=3", "`no-done=3` is not understood: write `no-done`"],
    ["1:cut@5,end@3", "`cut@5` and `end@3` exclude each other: keep one of them"],
    ["1:429,cut@5", "after `429` there is nothing left that `cut@5` could change"],
    ["1:retry-after=2", "`retry-after=2` needs a status, as in `429,retry-after=2`"],
  ])("wrongly: %s", (text, sentence) => {
    expect(() => parseFault(text)).toThrow(sentence);
  });

  test("wrongly, with no name that is near: all names are listed", () => {
    expect(() => parseKinds("2-4:cut@5")).toThrow(
      "`2-4:cut@5` names a turn, which is already given here: write `cut@5`",
    );
    expect(() => parseKinds("xyzzy")).toThrow(
      /`xyzzy` is not a fault; choose from 429.*, cut, .*, index-0, /,
    );
  });
});

describe("before any content", () => {
  test("a rate limit in OpenAI's words, and then the same answer", async () => {
    const { url, model } = await serve(["1:429,retry-after=1.5"], words, twoCalls);
    const limited = await post(url, chat);
    expect(limited.status).toBe(429);
    expect(limited.headers.get("retry-after")).toBe("2");
    expect(limited.headers.get("retry-after-ms")).toBe("1500");
    expect(JSON.parse(limited.text).error).toMatchObject({ type: "tokens", code: "rate_limit_exceeded" });
    expect(JSON.parse(limited.text).error.message).toContain("Please try again in 1.5s");
    const { text } = await post(url, chat);
    expect(JSON.parse(text).choices[0].message.content).toBe("It is 18 degrees in Lima, and it rains.");
    expect(model.refused).toEqual([]);
    expect(model.misses).toEqual([]);
    expect(model.faults.applied).toEqual([{ request: 1, turn: 1, fault: "429,retry-after=1.5", idle: [] }]);
  });

  test.each([
    [
      "/v1/messages",
      { model: "claude-opus-4-6", max_tokens: 10, messages: [question] },
      "529",
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    ],
    [
      "/v1beta/models/gemini-2.5-pro:generateContent",
      { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
      "429,retry-after=1.5",
      {
        error: {
          code: 429,
          message: "Resource has been exhausted (e.g. check quota).",
          status: "RESOURCE_EXHAUSTED",
          details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.5s" }],
        },
      },
    ],
    [
      "/api/chat",
      { model: "qwen3", messages: [question] },
      "503",
      { error: "server busy, please try again.  maximum pending requests exceeded" },
    ],
    [
      "/v1/responses",
      { model: "gpt-5", input: "Hello" },
      "500",
      {
        error: {
          message: "The server had an error while processing your request. Sorry about that!",
          type: "server_error",
        },
      },
    ],
    [
      "/v1/responses",
      { model: "gpt-5", input: "Hello" },
      "504",
      { error: { message: "Gateway Timeout", type: "server_error" } },
    ],
  ])("an error in the provider's words: %s", async (path, body, fault, expected) => {
    const { url } = await serve([`1:${fault}`]);
    const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
    const response = await fetch(url + path, { method: "POST", body: JSON.stringify(body), headers });
    expect(response.status).toBe(Number(fault.slice(0, 3)));
    expect(await response.json()).toMatchObject(expected);
  });

  test.each([
    ["groq", "429", "tokens per minute (TPM)"],
    ["azure-openai", "429,retry-after=9", "Please retry after 9 seconds."],
    ["mistral", "422", "Field required"],
    ["openrouter", "429", "gpt-5 is temporarily rate-limited upstream."],
    ["deepseek", "503", "Service Unavailable"],
    ["vllm", "429", "Too Many Requests"],
  ])("an error in the words of %s: %s", async (profile, fault, words) => {
    const { url } = await serve([`1:${fault}`]);
    const response = await fetch(`${url}/${profile}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify(chat),
    });
    expect(response.status).toBe(Number(fault.slice(0, 3)));
    expect(await response.text()).toContain(words);
  });

  test("a gateway's page in place of the provider's error", async () => {
    const { url } = await serve(["1:502,html"]);
    const { status, headers, text } = await post(url, stream);
    expect([status, headers.get("content-type")]).toEqual([502, "text/html"]);
    expect(text).toContain("<h1>502 Bad Gateway</h1>");
  });

  test("a reset connection", async () => {
    const { url } = await serve(["1:reset"]);
    await expect(post(url, stream)).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
  });

  test("no answer until the server closes", async () => {
    const { url } = await serve(["1:hang"]);
    const asked = post(url, stream).catch((error: Error) => error);
    while (server?.model.faults.applied.length === 0) await new Promise(setImmediate);
    await server?.close();
    expect(await asked).toBeInstanceOf(Error);
  });

  test("a first byte that comes late; closing the server does not wait for it", async () => {
    const { url } = await serve(["1:slow-start=80ms", "2:slow-start=10m"]);
    const began = performance.now();
    await post(url, chat);
    expect(performance.now() - began).toBeGreaterThan(75);
    const asked = post(url, chat).catch((error: Error) => error);
    while (server?.model.faults.applied.length === 1) await new Promise(setImmediate);
    await server?.close();
    expect(await asked).toBeInstanceOf(Error);
  });
});

describe("in the stream", () => {
  test("cut after an event: the client sees whole events and a broken connection", async () => {
    const { url } = await serve(["1:cut@3"], words, twoCalls);
    const { text, isCut } = await post(url, stream);
    expect([eventsIn(text).length, isCut]).toEqual([3, true]);
    expect(text.endsWith("\n\n")).toBe(true);
    expect((await post(url, stream)).text).toContain("[DONE]");
  });

  test("cut after a byte", async () => {
    const { url } = await serve(["1:cut@0b", "2:cut@100b", "3:cut@40b"], words);
    expect(await post(url, stream)).toMatchObject({ status: 200, text: "", isCut: true });
    expect((await post(url, stream)).text).toHaveLength(100);
    expect(await post(url, chat)).toMatchObject({ text: expect.stringMatching(/^.{40}$/), isCut: true });
  });

  test("an end as if it were whole", async () => {
    const { url } = await serve(["1:end@2"], words);
    const { text, isCut } = await post(url, stream);
    expect([eventsIn(text).length, isCut]).toEqual([2, false]);
  });

  test("the provider's error event", async () => {
    const { url } = await serve(["1:error-event@2"], words);
    const { text, isCut } = await post(url, stream);
    expect([eventsIn(text).length, isCut]).toEqual([3, false]);
    expect(JSON.parse(eventsIn(text)[2]?.slice("data: ".length) ?? "")).toEqual({
      error: {
        message: "The server had an error while processing your request. Sorry about that!",
        type: "server_error",
        param: null,
        code: null,
      },
    });
  });

  test("a pause between two events", async () => {
    const { url } = await serve(["1:slow=20ms"], words);
    const began = performance.now();
    const { text } = await post(url, stream);
    expect(performance.now() - began).toBeGreaterThan((eventsIn(text).length - 1) * 19);
  });

  test("other writes, the same bytes; other line ends", async () => {
    const { url } = await serve(["2:chunks=7", "3:glue=3", "4:glue", "5:crlf"], words);
    const texts: string[] = [];
    for (let turn = 1; turn <= 5; turn++) texts.push(plain((await post(url, stream)).text));
    expect(new Set(texts.slice(0, 4)).size).toBe(1);
    expect(texts[4]).toBe(texts[0]?.replaceAll("\n", "\r\n"));
  });
});

/** A stream without the ids and times that differ from reply to reply. */
const plain = (text: string): string =>
  text.replace(/"(?:chatcmpl-|call_)\w+"/g, '"id"').replace(/"created":\d+/g, '"created":0');

describe("in the reply", () => {
  test("nothing is said", async () => {
    const { url } = await serve(["1:empty"], twoCalls);
    const [choice] = JSON.parse((await post(url, chat)).text).choices;
    expect(choice).toMatchObject({ finish_reason: "stop", message: { content: "" } });
    expect(JSON.parse((await post(url, chat)).text).choices[0].message.tool_calls).toHaveLength(2);
  });

  test("the limit comes in the middle of the last call", async () => {
    const { url } = await serve(["*:length"], twoCalls);
    const [choice] = JSON.parse((await post(url, chat)).text).choices;
    const calls = choice.message.tool_calls.map((call: { function: object }) => call.function);
    expect(choice.finish_reason).toBe("length");
    expect(calls).toEqual([
      { name: "get_weather", arguments: '{"city":"Lima","unit":"celsius"}' },
      { name: "get_weather", arguments: '{"city":' },
    ]);
  });
});

test("at the limit a call has arguments so far, none, or is lost, as each API does it", async () => {
  const { url } = await serve(["*:length"], twoCalls);
  const ask = async (path: string, body: object): Promise<string> => {
    const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
    const response = await fetch(url + path, { method: "POST", body: JSON.stringify(body), headers });
    return response.text();
  };
  const claude = { model: "claude-opus-4-6", max_tokens: 10, messages: [question] };
  expect(JSON.parse(await ask("/v1/messages", claude))).toMatchObject({
    stop_reason: "max_tokens",
    content: [{ type: "text" }, { type: "tool_use" }, { type: "tool_use", input: {} }],
  });
  const events = await ask("/v1/messages", { ...claude, stream: true });
  expect(events).toMatch(/"index":2,"delta":\{"type":"input_json_delta","partial_json":"\{\\"city\\":"/);
  expect(
    JSON.parse(await ask("/api/chat", { model: "qwen3", messages: [question], stream: false })),
  ).toMatchObject({
    done_reason: "length",
    message: { tool_calls: [{ function: { arguments: { city: "Lima" } } }] },
  });
  const hello = { contents: [{ role: "user", parts: [{ text: "Hello" }] }] };
  expect(JSON.parse(await ask("/v1beta/models/gemini-2.5-pro:generateContent", hello))).toMatchObject({
    candidates: [
      { finishReason: "MAX_TOKENS", content: { parts: [{ text: "I look it up." }, { functionCall: {} }] } },
    ],
  });
});

describe("a fault is found", () => {
  test("in the request's header, in place of the planned one", async () => {
    const { url, model } = await serve(["*:500"], words);
    const header = (fault: string) => post(url, chat, { "x-toollint-fault": fault });
    expect((await header("503")).status).toBe(503);
    expect((await header("none")).status).toBe(200);
    expect((await post(url, chat)).status).toBe(500);
    const wrong = await header("50");
    expect(wrong.status).toBe(400);
    expect(model.misses.at(-1)?.why).toBe("`50` is not an error status: use 400 to 599");
  });

  test("for the fewest turns", async () => {
    const { url } = await serve(["*:500", "1-3:502", "2:503"]);
    const statuses: number[] = [];
    for (let turn = 1; turn <= 4; turn++) statuses.push((await post(url, chat)).status);
    expect(statuses).toEqual([502, 503, 502, 500]);
  });

  test("what never came, and what changed nothing, is said at the end", async () => {
    const { url, model } = await serve(["1:cut@500", "2:no-done", "3-5:429", "9:500"], words);
    await post(url, stream);
    await post(url, chat);
    await post(url, stream);
    expect(model.faults.notes(model.turns)).toEqual([
      "the fault `3-5:429` was applied to only 1 of 3 turns: there were 3 turns",
      "the fault `9:500` was never applied: there were 3 turns",
      "the fault `cut@500` changed nothing in turn 1: the stream has 7 events",
      "the fault `no-done` changed nothing in turn 2: `no-done` affects only streams",
    ]);
  });
});

test("a journal holds what came of a fault, as a check reads it", async () => {
  const lines: string[] = [];
  server = await startModelServer({
    port: 0,
    host: "127.0.0.1",
    answers: replies(words),
    faults: ["1:cut@3", "2:reset", "3:429", "4:error-event@2"].map(parseFault),
    onServed: (exchange) =>
      void lines.push(recordingLine(recordedExchange(exchange, "https://api.openai.com"), false)),
  });
  const { url } = server;
  for (let turn = 1; turn <= 5; turn++) await post(url, stream).catch(() => undefined);
  expect(
    lines.map((line) => JSON.parse(line)).map(({ aborted, response }) => [aborted, response?.status]),
  ).toEqual([
    ["server", 200],
    ["server", undefined],
    [undefined, 429],
    [undefined, 200],
    [undefined, 200],
  ]);
  const { findings } = await check(lines.join("\n"));
  expect(findings.map(({ severity, rule }) => `${severity} ${rule}`)).toEqual([
    "info truncated-stream",
    "info stream-error",
  ]);
});

test("an error event goes on with the numbers of the stream", async () => {
  const { url } = await serve(["1:error-event@3"], words);
  const response = await fetch(`${url}/v1/responses`, {
    method: "POST",
    body: JSON.stringify({ model: "gpt-5", input: "Hello", stream: true }),
  });
  expect(eventsIn(await response.text()).at(-1)).toMatch(/^event: error\ndata: .*"sequence_number":3,/);
});

test("turns have the order of arrival, also when they come at once to different APIs", async () => {
  const model = await ModelServer.create({ answers: replies(words), faults: [parseFault("*:crlf")] });
  const long = Array.from({ length: 99 }, (_, index) => ({
    role: index % 2 ? "assistant" : "user",
    content: "…",
  }));
  const asks = [
    ["/v1/chat/completions", { model: "gpt-5", messages: long }],
    ["/v1/messages", { model: "claude-opus-4-6", max_tokens: 10, messages: [question] }],
    ["/api/chat", { model: "qwen3", messages: [question] }],
    ["/v1/chat/completions", chat],
  ] as const;
  const headers = { "anthropic-version": "2023-06-01" };
  await Promise.all(
    asks.map(([target, body]) =>
      model.handle({
        method: "POST",
        target,
        headers,
        headerList: [],
        body: Buffer.from(JSON.stringify(body)),
      }),
    ),
  );
  expect(model.faults.applied.map(({ request, turn }) => [request, turn])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
  ]);
});

describe("the official SDKs", () => {
  test("openai tries again after 429, as long as the server says", async () => {
    const { url } = await serve(["1-2:429,retry-after=30ms"], words);
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 2 });
    const reply = await client.chat.completions.create({ model: "gpt-5", messages: [question] });
    expect(reply.choices[0]?.message.content).toBe("It is 18 degrees in Lima, and it rains.");
    expect(server?.model.turns).toBe(3);
  });

  test("openai gives up, and tells what failed", async () => {
    const { url } = await serve(["*:503"], words);
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
    await expect(client.chat.completions.create({ model: "gpt-5", messages: [question] })).rejects.toThrow(
      "503 The server is overloaded or not ready yet.",
    );
  });

  test("openai raises on a cut stream, and on an error event", async () => {
    const { url } = await serve(["1:cut@3", "2:error-event@2"], words);
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
    const read = async () => {
      for await (const _ of await client.chat.completions.create({
        model: "gpt-5",
        messages: [question],
        stream: true,
      }));
    };
    await expect(read()).rejects.toThrow();
    await expect(read()).rejects.toThrow("The server had an error while processing your request");
  });

  test("ai tries again after 503", async () => {
    const { url } = await serve(["1:503,retry-after=1ms"], words);
    const provider = createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" });
    const { text } = await generateText({ model: provider.chat("gpt-5"), prompt: "Hello", maxRetries: 1 });
    expect(text).toBe("It is 18 degrees in Lima, and it rains.");
  });

  test("google-genai raises Google's error, also in a stream", async () => {
    const { url } = await serve(["1:503", "2:error-event", "3:reset"], words);
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: url } });
    const ask = { model: "gemini-2.5-pro", contents: "Hello" };
    await expect(client.models.generateContent(ask)).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining("The model is overloaded. Please try again later."),
    });
    const read = async () => {
      for await (const _ of await client.models.generateContentStream(ask));
    };
    await expect(read()).rejects.toThrow("The model is overloaded");
    await expect(read()).rejects.toThrow("fetch failed");
  });

  test("ollama raises the server's error, also in a stream", async () => {
    const { url } = await serve(["1:503", "2:error-event@1", "3:cut@1"], words);
    const client = new Ollama({ host: url });
    const messages = [question];
    await expect(client.chat({ model: "qwen3", messages })).rejects.toThrow("server busy, please try again.");
    const read = async () => {
      for await (const _ of await client.chat({ model: "qwen3", messages, stream: true }));
    };
    await expect(read()).rejects.toThrow("an error was encountered while running the model");
    await expect(read()).rejects.toThrow();
  });

  test("anthropic tries again after an overload, and raises on its error event", async () => {
    const { url } = await serve(["1:529,retry-after=1ms", "3:error-event@2", "4:cut@3"], words);
    const client = new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 1 });
    const ask = { model: "claude-opus-4-6", max_tokens: 100, messages: [question] };
    const reply = await client.messages.create(ask);
    expect(reply.content).toMatchObject([{ type: "text", text: "It is 18 degrees in Lima, and it rains." }]);
    await expect(client.messages.stream(ask).finalMessage()).rejects.toThrow("Overloaded");
    await expect(client.messages.stream(ask).finalMessage()).rejects.toThrow();
  });
});
