import { valueAt } from "../../reading/pointer.ts";
import { refusals as chat } from "../openai-chat/refusals.ts";
import {
  conflict,
  emptyText,
  missing,
  tooLong,
  validationTexts,
  wrongType,
  wrongValue,
} from "../openai-chat/validation-texts.ts";
import { bracketed, type RefusalFacts, type Refusals, type RefusalText } from "../refusals.ts";
import { fields, list, string, valueText } from "../wire.ts";

/** The kind of an item in the provider's sentences: `custom tool call output`. */
function kindAt({ body, index = -1 }: RefusalFacts): string | undefined {
  return string(fields(list(body["input"])[index])["type"])?.replaceAll("_", " ");
}

/** The kind of the call with an id, which may stand in what the server has stored. */
function kindOfCall({ request: { history }, data }: RefusalFacts): string {
  for (let element = 0; element < history.length; element++)
    for (const item of history.items(element))
      if (item.kind === "call" && item.id === data["callId"]) return item.wireType.replaceAll("_", " ");
  return "function call";
}

const noOutput = {
  text: "No tool output found for {kind} {callId}.",
  values: (facts: RefusalFacts) => ({ kind: kindOfCall(facts) }),
  param: "input",
};

const noCall = {
  text: "No tool call found for {kind} with call_id {id}.",
  values: (facts: RefusalFacts) => ({
    kind: kindAt(facts) ?? "function call output",
    id: valueText(fields(list(facts.body["input"])[facts.index ?? -1])["call_id"]),
  }),
  param: "input",
};

/**
 * The API pairs by `call_id` over the whole history, and compares kinds.
 * @see https://github.com/RooCodeInc/Roo-Code/issues/12248
 * @see https://github.com/continuedev/continue/issues/10092
 * @see https://github.com/diegosouzapw/OmniRoute/issues/8946
 */
const pairing: readonly RefusalText[] = [
  { rule: "unanswered-tool-call", ...noOutput },
  { rule: "orphaned-tool-result", kinds: ["noCall", "cut", "answered"], ...noCall },
  { rule: "call-id-mismatch", kinds: ["missing-id"], ...noOutput },
  { rule: "call-id-mismatch", ...noCall },
  { rule: "result-kind-mismatch", kinds: ["kind"], ...noCall },
  {
    rule: "malformed-tool-result",
    kinds: ["glued", "asUserText"],
    fits: ({ ids }) => ids.length > 0,
    ...noOutput,
  },
];

const notFound = {
  status: 404,
  text: "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
  param: "input",
};

/**
 * What the server looks up: items, responses, reasoning.
 * @see https://github.com/vercel/ai/issues/13307
 * @see https://github.com/continuedev/continue/issues/9101
 * @see https://github.com/vercel/ai/issues/7099
 */
const lookups: readonly RefusalText[] = [
  {
    rule: "resent-items",
    kinds: ["twice", "held"],
    text: "Duplicate item found with id {itemId}. Remove duplicate items from your input and try again.",
    param: "input",
  },
  {
    rule: "unresolvable-reference",
    kinds: ["both"],
    stage: "shape",
    text: "Mutually exclusive parameters: ''. Ensure you are only providing one of: 'pre..._id' or 'conversation'.",
    code: "mutually_exclusive_parameters",
  },
  {
    rule: "unresolvable-reference",
    kinds: ["response"],
    text: "Previous response with id '{id}' not found.",
    param: "previous_response_id",
    code: "previous_response_not_found",
  },
  { rule: "unresolvable-reference", kinds: ["item", "reasoning", "sealless", "unstored"], ...notFound },
  {
    rule: "dropped-reasoning",
    kinds: ["alone"],
    text: "Item '{itemId}' of type 'reasoning' was provided without its required following item.",
    param: "input",
  },
];

const roles = ["assistant", "system", "developer", "user"];
const inputParts = ["input_text", "input_image", "input_file", "scoped_content", "input_audio"];
const outputParts = ["output_text", "refusal"];
const allParts = [
  "input_text",
  "input_image",
  "input_audio",
  "output_text",
  "refusal",
  "input_file",
  "computer_screenshot",
  "summary_text",
  "encrypted_content",
];
const itemTypes = [
  "additional_tools",
  "agent_message",
  "apply_patch_call",
  "apply_patch_call_output",
  "code_interpreter_call",
  "compaction",
  "compaction_trigger",
  "computer_call",
  "computer_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "file_search_call",
  "function_call",
  "function_call_output",
  "image_generation_call",
  "item_reference",
  "local_shell_call",
  "local_shell_call_output",
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_call",
  "mcp_list_tools",
  "message",
  "multi_agent_call",
  "multi_agent_call_output",
  "program",
  "program_output",
  "reasoning",
  "shell_call",
  "shell_call_output",
  "tool_search_call",
  "tool_search_output",
  "web_search_call",
];

/** The validator names an item where none of its variants fits, and not the member that tells them apart. */
const item = ({ index }: RefusalFacts): string => `input[${index}]`;
const partOf = ({ pointer }: RefusalFacts): string => bracketed(pointer.replace(/\/type$/, ""));
const typeAt = ({ body, pointer }: RefusalFacts): string =>
  valueText(valueAt(body, pointer.endsWith("/type") ? pointer : `${pointer}/type`) ?? "");

/** Parts that the API knows, but not in a message of this role. */
function wrongPart(role: RegExp, supported: readonly string[]): RefusalText {
  return {
    ...wrongValue("invalid-request", ["value"], { supported, param: partOf }),
    fits: (facts) =>
      /\/content\/\d+\/type$/.test(facts.pointer) &&
      role.test(valueText(fields(list(facts.body["input"])[facts.index ?? -1])["role"])) &&
      allParts.includes(typeAt(facts)),
  };
}

