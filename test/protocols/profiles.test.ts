import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { protocols } from "../../src/protocols/index.ts";
import { profiles } from "../../src/protocols/profiles/index.ts";
import { judgement } from "../../src/protocols/profiles/judge.ts";

type Message = Record<string, unknown>;

const question = { role: "user", content: "Is it raining in Oslo?" };
const call = {
  role: "assistant",
  content: null,
  tool_calls: [
    { id: "call_oslo", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
  ],
};
const result = { role: "tool", tool_call_id: "call_oslo", content: "rain, 7 degrees" };
const answer = { role: "assistant", content: "Yes, it is." };
const tools = [
  { type: "function", function: { name: "get_weather", parameters: { type: "object", properties: {} } } },
];

/** A record of a log: a chat request, where it went and what came back. */
function chat(messages: readonly Message[], more: object = {}, model = "gpt-5-mini"): object {
  return { request: { model, messages, tools }, ...more };
}

interface Asked {
  readonly profile?: string;
  readonly target?: string;
}

/** What a record is reported for: `rule/kind severity`, in order. */
async function said(record: object, asked: Asked = {}): Promise<string[]> {
  const { findings } = await check(Buffer.from(`${JSON.stringify(record)}\n`), asked);
  return findings.map(({ rule, kind, severity }) => `${rule}/${kind} ${severity}`);
}

async function judges(record: object, asked: Asked = {}): Promise<unknown> {
  const { files } = await check(Buffer.from(`${JSON.stringify(record)}\n`), asked);
  return files[0]?.judgedFor?.map(({ profile, by }) => `${profile} by ${by}`);
}

test("profiles speak protocols that there are, each under a name of its own", () => {
  const known = new Set(protocols.map(({ name }) => name));
  expect(
    profiles.flatMap((profile) => Object.keys(profile.protocols)).filter((name) => !known.has(name)),
  ).toEqual([]);
  expect(new Set(profiles.map(({ name }) => name)).size).toBe(profiles.length);
});

describe("demands", () => {
  const of = (protocol: string, model: string) =>
    judgement({ protocol, model, url: undefined, host: undefined, reply: undefined }).demands;

  test.each([
    ["anthropic", "claude-sonnet-4-5"],
    ["openai-chat", "gpt-4o"],
    ["openai-chat", "qwen3-8b"],
    ["gemini", "gemini-2.5-flash"],
  ])("of %s on %s are one object, however many exchanges a log has", (protocol, model) => {
    expect(of(protocol, model)).toBe(of(protocol, model));
  });

  test("of models that differ are those of each", () => {
    const [older, newer] = [of("anthropic", "claude-sonnet-4-5"), of("anthropic", "claude-sonnet-4-6")];
    expect([older.refusesPrefill, newer.refusesPrefill]).toEqual([undefined, true]);
    expect(of("anthropic", "claude-sonnet-4-5")).toBe(older);
  });
});

describe("who is asked is found out", () => {
  const chatUrl = (host: string): object => ({ url: `https://${host}/v1/chat/completions` });
  const reply = (more: object, choice: object = {}): object => ({
    response: {
      id: "c1",
      object: "chat.completion",
      ...more,
      choices: [{ index: 0, message: answer, finish_reason: "stop", ...choice }],
    },
  });

  test.each([
    ["api.openai.com", "openai"],
    ["my-firm.openai.azure.com", "azure-openai"],
    ["api.mistral.ai", "mistral"],
    ["api.groq.com", "groq"],
    ["api.x.ai", "xai"],
    ["api.cohere.com", "cohere"],
    ["openrouter.ai", "openrouter"],
    ["api.githubcopilot.com", "github-copilot"],
    ["ollama.com", "ollama"],
  ])("by the host %s: %s", async (host, profile) => {
    expect(await judges(chat([question], chatUrl(host)))).toEqual([`${profile} by host`]);
  });

  test("by the `host` header, where the log keeps the path only", async () => {
    const record = {
      url: "/v1/chat/completions",
      headers: { host: "api.groq.com:443" },
      ...chat([question]),
    };
    expect(await judges(record)).toEqual(["groq by host"]);
  });

  test("by the region of a Vertex endpoint", async () => {
    const url =
      "https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-flash:generateContent";
    const request = { contents: [{ role: "user", parts: [{ text: "Is it raining in Oslo?" }] }] };
    expect(await judges({ url, request })).toEqual(["vertex by host"]);
  });

  test("by what only its replies hold", async () => {
    expect(await judges(chat([question], reply({ x_groq: { id: "req_1" } })))).toEqual(["groq by reply"]);
    expect(await judges(chat([question], reply({ system_fingerprint: "fp_ollama" })))).toEqual([
      "ollama by reply",
    ]);
    expect(await judges(chat([question], reply({ system_fingerprint: "b6123-6d05498" })))).toEqual([
      "llama.cpp by reply",
    ]);
    expect(await judges(chat([question], reply({ prompt_filter_results: [] })))).toEqual([
      "azure-openai by reply",
    ]);
    expect(await judges(chat([question], reply({}, { native_finish_reason: "STOP" })))).toEqual([
      "openrouter by reply",
    ]);
  });

  test("by the model, when nothing else tells", async () => {
    expect(await judges(chat([question], {}, "mistral-small-latest"))).toEqual(["mistral by model"]);
  });

  test("not by a host that somebody chose himself, nor by a fingerprint of OpenAI's form", async () => {
    expect(
      await judges(chat([question], { url: "http://127.0.0.1:8080/v1/chat/completions" })),
    ).toBeUndefined();
    expect(
      await judges(chat([question], reply({ system_fingerprint: "fp_44709d6fcb" }), "my-model")),
    ).toBeUndefined();
  });

  test.each([
    ["gpt-5-mini", "openai"],
    ["o3", "openai"],
    ["ft:gpt-4.1-mini:acme::A1", "openai"],
    ["gemini-3-pro-preview", "gemini"],
    ["grok-4", "xai"],
    ["kimi-k2.6", "moonshot"],
    ["qwen3-max", "dashscope"],
    ["llama-3.3-70b-versatile", "groq"],
    ["MiniMax-M2", "minimax"],
    ["deepseek-chat", "deepseek"],
  ])("a body alone, by its model: %s is of %s", async (model, profile) => {
    expect(await judges(chat([question], {}, model))).toEqual([`${profile} by model`]);
  });

  test.each([
    "gpt-oss:20b",
    "openai/gpt-oss-120b",
    "Qwen/Qwen3-8B",
    "o",
    "opus",
    "llama3.1:8b",
    "gemma-3-27b-it",
  ])("a body alone: %s may be anybody's", async (model) => {
    expect(await judges(chat([question], {}, model))).toBeUndefined();
  });

  test("a host that ends like a provider's is not the provider's", async () => {
    expect(await judges(chat([question], chatUrl("api.openai.com.example.org")))).toBeUndefined();
  });
});

describe("the same history is judged for where it was sent", () => {
  const at = (host: string) => ({ url: `https://${host}/v1/chat/completions` });
  const userFirst = [question, call, result, { role: "user", content: "And in Bergen?" }];

  test("a result whose call is gone is lost on its way to the model, whether the provider says so or not", async () => {
    const orphan = [question, result];
    expect(await said(chat(orphan, at("api.openai.com")))).toEqual(["orphaned-tool-result/noCall error"]);
    expect(await said(chat(orphan, at("ollama.com")))).toEqual(["orphaned-tool-result/noCall error"]);
  });

  test("a user who speaks right after a result: nothing at OpenAI, a warning at Mistral, some of whose models take it", async () => {
    expect(await said(chat(userFirst, at("api.openai.com")))).toEqual([]);
    const mistral = userFirst.map((message) =>
      JSON.parse(JSON.stringify(message).replaceAll("call_oslo", "callOslo1")),
    );
    expect(await said(chat(mistral, at("api.mistral.ai"), "mistral-small-latest"))).toEqual([
      "bad-turn-order/userAfterResult warning",
    ]);
    const refusal = {
      ...at("api.mistral.ai"),
      status: 400,
      response: {
        object: "error",
        message: "Unexpected role 'user' after role 'tool'",
        type: "invalid_request_message_order",
        code: 3230,
      },
    };
    expect(await said(chat(mistral, refusal, "mistral-small-latest"))).toContain(
      "bad-turn-order/userAfterResult error",
    );
  });

  test("a history that ends with the model: legal at OpenAI; at Mistral only with `prefix`, which Kimi calls `partial`", async () => {
    const start = { role: "assistant", content: "In Oslo" };
    expect(await said(chat([question, start], at("api.openai.com")))).toEqual([]);
    expect(await said(chat([question, start], at("api.mistral.ai")))).toEqual([
      "bad-turn-order/prefill error",
    ]);
    expect(await said(chat([question, { ...start, prefix: true }], at("api.mistral.ai")))).toEqual([]);
    expect(await said(chat([question, { ...start, partial: true }], at("api.mistral.ai")))).toEqual([]);
    const goesOn = {
      ...at("api.mistral.ai"),
      request: { model: "mistral-small-latest", messages: [question, start], continue_final_message: true },
    };
    expect(await said(goesOn)).toEqual([]);
  });

  test("a history that begins with the model: refused by Mistral, Gemini, and Bedrock but for Claude", async () => {
    expect(await said(chat([answer, question], at("api.openai.com")))).toEqual([]);
    expect(await said(chat([answer, question], at("api.mistral.ai")))).toEqual([
      "bad-turn-order/first error",
    ]);
    expect(
      await said(chat([{ role: "system", content: "Be brief." }, question], at("api.mistral.ai"))),
    ).toEqual([]);

    const contents = [
      { role: "model", parts: [{ text: "Hello!" }] },
      { role: "user", parts: [{ text: "Is it raining?" }] },
    ];
    const gemini = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent";
    expect(await said({ url: gemini, request: { contents } })).toEqual(["bad-turn-order/first error"]);

    const converse = (model: string) => ({
      url: `https://bedrock-runtime.us-east-1.amazonaws.com/model/${model}/converse`,
      request: {
        messages: [
          { role: "assistant", content: [{ text: "Hello!" }] },
          { role: "user", content: [{ text: "Is it raining?" }] },
        ],
      },
    });
    expect(await said(converse("amazon.nova-lite-v1%3A0"))).toEqual(["bad-turn-order/first error"]);
    expect(await said(converse("us.anthropic.claude-sonnet-4-5-20250929-v1%3A0"))).toEqual([]);
  });

  test("a history with calls and no tools: refused by Bedrock, legal at Anthropic", async () => {
    const messages = [
      { role: "user", content: [{ text: "Is it raining in Oslo?" }] },
      {
        role: "assistant",
        content: [{ toolUse: { toolUseId: "tooluse_1", name: "get_weather", input: { city: "Oslo" } } }],
      },
      { role: "user", content: [{ toolResult: { toolUseId: "tooluse_1", content: [{ text: "rain" }] } }] },
    ];
    const url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.nova-lite-v1%3A0/converse";
    expect(await said({ url, request: { messages } })).toEqual(["dropped-tools/needed error"]);
    const blocks = [
      { role: "user", content: "Is it raining in Oslo?" },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Oslo" } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "rain" }] },
    ];
    const request = { model: "claude-sonnet-4-5", max_tokens: 1024, messages: blocks };
    expect(await said({ url: "https://api.anthropic.com/v1/messages", request })).toEqual([
      "dropped-tools/never info",
    ]);
  });

  test("signed reasoning: refused by models on Bedrock that are not Claude", async () => {
    const converse = (model: string) => ({
      url: `https://bedrock-runtime.us-east-1.amazonaws.com/model/${model}/converse`,
      request: {
        messages: [
          { role: "user", content: [{ text: "Is it raining?" }] },
          {
            role: "assistant",
            content: [
              { reasoningContent: { reasoningText: { text: "Hm.", signature: "EqMB" } } },
              { text: "Yes." },
            ],
          },
          { role: "user", content: [{ text: "Sure?" }] },
        ],
      },
    });
    expect(await said(converse("amazon.nova-lite-v1%3A0"))).toEqual(["refused-reasoning/seal error"]);
    expect(await said(converse("us.anthropic.claude-sonnet-4-5-20250929-v1%3A0"))).toEqual([]);
  });

  test("adaptive thinking is thinking: what it left at the end of a history may go back", async () => {
    const request = (thinking: object | undefined) => ({
      url: "https://api.anthropic.com/v1/messages",
      request: {
        model: "claude-sonnet-4-5",
        max_tokens: 2048,
        ...(thinking && { thinking }),
        messages: [
          { role: "user", content: "Is it raining?" },
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "Hm.", signature: "EqMB" },
              { type: "text", text: "I do" },
            ],
          },
        ],
      },
    });
    expect(await said(request({ type: "adaptive" }))).toEqual([]);
    expect(await said(request({ type: "disabled" }))).toEqual(["refused-reasoning/last error"]);
    expect(await said(request(undefined))).toEqual(["refused-reasoning/last error"]);
  });

  test("results of one turn in two contents: put together by AI Studio, counted apart by Code Assist", async () => {
    const functionCall = (city: string) => ({ functionCall: { name: "get_weather", args: { city } } });
    const functionResponse = { functionResponse: { name: "get_weather", response: { output: "rain" } } };
    const request = {
      contents: [
        { role: "user", parts: [{ text: "Is it raining in Oslo and Bergen?" }] },
        { role: "model", parts: [functionCall("Oslo"), functionCall("Bergen")] },
        { role: "user", parts: [functionResponse] },
        { role: "user", parts: [functionResponse] },
      ],
      tools: [{ functionDeclarations: [{ name: "get_weather" }] }],
    };
    const studio = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent";
    expect(await said({ url: studio, request })).toEqual([]);
    const assist = "https://cloudcode-pa.googleapis.com/v1internal:generateContent";
    expect(await said({ url: assist, request: { model: "gemini-2.5-flash", request } })).toEqual([
      "misplaced-tool-result/split error",
    ]);
    const vertex =
      "https://us-east1-aiplatform.googleapis.com/v1/projects/p/locations/us-east1/publishers/google/models/gemini-2.5-flash:generateContent";
    expect(await said({ url: vertex, request })).toEqual(["misplaced-tool-result/split error"]);
  });

  test("Claude from 4.6 on goes on with no beginning, also behind gateways, where that is presumed", async () => {
    const messages = [question, { role: "assistant", content: "In Oslo" }];
    const openrouter = at("openrouter.ai");
    expect(await said(chat(messages, openrouter, "anthropic/claude-opus-4.6"))).toEqual([
      "bad-turn-order/prefill warning",
    ]);
    expect(await said(chat(messages, openrouter, "anthropic/claude-haiku-4.5"))).toEqual([]);
    const own = {
      url: "https://api.anthropic.com/v1/messages",
      request: { model: "claude-opus-4-6", max_tokens: 100, messages },
    };
    expect(await said(own)).toEqual(["bad-turn-order/prefill error"]);
    expect(await said({ ...own, request: { ...own.request, fallback_credit_token: "fct_1" } })).toEqual([]);
  });

  test("item ids of a clone's own making are not refused by it", async () => {
    const input = [
      { role: "user", content: "Is it raining?" },
      { type: "function_call", id: "item_1", call_id: "call_1", name: "get_weather", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "rain" },
    ];
    const record = (host: string, model: string) => ({
      url: `https://${host}/v1/responses`,
      request: { model, input, tools: [{ type: "function", name: "get_weather" }] },
    });
    expect(await said(record("api.openai.com", "gpt-5"))).toEqual(["invalid-call-id/item error"]);
    expect(await said(record("api.x.ai", "grok-4"))).toEqual([]);
  });
});

