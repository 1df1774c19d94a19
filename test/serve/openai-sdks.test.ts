import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, type LanguageModel, streamText, type ToolSet } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServedReply } from "../../src/protocols/server-side.ts";
import { fields } from "../../src/reading/values.ts";
import { type RunningServer, startModelServer } from "../../src/serve/serve.ts";

/** OpenAI's own client and the AI SDK read every kind of reply, whole and streamed. */

let reply: ServedReply = { items: [] };
let server: RunningServer;
let client: OpenAI;
let models: Readonly<Record<string, LanguageModel>>;

beforeAll(async () => {
  const answers = { answer: () => ({ kind: "reply" as const, reply }) };
  server = await startModelServer({ port: 0, host: "127.0.0.1", answers });
  const baseURL = `${server.url}/v1`;
  client = new OpenAI({ apiKey: "test", baseURL, maxRetries: 0 });
  const provider = createOpenAI({ apiKey: "test", baseURL });
  models = { chat: provider.chat("gpt-5"), responses: provider.responses("gpt-5") };
});
afterAll(async () => {
  await server.close();
  expect(server.model.misses).toEqual([]);
});

const city = { type: "object" as const, properties: { city: { type: "string" as const } } };
const call = (name: string, args: unknown) => ({ kind: "call" as const, name, arguments: args });
const text = "It is 18 degrees — and cloudy 🌥 in Lima.";
const thought = "The user asks about the weather, so I call the tool.";

/** What a client should have read. */
interface Read {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly (readonly [name: string, args: unknown])[];
  readonly stop: string;
}

const replies: readonly (readonly [name: string, reply: ServedReply, read: Omit<Read, "stop">])[] = [
  ["a text", { items: [{ kind: "text", text }] }, { text, reasoning: "", calls: [] }],
  [
    "a call",
    { items: [call("get_weather", { city: "Lima" })] },
    { text: "", reasoning: "", calls: [["get_weather", { city: "Lima" }]] },
  ],
  [
    "a call without arguments",
    { items: [call("list_cities", undefined)] },
    { text: "", reasoning: "", calls: [["list_cities", {}]] },
  ],
  [
    "parallel calls after a text",
    {
      items: [
        { kind: "text", text },
        call("get_weather", { city: "Lima" }),
        call("get_weather", { city: "Oslo" }),
      ],
    },
    {
      text,
      reasoning: "",
      calls: [
        ["get_weather", { city: "Lima" }],
        ["get_weather", { city: "Oslo" }],
      ],
    },
  ],
  [
    "reasoning before a call",
    {
      items: [{ kind: "reasoning", text: thought }, call("get_weather", { city: "Lima" })],
    },
    { text: "", reasoning: thought, calls: [["get_weather", { city: "Lima" }]] },
  ],
  [
    "a text that is cut",
    { items: [{ kind: "text", text }], stop: "length" },
    { text, reasoning: "", calls: [] },
  ],
];

const names = ["get_weather", "list_cities"];
const question = "What is the weather in Lima?";