/** What the schema refuses, where other rules than that about the schema say it. */
const shapes: readonly RefusalText[] = [
  // Without a type, an item is read as a message, which needs a role.
  wrongValue("missing-output-type", ["result", "call"], { supported: roles, param: item, seen: () => "" }),
  wrongType("malformed-tool-result", ["content"], "one of an array of objects or string"),
  wrongType("misencoded-arguments", ["type"], "a string"),
  wrongType("invalid-call-id", ["type"], "a string"),
  emptyText("invalid-call-id", ["missing"], "call_id"),
  missing("invalid-call-id", ["missing"], "call_id"),
  tooLong("invalid-call-id", ["length"], "call_id"),
  {
    rule: "invalid-call-id",
    kinds: ["item", "swapped"],
    stage: "shape",
    text: "Invalid '{path}.id': '{seen}'. Expected an ID that begins with '{prefix}'.",
    param: "{path}.id",
    code: "invalid_value",
  },
  wrongValue("bad-turn-order", ["unknown"], { supported: roles, param: item }),
  {
    ...wrongValue("mixed-protocols", ["form"], { supported: itemTypes, param: item, seen: typeAt }),
    fits: (facts) => /^\/input\/\d+$/.test(facts.pointer) && typeAt(facts) !== "",
  },
  {
    ...wrongValue("mixed-protocols", ["form"], {
      supported: allParts,
      param: (facts) => `${bracketed(facts.pointer)}.type`,
      seen: typeAt,
    }),
    fits: ({ pointer }) => /\/content\/\d+$/.test(pointer),
  },
  {
    // The assistant's message of a chat, with its calls.
    rule: "mixed-protocols",
    kinds: ["form"],
    stage: "shape",
    fits: ({ body, pointer }) => fields(valueAt(body, pointer))["role"] === "assistant",
    text: "Unknown parameter: '{path}.tool_calls'.",
    param: "{path}.tool_calls",
    code: "unknown_parameter",
  },
  wrongValue("mixed-protocols", ["form"], {
    supported: roles,
    param: item,
    seen: ({ body, pointer }) => valueText(valueAt(body, `${pointer}/role`) ?? ""),
  }),
];

/** Members of the chat API, and where the Responses API has them. */
const moved: Readonly<Record<string, string>> = { messages: "input", response_format: "text.format" };

/** What the schema refuses in words of its own. */
const special: readonly RefusalText[] = [
  {
    rule: "invalid-request",
    kinds: ["misplaced"],
    stage: "shape",
    fits: ({ data }) => Object.hasOwn(moved, valueText(data["member"])),
    text: "Unsupported parameter: '{member}'. In the Responses API, this parameter has moved to '{moved}'. Try again with the new parameter. See the API documentation for more information: https://platform.openai.com/docs/api-reference/responses/create.",
    values: ({ data }) => ({ moved: moved[valueText(data["member"])] ?? "" }),
    code: "unsupported_parameter",
  },
  {
    rule: "invalid-request",
    kinds: ["value"],
    fits: ({ pointer }) => pointer === "/tool_choice/name",
    text: "Tool choice 'function' not found in 'tools' parameter.",
    param: "tool_choice",
  },
  wrongType(
    "invalid-request",
    ["type"],
    "one of an object or 'none', 'auto', or 'required'",
    /^\/tool_choice$/,
  ),
  wrongPart(/^assistant$/, outputParts),
  wrongPart(/^(?:user|system|developer)$/, inputParts),
  wrongValue("invalid-request", ["value"], { supported: allParts, at: /\/content\/\d+\/type$/ }),
  wrongValue("invalid-request", ["value"], { supported: roles, at: /^\/input\/\d+\/role$/, param: item }),
  wrongValue("invalid-request", ["value"], { supported: itemTypes, at: /^\/input\/\d+\/type$/, param: item }),
];

const conflicts: readonly RefusalText[] = [
  {
    ...conflict(
      "tool_choice",
      /without `tools`/,
      "Tool choice 'required' must be specified with 'tools' parameter.",
    ),
    fits: ({ pointer, body }) => pointer === "/tool_choice" && body["tool_choice"] === "required",
  },
  conflict("tool_choice", /without `tools`/, "Tool choice 'function' not found in 'tools' parameter."),
  {
    rule: "invalid-request",
    kinds: ["together"],
    fits: ({ pointer, body }) => pointer === "/input" && body["input"] === undefined,
    text: "Missing required parameter: 'input'.",
    param: "input",
    code: "missing_required_parameter",
  },
  {
    rule: "invalid-request",
    kinds: ["together"],
    fits: ({ pointer }) => pointer === "/input",
    text: "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided.",
    code: "missing_required_parameter",
  },
  conflict("background", /store: false/, "Background mode requires store to be true."),
];

export const refusals: Refusals = {
  ...chat,
  texts: [...pairing, ...lookups, ...shapes, ...special, ...conflicts, ...validationTexts],
  // A stored prompt names its own model, and counting tokens needs none.
  // @see https://github.com/mattermost/mattermost-plugin-agents/issues/476
  missing: ({ body, purpose }) =>
    purpose === "turn" && body["model"] === undefined && body["prompt"] === undefined
      ? {
          text: "Missing required parameter: 'model'.",
          param: "model",
          code: "missing_required_parameter",
        }
      : undefined,
};
