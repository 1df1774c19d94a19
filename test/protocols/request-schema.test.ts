import * as anthropicSchema from "schema:requests/anthropic";
import * as bedrockSchema from "schema:requests/bedrock-converse";
import * as geminiSchema from "schema:requests/gemini";
import * as ollamaSchema from "schema:requests/ollama";
import * as chatSchema from "schema:requests/openai-chat";
import * as responsesSchema from "schema:requests/openai-responses";
import { describe, expect, test } from "vitest";
import { containers } from "../../src/containers/index.ts";
import type { RequestForm } from "../../src/conversation/exchange.ts";
import { readLog } from "../../src/log/read.ts";
import { noDemands } from "../../src/protocols/demands.ts";
import { protocols } from "../../src/protocols/index.ts";
import { createFormReader } from "../../src/protocols/request-schema.ts";
import { memorySource } from "../../src/reading/source.ts";

const weather = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

/** How a request looks beside the schema of the protocol that it is read as. */
async function formOf(body: object, protocol?: string): Promise<RequestForm> {
  const source = memorySource("log.json", Buffer.from(JSON.stringify(body)));
  const chosen = protocols.find(({ name }) => name === protocol);
  const { exchanges } = await readLog(source, containers, protocols, chosen ? { protocol: chosen } : {});
  const form = exchanges[0]?.form;
  if (!form) throw new Error("no request was read");
  return form;
}

/** All faults, each as one line; those of the first `elements` elements of the history with their number. */
function lines({ faults, elementFaults }: RequestForm, elements = 0): string[] {
  const inside = Array.from({ length: elements }, (_, index) =>
    elementFaults(index).map((fault) => ({ ...fault, pointer: `${index}${fault.pointer}` })),
  ).flat();
  return [...faults, ...inside].map(
    ({ kind, pointer, member, wanted }) => `${kind} ${pointer || "/"} ${member ?? wanted}`,
  );
}

