import { describe } from "vitest";
import { answer, calling, chat, history, question, result, weather, weatherCall } from "./chats.ts";
import { testRefusals } from "./table.ts";

const model = "gpt-4.1-mini";
const next = { role: "user", content: "And in Bergen?" };

describe("calls and results in a chat", () => {
  const row = { severity: "error" as const };
  testRefusals(
    "https://api.openai.com/v1/chat/completions",
    [
      {
        ...row,
        refusal: "a call has no result",
        source: "https://github.com/aliasrobotics/cai/issues/111",
        body: history(model, [question, calling, next]),
        rule: "unanswered-tool-call",
        pointer: "/messages/1/tool_calls/0",
        legal: [history(model, [question, calling, result, next])],
      },
      {
        ...row,
        refusal: "a result has no call",
        source: "https://github.com/FoundationAgents/OpenManus/issues/744",
        body: history(model, [question, answer, result, next]),
        rule: "orphaned-tool-result",
        pointer: "/messages/2",
        legal: [chat(model)],
      },
      {
        severity: "warning",
        refusal: "words between a call and its result",
        source: "https://github.com/ranxianglei/billion-context/issues/766",
        body: history(model, [question, calling, next, result]),
        rule: "misplaced-tool-result",
        pointer: "/messages/3",
        legal: [history(model, [question, calling, result, next])],
      },
      {
        severity: "warning",
        refusal: "one call has two results",
        source: "https://github.com/agno-agi/agno/issues/5116",
        body: history(model, [question, calling, { ...result, content: "aborted" }, result]),
        rule: "duplicate-tool-result",
        pointer: "/messages/3",
        legal: [chat(model)],
      },
      {
        severity: "warning",
        refusal: "an empty list of calls",
        source: "https://github.com/chatboxai/chatbox/issues/2079",
        body: history(model, [question, { ...answer, tool_calls: [] }, next]),
        rule: "empty-content",
        pointer: "/messages/1/tool_calls",
        legal: [history(model, [question, answer, next])],
      },
      {
        severity: "warning",
        refusal: "one call instead of a list of calls",
        source:
          "Invalid type for 'messages[1].tool_calls': expected an array of objects, but got an object instead.",
        body: history(model, [question, { ...calling, tool_calls: weatherCall }, result]),
        rule: "invalid-request",
        pointer: "/messages/1/tool_calls",
        legal: [chat(model)],
      },
    ],
    "served",
  );
});

describe("names, ids and parts in a chat", () => {
  const renamed = (name: string): object =>
    history(
      model,
      [
        question,
        { ...calling, tool_calls: [{ ...weatherCall, function: { name, arguments: "{}" } }] },
        result,
      ],
      { tools: undefined },
    );
  const longId = `call_${"a1B2c3D4e5".repeat(6)}`;
  testRefusals(
    "https://api.openai.com/v1/chat/completions",
    [
      {
        refusal: "a called name with a character that no name has",
        source: "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern.",
        body: renamed("get weather"),
        rule: "invalid-request",
        severity: "warning",
        pointer: "/messages/1/tool_calls/0/function/name",
        legal: [renamed("get_weather-2")],
      },
      {
        refusal: "a declared name with a dot",
        source: "Invalid 'tools[0].function.name': string does not match pattern.",
        body: chat(model, {
          messages: [question],
          tools: [{ type: "function", function: { name: "weather.get" } }],
        }),
        rule: "invalid-request",
        severity: "warning",
        pointer: "/tools/0/function/name",
        legal: [chat(model, { messages: [question] })],
      },
      {
        refusal: "a forced tool that is not offered",
        source: "no function named 'get_wether' was specified in the 'tools' parameter",
        body: chat(model, {
          messages: [question],
          tool_choice: { type: "function", function: { name: "get_wether" } },
        }),
        rule: "invalid-request",
        severity: "warning",
        pointer: "/tool_choice/function/name",
        legal: [
          chat(model, {
            messages: [question],
            tool_choice: { type: "function", function: { name: "get_weather" } },
          }),
        ],
      },
      {
        refusal: "a part without its type",
        source: "Missing required parameter: 'messages[0].content[0].type'.",
        body: history(model, [{ role: "user", content: [{ text: "Is it raining?" }] }]),
        rule: "invalid-request",
        severity: "warning",
        pointer: "/messages/0/content/0",
        legal: [history(model, [{ role: "user", content: [{ type: "text", text: "Is it raining?" }] }])],
      },
      {
        refusal: "an id of more than 64 characters",
        source: "https://github.com/jin-bo/agentao/pull/321",
        body: history(model, [
          question,
          { ...calling, tool_calls: [{ ...weatherCall, id: longId }] },
          { ...result, tool_call_id: longId },
        ]),
        rule: "invalid-call-id",
        severity: "warning",
        pointer: "/messages/1/tool_calls/0",
        legal: [
          chat(model),
          history(model, [
            question,
            { ...calling, tool_calls: [{ ...weatherCall, id: "x".repeat(51) }] },
            { ...result, tool_call_id: "x".repeat(51) },
          ]),
        ],
      },
      {
        refusal: "arguments are an object",
        source: "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string",
        body: history(model, [
          question,
          {
            ...calling,
            tool_calls: [{ ...weatherCall, function: { name: "get_weather", arguments: { city: "Oslo" } } }],
          },
          result,
        ]),
        rule: "misencoded-arguments",
        severity: "warning",
        pointer: "/messages/1/tool_calls/0/function/arguments",
        legal: [chat(model)],
      },
      {
        refusal: "a result is an object",
        source: "https://github.com/microsoft/autogen/issues/6377",
        body: history(model, [question, calling, { ...result, content: { weather: "rain" } }]),
        rule: "malformed-tool-result",
        severity: "warning",
        pointer: "/messages/2/content",
        legal: [
          history(model, [question, calling, { ...result, content: [{ type: "text", text: "rain" }] }]),
        ],
      },
    ],
    "served",
  );
});

