import type { Conflict, Request } from "../../conversation/exchange.ts";
import { isNoObject } from "../function-schemas.ts";
import { type Fields, fields, isFields, list } from "../wire.ts";
import { mistralName } from "./elements.ts";

/** Set to anything but null, which SDKs write for members that the user left out. */
function has(members: Fields, name: string): boolean {
  return members[name] !== undefined && members[name] !== null;
}

/** A request says whether the model thinks; `byDefault` are the models that think unless told not to. */
function thinks({ settings, model = "" }: Request, byDefault: RegExp): boolean {
  return settings.reasoning === undefined ? byDefault.test(model) : settings.reasoning !== false;
}

const nobody = /(?!)/;

/** The choice of a tool, which a thinking model may not be forced to. */
function forcedChoice(byDefault: RegExp, models: RegExp = /^/, modes: readonly string[] = forcing): Conflict {
  return {
    member: "tool_choice",
    clause: "which the API refuses while the model thinks",
    isIn: (_, request) =>
      models.test(request.model ?? "") &&
      modes.includes(request.toolChoice?.mode ?? "auto") &&
      thinks(request, byDefault),
  };
}

const forcing: readonly string[] = ["required", "tool"];

/**
 * `Thinking mode does not support this tool_choice`
 * @see https://github.com/deepseek-ai/DeepSeek-V3/issues/1376
 */
export const deepseekConflicts: readonly Conflict[] = [
  forcedChoice(/deepseek-v4/i),
  {
    // `Invalid schema for function '…': schema must be a JSON Schema of 'type: "object"', got 'type: null'.`
    // @see https://github.com/farion1231/cc-switch/issues/5490
    // @see https://github.com/alibaba/spring-ai-alibaba/issues/4576
    member: "tools",
    clause: 'which the API refuses, since the schema of parameters has to be of `type: "object"`',
    isIn: ({ tools }) => list(tools).some(hasOddParameters),
    place: (tools) => `/${list(tools).findIndex(hasOddParameters)}/function/parameters`,
  },
];

function hasOddParameters(tool: unknown): boolean {
  const { parameters } = fields(fields(tool)["function"]);
  return parameters === null || isNoObject(parameters);
}

/** Models of Kimi that think unless told not to. */
const thinkingKimi = /kimi-(?:k2\.[5-9]|k2-thinking|k[3-9]|for-coding)/i;

/**
 * `tool_choice 'required' is incompatible with thinking enabled`; K3 takes `required`, but no named tool.
 * `cannot specify both 'thinking' and 'reasoning_effort'`
 * @see https://github.com/UKGovernmentBEIS/inspect_ai/pull/5152
 * @see https://github.com/HKUDS/nanobot/issues/3939
 */
export const kimiConflicts: readonly Conflict[] = [
  forcedChoice(thinkingKimi, /^(?!.*kimi-k[3-9])/i),
  forcedChoice(thinkingKimi, /kimi-k[3-9]/i, ["tool"]),
  {
    member: "reasoning_effort",
    clause: "which the API refuses next to `thinking`",
    isIn: (members) => has(members, "reasoning_effort") && has(members, "thinking"),
  },
];

/**
 * `The tool_choice parameter does not support being set to required or object in thinking mode`
 * @see https://github.com/cloudwego/eino/issues/994
 */
export const qwenConflicts: readonly Conflict[] = [forcedChoice(nobody)];

/**
 * `json mode cannot be combined with tool/function calling`
 * `property 'store' is unsupported, did you mean 'stop'?`, `property 'chat_template_kwargs' is unsupported`
 * @see https://github.com/nanobrowser/nanobrowser/issues/120
 * @see https://github.com/fanenr/chatbot/issues/21
 * @see https://github.com/immersive-translate/immersive-translate/issues/3016
 */
export const groqConflicts: readonly Conflict[] = [
  {
    member: "response_format",
    clause: "which the API refuses next to `tools`",
    isIn: ({ response_format: format, tools }) =>
      fields(format)["type"] === "json_object" && list(tools).length > 0,
  },
  ...["store", "chat_template_kwargs"].map((member) => ({
    member,
    clause: "and the API refuses this member",
    isIn: (members: Fields) => has(members, member),
  })),
];

