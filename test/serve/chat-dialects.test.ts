import OpenAI, { AzureOpenAI } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServedReply } from "../../src/protocols/server-side.ts";
import { fields } from "../../src/reading/values.ts";
import { type RunningServer, startModelServer } from "../../src/serve/serve.ts";

/** How the replies of other servers differ from OpenAI's. */

let reply: ServedReply = { items: [] };
let server: RunningServer;
beforeAll(async () => {
  const answers = { answer: () => ({ kind: "reply" as const, reply }) };
  server = await startModelServer({ port: 0, host: "127.0.0.1", answers });
});
afterAll(() => server.close());

const question = { role: "user" as const, content: "What is the weather in Lima?" };
const call = { kind: "call" as const, name: "get_weather", arguments: { city: "Lima" } };
const thought = { kind: "reasoning" as const, text: "I have to look it up, and then I can answer." };
const tools = [{ type: "function" as const, function: { name: "get_weather" } }];

function clientOf(profile: string): OpenAI {
  return new OpenAI({ apiKey: "test", baseURL: `${server.url}/${profile}/v1`, maxRetries: 0 });
}

async function chunksOf(profile: string, model: string, more: object = {}) {
  const body = { model, messages: [question], tools, stream: true as const, ...more };
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of await clientOf(profile).chat.completions.create(body)) chunks.push(chunk);
  return chunks;
}

/** The members of a message, and of the deltas of a stream. */
async function membersAt(profile: string, model: string): Promise<string[]> {
  const whole = await clientOf(profile).chat.completions.create({ model, messages: [question], tools });
  const deltas = (await chunksOf(profile, model)).flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const streamed = new Set(deltas.flatMap((delta) => Object.keys(delta)));
  const members = Object.entries(fields(whole.choices[0]?.message));
  expect([...streamed].sort()).toEqual(
    members
      .flatMap(([member, value]) => (member === "annotations" || value === undefined ? [] : [member]))
      .sort(),
  );
  return members.map(([member]) => member).sort();
}

describe("where reasoning stands", () => {
  test.each([
    ["openai", "gpt-5", ["annotations", "content", "refusal", "role", "tool_calls"]],
    ["deepseek", "deepseek-v4", ["content", "reasoning_content", "role", "tool_calls"]],
    ["groq", "openai/gpt-oss-120b", ["content", "reasoning", "role", "tool_calls"]],
    ["openrouter", "qwen/qwen3-max", ["content", "reasoning", "role", "tool_calls"]],
    ["mistral", "magistral-medium", ["content", "role", "tool_calls"]],
    ["ollama", "qwen3", ["content", "reasoning", "role", "tool_calls"]],
  ])("%s", async (profile, model, members) => {
    reply = { items: [thought, call] };
    expect(await membersAt(profile, model)).toEqual(members);
  });

  test("a model that wants its reasoning back gives some with each call", async () => {
    reply = { items: [call] };
    for (const profile of ["openai", "deepseek", "vllm"]) {
      const client = clientOf(profile);
      const model = "deepseek-v4";
      const messages: OpenAI.ChatCompletionMessageParam[] = [question];
      const first = await client.chat.completions.create({ model, messages, tools });
      const message = first.choices[0]?.message;
      if (!message) throw new Error("no message");
      const id = message.tool_calls?.[0]?.id ?? "";
      messages.push(message, { role: "tool", tool_call_id: id, content: "18 degrees" });
      expect((await client.chat.completions.create({ model, messages, tools })).object).toBe(
        "chat.completion",
      );
    }
  });
});

