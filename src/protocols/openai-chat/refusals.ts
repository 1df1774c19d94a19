import { valueAt } from "../../reading/pointer.ts";
import {
  bracketed,
  type FixedText,
  type RefusalFacts,
  type Refusals,
  type RefusalText,
} from "../refusals.ts";
import { type Fields, fields, filled, list, valueText } from "../wire.ts";
import { failures } from "./failures.ts";
import { pairingTexts } from "./pairing-texts.ts";
import {
  conflict,
  emptyList,
  emptyText,
  memberPath,
  missing,
  tooLong,
  validationTexts,
  wrongType,
  wrongValue,
} from "./validation-texts.ts";

/**
 * @see https://github.com/sdcb/chats/pull/132
 * @see https://github.com/run-llama/multi-agent-concierge/pull/16
 * @see https://github.com/dapr/dapr-agents/issues/145
 * @see https://github.com/agno-agi/agno/issues/5116
 */
const pairing = pairingTexts({
  unanswered: {
    text: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
    param: "messages.[{at}].role",
  },
  "no-calls": {
    text: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    param: "messages.[{at}].role",
  },
  duplicate: {
    text: "Invalid parameter: Duplicate value for 'tool_call_id' of '{id}', in messages[{earlier}] and messages[{at}].",
    param: "messages.[{at}].tool_call_id",
  },
  "unknown-id": {
    text: "Invalid parameter: 'tool_call_id' of '{id}' not found in 'tool_calls' of previous message.",
    param: "messages.[{at}].tool_call_id",
  },
  "missing-id": {
    text: "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
    param: "messages.[{at}].tool_call_id",
  },
});

const roles = ["system", "assistant", "user", "function", "tool", "developer"];
const parts = ["text", "image_url", "input_audio", "refusal", "audio", "file"];

/** The first call without an id: `messages[1].tool_calls[0].id`. */
function placeOfNameless({ body }: RefusalFacts): string {
  for (const [at, message] of list(body["messages"]).entries())
    for (const [index, call] of list(fields(message)["tool_calls"]).entries())
      if (filled(fields(call)["id"]) === undefined) return `messages[${at}].tool_calls[${index}].id`;
  return "messages";
}

/** What the schema refuses, where other rules than that about the schema say it. */
const shapes: readonly RefusalText[] = [
  wrongType("malformed-tool-result", ["content"], "one of a string or array of objects"),
  wrongType("misencoded-arguments", ["type"], "a string"),
  wrongType("invalid-call-id", ["type"], "a string"),
  emptyText("invalid-call-id", ["missing"], "id"),
  missing("invalid-call-id", ["missing"], "id"),
  {
    ...missing("call-id-mismatch", ["missing-id"]),
    fits: ({ data }) => data["callId"] === "",
    values: (facts) => ({ place: placeOfNameless(facts) }),
  },
  tooLong("invalid-call-id", ["length"], "id"),
  emptyList("empty-content", ["calls", "list"]),
  wrongValue("bad-turn-order", ["unknown"], { supported: roles }),
  {
    ...missing("bad-turn-order", ["nothing"]),
    fits: ({ body }) => body["messages"] === undefined,
    values: () => ({ place: "messages" }),
  },
  {
    ...wrongType("bad-turn-order", ["nothing"], "an array of objects"),
    fits: ({ body }) => !Array.isArray(body["messages"]),
  },
  emptyList("bad-turn-order", ["nothing"]),
  wrongValue("mixed-protocols", ["form", "block"], {
    supported: parts,
    param: (facts) => memberPath(facts, "type"),
    seen: ({ body, pointer }) => valueText(valueAt(body, `${pointer}/type`)),
  }),
];