describe("a request in its API's own form has no fault", () => {
  const chat = {
    model: "gpt-5-mini",
    stream: true,
    stream_options: { include_usage: true },
    temperature: null,
    tools: [
      {
        type: "function",
        function: { name: "get_weather", description: "…", parameters: weather, strict: false },
      },
      { type: "custom", custom: { name: "run_code", format: { type: "text" } } },
    ],
    tool_choice: { type: "function", function: { name: "get_weather" } },
    parallel_tool_calls: false,
    messages: [
      { role: "developer", content: [{ type: "text", text: "Be brief." }] },
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
        ],
      },
      {
        role: "assistant",
        content: null,
        refusal: null,
        annotations: [],
        tool_calls: [
          { id: "call_1", type: "function", index: 0, function: { name: "get_weather", arguments: "{}" } },
          { id: "call_2", type: "custom", custom: { name: "run_code", input: "1 + 1" } },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "18 degrees" },
      { role: "tool", tool_call_id: "call_2", content: [{ type: "text", text: "2" }] },
    ],
  };
  const responses = {
    model: "gpt-5-mini",
    instructions: "Be brief.",
    store: false,
    include: ["reasoning.encrypted_content"],
    tools: [{ type: "function", name: "get_weather", parameters: weather }, { type: "web_search" }],
    input: [
      { role: "user", content: "What is the weather in Lima?" },
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "…" }], content: null },
      { type: "function_call", call_id: "call_1", name: "get_weather", arguments: "{}", namespace: "travel" },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: [{ type: "input_text", text: "18 degrees" }],
      },
      { role: "assistant", content: [{ type: "output_text", text: "18 degrees", annotations: [] }] },
      { id: "msg_9" },
      { type: "item_reference", id: "msg_1" },
    ],
  };
  const anthropic = {
    model: "claude-sonnet-4-5",
    max_tokens: 3000,
    thinking: { type: "enabled", budget_tokens: 2000 },
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    tools: [
      { name: "get_weather", input_schema: weather },
      { type: "web_search_20250305", name: "web_search" },
    ],
    tool_choice: { type: "auto" },
    messages: [
      { role: "user", content: "What is the weather in Lima?" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "", signature: "abc" },
          { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Lima" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_1", is_error: false },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
        ],
      },
    ],
  };
  const gemini = {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    tools: [{ functionDeclarations: [{ name: "get_weather", parameters: weather }] }, { googleSearch: {} }],
    generationConfig: { temperature: 0 },
    contents: [
      { role: "user", parts: [{ text: "What is the weather in Lima?" }] },
      {
        role: "model",
        parts: [{ functionCall: { name: "get_weather", args: {} }, thoughtSignature: "abc" }],
      },
      { role: "user", parts: [{ function_response: { name: "get_weather", response: { output: "18" } } }] },
      { parts: [{ text: "" }] },
    ],
  };
  const ollama = {
    model: "qwen3",
    think: true,
    options: { num_ctx: 8192 },
    tools: [{ type: "function", function: { name: "get_weather", parameters: weather } }],
    messages: [
      { role: "user", content: "What is the weather in Lima?", images: ["iVBORw0KGgo="] },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ function: { name: "get_weather", arguments: { city: "Lima" } } }],
      },
      { role: "tool", tool_name: "get_weather", content: "18 degrees" },
    ],
  };
  const bedrock = {
    modelId: "amazon.nova-lite-v1:0",
    system: [{ text: "Be brief." }],
    inferenceConfig: { maxTokens: 300 },
    toolConfig: { tools: [{ toolSpec: { name: "get_weather", inputSchema: { json: weather } } }] },
    messages: [
      { role: "user", content: [{ text: "What is the weather in Lima?" }] },
      { role: "assistant", content: [{ toolUse: { toolUseId: "t1", name: "get_weather", input: {} } }] },
      { role: "user", content: [{ toolResult: { toolUseId: "t1", content: [{ text: "18 degrees" }] } }] },
    ],
  };

  test.each([
    { name: "openai-chat", body: chat },
    { name: "openai-responses", body: responses },
    { name: "anthropic", body: anthropic },
    { name: "gemini", body: gemini },
    { name: "ollama", body: ollama },
    { name: "bedrock-converse", body: bedrock },
  ])("$name", async ({ name, body }) => {
    expect(lines(await formOf(body, name), historyLength(body))).toEqual([]);
  });

  test.each([
    { name: "openai-chat", schema: chatSchema, body: chat },
    { name: "openai-responses", schema: responsesSchema, body: responses },
    { name: "anthropic", schema: anthropicSchema, body: anthropic },
    { name: "gemini", schema: geminiSchema, body: gemini },
    { name: "ollama", schema: ollamaSchema, body: ollama },
    { name: "bedrock-converse", schema: bedrockSchema, body: bedrock },
  ])("nor has it beside the published schema of $name as a whole", ({ schema, body }) => {
    expect(schema.body(body)).toBe(true);
  });
});

function historyLength(body: object): number {
  const { messages, input, contents } = body as Record<string, readonly unknown[]>;
  return (messages ?? input ?? contents ?? []).length;
}