/** @see https://github.com/mpfaffenberger/code_puppy/pull/368 */
export const cerebrasConflicts: readonly Conflict[] = [
  {
    member: "tools",
    clause: "in which some are `strict` and some are not",
    isIn: ({ tools }) => new Set(list(tools).map(isStrictTool)).size > 1,
  },
];

/** What the server takes for `false`, too: no `strict`. */
function isStrictTool(tool: unknown): boolean {
  return fields(fields(tool)["function"])["strict"] === true;
}

/** @see https://github.com/router-for-me/CLIProxyAPI/issues/3704 */
const choiceOfNone: Conflict = {
  member: "tool_choice",
  clause: "which the API refuses without `tools`",
  isIn: (members) => has(members, "tool_choice") && list(members["tools"]).length === 0,
};

/** @see https://docs.x.ai/docs/guides/responses-api */
export const xaiResponsesConflicts: readonly Conflict[] = [
  {
    member: "instructions",
    clause: "which the API refuses next to `previous_response_id`",
    isIn: (members) => has(members, "instructions") && has(members, "previous_response_id"),
  },
  choiceOfNone,
];

/** Models of Grok that take no `reasoning_effort`: all but these. */
const effortful = /grok-(?:3-mini|4\.(?:3|5|6)|4\.20-multi-agent)/i;
const reasoningGrok = /grok-(?:4|code)/i;

/**
 * `Model grok-4-fast-reasoning does not support parameter reasoningEffort.`
 * `Model grok-4.6 does not support parameter presencePenalty.`
 * @see https://github.com/omnigent-ai/omnigent/issues/1686
 * @see https://github.com/miaoxworld/NativeTavern/issues/83
 */
export const xaiConflicts: readonly Conflict[] = [
  {
    member: "reasoning_effort",
    clause: "which this model does not take",
    isIn: (members, { model = "" }) =>
      has(members, "reasoning_effort") && reasoningGrok.test(model) && !effortful.test(model),
  },
  ...["presence_penalty", "frequency_penalty"].map((member) => ({
    member,
    clause: "which this model does not take",
    isIn: (members: Fields, { model = "" }: Request) => has(members, member) && reasoningGrok.test(model),
  })),
];

/** The tool of a request that meets a condition, as a conflict of the tools; `below` is the place in it. */
function toolConflict(clause: string, below: (tool: Fields) => string | undefined): Conflict {
  const at = (tools: unknown) => list(tools).findIndex((tool) => below(fields(tool)) !== undefined);
  return {
    member: "tools",
    clause,
    isIn: ({ tools }) => at(tools) >= 0,
    place: (tools) => `/${at(tools)}${below(fields(list(tools)[at(tools)])) ?? ""}`,
  };
}

/**
 * `invalid params, function parameters is empty (2013)`
 * `invalid params, invalid thinking.type: "enabled" (allowed: adaptive, disabled) (2013)`
 * @see https://github.com/QwenLM/qwen-code/issues/11834
 * @see https://github.com/CherryHQ/cherry-studio/issues/16431
 */
export const minimaxConflicts: readonly Conflict[] = [
  toolConflict("which lacks `parameters`, and the API requires them", ({ function: own }) =>
    isFields(own) && !has(own, "parameters") ? "/function" : undefined,
  ),
  {
    member: "thinking",
    clause: "which this model does not take: it thinks with `adaptive` or `disabled`",
    isIn: ({ thinking }, { model = "" }) =>
      fields(thinking)["type"] === "enabled" && /minimax-m[3-9]/i.test(model),
    place: () => "/type",
  },
];

/** Members of a tool that Anthropic's API has, and Fireworks' version of it does not. */
const unknownToFireworks = [
  "eager_input_streaming",
  "cache_control",
  "allowed_callers",
  "defer_loading",
  "input_examples",
];

/**
 * `Extra inputs are not permitted, field: 'tools[0].eager_input_streaming', value: True`
 * `Input should be 'function', 'web_search_preview' or 'code_interpreter', field: 'tools[8].type'`
 * @see https://docs.fireworks.ai/tools-sdks/anthropic-compatibility
 * @see https://github.com/earendil-works/pi/issues/3854
 * @see https://github.com/boldsoftware/shelley/issues/242
 */