describe("servers of one's own render a template, and the template decides", () => {
  const gemma = { profile: "vllm/gemma-3-27b-it" };

  test("turns that do not alternate stop Gemma's template; calls and results do not count", async () => {
    expect(await said(chat([question, { role: "user", content: "Well?" }], {}, "gemma-3-27b-it"))).toEqual(
      [],
    );
    expect(await said(chat([question, { role: "user", content: "Well?" }]), gemma)).toEqual([
      "bad-turn-order/alternation error",
    ]);
    expect(
      await said(chat([question, call, result, answer, { role: "user", content: "Thanks." }]), gemma),
    ).toEqual([]);
    expect(await said(chat([question, call, result, { role: "user", content: "Well?" }]), gemma)).toEqual([
      "bad-turn-order/alternation error",
    ]);
  });

  test("a system prompt behind other messages stops the template of Qwen 3.5, not that of Qwen 3", async () => {
    const late = [
      question,
      answer,
      { role: "system", content: "Be brief." },
      { role: "user", content: "And Bergen?" },
    ];
    expect(await said(chat(late), { profile: "llama.cpp/Qwen3.5-32B" })).toEqual([
      "bad-turn-order/system error",
    ]);
    expect(await said(chat(late), { profile: "llama.cpp/Qwen3-32B" })).toEqual([]);
  });

  test("two messages of the model at the end stop llama.cpp alone", async () => {
    const two = [question, answer, { role: "assistant", content: "Bring an umbrella." }];
    expect(await said(chat(two), { profile: "llama.cpp" })).toEqual(["bad-turn-order/twoAtEnd error"]);
    expect(await said(chat(two), { profile: "lm-studio" })).toEqual([]);
  });

  test("an empty list of calls stops Llama's template on vLLM, and passes elsewhere", async () => {
    const empty = [question, { ...answer, tool_calls: [] }, { role: "user", content: "And Bergen?" }];
    expect(await said(chat(empty), { profile: "vllm/llama-3.3-70b" })).toEqual(["empty-content/calls error"]);
    expect(await said(chat(empty), { profile: "ollama" })).toEqual([]);
  });

  test("results in any place are taken", async () => {
    const late = [question, call, { role: "user", content: "Well?" }, result];
    expect(await said(chat(late), { profile: "openai" })).toEqual([
      "misplaced-tool-result/not-adjacent error",
    ]);
    expect(await said(chat(late), { profile: "lm-studio" })).toEqual([]);
  });
});