describe("DeepSeek", () => {
  testRefusals(
    "https://api.deepseek.com/chat/completions",
    [
      {
        refusal: "two tools of one name",
        source: "https://github.com/decolua/9router/pull/3333",
        body: chat("deepseek-chat", { tools: [weather, weather] }),
        rule: "invalid-request",
        severity: "warning",
        pointer: "/tools/1",
        legal: [chat("deepseek-chat")],
      },
    ],
    "served",
  );
});

describe("OpenAI's Responses", () => {
  const user = { role: "user", content: "Is it raining in Oslo?" };
  const call = { type: "function_call", call_id: "call_1", name: "get_weather", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "call_1", output: "rain" };
  const tools = [{ type: "function", name: "get_weather", parameters: { type: "object", properties: {} } }];
  const body = (input: readonly object[], more: object = {}) => ({ model, input, tools, ...more });
  const reasoning = { type: "reasoning", id: "rs_68c42d0a1b2c3d4e5f607182", summary: [] };
  testRefusals(
    "https://api.openai.com/v1/responses",
    [
      {
        refusal: "an output has no call",
        source: "https://github.com/continuedev/continue/issues/10092",
        body: body([user, output]),
        rule: "orphaned-tool-result",
        severity: "error",
        pointer: "/input/1",
        legal: [body([user, call, output])],
      },
      {
        refusal: "a call has no output",
        source: "https://github.com/RooCodeInc/Roo-Code/issues/12248",
        body: body([user, call, user]),
        rule: "unanswered-tool-call",
        severity: "error",
        pointer: "/input/1",
        legal: [body([user, call, output, user])],
      },
      {
        refusal: "an output is an object",
        source: "Invalid type for 'input[2].output': expected one of an array of objects or string",
        body: body([user, call, { ...output, output: { weather: "rain" } }]),
        rule: "malformed-tool-result",
        severity: "warning",
        pointer: "/input/2/output",
        legal: [body([user, call, { ...output, output: [{ type: "input_text", text: "rain" }] }])],
      },
      {
        refusal: "a called name with a dot",
        source: "Invalid 'input[1].name': string does not match pattern.",
        body: body([user, { ...call, name: "weather.get" }, output], { tools: undefined }),
        rule: "invalid-request",
        severity: "warning",
        pointer: "/input/1/name",
        legal: [body([user, call, output], { tools: undefined })],
      },
      {
        refusal: "a part without its type",
        source: "Missing required parameter: 'input[0].content[0].type'.",
        body: body([{ role: "user", content: [{ text: "Is it raining?" }] }]),
        rule: "invalid-request",
        severity: "warning",
        pointer: "/input/0/content/0",
        legal: [body([{ role: "user", content: [{ type: "input_text", text: "Is it raining?" }] }])],
      },
      {
        refusal: "what the assistant said, as input",
        source: "https://github.com/tinyhumansai/openhuman/issues/3624",
        body: body([user, { role: "assistant", content: [{ type: "input_text", text: "Yes." }] }, user]),
        rule: "invalid-request",
        severity: "warning",
        pointer: "/input/1/content/0/type",
        legal: [body([user, { role: "assistant", content: [{ type: "output_text", text: "Yes." }] }, user])],
      },
      {
        refusal: "a forced function that is not offered",
        source: "Tool choice 'function' not found in 'tools' parameter.",
        body: body([user], { tool_choice: { type: "function", name: "pay" } }),
        rule: "invalid-request",
        severity: "warning",
        pointer: "/tool_choice/name",
        legal: [
          body([user], { tool_choice: { type: "function", name: "get_weather" } }),
          body([user], { tool_choice: { type: "web_search" } }),
        ],
      },
      {
        refusal: "reasoning that is written out",
        source: "Invalid 'input[1].content': array too long. Expected an array with maximum length 0",
        body: {
          ...body([user, { ...reasoning, content: [{ type: "reasoning_text", text: "…" }] }, call, output]),
          model: "gpt-5",
        },
        rule: "invalid-request",
        severity: "warning",
        pointer: "/input/1/content",
        legal: [{ ...body([user, reasoning, call, output]), model: "gpt-5" }],
      },
      {
        refusal: "reasoning without its summary",
        source: "Missing required parameter: 'input[1].summary'.",
        body: {
          ...body([user, { type: "reasoning", id: reasoning.id, encrypted_content: "gAAA" }, call, output]),
          model: "gpt-5",
        },
        rule: "invalid-request",
        severity: "warning",
        pointer: "/input/1",
        legal: [
          { ...body([user, { ...reasoning, encrypted_content: "gAAA" }, call, output]), model: "gpt-5" },
        ],
      },
    ],
    "served",
  );
});
