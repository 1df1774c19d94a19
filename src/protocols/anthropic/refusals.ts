import { dotted, type RefusalFacts, type Refusals, type RefusalText } from "../refusals.ts";
import { fields, list, string, valueText } from "../wire.ts";
import { failures } from "./failures.ts";
import { errorType } from "./served-errors.ts";
import { settingTexts } from "./setting-texts.ts";
import { missingMember, namesVersion, shapeTexts } from "./shape-texts.ts";
import { blockAt } from "./validator-paths.ts";

/** The last message with the call that a result answers, by its place among the messages. */
function messageOfCall({ data, request: { history } }: RefusalFacts): number {
  const places = Array.from({ length: history.length }, (_, at) => at);
  return places.findLastIndex((at) =>
    history.items(at).some((item) => item.kind === "call" && item.id === data["callId"]),
  );
}

const unanswered =
  "`tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.";
const unexpected =
  "{path}: unexpected `tool_use_id` found in `tool_result` blocks: {callId}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.";

/** @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls */
const pairing: readonly RefusalText[] = [
  {
    // @see https://github.com/anthropics/claude-code/issues/8004
    rule: "unanswered-tool-call",
    kinds: ["noResult", "atEnd"],
    text: `messages.{index}: ${unanswered}`,
  },
  {
    // @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools
    rule: "unanswered-tool-call",
    kinds: ["hosted"],
    fits: (facts) => blockAt(facts)["type"] !== "mcp_tool_use",
    text: "messages.{index}: `{tool}` tool use with id `{callId}` was found without a corresponding `{tool}_tool_result` block",
  },
  {
    // @see
    // https://github.com/pydantic/pydantic-ai/blob/main/tests/models/anthropic/test_unpaired_native_tool_calls.py
    rule: "unanswered-tool-call",
    kinds: ["hosted"],
    text: "messages.{index}: `mcp_tool_use` with id `{callId}` was found without a corresponding `mcp_tool_result` block",
  },
  {
    // @see https://github.com/anthropics/claude-code/issues/64383
    rule: "orphaned-tool-result",
    kinds: ["hosted"],
    text: "{path}: unexpected `tool_use_id` found in `{type}` blocks: {callId}. Each `{type}` block must have a corresponding `{call}` block before it.",
    values: (facts) => {
      const type = valueText(blockAt(facts)["type"]);
      return { type, call: type === "mcp_tool_result" ? "mcp_tool_use" : "server_tool_use" };
    },
  },
  // @see https://github.com/anthropics/claude-code/issues/18947
  { rule: "orphaned-tool-result", text: unexpected },
  {
    rule: "call-id-mismatch",
    text: unexpected,
    values: ({ data }) => ({ callId: valueText(data["seen"]) }),
  },
  {
    // "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
    rule: "misplaced-tool-result",
    kinds: ["before-call"],
    text: unexpected,
  },
  {
    // @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
    rule: "misplaced-tool-result",
    text: `messages.{message}: ${unanswered}`,
    values: (facts) => ({ message: String(messageOfCall(facts)), ids: valueText(facts.data["callId"]) }),
  },
  // @see https://github.com/anomalyco/opencode/issues/1279
  { rule: "duplicate-call-id", text: "{path}: `tool_use` ids must be unique" },
  {
    rule: "duplicate-tool-result",
    text: "{path}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {callId}",
  },
  {
    // @see https://github.com/anthropics/claude-code/issues/81863
    rule: "undefined-tool",
    kinds: ["reference"],
    text: "Tool reference '{tool}' not found in available tools",
  },
];

const thinkingFirst =
  "messages.{index}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking";

/** The type of the first block of a message. */
function firstType({ body, index = 0 }: RefusalFacts): { found: string } {
  const [block] = list(fields(list(body["messages"])[index])["content"]);
  return { found: string(fields(block)["type"]) ?? "text" };
}