describe("a prompt that the server stores", () => {
  test("may hold the instructions and the tools that later requests leave out", async () => {
    const first = {
      model: "gpt-5",
      instructions: "Be brief.",
      tools: [{ type: "function", name: "get_weather" }],
    };
    const input = [{ role: "user", content: "Is it raining?" }];
    const called = {
      type: "function_call",
      id: "fc_1",
      call_id: "call_1",
      name: "get_weather",
      arguments: "{}",
    };
    const reply = { id: "resp_1", object: "response", status: "completed", output: [called] };
    const next = [...input, called, { type: "function_call_output", call_id: "call_1", output: "rain" }];
    const log = (later: object) =>
      Buffer.from(
        `${JSON.stringify({ request: { ...first, input }, response: reply })}\n${JSON.stringify({ request: { model: "gpt-5", input: next, ...later } })}\n`,
      );
    const rules = async (later: object) => (await check(log(later))).findings.map(({ rule }) => rule);
    expect(await rules({})).toEqual(["dropped-system-prompt", "dropped-tools"]);
    expect(await rules({ prompt: { id: "pmpt_1", version: "2" } })).toEqual([]);
  });
});

describe("a profile that is named", () => {
  test("decides wherever the requests went, as certain", async () => {
    const record = chat([question], { url: "http://127.0.0.1:4000/v1/chat/completions" });
    expect(await judges(record, { profile: "groq" })).toEqual(["groq by profile"]);
  });

  test("is passed over where it does not speak the protocol", async () => {
    expect(
      await judges(chat([question], { url: "https://api.x.ai/v1/chat/completions" }), {
        profile: "anthropic",
      }),
    ).toEqual(["xai by host"]);
  });

  test("and does not exist, is a RangeError of the library", async () => {
    await expect(check({ messages: [question] }, { profile: "openia" })).rejects.toThrow(
      "no profile is called `openia`",
    );
    await expect(check({ messages: [question] }, { target: "toString" })).rejects.toThrow(RangeError);
  });
});

