import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { answer, calling, chat, history, question, result, weatherCall } from "./chats.ts";
import { testRefusals } from "./table.ts";

/** Reasoning that the model and the request demand, in a log that holds no reply to prove it. */

const thought = { ...calling, reasoning_content: "I need the weather." };
const next = { role: "user", content: "And in Bergen?" };
const pointer = "/messages/1/tool_calls/0";
const row = { rule: "dropped-reasoning", severity: "warning" as const, pointer };

describe("DeepSeek", () => {
  testRefusals(
    "https://api.deepseek.com/chat/completions",
    [
      {
        ...row,
        refusal: "V4 thinks by default and wants its thoughts back",
        source: "https://github.com/earendil-works/pi/issues/3636",
        body: chat("deepseek-v4-flash"),
        legal: [
          chat("deepseek-v4-flash", { messages: [question, thought, result] }),
          chat("deepseek-v4-flash", {
            messages: [question, { ...calling, reasoning_content: "" }, result],
          }),
          chat("deepseek-v4-flash", { thinking: { type: "disabled" } }),
          history("deepseek-v4-flash", [question, answer, next]),
        ],
      },
      {
        ...row,
        refusal: "V4 wants the thoughts of earlier turns, too",
        source: "https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
        body: history("deepseek-v4-pro", [question, calling, result, answer, next]),
        legal: [history("deepseek-v4-pro", [question, thought, result, answer, next])],
      },
      {
        ...row,
        refusal: "the reasoner wants the thoughts of the turn that goes on",
        source: "https://github.com/decolua/9router/issues/355",
        body: chat("deepseek-reasoner"),
        legal: [
          chat("deepseek-reasoner", { messages: [question, thought, result] }),
          history("deepseek-reasoner", [question, calling, result, answer, next]),
        ],
      },
      {
        ...row,
        refusal: "thinking is turned on in the request",
        source: "https://github.com/syt2/paper-chat-for-zotero/issues/16",
        body: chat("deepseek-chat", { thinking: { type: "enabled" } }),
        legal: [chat("deepseek-chat")],
      },
    ],
    "served",
  );
});

describe("Kimi", () => {
  testRefusals(
    "https://api.moonshot.ai/v1/chat/completions",
    [
      {
        ...row,
        refusal: "K2.5 thinks by default and wants its thoughts back",
        source: "https://github.com/continuedev/continue/issues/11600",
        body: chat("kimi-k2.5"),
        legal: [
          chat("kimi-k2.5", { messages: [question, thought, result] }),
          chat("kimi-k2.5", { thinking: { type: "disabled" } }),
          chat("kimi-k2-turbo-preview"),
        ],
      },
      {
        ...row,
        refusal: "the thinking model always thinks",
        source: "https://github.com/QuantumNous/new-api/issues/3121",
        body: chat("kimi-k2-thinking"),
        legal: [chat("kimi-k2-thinking", { messages: [question, thought, result] })],
      },
    ],
    "served",
  );
});

const signature = { extra_content: { google: { thought_signature: "CiQBcsjafV" } } };
const signed = { ...calling, tool_calls: [{ ...weatherCall, ...signature }] };
const second = { ...weatherCall, id: "call_bergen" };
const both = [result, { ...result, tool_call_id: "call_bergen" }];

describe("Gemini behind the chat API", () => {
  testRefusals(
    "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
    [
      {
        ...row,
        refusal: "a call has lost its thought signature",
        source: "https://github.com/securo-finance/securo/issues/884",
        body: chat("gemini-3-flash-preview"),
        legal: [
          history("gemini-3-flash-preview", [question, signed, result]),
          history("gemini-3-flash-preview", [
            question,
            { ...signed, tool_calls: [...signed.tool_calls, second] },
            ...both,
          ]),
          history("gemini-3-flash-preview", [question, calling, result, answer, next]),
          chat("gemini-2.5-flash"),
        ],
      },
      {
        ...row,
        pointer: "/messages/3/tool_calls/0",
        refusal: "each step of the turn has to have one",
        source: "https://ai.google.dev/gemini-api/docs/thought-signatures",
        body: history("gemini-3-pro-preview", [
          question,
          signed,
          result,
          { ...calling, tool_calls: [second] },
          { ...result, tool_call_id: "call_bergen" },
        ]),
        legal: [
          history("gemini-3-pro-preview", [
            question,
            signed,
            result,
            { ...calling, tool_calls: [{ ...second, ...signature }] },
            { ...result, tool_call_id: "call_bergen" },
          ]),
        ],
      },
    ],
    "served",
  );
});

describe("OpenRouter in front of Gemini", () => {
  const details = [{ type: "reasoning.encrypted", data: "CiQBcsjafV", format: "google-gemini-v1" }];
  testRefusals(
    "https://openrouter.ai/api/v1/chat/completions",
    [
      {
        ...row,
        atHost: "warning",
        refusal: "the details of its reasoning are gone",
        source: "Gemini models require OpenRouter reasoning details to be preserved in each request.",
        body: chat("google/gemini-3-pro-preview"),
        legal: [
          history("google/gemini-3-pro-preview", [
            question,
            { ...calling, reasoning_details: details },
            result,
          ]),
          chat("google/gemini-2.5-pro"),
        ],
      },
    ],
    "served",
  );
});