/** @see https://platform.claude.com/docs/en/build-with-claude/extended-thinking */
const reasoning: readonly RefusalText[] = [
  {
    // @see https://github.com/anomalyco/opencode/issues/3077
    rule: "dropped-reasoning",
    kinds: ["first"],
    text: thinkingFirst,
    values: firstType,
  },
  {
    // @see https://github.com/anthropics/claude-code/issues/10627
    rule: "dropped-reasoning",
    kinds: ["sealless"],
    fits: (facts) => string(blockAt(facts)["signature"]) !== undefined,
    text: "{path}: Invalid `signature` in `thinking` block",
  },
  {
    // @see https://github.com/tailcallhq/forgecode/issues/1853
    rule: "refused-reasoning",
    kinds: ["last"],
    text: "{path}: When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`. To use thinking blocks, enable `thinking` in your request.",
  },
];

const contents: readonly RefusalText[] = [
  {
    // @see https://github.com/NousResearch/hermes-agent/pull/1216
    rule: "empty-content",
    kinds: ["text"],
    fits: (facts) => fields(blockAt(facts)["cache_control"])["type"] !== undefined,
    text: "{path}: cache_control cannot be set for empty text blocks",
    values: (facts) => ({ path: `messages.${facts.index}.content.${contentIndex(facts)}.text` }),
  },
  // @see https://github.com/anthropics/claude-code/issues/59812
  { rule: "empty-content", kinds: ["text"], text: "messages: text content blocks must be non-empty" },
  {
    // @see https://github.com/anthropics/claude-code/issues/23369
    rule: "empty-content",
    kinds: ["blank"],
    text: "messages: text content blocks must contain non-whitespace text",
  },
  {
    // @see https://github.com/anthropics/claude-code/issues/6774
    rule: "empty-content",
    kinds: ["message"],
    text: "messages.{index}: all messages must have non-empty content except for the optional final assistant message",
  },
];

function contentIndex({ pointer }: RefusalFacts): string {
  return /\/content\/(\d+)/.exec(pointer)?.[1] ?? "0";
}

const turns: readonly RefusalText[] = [
  {
    // @see https://github.com/mark3labs/mcphost/issues/36
    rule: "bad-turn-order",
    kinds: ["unknown"],
    stage: "shape",
    text: 'messages: Unexpected role "{role}". Allowed roles are "user" or "assistant".',
  },
  {
    // A thread may go on without a new message, so only the schema says this.
    rule: "invalid-request",
    kinds: ["limit"],
    fits: ({ pointer }) => pointer === "/messages",
    text: "messages: at least one message is required",
  },
  {
    // @see https://github.com/ericc-ch/copilot-api/pull/261
    rule: "bad-turn-order",
    kinds: ["prefill"],
    text: "This model does not support assistant message prefill. The conversation must end with a user message.",
  },
  {
    // "Extended thinking isn't compatible with … pre-filled responses."
    // @see https://github.com/lbjlaq/Antigravity-Manager/issues/139
    rule: "bad-turn-order",
    kinds: ["thinkingPrefill"],
    text: thinkingFirst,
    values: firstType,
  },
  {
    // @see https://github.com/tailcallhq/forgecode/issues/1872
    rule: "bad-turn-order",
    kinds: ["space"],
    text: "messages: final assistant content cannot end with trailing whitespace",
  },
  {
    // @see https://github.com/mark3labs/mcphost/issues/36
    rule: "mixed-protocols",
    fits: ({ pointer }) => pointer.endsWith("/role"),
    stage: "shape",
    text: 'messages: Unexpected role "tool". Allowed roles are "user" or "assistant". For instructions on how to use tools, see https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview.',
  },
];

export const refusals: Refusals = {
  texts: [...shapeTexts, ...settingTexts, ...turns, ...pairing, ...reasoning, ...contents],
  failures,
  path: dotted,
  errorBody: ({ status, message, type = errorType(status), code, requestId }) => ({
    type: "error",
    // Only some errors have a code, for clients that mend the request.
    error: { type, message, ...(typeof code === "string" && { details: { error_code: code } }) },
    request_id: requestId,
  }),
  // @see https://github.com/anthropics/claude-code/issues/8165
  notJson: { text: "The request body is not valid JSON: {reason}" },
  missing: ({ body, purpose }) => missingMember(body, purpose),
  // `anthropic-version: header is required`
  // @see https://github.com/PipedreamHQ/pipedream/issues/9697
  overlooked: ({ headers, body }) =>
    headers["anthropic-version"] === undefined && !namesVersion(body)
      ? "a request came without the header `anthropic-version`, which Anthropic requires"
      : undefined,
};
