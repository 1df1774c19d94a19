import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { answer, calling, chat, history, question, result, system, weather } from "./chats.ts";
import { type Refusal, testRefusals } from "./table.ts";

/** What templates of open models refuse, on whatever server: a program that fills in the prompt. */

const atHost = "warning";
const row = { rule: "bad-turn-order", severity: "warning" as const, atHost: "warning" as const };

describe("an open model on vLLM", () => {
  testRefusals("http://10.0.0.7:8000/v1/chat/completions", [
    {
      ...row,
      refusal: "Qwen 3.5 and later: no words of the user",
      source: "https://github.com/vllm-project/vllm/issues/36432",
      body: history("Qwen/Qwen3.5-122B-A10B", [system, calling, result]),
      pointer: "/messages/0/content",
      legal: [
        history("Qwen/Qwen3.5-122B-A10B", [system, question, calling, result]),
        history("Qwen/Qwen2.5-32B-Instruct", [system, calling, result]),
      ],
    },
    {
      ...row,
      refusal: "Qwen 3.5 and later: a system message behind others",
      source: "https://github.com/lemonade-sdk/lemonade/issues/2674",
      body: history("Qwen3.6-35B-A3B", [question, calling, result, system]),
      pointer: "/messages/3/content",
      legal: [
        history("Qwen3.6-35B-A3B", [system, question, calling, result]),
        history("Qwen/Qwen3-32B", [question, calling, result, system]),
      ],
    },
    {
      ...row,
      refusal: "Gemma 2: a system message",
      source: "https://huggingface.co/google/gemma-2-9b-it/blob/main/tokenizer_config.json",
      body: { model: "google/gemma-2-9b-it", messages: [system, question] },
      pointer: "/messages/0/content",
      legal: [
        { model: "google/gemma-2-9b-it", messages: [question] },
        { model: "google/gemma-3-27b-it", messages: [system, question] },
      ],
    },
  ]);
});

describe("templates in which user and assistant alternate, on a server of one's own", () => {
  const url = "http://localhost:8000/v1/chat/completions";
  const tools = [{ name: "get_weather", input_schema: { type: "object" } }];
  const said = async (log: object): Promise<string[]> =>
    (await check(log)).findings.map(({ rule, severity }) => `${severity} ${rule}`);

  test.each(["google/gemma-3-27b-it", "mistralai/Mistral-7B-Instruct-v0.3"])("%s", async (model) => {
    const twice = { model, messages: [question, question] };
    expect(await said({ url, request: twice })).toEqual(["warning bad-turn-order"]);
    expect(await said({ url, request: { model, messages: [question, answer, question] } })).toEqual([]);
    // Results in a message of the user's role are no words of the user.
    const input = { city: "Bern" };
    const blocks = [
      question,
      { role: "assistant", content: [{ type: "tool_use", id: "call_bern1", name: "get_weather", input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_bern1", content: "rain" }] },
    ];
    const sent = { url: "http://localhost:8000/v1/messages", request: { model, messages: blocks, tools } };
    expect(await said(sent)).toEqual([]);
    // Services may merge turns.
    expect(await said(twice)).toEqual([]);
    expect(await said({ url: "https://models.example.com/v1/chat/completions", request: twice })).toEqual([]);
  });

  test("Ollama writes its prompts itself", async () => {
    expect(await said({ url, request: { model: "gemma3:27b", messages: [question, question] } })).toEqual([]);
  });
});

describe("an open model on Ollama", () => {
  testRefusals("http://localhost:11434/v1/chat/completions", [
    {
      ...row,
      refusal: "Qwen 3.5 and later: no words of the user",
      source: "https://github.com/ollama/ollama/issues/18303",
      body: history("qwen3.5:9b", [calling, result]),
      pointer: "/messages/0/tool_calls/0",
      legal: [chat("qwen3.5:9b"), history("qwen3:8b", [calling, result])],
    },
  ]);
});

describe("an open model behind the Messages API", () => {
  const hi = { role: "user", content: "hi" };
  const body = { model: "Qwen3.5-27B", max_tokens: 100, system: "Be brief.", messages: [hi] };
  const tools = [{ name: "get_weather", input_schema: { type: "object" } }];
  const uses = {
    role: "assistant",
    content: [{ type: "tool_use", id: "toolu_1", name: "get_weather", input: {} }],
  };
  const results = {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "rain" }],
  };
  testRefusals("http://localhost:8080/v1/messages", [
    {
      ...row,
      refusal: "results are no words of the user",
      source: "https://github.com/ollama/ollama/issues/18303",
      body: { ...body, tools, messages: [uses, results] },
      pointer: "/messages/0/content/0",
      legal: [{ ...body, tools, messages: [hi, uses, results] }],
    },
  ]);
});

describe("GLM at Z.ai", () => {
  testRefusals(
    "https://api.z.ai/api/paas/v4/chat/completions",
    [
      {
        ...row,
        refusal: "no message of the user",
        source: "https://github.com/anomalyco/opencode/issues/2557",
        body: history("glm-4.7", [system, calling, result]),
        pointer: "/messages/0/content",
        legal: [history("glm-4.7", [system, question, calling, result])],
      },
    ],
    "served",
  );
});

describe("Ollama's own API", () => {
  const call = {
    role: "assistant",
    content: "",
    tool_calls: [{ function: { name: "get_weather", arguments: {} } }],
  };
  const named = { role: "tool", tool_name: "get_weather", content: "rain" };
  const body = {
    model: "llama3.1:8b",
    messages: [question, call, named],
    tools: [weather],
    keep_alive: "5m",
  };
  const rows: readonly Refusal[] = [
    {
      refusal: "content is a list of parts",
      source: "https://github.com/BerriAI/litellm/issues/11273",
      body: { ...body, messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }] },
      rule: "invalid-request",
      severity: "warning",
      pointer: "/messages/0/content",
      legal: [body],
    },
    {
      refusal: "arguments are text",
      source: "https://github.com/ollama/ollama/issues/12794",
      body: {
        ...body,
        messages: [
          question,
          { ...call, tool_calls: [{ function: { name: "get_weather", arguments: "{}" } }] },
          named,
        ],
      },
      rule: "misencoded-arguments",
      severity: "warning",
      pointer: "/messages/1/tool_calls/0/function/arguments",
      legal: [body],
    },
    {
      refusal: "the properties of a tool are a list",
      source: "https://github.com/ollama/ollama/issues/10328",
      body: {
        ...body,
        tools: [
          {
            type: "function",
            function: { name: "get_weather", parameters: { type: "object", properties: [] } },
          },
        ],
      },
      rule: "invalid-request",
      severity: "warning",
      pointer: "/tools/0/function/parameters/properties",
      legal: [
        {
          ...body,
          tools: [
            {
              type: "function",
              function: { name: "get_weather", parameters: { type: "object", properties: {} } },
            },
          ],
        },
      ],
    },
  ];
  testRefusals("https://ollama.com/api/chat", rows, "served");
  testRefusals(
    "http://localhost:11434/api/chat",
    rows.map((row) => ({ ...row, atHost })),
  );
});