describe("a target", () => {
  const served = {
    url: "https://api.moonshot.ai/v1/chat/completions",
    status: 200,
    response: { id: "c1", model: "kimi-k2", choices: [{ index: 0, message: answer, finish_reason: "stop" }] },
  };
  const kimi = (messages: readonly Message[]): Message[] =>
    messages.map((message) =>
      JSON.parse(JSON.stringify(message).replaceAll("call_oslo", "functions.get_weather:0")),
    );
  const round = kimi([question, call, result]);

  test("judges a history by demands of a provider that it has not been sent to yet, whatever another one answered", async () => {
    const record = chat(round, served, "kimi-k2");
    expect(await said(record)).toEqual([]);
    expect(await said(record, { target: "anthropic" })).toEqual(["invalid-call-id/rewrite error"]);
    expect(await judges(record, { target: "anthropic" })).toEqual(["anthropic by target"]);
  });

  test("tells all ids of one form once, with the requests that carry them", async () => {
    const more = kimi([
      { ...call, tool_calls: [{ ...call.tool_calls[0], id: "functions.get_weather:1" }] },
      { ...result, tool_call_id: "functions.get_weather:1" },
    ]);
    const { findings } = await check(
      Buffer.from(`${JSON.stringify(chat([...round, ...more], served, "kimi-k2"))}\n`),
      { target: "mistral" },
    );
    expect(findings.map(({ message }) => message)).toEqual([
      "call id `functions.get_weather:0` must be rewritten for mistral, which accepts only 9 letters or digits",
    ]);
  });

  test("has models of its own, which may demand more", async () => {
    const messages = [question, { role: "assistant", content: "In Oslo" }];
    expect(await said(chat(messages, served), { target: "anthropic/claude-haiku-4-5" })).toEqual([]);
    expect(await said(chat(messages, served), { target: "anthropic/claude-opus-4-6" })).toEqual([
      "bad-turn-order/prefill error",
    ]);
  });

  test("is not asked for what a translation brings into form anyway", async () => {
    const messages = [
      { role: "system", content: "Be brief." },
      question,
      { role: "user", content: "" },
      call,
      result,
      answer,
      { role: "assistant", content: "Bring an umbrella." },
      { role: "user", content: "Thanks." },
    ];
    for (const target of ["anthropic", "gemini", "vertex", "code-assist", "bedrock", "ollama"])
      expect([target, await said(chat(messages, served), { target })]).toEqual([target, []]);
  });

  test("that needs tools with calls gets none from a title request", async () => {
    const { tools: _, ...request } = { model: "gpt-5-mini", messages: [question, call, result], tools };
    expect(await said({ request }, { target: "bedrock/amazon.nova-lite-v1:0" })).toEqual([
      "dropped-tools/needed error",
    ]);
  });
});