describe("OpenAI's Responses", () => {
  const user = { role: "user", content: "Is it raining in Oslo?" };
  const reasoning = { type: "reasoning", id: "rs_68c42d0a1b2c3d4e5f607182", summary: [] };
  const call = { type: "function_call", call_id: "call_1", name: "get_weather", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "call_1", output: "rain" };
  const own = { ...call, id: "fc_68c42d0a1b2c3d4e5f607182" };
  const said = {
    type: "message",
    role: "assistant",
    id: "msg_68c42d0a1b2c3d4e5f607182",
    content: [{ type: "output_text", text: "Yes." }],
  };
  const tools = [{ type: "function", name: "get_weather", parameters: { type: "object", properties: {} } }];
  const input = (model: string, items: readonly object[], more: object = {}) => ({
    model,
    input: items,
    tools,
    ...more,
  });
  testRefusals(
    "https://api.openai.com/v1/responses",
    [
      {
        refusal: "reasoning without the item that came after it",
        source: "https://github.com/vercel/ai/issues/7099",
        body: input("gpt-5-mini", [user, reasoning, user]),
        rule: "dropped-reasoning",
        severity: "warning",
        pointer: "/input/1",
        legal: [
          input("gpt-5-mini", [user, reasoning, said, user]),
          input("gpt-5-mini", [user, reasoning, own, output]),
          input("gpt-5-mini", [user, reasoning, { type: "web_search_call", id: "ws_1" }, said, user]),
        ],
      },
      {
        refusal: "a call under its own id without the reasoning before it",
        source: "https://github.com/continuedev/continue/issues/10018",
        body: input("o4-mini", [user, own, output]),
        rule: "dropped-reasoning",
        severity: "warning",
        atHost: "warning",
        pointer: "/input/1",
        legal: [
          input("o4-mini", [user, call, output]),
          input("gpt-4.1-mini", [user, own, output]),
          input("gpt-5-mini", [user, own, output], { reasoning: { effort: "minimal" } }),
          input("gpt-5.2", [user, own, output]),
          input("o4-mini", [user, own, output], { store: false }),
        ],
      },
      {
        refusal: "an answer under its own id without the reasoning before it",
        source: "https://github.com/cline/cline/issues/12242",
        body: input("gpt-5.2", [user, said, user], { reasoning: { effort: "high" } }),
        rule: "dropped-reasoning",
        severity: "warning",
        atHost: "warning",
        pointer: "/input/1",
        legal: [input("gpt-5.2", [user, said, user])],
      },
      {
        refusal: "a bare id of reasoning, and nothing is stored",
        source: "https://github.com/vercel/ai/issues/7543",
        body: input("gpt-5", [user, reasoning, call, output], { store: false }),
        rule: "unresolvable-reference",
        severity: "warning",
        atHost: "warning",
        pointer: "/input/1",
        legal: [
          input("gpt-5", [user, { ...reasoning, encrypted_content: "gAAAA" }, call, output], {
            store: false,
          }),
          input("gpt-5", [user, reasoning, call, output]),
        ],
      },
      {
        refusal: "a reference to an item, and nothing is stored",
        source: "https://github.com/continuedev/continue/issues/9101",
        body: input("gpt-5", [user, { type: "item_reference", id: "msg_68c42d0a" }, user], { store: false }),
        rule: "unresolvable-reference",
        severity: "warning",
        atHost: "warning",
        pointer: "/input/1",
        legal: [input("gpt-5", [user, { type: "item_reference", id: "msg_68c42d0a" }, user])],
      },
    ],
    "served",
  );
});

describe("a call that the model made without a thought", () => {
  const tools = [{ type: "function", function: { name: "get_weather", parameters: { type: "object" } } }];
  const callOf = (id: string) => ({
    role: "assistant",
    content: "",
    tool_calls: [{ id, type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } }],
  });
  const answerTo = (id: string) => ({ role: "tool", tool_call_id: id, content: `rain ${id}` });
  const replyOf = (message: object, finish: string) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: finish }],
  });
  const first = { ...callOf("call_1"), reasoning_content: "I look it up." };
  const second = callOf("call_2");
  const requests = [
    [question],
    [question, first, answerTo("call_1")],
    [question, first, answerTo("call_1"), second, answerTo("call_2")],
  ];
  const logOf = (model: string, url: string, reply: object): string =>
    [replyOf(first, "tool_calls"), replyOf(reply, "tool_calls"), replyOf(answer, "stop")]
      .map((body, index) => {
        const request = { model, tools, messages: requests[index] };
        return `${JSON.stringify({ url, request, response: { status: 200, body } })}\n`;
      })
      .join("");
  const urls = ["https://api.deepseek.com/chat/completions", "https://hyper.example/v1/chat/completions"];

  test.each(["deepseek-v4-pro", "kimi-k2.5"].flatMap((model) => urls.map((url) => [model, url] as const)))(
    "loses none (%s at %s)",
    async (model, url) => {
      const { findings } = await check(logOf(model, url, second));
      expect(findings.filter(({ rule }) => rule === "dropped-reasoning")).toEqual([]);
    },
  );

  test("but the thought of another reply is lost", async () => {
    const { findings } = await check(
      logOf("deepseek-v4-pro", "https://api.deepseek.com/chat/completions", {
        ...second,
        reasoning_content: "Once more.",
      }),
    );
    expect(findings.filter(({ rule }) => rule === "dropped-reasoning")).toHaveLength(1);
  });
});