describe("a fault is told by the smallest place and what is wanted there", () => {
  const model = "gpt-5-mini";
  test.each([
    {
      name: "a role that the API does not have",
      protocol: "openai-chat",
      body: { model, messages: [{ role: "ai", content: "18 degrees" }] },
      faults: ["value 0/role `system`, `developer`, `user`, `assistant`, `tool` or `function`"],
    },
    {
      name: "the right branch of many: a part of the assistant's in the form of the user's",
      protocol: "openai-responses",
      body: { model, input: [{ role: "assistant", content: [{ type: "input_text", text: "18 degrees" }] }] },
      faults: ["value 0/content/0/type `output_text` or `refusal`"],
    },
    {
      name: "a part without its type",
      protocol: "openai-responses",
      body: {
        model,
        input: [
          {
            role: "user",
            content: [{ type: "input_text", text: "Lima?" }, { image_url: "https://example.com/a.png" }],
          },
        ],
      },
      faults: ["missing 0/content/1 type"],
    },
    {
      name: "a tool in the form of another API",
      protocol: "openai-chat",
      body: {
        model,
        tools: [{ type: "function", name: "get_weather" }],
        messages: [{ role: "user", content: "Lima?" }],
      },
      faults: ["missing /tools/0 function"],
    },
    {
      name: "a setting of the wrong type",
      protocol: "openai-chat",
      body: { model, temperature: "0.7", messages: [{ role: "user", content: "Lima?" }] },
      faults: ["type /temperature a number"],
    },
    {
      name: "a member that is not known",
      protocol: "openai-chat",
      body: { model, messages: [{ role: "assistant", content: null, tool_call: [] }] },
      faults: ["unknown 0 tool_call"],
    },
    {
      name: "a member that may only stand beside another",
      protocol: "openai-chat",
      body: { model, parallel_tool_calls: true, messages: [{ role: "user", content: "Lima?" }] },
      faults: ["alone / parallel_tool_calls"],
    },
    {
      name: "a member that is refused in this place",
      protocol: "anthropic",
      body: {
        model: "claude-sonnet-4-5",
        messages: [
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "…", signature: "a", cache_control: { type: "ephemeral" } },
            ],
          },
        ],
      },
      faults: ["misplaced 0/content/0 cache_control"],
    },
    {
      name: "two tools of one name",
      protocol: "anthropic",
      body: {
        model: "claude-sonnet-4-5",
        tools: [
          { type: "web_search_20250305", name: "web_search" },
          { name: "web_search", input_schema: { type: "object" } },
        ],
        messages: [{ role: "user", content: "Lima?" }],
      },
      faults: ["limit /tools/1/name each name of a tool once"],
    },
    {
      name: "a name that no tool can have",
      protocol: "openai-chat",
      body: {
        model,
        tools: [{ type: "function", function: { name: "get weather", parameters: { properties: [] } } }],
        messages: [{ role: "user", content: "Lima?" }],
      },
      faults: [
        "limit /tools/0/function/name letters, digits, `_` and `-`",
        "type /tools/0/function/parameters/properties an object",
      ],
    },
    {
      name: "a result of parts that the API does not take",
      protocol: "openai-chat",
      body: {
        model,
        messages: [{ role: "tool", tool_call_id: "call_1", content: [{ type: "file", file: {} }] }],
      },
      faults: ["value 0/content/0/type `text` or `image_url`"],
    },
    {
      name: "an empty history",
      protocol: "openai-chat",
      body: { model, temperature: 0, messages: [] },
      faults: ["limit /messages at least 1 element"],
    },
    {
      name: "half of a character",
      protocol: "openai-chat",
      body: { model, messages: [{ role: "user", content: [{ type: "text", text: "Lima \ud83d" }] }] },
      faults: ["text 0/content/0/text whole characters"],
    },
    {
      name: "a content without its list of parts",
      protocol: "gemini",
      body: {
        contents: [
          { role: "user", parts: [{ text: "Lima?" }] },
          { role: "model", text: "18 degrees" },
        ],
      },
      faults: ["missing 1 parts"],
    },
  ])("$name", async ({ protocol, body, faults }) => {
    expect(lines(await formOf(body, protocol), historyLength(body))).toEqual(faults);
  });
});

test("pointers go through the envelope that a request stands in", async () => {
  const body = {
    model: "gemini-2.5-flash",
    project: "lima",
    request: { contents: [{ role: "user", parts: [{ text: "Lima?" }] }], safetySettings: "none" },
  };
  expect(lines(await formOf(body))).toEqual(["type /request/safetySettings a list"]);
});

test("an element that a later request repeats is looked at once", () => {
  const reader = createFormReader(chatSchema, { historyKeys: ["messages"] });
  const element = { value: { role: "ai" }, size: 14, isBroken: false };
  const run = { length: 1, element: () => element } as never;
  const role = () => "unknown" as const;
  const history = { length: 1, element: () => element, items: () => [], role, run };
  const request = { history, settings: {} } as never;
  const body = { fields: { model: "a" }, envelope: {}, base: "" } as never;
  const [first, second] = [reader(body, request, noDemands), reader(body, request, noDemands)];
  expect(first.elementFaults(0)).toHaveLength(1);
  expect(second.elementFaults(0)).toBe(first.elementFaults(0));
});