describe("what real providers were seen to accept is accepted under their profiles", () => {
  const at = (host: string) => ({ url: `https://${host}/v1/chat/completions`, status: 200 });

  test("OpenAI: a user after a result, the model at the end, a late system prompt, an empty message of the model, no tools", async () => {
    const messages = [
      question,
      call,
      result,
      { role: "user", content: "Well?" },
      { role: "system", content: "Be brief." },
      { role: "assistant", content: "" },
      { role: "user", content: "Well?" },
      answer,
    ];
    expect(await said(chat(messages, at("api.openai.com")))).toEqual([]);
    const { tools: _, ...request } = { model: "gpt-5-mini", messages, tools };
    expect(await said({ ...at("api.openai.com"), request })).toEqual(["dropped-tools/never info"]);
  });

  test("Anthropic: one id in two messages, a blank text beside a call, roles in a row, a pause at the end", async () => {
    const use = (id: string, city: string) => ({
      type: "tool_use",
      id,
      name: "get_weather",
      input: { city },
    });
    const back = (id: string) => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: "rain" }],
    });
    const messages = [
      { role: "user", content: "Is it raining in Oslo?" },
      { role: "assistant", content: [{ type: "text", text: "I look." }, use("toolu_1", "Oslo")] },
      back("toolu_1"),
      { role: "assistant", content: [use("toolu_1", "Bergen")] },
      back("toolu_1"),
      { role: "user", content: "Search for more." },
      {
        role: "assistant",
        content: [
          { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "Oslo" } },
        ],
      },
    ];
    const request = {
      model: "claude-sonnet-4-5",
      max_tokens: 1024,
      messages,
      tools: [
        { name: "get_weather", input_schema: { type: "object" } },
        { type: "web_search_20250305", name: "web_search" },
      ],
    };
    expect(await said({ url: "https://api.anthropic.com/v1/messages", status: 200, request })).toEqual([]);
  });

  test("Gemini: contents of one role in a row, also responses, and a response beside a text", async () => {
    const functionResponse = (name: string) => ({ functionResponse: { name, response: { output: "rain" } } });
    const request = {
      contents: [
        { role: "user", parts: [{ text: "Compare." }] },
        { role: "user", parts: [{ text: "Oslo and Bergen." }] },
        { role: "model", parts: [{ functionCall: { name: "oslo", args: {} } }] },
        { role: "model", parts: [{ functionCall: { name: "bergen", args: {} } }] },
        { role: "user", parts: [functionResponse("oslo")] },
        { role: "user", parts: [functionResponse("bergen"), { text: "Which is wetter?" }] },
      ],
      tools: [{ functionDeclarations: [{ name: "oslo" }, { name: "bergen" }] }],
    };
    const model = "publishers/google/models/gemini-2.5-flash:generateContent";
    const studio = "https://generativelanguage.googleapis.com/v1beta";
    expect(await said({ url: `${studio}/${model}`, status: 200, request })).toEqual([]);
    // Vertex counts the responses of each content, and joins only other neighbours.
    const vertex = "https://aiplatform.googleapis.com/v1beta1/projects/p/locations/l";
    const [first, second, oslo, bergen] = request.contents;
    const calls = { role: "model", parts: [...(oslo?.parts ?? []), ...(bergen?.parts ?? [])] };
    const answers = { role: "user", parts: [functionResponse("oslo"), functionResponse("bergen")] };
    const joined = { ...request, contents: [first, second, calls, answers] };
    expect(await said({ url: `${vertex}/${model}`, status: 200, request: joined })).toEqual([]);
  });

  test("Mistral: a user after a result, and an empty list of calls, are told at most as infos once it has answered", async () => {
    const mistral = JSON.parse(JSON.stringify([call, result]).replaceAll("call_oslo", "callOslo1"));
    const messages = [
      question,
      { ...answer, tool_calls: [] },
      { role: "user", content: "Look again." },
      ...mistral,
      { role: "user", content: "Well?" },
    ];
    const response = {
      id: "c1",
      object: "chat.completion",
      model: "mistral-small-latest",
      choices: [{ index: 0, message: answer, finish_reason: "stop" }],
    };
    expect(await said(chat(messages, { ...at("api.mistral.ai"), response }, "mistral-small-latest"))).toEqual(
      ["bad-turn-order/userAfterResult info"],
    );
  });

  test("Groq and OpenRouter: ids of their own forms, and long ones", async () => {
    const long = JSON.parse(
      JSON.stringify([question, call, result]).replaceAll("call_oslo", `fc_${"3748-4def-9886".repeat(4)}`),
    );
    expect(await said(chat(long, at("api.groq.com"), "llama-3.3-70b"))).toEqual([]);
    expect(await said(chat(long, at("openrouter.ai"), "google/gemini-2.5-flash"))).toEqual([]);
  });

  test("Responses: ids of items under `store: false`, and a search whose arguments are an object", async () => {
    const input = [
      { role: "user", content: "Is it raining?" },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
      {
        type: "tool_search_call",
        id: "tsc_1",
        call_id: null,
        execution: "server",
        arguments: { query: "weather" },
        status: "completed",
      },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "get_weather", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "rain" },
    ];
    const request = {
      model: "gpt-5.6",
      store: false,
      input,
      tools: [{ type: "function", name: "get_weather" }, { type: "tool_search" }],
    };
    expect(await said({ url: "https://api.openai.com/v1/responses", status: 200, request })).toEqual([]);
  });

  test("Ollama: calls without ids, results without names, arguments as objects", async () => {
    const messages = [
      question,
      {
        role: "assistant",
        content: "",
        tool_calls: [{ function: { name: "get_weather", arguments: { city: "Oslo" } } }],
      },
      { role: "tool", content: "rain" },
    ];
    expect(
      await said({
        url: "http://127.0.0.1:11434/api/chat",
        status: 200,
        request: { model: "qwen3:8b", messages, tools },
      }),
    ).toEqual([]);
  });
});

