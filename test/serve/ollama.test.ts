import { Ollama } from "ollama";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServedReply } from "../../src/protocols/server-side.ts";
import { type RunningServer, startModelServer } from "../../src/serve/serve.ts";

let reply: ServedReply = { items: [] };
let server: RunningServer;
let client: Ollama;

beforeAll(async () => {
  const answers = { answer: () => ({ kind: "reply" as const, reply }) };
  server = await startModelServer({ port: 0, answers });
  client = new Ollama({ host: server.url });
});
afterAll(async () => {
  await server.close();
  expect(server.model.misses).toEqual([]);
});

const model = "qwen3:8b";
const question = { role: "user", content: "What is the weather in Lima?" };
const weather = {
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather of a city",
    parameters: { type: "object", properties: { city: { type: "string", description: "a city" } } },
  },
};
const call = (city: string) => ({ kind: "call" as const, name: "get_weather", arguments: { city } });
const text = "It is 18 degrees — and cloudy 🌥 in Lima.";
const thought = "The user asks about the weather, so I call the tool.";

async function post(path: string, body: unknown) {
  const response = await fetch(server.url + path, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

describe("Ollama's own client reads", () => {
  const replies: readonly (readonly [
    string,
    ServedReply,
    { content?: string; thinking?: string },
    string[],
  ])[] = [
    ["a text", { items: [{ kind: "text", text }] }, { content: text }, []],
    ["a call", { items: [call("Lima")] }, {}, ["Lima"]],
    [
      "parallel calls after a thought and a text",
      {
        items: [{ kind: "reasoning", text: thought }, { kind: "text", text }, call("Lima"), call("Oslo")],
      },
      { content: text, thinking: thought },
      ["Lima", "Oslo"],
    ],
  ];

  test.each(replies)("%s", async (_, served, { content = "", thinking = "" }, cities) => {
    reply = served;
    const asked = { model, messages: [question], tools: [weather] };
    const whole = await client.chat(asked);
    expect(whole).toMatchObject({
      model,
      done: true,
      done_reason: "stop",
      message: { role: "assistant", content },
    });
    expect(whole.message.thinking ?? "").toBe(thinking);
    expect((whole.message.tool_calls ?? []).map(({ function: { arguments: args } }) => args["city"])).toEqual(
      cities,
    );

    const streamed = { content: "", thinking: "", cities: [] as unknown[], ends: [] as string[] };
    for await (const { message, done, done_reason } of await client.chat({ ...asked, stream: true })) {
      streamed.content += message.content;
      streamed.thinking += message.thinking ?? "";
      streamed.cities.push(...(message.tool_calls ?? []).map(({ function: made }) => made.arguments["city"]));
      if (done) streamed.ends.push(done_reason);
    }
    expect(streamed).toEqual({ content, thinking, cities, ends: ["stop"] });
  });

  test("a reply that is cut, and thinking that was turned off", async () => {
    reply = {
      items: [
        { kind: "reasoning", text: thought },
        { kind: "text", text: "It is" },
      ],
      stop: "length",
    };
    const { message, done_reason } = await client.chat({ model, messages: [question], think: false });
    expect([message.thinking, message.content, done_reason]).toEqual([undefined, "It is", "length"]);
  });

  test("the answer to a plain prompt", async () => {
    reply = { items: [{ kind: "text", text }] };
    expect(await client.generate({ model, prompt: "Hi", system: "Be brief." })).toMatchObject({
      model,
      response: text,
      done: true,
    });
    let streamed = "";
    for await (const { response } of await client.generate({ model, prompt: "Hi", stream: true }))
      streamed += response;
    expect(streamed).toBe(text);
  });

  test("models, and what they can do", async () => {
    expect((await client.list()).models).toHaveLength(1);
    expect((await client.show({ model })).capabilities).toContain("tools");
    expect((await client.ps()).models).toEqual([]);
    expect((await client.version()).version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test("that a model is loaded and unloaded, which asks it nothing", async () => {
    const turns = server.model.turns;
    expect((await client.chat({ model, messages: [] })).done_reason).toBe("load");
    expect((await client.chat({ model, messages: [], keep_alive: 0 })).done_reason).toBe("unload");
    expect(server.model.turns).toBe(turns);
  });
});

test("a stream is lines, the last of them empty and with counts", async () => {
  reply = { items: [call("Lima")] };
  const { text: sent } = await post("/api/chat", { model, messages: [question] });
  const lines = sent
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    {
      message: {
        role: "assistant",
        content: "",
        tool_calls: [{ function: { index: 0, arguments: { city: "Lima" } } }],
      },
      done: false,
    },
    {
      message: { role: "assistant", content: "" },
      done: true,
      done_reason: "stop",
      eval_count: expect.any(Number),
    },
  ]);
});

const calling = (args: unknown) => ({
  role: "assistant",
  content: "",
  tool_calls: [{ function: { name: "get_weather", arguments: args } }],
});
const named = { role: "tool", tool_name: "get_weather", content: "rain" };

describe("Ollama refuses only what its types do not take", () => {
  test.each([
    [
      "a content of parts",
      { model, messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }] },
      "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string",
    ],
    [
      "arguments that are text",
      { model, messages: [question, calling('{"city":"Lima"}'), named] },
      "json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments",
    ],
    [
      "properties that are a list",
      {
        model,
        messages: [question],
        tools: [
          { type: "function", function: { name: "f", parameters: { type: "object", properties: [] } } },
        ],
      },
      "json: cannot unmarshal array into Go struct field ChatRequest.tools.function.parameters.properties of type map[string]api.ToolProperty",
    ],
    ["no model", { messages: [question] }, "model is required"],
  ])("%s", async (_, body, error) => {
    const { status, text: sent } = await post("/api/chat", body);
    expect([status, JSON.parse(sent)]).toEqual([400, { error }]);
  });

  test.each([
    ["", "missing request body"],
    ["{bad", "invalid character 'b' looking for beginning of object key string"],
    ['{"model":x}', "invalid character 'x' looking for beginning of value"],
    ['{"model":"m" 1}', "invalid character '1' after object key:value pair"],
    ['{"model":', "unexpected EOF"],
    ["[]", "json: cannot unmarshal array into Go value of type api.ChatRequest"],
  ])("and bytes that are no request: %s", async (body, error) => {
    const { status, text: sent } = await post("/api/chat", body);
    expect([status, JSON.parse(sent)]).toEqual([400, { error }]);
  });

  test.each([
    ["a result without a call", { messages: [question, named] }, ["orphaned-tool-result"]],
    [
      "a call without a result",
      { messages: [question, calling({ city: "Lima" }), question] },
      ["unanswered-tool-call"],
    ],
    ["a member that it does not know", { messages: [{ ...question, colour: "red" }], n: 2 }, []],
  ])("not %s, but warns", async (_, body, rules) => {
    reply = { items: [{ kind: "text", text }] };
    const before = server.model.warnings.length;
    const { status, text: sent } = await post("/api/chat", { model, stream: false, ...body });
    expect([status, JSON.parse(sent).message.content]).toEqual([200, text]);
    expect(server.model.warnings.slice(before).map(({ rule }) => rule)).toEqual(rules);
  });
});