/** What the chat API's schema refuses in words of its own. */
const special: readonly RefusalText[] = [
  {
    rule: "invalid-request",
    kinds: ["value"],
    fits: ({ pointer }) => /^\/tool_choice\/\w+\/name$/.test(pointer),
    text: "Invalid value for 'tool_choice': no function named '{seen}' was specified in the 'tools' parameter.",
    values: ({ body, pointer }) => ({ seen: valueText(valueAt(body, pointer)) }),
    param: "tool_choice",
  },
  {
    rule: "invalid-request",
    kinds: ["value"],
    stage: "shape",
    fits: ({ pointer, body }) =>
      /^\/messages\/\d+\/content\/\d+\/type$/.test(pointer) &&
      valueAt(body, pointer.replace(/\/content\/.*$/, "/role")) === "tool",
    text: "Invalid 'messages[{index}]'. Content blocks are expected to be either text or image_url type.",
    param: "messages[{index}]",
    code: "invalid_value",
  },
  {
    // The only complaint about content that comes after all others; a developer's has the schema's words.
    // @see https://github.com/run-llama/llama_index/pull/17921
    rule: "invalid-request",
    kinds: ["type", "missing"],
    fits: ({ pointer, body, data }) => {
      const message = fields(valueAt(body, pointer.replace(/\/content$/, "")));
      const isContent = pointer.endsWith("/content") || data["member"] === "content";
      return isContent && (message["content"] ?? null) === null && message["role"] !== "developer";
    },
    text: "Invalid value for 'content': expected a string, got null.",
    param: "messages.[{index}].content",
  },
  wrongType(
    "invalid-request",
    ["type"],
    "one of one of 'none', 'auto', or 'required' or object",
    /^\/tool_choice$/,
  ),
  wrongValue("invalid-request", ["value"], { supported: roles, at: /^\/messages\/\d+\/role$/ }),
  wrongValue("invalid-request", ["value"], { supported: parts, at: /^\/messages\/\d+\/content\/\d+\/type$/ }),
  wrongValue("invalid-request", ["value"], {
    supported: ["none", "auto", "required"],
    at: /^\/tool_choice$/,
  }),
];

const onlyWithTools = (member: string): string =>
  `Invalid value for '${member}': '${member}' is only allowed when 'tools' are specified.`;

/** @see https://platform.openai.com/docs/api-reference/chat/create */
const conflicts: readonly RefusalText[] = [
  conflict("tool_choice", /without `tools`/, onlyWithTools("tool_choice")),
  {
    rule: "invalid-request",
    kinds: ["alone"],
    fits: ({ pointer }) => pointer === "/parallel_tool_calls",
    text: onlyWithTools("parallel_tool_calls"),
    param: "parallel_tool_calls",
  },
  conflict(
    "stream_options",
    /without `stream/,
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  ),
  conflict(
    "max_tokens",
    /next to `max_completion_tokens`/,
    "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
    { code: "invalid_parameter_combination" },
  ),
  conflict(
    "max_tokens",
    /wants `max_completion_tokens`/,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    { code: "unsupported_parameter" },
  ),
  conflict(
    "parallel_tool_calls",
    /does not take/,
    "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
    { code: "unsupported_parameter" },
  ),
];

/**
 * The error for a list of tools that has none.
 * @see https://github.com/continuedev/continue/issues/3403
 */
export function emptyTools({ tools }: Fields): FixedText | undefined {
  if (!Array.isArray(tools) || tools.length > 0) return undefined;
  return {
    text: "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    param: "tools",
    code: "empty_array",
  };
}

export const refusals: Refusals = {
  texts: [...shapes, ...pairing, ...special, ...conflicts, ...validationTexts],
  failures,
  path: bracketed,
  errorBody: ({ message, type = "invalid_request_error", param, code }) => ({
    error: { message, type, param: param ?? null, code: code ?? null },
  }),
  notJson: {
    text: "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, please contact us through our help center at help.openai.com.)",
  },
  // @see https://github.com/danielmiessler/Fabric/issues/239
  missing: ({ body }) =>
    body["model"] === undefined ? { text: "you must provide a model parameter" } : emptyTools(body),
};
