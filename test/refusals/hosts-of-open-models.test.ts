import { describe } from "vitest";
import { answer, calling, chat, history, question, result, system, weather } from "./chats.ts";
import { testRefusals } from "./table.ts";

const schema = { type: "object", properties: { city: { type: "string" } } };
const ownTool = { name: "get_weather", input_schema: schema };

describe("Fireworks, asked in Anthropic's way", () => {
  const model = "accounts/fireworks/models/kimi-k2p6";
  const asked = (...tools: object[]) => ({ model, max_tokens: 1000, messages: [question], tools });
  testRefusals(
    "https://api.fireworks.ai/inference/v1/messages",
    [
      {
        refusal: "a tool says how its input is streamed",
        source: "https://github.com/earendil-works/pi/issues/3854",
        body: asked({ ...ownTool, eager_input_streaming: true }),
        rule: "invalid-request",
        severity: "warning",
        atHost: "warning",
        pointer: "/tools/0/eager_input_streaming",
        legal: [asked(ownTool)],
      },
      {
        refusal: "the last tool carries a mark for the cache",
        source: "https://docs.fireworks.ai/tools-sdks/anthropic-compatibility",
        body: asked(ownTool, { ...ownTool, name: "b", cache_control: { type: "ephemeral" } }),
        rule: "invalid-request",
        severity: "warning",
        atHost: "warning",
        pointer: "/tools/1/cache_control",
        legal: [asked(ownTool, { ...ownTool, name: "b" })],
      },
      {
        refusal: "a tool runs on Anthropic's servers",
        source: "https://github.com/boldsoftware/shelley/issues/242",
        body: asked(ownTool, { type: "web_search_20250305", name: "web_search" }),
        rule: "invalid-request",
        severity: "warning",
        atHost: "warning",
        pointer: "/tools/1/type",
        legal: [asked(ownTool)],
      },
    ],
    "served",
  );
});

describe("Cerebras", () => {
  const model = "qwen-3-235b-a22b-instruct-2507";
  const thought = (member: string) => ({ ...answer, [member]: "It rains, it seems." });
  const strictly = ({ function: declared, ...tool }: typeof weather) => ({
    ...tool,
    function: { ...declared, strict: true },
  });
  const toCerebras = (tools: readonly unknown[]) => ({
    url: "https://api.cerebras.ai/v1/chat/completions",
    request: { ...history(model, [question]), tools },
  });
  testRefusals(undefined, [
    {
      refusal: "an answer comes back with its reasoning",
      source: "https://github.com/CherryHQ/cherry-studio/issues/16790",
      body: {
        url: "https://api.cerebras.ai/v1/chat/completions",
        request: history(model, [question, thought("reasoning_content"), question]),
      },
      rule: "refused-reasoning",
      severity: "error",
      pointer: "/messages/1/reasoning_content",
      legal: [
        {
          url: "https://api.cerebras.ai/v1/chat/completions",
          request: history(model, [question, answer, question]),
        },
      ],
    },
    {
      refusal: "some tools are strict, and some do not say",
      source: "https://github.com/RooCodeInc/Roo-Code/issues/10334",
      body: toCerebras([strictly(weather), weather]),
      rule: "invalid-request",
      severity: "error",
      pointer: "/tools",
      legal: [
        toCerebras([strictly(weather), strictly(weather)]),
        toCerebras([weather, { ...weather, function: { ...weather.function, strict: false } }]),
      ],
    },
  ]);
});

describe("NVIDIA", () => {
  const url = "https://integrate.api.nvidia.com/v1/chat/completions";
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
  const sent = (content: unknown) => ({
    url,
    request: history("moonshotai/kimi-k2.6", [question, calling, { ...result, content }]),
  });
  testRefusals(undefined, [
    {
      refusal: "a result holds an image",
      source: "https://github.com/NousResearch/hermes-agent/pull/111236",
      body: sent([{ type: "text", text: "saved" }, image]),
      rule: "invalid-request",
      severity: "warning",
      pointer: "/messages/2/content/1/type",
      legal: [sent([{ type: "text", text: "rain" }]), sent("rain")],
    },
  ]);
});

describe("MiniMax", () => {
  const model = "MiniMax-M3";
  const { parameters: _, ...bare } = weather.function;
  testRefusals(
    "https://api.minimax.io/v1/chat/completions",
    [
      {
        refusal: "a second system message",
        source: "https://github.com/openclaw/openclaw/issues/19386",
        body: history(model, [system, system, question]),
        rule: "bad-turn-order",
        severity: "warning",
        pointer: "/messages/1/content",
        legal: [history(model, [system, question])],
      },
      {
        refusal: "a system message in the middle",
        source: "https://github.com/MiniMax-AI/MiniMax-M2/issues/27",
        body: history(model, [system, question, calling, result, system, question]),
        rule: "bad-turn-order",
        severity: "warning",
        pointer: "/messages/4/content",
        legal: [history(model, [system, question, calling, result, question])],
      },
      {
        refusal: "a tool without parameters",
        source: "https://github.com/QwenLM/qwen-code/issues/11834",
        body: chat(model, { tools: [weather, { ...weather, function: { ...bare, name: "now" } }] }),
        rule: "invalid-request",
        severity: "warning",
        pointer: "/tools/1/function",
        legal: [chat(model, { tools: [{ ...weather, function: { ...bare, parameters: schema } }] })],
      },
      {
        refusal: "M3 thinks as it sees fit, or not at all",
        source: "https://github.com/CherryHQ/cherry-studio/issues/16431",
        body: chat(model, { thinking: { type: "enabled" } }),
        rule: "invalid-request",
        severity: "warning",
        pointer: "/thinking/type",
        legal: [
          chat(model, { thinking: { type: "adaptive" } }),
          chat("MiniMax-M2.7", { thinking: { type: "enabled" } }),
        ],
      },
    ],
    "served",
  );
});

describe("xAI's Responses", () => {
  const model = "grok-4.3";
  const user = { role: "user", content: "Rename foo." };
  const patch = {
    type: "custom_tool_call",
    call_id: "call_1",
    name: "apply_patch",
    input: "*** Begin Patch",
  };
  const patched = { type: "custom_tool_call_output", call_id: "call_1", output: "Done" };
  const called = { type: "function_call", call_id: "call_1", name: "apply_patch", arguments: "{}" };
  const told = { type: "function_call_output", call_id: "call_1", output: "Done" };
  const tools = [{ type: "function", name: "apply_patch", parameters: schema }];
  testRefusals(
    "https://api.x.ai/v1/responses",
    [
      {
        refusal: "the call of a freeform tool",
        source: "https://github.com/router-for-me/CLIProxyAPI/issues/3704",
        body: { model, input: [user, patch, patched, user], tools },
        rule: "invalid-request",
        severity: "warning",
        atHost: "warning",
        pointer: "/input/1/type",
        legal: [{ model, input: [user, called, told, user], tools }],
      },
      {
        refusal: "a choice of tools without tools",
        source: "https://github.com/router-for-me/CLIProxyAPI/issues/3704",
        body: { model, input: [user], tool_choice: "auto" },
        rule: "invalid-request",
        severity: "warning",
        atHost: "warning",
        pointer: "/tool_choice",
        legal: [{ model, input: [user] }],
      },
    ],
    "served",
  );
});