describe("calls", () => {
  test.each([
    ["openai", /^call_\w{24}$/, 4],
    ["mistral", /^\w{9}$/, 1],
    ["moonshot", /^functions\.get_weather:0$/, 4],
    ["deepseek", /^call_00_\w{22}$/, 4],
    ["vllm", /^chatcmpl-tool-[0-9a-f]{32}$/, 4],
    ["ollama", /^call_[0-9a-f]{8}$/, 1],
    ["lm-studio", /^\d{9}$/, 1],
  ])("%s", async (profile, id, most) => {
    reply = { items: [call, { ...call, arguments: { city: "Oslo" } }] };
    const chunks = await chunksOf(profile, "some-model");
    const pieces = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []));
    expect(pieces[0]?.id).toMatch(id);
    expect(pieces.filter(({ index }) => index === 1).length).toBeLessThanOrEqual(most);
    const whole = (index: number) =>
      pieces.map((piece) => (piece.index === index ? (piece.function?.arguments ?? "") : "")).join("");
    expect([whole(0), whole(1)]).toEqual(['{"city":"Lima"}', '{"city":"Oslo"}']);
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason ?? null).at(-1)).toBe("tool_calls");
  });

  test("Gemini signs them, and takes them back so", async () => {
    reply = { items: [call] };
    const client = clientOf("gemini");
    const asked = { model: "gemini-3-pro", messages: [question], tools };
    const message = (await client.chat.completions.create(asked)).choices[0]?.message;
    const [signed] = message?.tool_calls ?? [];
    const { google } = fields(fields(signed)["extra_content"]);
    expect(fields(google)["thought_signature"]).toMatch(/^\w{180}$/);
    const result = { role: "tool" as const, tool_call_id: signed?.id ?? "", content: "18" };
    const messages = [question, ...(message ? [message] : []), result];
    expect((await client.chat.completions.create({ ...asked, messages })).object).toBe("chat.completion");
  });

  test("in the form before tools", async () => {
    reply = { items: [call] };
    const client = clientOf("openai");
    const body = { model: "gpt-5", messages: [question], functions: [{ name: "get_weather" }] };
    const whole = await client.chat.completions.create(body);
    expect(whole.choices[0]).toMatchObject({
      message: { content: null, function_call: { name: "get_weather", arguments: '{"city":"Lima"}' } },
      finish_reason: "function_call",
    });
    const { choices } = await client.chat.completions.stream(body).finalChatCompletion();
    expect(choices[0]?.message.function_call).toEqual({ name: "get_weather", arguments: '{"city":"Lima"}' });
  });

  test("of a custom tool", async () => {
    reply = { items: [{ ...call, name: "run_code", arguments: { input: "print(1)" } }] };
    const tool = { type: "custom" as const, custom: { name: "run_code" } };
    const body = { model: "gpt-5", messages: [question], tools: [tool] };
    const whole = await clientOf("openai").chat.completions.create(body);
    expect(whole.choices[0]?.message.tool_calls).toEqual([
      { id: expect.any(String), type: "custom", custom: { name: "run_code", input: "print(1)" } },
    ]);
  });

  test("of a function that the request names end the reply like a text", async () => {
    reply = { items: [call] };
    const choice = { type: "function" as const, function: { name: "get_weather" } };
    const body = { model: "gpt-5", messages: [question], tools, tool_choice: choice };
    const whole = await clientOf("openai").chat.completions.create(body);
    expect(whole.choices[0]?.finish_reason).toBe("stop");
  });
});