describe("OpenAI's client reads from chat", () => {
  const body = {
    model: "gpt-5",
    messages: [{ role: "user" as const, content: question }],
    tools: names.map((name) => ({ type: "function" as const, function: { name, parameters: city } })),
  };

  function read({ choices: [choice] }: OpenAI.ChatCompletion): Read {
    const { message, finish_reason: stop } = choice ?? {};
    return {
      text: message?.content ?? "",
      reasoning: String(fields(message)["reasoning_content"] ?? ""),
      calls: (message?.tool_calls ?? []).flatMap((each) =>
        each.type === "function" ? [[each.function.name, JSON.parse(each.function.arguments)] as const] : [],
      ),
      stop: String(stop),
    };
  }

  test.each(replies)("%s", async (_, asked, { reasoning: __, ...wanted }) => {
    reply = asked;
    const stop = asked.stop === "length" ? "length" : wanted.calls.length > 0 ? "tool_calls" : "stop";
    const whole = await client.chat.completions.create(body);
    expect(read(whole)).toMatchObject({ ...wanted, stop });
    const stream = client.chat.completions.stream({ ...body, stream_options: { include_usage: true } });
    const final = await stream.finalChatCompletion();
    expect(read(final)).toMatchObject({ ...wanted, stop });
    expect(final.usage?.completion_tokens).toBe(whole.usage?.completion_tokens);
  });

  test("the loop of `runTools`", async () => {
    reply = { items: [call("get_weather", { city: "Lima" })] };
    const runner = client.chat.completions.runTools({
      model: "gpt-5",
      messages: [{ role: "user", content: question }],
      tools: [
        {
          type: "function",
          function: {
            name: "get_weather",
            description: "The weather in a city",
            parameters: city,
            function: () => {
              reply = { items: [{ kind: "text", text }] };
              return "18 degrees";
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe(text);
    expect(runner.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  });
});

describe("OpenAI's client reads from Responses", () => {
  const body = {
    model: "gpt-5",
    input: question,
    reasoning: { summary: "auto" as const },
    tools: names.map((name) => ({ type: "function" as const, name, parameters: city, strict: false })),
  };

  function read({ output, output_text, status, incomplete_details }: OpenAI.Responses.Response): Read {
    return {
      text: output_text,
      reasoning: output
        .flatMap((item) => (item.type === "reasoning" ? item.summary.map((part) => part.text) : []))
        .join(""),
      calls: output.flatMap((item) =>
        item.type === "function_call" ? [[item.name, JSON.parse(item.arguments)] as const] : [],
      ),
      stop: incomplete_details?.reason ?? String(status),
    };
  }

  test.each(replies)("%s", async (_, asked, wanted) => {
    reply = asked;
    const stop = asked.stop === "length" ? "max_output_tokens" : "completed";
    const whole = await client.responses.create(body);
    expect(read(whole)).toEqual({ ...wanted, stop });
    const stream = client.responses.stream(body);
    const sequence: number[] = [];
    stream.on("event", (event) => void sequence.push(event.sequence_number));
    const final = await stream.finalResponse();
    expect(read(final)).toEqual({ ...wanted, stop });
    expect(final.usage?.output_tokens).toBe(whole.usage?.output_tokens);
    expect(sequence).toEqual(sequence.map((__, at) => at));
  });

  test("the events in their order", async () => {
    reply = {
      items: [{ kind: "reasoning", text: "Hm." }, call("get_weather", {}), { kind: "text", text: "Ok" }],
    };
    const types: string[] = [];
    for await (const { type } of await client.responses.create({ ...body, stream: true })) types.push(type);
    expect(types.map((type) => type.replace("response.", ""))).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "reasoning_summary_part.added",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.done",
      "reasoning_summary_part.done",
      "output_item.done",
      "output_item.added",
      "function_call_arguments.delta",
      "function_call_arguments.done",
      "output_item.done",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ]);
  });

  test("a custom tool gets plain text", async () => {
    reply = { items: [call("apply_patch", { input: "*** Begin Patch" })] };
    const tools = [{ type: "custom" as const, name: "apply_patch" }];
    const { output } = await client.responses.create({ model: "gpt-5", input: "Fix it", tools });
    const patch = { type: "custom_tool_call", name: "apply_patch", input: "*** Begin Patch" };
    expect(output).toMatchObject([{ type: "reasoning" }, patch]);
    const stream = client.responses.stream({ model: "gpt-5", input: "Fix it", tools });
    expect((await stream.finalResponse()).output).toMatchObject([{ type: "reasoning" }, patch]);
  });

  test("reasoning is summed up only where a request asks for it, and always sealed", async () => {
    reply = {
      items: [
        { kind: "reasoning", text: thought },
        { kind: "text", text },
      ],
    };
    const { output } = await client.responses.create({ model: "gpt-5", input: question });
    expect(output[0]).toMatchObject({ type: "reasoning", summary: [] });
    expect(fields(output[0])["encrypted_content"]).toMatch(/^gAAAAAB/);
  });

  test("open models write their reasoning out", async () => {
    reply = {
      items: [
        { kind: "reasoning", text: thought },
        { kind: "text", text },
      ],
    };
    const local = new OpenAI({ apiKey: "test", baseURL: `${server.url}/vllm/v1`, maxRetries: 0 });
    const stream = local.responses.stream({ model: "gpt-oss-20b", input: question });
    const { output } = await stream.finalResponse();
    expect(output).toMatchObject([
      { type: "reasoning", content: [{ type: "reasoning_text", text: thought }] },
      { type: "message" },
    ]);
  });

  test("a model that always reasons has reasoning before its calls, which come back with it", async () => {
    reply = { items: [call("get_weather", { city: "Lima" })] };
    const first = await client.responses.create(body);
    expect(first.output.map(({ type }) => type)).toEqual(["reasoning", "function_call"]);
    const [reasoning, called] = first.output;
    if (reasoning?.type !== "reasoning" || called?.type !== "function_call") return;
    const output = { type: "function_call_output" as const, call_id: called.call_id, output: "18" };
    const { length } = server.model.warnings;
    await client.responses.create({
      ...body,
      input: [{ role: "user", content: question }, reasoning, called, output],
    });
    expect(server.model.warnings.slice(length)).toEqual([]);
  });

  test("a tool that OpenAI defines is called in its own form", async () => {
    const operation = { type: "delete_file", path: "a.txt" };
    reply = { items: [call("local_shell", { command: ["ls"] }), call("apply_patch", operation)] };
    const tools = [{ type: "local_shell" as const }, { type: "apply_patch" as const }];
    const stream = client.responses.stream({ model: "gpt-4.1", input: "List", tools });
    expect((await stream.finalResponse()).output).toMatchObject([
      { type: "local_shell_call", action: { type: "exec", command: ["ls"], env: {} } },
      { type: "apply_patch_call", operation },
    ]);
  });

  test("an error in the stream", async () => {
    reply = { items: [{ kind: "text", text }] };
    const headers = { "x-toollint-fault": "error-event@5" };
    const types: string[] = [];
    const read = async () => {
      const stream = await client.responses.create({ ...body, stream: true }, { headers });
      for await (const { type } of stream) types.push(type);
    };
    await expect(read()).rejects.toMatchObject({ error: { message: expect.any(String), param: null } });
    expect(types).toHaveLength(5);
  });

  test("a refusal is no text", async () => {
    reply = { items: [{ kind: "text", text: "I cannot help with that." }], stop: "refusal" };
    const { output, output_text } = await client.responses
      .stream({ ...body, model: "gpt-4.1" })
      .finalResponse();
    expect(output_text).toBe("");
    expect(output).toMatchObject([{ content: [{ type: "refusal", refusal: "I cannot help with that." }] }]);
  });
});

describe.each([["chat"], ["responses"]])("the AI SDK reads from %s", (api) => {
  const tools: ToolSet = Object.fromEntries(names.map((name) => [name, { inputSchema: jsonSchema(city) }]));
  const options = () => ({
    model: models[api] as LanguageModel,
    prompt: question,
    tools,
    maxRetries: 0,
    providerOptions: { openai: { reasoningSummary: "auto" } },
  });

  test.each(replies)("%s", async (_, asked, { reasoning, ...wanted }) => {
    reply = asked;
    const stop = asked.stop ?? (wanted.calls.length > 0 ? "tool-calls" : "stop");
    const whole = await generateText(options());
    const calls = (all: readonly { toolName: string; input: unknown }[]) =>
      all.map(({ toolName, input }) => [toolName, input]);
    expect([whole.text, calls(whole.toolCalls), whole.finishReason]).toEqual([
      wanted.text,
      wanted.calls,
      stop,
    ]);
    const stream = streamText(options());
    expect([await stream.text, calls(await stream.toolCalls), await stream.finishReason]).toEqual([
      wanted.text,
      wanted.calls,
      stop,
    ]);
    expect((await stream.usage).outputTokens).toBe(whole.usage.outputTokens);
    // Chat at OpenAI keeps its reasoning.
    if (api === "responses")
      expect([whole.reasoningText ?? "", (await stream.reasoningText) ?? ""]).toEqual([reasoning, reasoning]);
  });
});