test("an element of very many parts is not looked at", async () => {
  const content = Array.from({ length: 2_000 }, () => ({ type: "text" }));
  const form = await formOf({ model: "gpt-5-mini", messages: [{ role: "user", content }] }, "openai-chat");
  expect(form.elementFaults(0)).toEqual([]);
});

describe("the schema of a tool's parameters", () => {
  const asked = { messages: [{ role: "user", content: "How warm is it in Oslo?" }] };
  const chat = (model: string, parameters: unknown): object => ({
    model,
    ...asked,
    tools: [{ type: "function", function: { name: "get_weather", parameters } }],
  });
  const responses = (parameters: unknown): object => ({
    model: "gpt-5-mini",
    input: [{ role: "user", content: "How warm is it in Oslo?" }],
    tools: [{ type: "function", name: "get_weather", parameters }],
  });
  const gemini = (items: object): object => ({
    contents: [{ role: "user", parts: [{ text: "How warm is it in Oslo?" }] }],
    tools: [
      {
        functionDeclarations: [
          {
            name: "get_weather",
            parameters: { type: "OBJECT", properties: { places: { type: "ARRAY", items } } },
          },
        ],
      },
    ],
  });

  test("OpenAI wants an object with properties", async () => {
    const bare = { type: "object", additionalProperties: false };
    const wanted = ["alone /tools/0/function/parameters type"];
    expect(lines(await formOf(chat("gpt-5-mini", bare)))).toEqual(wanted);
    expect(lines(await formOf(responses(bare)))).toEqual(["alone /tools/0/parameters type"]);
    expect(lines(await formOf(chat("gpt-5-mini", { ...bare, properties: {} })))).toEqual([]);
    expect(lines(await formOf(chat("gpt-5-mini", {})))).toEqual([]);
    expect(lines(await formOf(chat("gpt-5-mini", { type: "array", items: weather })))).toEqual([
      'limit /tools/0/function/parameters/type `"object"`',
    ]);
    expect(lines(await formOf(responses({ type: "string" })))).toEqual([
      'limit /tools/0/parameters/type `"object"`',
    ]);
  });

  test("an object in an object may leave its properties open", async () => {
    const open = { type: "object", properties: { filter: { type: "object" } } };
    expect(lines(await formOf(chat("gpt-5-mini", open)))).toEqual([]);
  });

  test("DeepSeek wants an object", async () => {
    for (const parameters of [null, { type: "string" }, { type: null }])
      expect(lines(await formOf(chat("deepseek-chat", parameters)))).toContain(
        'together /tools/0/function/parameters which the API refuses, since the schema of parameters has to be of `type: "object"`',
      );
    expect(lines(await formOf(chat("deepseek-chat", weather)))).toEqual([]);
    expect(lines(await formOf(chat("deepseek-chat", {})))).toEqual([]);
  });

  test("Gemini knows no other names than those of schemas", async () => {
    const place = { type: "OBJECT", properties: { name: { type: "STRING", min_length: "1" } } };
    expect(lines(await formOf(gemini(place)))).toEqual([]);
    expect(lines(await formOf(gemini({ ...place, cornerRadius: 4, zoom: "near" })))).toEqual([
      "misplaced /tools/0/functionDeclarations/0/parameters/properties/places/items cornerRadius",
      "misplaced /tools/0/functionDeclarations/0/parameters/properties/places/items zoom",
    ]);
  });
});

test("DeepSeek has no developer", async () => {
  const body = (model: string): object => ({
    model,
    messages: [
      { role: "developer", content: "Answer in one word." },
      { role: "user", content: "Is it warm in Oslo?" },
    ],
  });
  expect(lines(await formOf(body("deepseek-chat")), 2)).toEqual([
    "type 0/role `system`, `user`, `assistant` or `tool`",
  ]);
  expect(lines(await formOf(body("gpt-5-mini")), 2)).toEqual([]);
});