describe("the rest of a stream", () => {
  test.each([
    ["openai", {}, []],
    ["openai", { stream_options: { include_usage: true } }, ["alone"]],
    ["deepseek", {}, ["with the reason"]],
    ["mistral", {}, ["with the reason"]],
  ])("%s counts tokens", async (profile, more, where) => {
    reply = { items: [{ kind: "text", text: "18 degrees." }] };
    const counted = (await chunksOf(profile, "some-model", more)).filter(({ usage }) => usage);
    expect(counted.map(({ choices }) => (choices.length === 0 ? "alone" : "with the reason"))).toEqual(where);
  });

  test("marks of the server", async () => {
    reply = { items: [{ kind: "text", text: "18 degrees." }] };
    expect((await chunksOf("groq", "llama-3.3-70b-versatile")).at(-1)).toMatchObject({
      x_groq: { usage: { completion_tokens: expect.any(Number) } },
    });
    expect((await chunksOf("openrouter", "openai/gpt-5")).at(-1)).toMatchObject({
      id: expect.stringMatching(/^gen-\d+-\w{20}$/),
      provider: "OpenAI",
      choices: [{ native_finish_reason: "stop" }],
    });
    expect((await chunksOf("ollama", "qwen3"))[0]?.system_fingerprint).toBe("fp_ollama");
  });

  test("several choices say the same", async () => {
    reply = { items: [{ kind: "text", text: "18 degrees." }] };
    const body = { model: "gpt-5", messages: [question], n: 2 };
    const whole = await clientOf("openai").chat.completions.create(body);
    expect(whole.choices.map(({ message }) => message.content)).toEqual(["18 degrees.", "18 degrees."]);
    const streamed = await clientOf("openai").chat.completions.stream(body).finalChatCompletion();
    expect(streamed.choices.map(({ message }) => message.content)).toEqual(["18 degrees.", "18 degrees."]);
  });

  test("a refusal is no content", async () => {
    reply = { items: [{ kind: "text", text: "I cannot help with that." }], stop: "refusal" };
    const body = { model: "gpt-5", messages: [question] };
    const whole = await clientOf("openai").chat.completions.create(body);
    expect(whole.choices[0]?.message).toMatchObject({ content: null, refusal: "I cannot help with that." });
    const streamed = await clientOf("openai").chat.completions.stream(body).finalChatCompletion();
    expect(streamed.choices[0]?.message.refusal).toBe("I cannot help with that.");
  });
});

test("OpenRouter comments until the model speaks", async () => {
  reply = { items: [{ kind: "text", text: "18 degrees." }] };
  const response = await fetch(`${server.url}/openrouter/api/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "openai/gpt-5", messages: [question], stream: true }),
  });
  expect(await response.text()).toMatch(/^: OPENROUTER PROCESSING\n\ndata: \{/);
});

test("completions are stored where the request asks for it", async () => {
  reply = { items: [{ kind: "text", text: "18 degrees." }] };
  const { completions } = clientOf("openai").chat;
  const body = { model: "gpt-5", messages: [question], store: true, metadata: { run: "1" } };
  const first = await completions.create(body);
  const second = await completions.stream(body).finalChatCompletion();
  await completions.create({ ...body, store: false });
  const ids: string[] = [];
  for await (const { id } of completions.list({ limit: 1 })) ids.push(id);
  expect(ids).toEqual([first.id, second.id]);
  expect(await completions.retrieve(first.id)).toMatchObject({ ...first, metadata: { run: "1" } });
  expect((await completions.messages.list(first.id)).data).toMatchObject([question]);
  expect(await completions.update(first.id, { metadata: { run: "2" } })).toMatchObject({
    metadata: { run: "2" },
  });
  await completions.delete(first.id);
  await expect(completions.retrieve(first.id)).rejects.toThrow(OpenAI.NotFoundError);
});

test("Azure names the deployment in the address, and judges the prompt first", async () => {
  reply = { items: [{ kind: "text", text: "18 degrees." }] };
  for (const endpoint of [server.url, `${server.url}/azure-openai`]) {
    const client = new AzureOpenAI({
      apiKey: "test",
      endpoint,
      apiVersion: "2025-04-01-preview",
      deployment: "weather-model",
      maxRetries: 0,
    });
    const body = { model: "", messages: [question] };
    const { model, ...whole } = await client.chat.completions.create(body);
    expect(model).toBe("weather-model");
    expect(whole).toHaveProperty("prompt_filter_results");
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of await client.chat.completions.create({ ...body, stream: true }))
      chunks.push(chunk);
    expect(chunks[0]).toMatchObject({ choices: [], id: "" });
    expect(chunks.at(-1)?.choices[0]).toHaveProperty("content_filter_results");
  }
  expect(server.model.refused).toEqual([]);
});