export const fireworksMessagesConflicts: readonly Conflict[] = [
  toolConflict("a member that the API refuses in tools", (tool) => {
    const member = unknownToFireworks.find((name) => has(tool, name));
    return member && `/${member}`;
  }),
  toolConflict("a tool of Anthropic's own servers, which the API does not have", ({ type }) =>
    typeof type === "string" && /_\d{8}$/.test(type) ? "/type" : undefined,
  ),
];

/** Models that take `max_completion_tokens` only, and no sampling. */
const reasoningGpt = /^(?:openai\/)?(?:o[134](?:-|$)|gpt-5(?:\.\d+)?(?:-(?!chat)|$))/i;

/**
 * `Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.`
 * `The 'stream_options' parameter is only allowed when 'stream' is enabled.`
 * `Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.`
 * `Unsupported parameter: 'max_tokens' is not supported with this model.`
 * `Unsupported parameter: 'parallel_tool_calls' is not supported with this model.`
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export const openAiConflicts: readonly Conflict[] = [
  {
    member: "tool_choice",
    clause: "which the API refuses without `tools`",
    isIn: (members) => has(members, "tool_choice") && !has(members, "tools"),
  },
  {
    member: "stream_options",
    clause: "which the API refuses without `stream: true`",
    isIn: (members) => has(members, "stream_options") && members["stream"] !== true,
  },
  {
    member: "max_tokens",
    clause: "which the API refuses next to `max_completion_tokens`",
    isIn: (members) => has(members, "max_tokens") && has(members, "max_completion_tokens"),
  },
  {
    member: "max_tokens",
    clause: "which this model does not take: it wants `max_completion_tokens`",
    isIn: (members, { model = "" }) =>
      has(members, "max_tokens") && !has(members, "max_completion_tokens") && reasoningGpt.test(model),
  },
  {
    member: "parallel_tool_calls",
    clause: "which this model does not take",
    isIn: (members, { model = "" }) => has(members, "parallel_tool_calls") && /^o[134](?:-|$)/i.test(model),
  },
];

/**
 * `Tool choice 'required' must be specified with 'tools' parameter.`
 * `Background mode requires store to be true`
 * `One of "input" or "previous_response_id" or 'prompt' or 'conversation' must be provided.`
 * @see https://platform.openai.com/docs/guides/background
 */
export const openAiResponsesConflicts: readonly Conflict[] = [
  {
    member: "input",
    clause: "and the API wants input, or a response, a conversation or a prompt to go on from",
    isIn: (members, { history, links, settings }) =>
      history.length === 0 &&
      links.previousReply === undefined &&
      links.conversation === undefined &&
      !settings.hasStoredPrompt &&
      !settings.isProbe &&
      !isFields(members["prompt"]),
  },
  {
    member: "tool_choice",
    clause: "which the API refuses without `tools`",
    isIn: (members, { tools, toolChoice, settings }) =>
      forcing.includes(toolChoice?.mode ?? "auto") &&
      tools === undefined &&
      !settings.hasStoredPrompt &&
      !isFields(members["prompt"]),
  },
  {
    member: "background",
    clause: "which the API refuses next to `store: false`",
    isIn: (members) => members["background"] === true && members["store"] === false,
  },
];

/** @see https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py */
export const mistralConflicts: readonly Conflict[] = [
  {
    // `max_completion_tokens: Extra inputs are not permitted`
    // @see https://github.com/editor-code-assistant/eca/issues/231
    member: "max_completion_tokens",
    clause: "and the API refuses this member: it is `max_tokens` there",
    isIn: (members) => has(members, "max_completion_tokens"),
  },
  {
    member: "tools",
    clause: "in which a name has other characters than letters, digits, `_` and `-`",
    isIn: ({ tools }) =>
      list(tools).some((tool) => {
        const { name } = fields(fields(tool)["function"]);
        return typeof name === "string" && !mistralName.test(name);
      }),
  },
];
