import { describe, expect, test } from "vitest";
import type { Conversation } from "../../src/conversation/conversation.ts";
import { check } from "../../src/index.ts";
import { openLog } from "../../src/log/open.ts";
import { protocolNamed, protocols } from "../../src/protocols/index.ts";
import { portableRequest } from "../../src/protocols/portable-request.ts";
import { supported } from "../../src/protocols/protocol.ts";
import { memorySource } from "../../src/reading/source.ts";

const pixel = "iVBORw0KGgo=";

/** The same history in the words of the chat API: a system prompt, an image, two parallel calls, a failed one, text beside a call. */
const chat = {
  model: "gpt-4o",
  max_completion_tokens: 500,
  temperature: 0.2,
  messages: [
    { role: "system", content: "You are a gardener." },
    {
      role: "user",
      content: [
        { type: "text", text: "What is wrong with my rose?" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } },
      ],
    },
    {
      role: "assistant",
      content: "I will look it up.",
      tool_calls: [
        { id: "call_a:1", type: "function", function: { name: "find_plant", arguments: '{"name":"rose"}' } },
        { id: "call_b:2", type: "function", function: { name: "weather", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "call_a:1", content: '{"family":"Rosaceae"}' },
    { role: "tool", tool_call_id: "call_b:2", content: "station offline" },
    { role: "assistant", content: "It has black spot." },
    { role: "user", content: "What helps?" },
  ],
  tools: [
    {
      type: "function",
      function: {
        name: "find_plant",
        description: "Looks up a plant",
        parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      },
    },
    { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } },
  ],
  tool_choice: "required",
};

async function translated(body: object, from: string, to: string) {
  const source = memorySource("draft", Buffer.from(JSON.stringify(body)));
  const { exchanges } = await openLog({ path: "draft", source });
  const [exchange] = exchanges;
  expect(exchange?.protocol).toBe(from);
  if (!exchange?.request) throw new Error("no request");
  const { plain, lost } = portableRequest(exchange.request, body as Record<string, unknown>);
  const encoded = supported(protocolNamed(to)?.encode)?.(plain, "target-model", false);
  if (!encoded) throw new Error(`no encoder for ${to}`);
  return { ...encoded, lost: [...lost, ...encoded.lost] };
}

/** What a history says, apart from how a protocol writes it. */
function saidIn(conversations: readonly Conversation[]): string[] {
  const request = conversations[0]?.steps[0]?.request;
  const said: string[] = [];
  for (let index = 0; request && index < request.history.length; index++) {
    for (const item of request.history.items(index)) {
      if (item.kind === "message" && item.role !== "system")
        said.push(`${item.role}: ${item.text}${item.hasMedia ? " +image" : ""}`);
      if (item.kind === "call") said.push(`call ${item.name} ${item.argumentsText}`);
      if (item.kind === "result") said.push(`result ${item.text}`);
    }
  }
  return said.sort();
}

describe("a history says the same in every protocol", () => {
  const targets = protocols.filter(({ encode }) => encode !== "unsupported").map(({ name }) => name);
  test.each(targets)("in %s, accepted there, and back again", async (to) => {
    const there = await translated(chat, "openai-chat", to);
    const source = memorySource("log", Buffer.from(JSON.stringify(there.body)));
    const log = await openLog({ path: "log", source });
    expect(log.exchanges[0]?.protocol).toBe(to);
    const report = await check(there.body);
    expect(report.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    const back = await translated(there.body, to, "openai-chat");
    expect(
      saidIn(
        (await openLog({ path: "log", source: memorySource("log", Buffer.from(JSON.stringify(back.body))) }))
          .conversations,
      ),
    ).toEqual(
      saidIn(
        (await openLog({ path: "log", source: memorySource("log", Buffer.from(JSON.stringify(chat))) }))
          .conversations,
      ),
    );
    expect(there.lost).toEqual(to === "ollama" ? ["the forced choice of a tool: Ollama has none"] : []);
  });
});

test("the Messages API gets its results in one message, ids that it takes, and a bound for the reply", async () => {
  const { body } = await translated(chat, "openai-chat", "anthropic");
  expect(body).toEqual({
    model: "target-model",
    max_tokens: 500,
    system: "You are a gardener.",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is wrong with my rose?" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I will look it up." },
          { type: "tool_use", id: "call_a_1", name: "find_plant", input: { name: "rose" } },
          { type: "tool_use", id: "call_b_2", name: "weather", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_a_1", content: '{"family":"Rosaceae"}' },
          { type: "tool_result", tool_use_id: "call_b_2", content: "station offline" },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "It has black spot." }] },
      { role: "user", content: [{ type: "text", text: "What helps?" }] },
    ],
    tools: [
      {
        name: "find_plant",
        description: "Looks up a plant",
        input_schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      },
      { name: "weather", input_schema: { type: "object", properties: {} } },
    ],
    tool_choice: { type: "any" },
    temperature: 0.2,
  });
});

test("what another provider cannot read is left out, and said", async () => {
  const responses = {
    model: "gpt-5",
    input: [
      { role: "user", content: "Search for roses" },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "xyz" },
      {
        type: "web_search_call",
        id: "ws_1",
        status: "completed",
        action: { type: "search", query: "roses" },
      },
      { type: "function_call", call_id: "call_1", name: "note", arguments: '{"text":"roses"}' },
      { type: "function_call_output", call_id: "call_1", output: "noted" },
      { type: "function_call_output", call_id: "call_9", output: "lost" },
    ],
    tools: [
      { type: "web_search" },
      { type: "function", name: "note", parameters: { type: "object", properties: {} } },
    ],
  };
  const { lost } = await translated(responses, "openai-responses", "anthropic");
  expect(lost).toEqual([
    "reasoning, which only its own provider can read",
    "a call to `web_search`, which the provider runs itself",
    "a result whose call is nowhere",
    "the tool `web_search`, which the provider runs itself",
  ]);
});

test("results without ids find their calls by name and order", async () => {
  const ollama = {
    model: "qwen3",
    stream: false,
    messages: [
      { role: "user", content: "Compare Oslo and Bergen" },
      {
        role: "assistant",
        content: "",
        tool_calls: [
          { function: { name: "weather", arguments: { city: "Oslo" } } },
          { function: { name: "weather", arguments: { city: "Bergen" } } },
        ],
      },
      { role: "tool", tool_name: "weather", content: "rain" },
      { role: "tool", tool_name: "weather", content: "more rain" },
    ],
  };
  const { body } = await translated(ollama, "ollama", "openai-responses");
  expect(body["input"]).toEqual([
    { role: "user", content: [{ type: "input_text", text: "Compare Oslo and Bergen" }] },
    { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' },
    { type: "function_call", call_id: "call_2", name: "weather", arguments: '{"city":"Bergen"}' },
    { type: "function_call_output", call_id: "call_1", output: "rain" },
    { type: "function_call_output", call_id: "call_2", output: "more rain" },
  ]);
});