describe("a diagnosis says who rejects the request, as surely as the log shows it", () => {
  const history = [question, call, result];
  const consequences = async (record: object): Promise<string[]> => {
    const { diagnoses } = await check(Buffer.from(`${JSON.stringify(record)}\n`));
    return diagnoses.filter(({ rule }) => rule === "invalid-call-id").map(({ consequence }) => consequence);
  };

  test("the provider whose host was asked", async () => {
    const record = chat(history, { url: "https://api.mistral.ai/v1/chat/completions" }, "devstral-latest");
    expect(await consequences(record)).toEqual(["So Mistral rejects the request"]);
  });

  test("the one that the model's name suggests", async () => {
    const record = chat(history, {}, "devstral-latest");
    expect(await consequences(record)).toEqual(["So Mistral would reject the request"]);
    const { findings } = await check(Buffer.from(`${JSON.stringify(record)}\n`));
    expect(findings[0]?.message).toBe(
      "call id `call_oslo` has the wrong form: Mistral (presumed from the model name `devstral-latest`) accepts only 9 letters or digits",
    );
  });

  test("no provider where the request was answered", async () => {
    const reply = {
      id: "c1",
      object: "chat.completion",
      choices: [{ index: 0, message: answer, finish_reason: "stop" }],
    };
    const record = chat(history, { response: reply }, "devstral-latest");
    expect(await consequences(record)).toEqual(["So servers that check this reject the request"]);
  });
});
