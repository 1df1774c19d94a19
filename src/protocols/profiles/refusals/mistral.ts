import { pointerTokens, valueAt } from "../../../reading/pointer.ts";
import { type ErrorText, ids, means } from "../../error-text.ts";
import type { Failures } from "../../failures.ts";
import { pairingTexts } from "../../openai-chat/pairing-texts.ts";
import { conflict } from "../../openai-chat/validation-texts.ts";
import type { RefusalFacts, RefusalText } from "../../refusals.ts";
import { fields, list, valueText } from "../../wire.ts";
import type { ProfileRefusals } from "../profile.ts";

/**
 * The words of the API, most of them those of its open validator; the types and codes are the server's.
 * @see https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py
 * @see https://github.com/datapizza-labs/datapizza-ai/issues/98
 * @see https://github.com/NousResearch/hermes-agent/pull/11722
 */
const order = { type: "invalid_request_message_order", code: "3230" } as const;
const badCall = { type: "invalid_function_call", code: "3280" } as const;

const pairing = pairingTexts({
  unanswered: { ...order, text: "Not the same number of function calls and responses" },
  "no-calls": { ...order, text: "Unexpected role 'tool' after role '{role}'" },
  "unknown-id": { ...order, text: "Unexpected tool call id {id} in tool results" },
  duplicate: { ...order, text: "Duplicate tool call id {id} in tool results" },
  "missing-id": { type: "invalid_request_error", text: "Tool call id has to be defined." },
});

const start = "Conversation must start with a user message or system message";

const turns: readonly RefusalText[] = [
  { rule: "orphaned-tool-result", fits: ({ index }) => index === 0, ...order, text: start },
  {
    rule: "bad-turn-order",
    kinds: ["first"],
    ...order,
    text: start,
  },
  {
    rule: "bad-turn-order",
    kinds: ["nothing"],
    ...order,
    text: "Conversation must have at least one message",
  },
  {
    rule: "bad-turn-order",
    kinds: ["prefill"],
    ...order,
    text: "Expected last role User or Tool (or Assistant with prefix or continue_final_message set to True) for serving but got assistant",
  },
  {
    rule: "bad-turn-order",
    kinds: ["userAfterResult"],
    ...order,
    text: "Unexpected role 'user' after role 'tool'",
  },
  {
    rule: "bad-turn-order",
    kinds: ["systemFollows"],
    ...order,
    text: "Unexpected role 'system' after role '{role}'",
    values: ({ body, index = 0 }) => ({ role: valueText(fields(list(body["messages"])[index - 1])["role"]) }),
  },
];

/** @see https://github.com/editor-code-assistant/eca/issues/233 */
const calls: readonly RefusalText[] = [
  {
    rule: "invalid-call-id",
    kinds: ["characters"],
    ...badCall,
    text: "Tool call id was {callId} but must be a-z, A-Z, 0-9, with a length of 9.",
  },
  { rule: "invalid-call-id", kinds: ["missing"], ...badCall, text: "Tool call id has to be defined." },
  {
    // @see https://github.com/OpenHands/OpenHands/issues/8685
    rule: "empty-content",
    kinds: ["message"],
    text: "Assistant message must have either content or tool_calls, but not none.",
  },
  {
    rule: "invalid-request",
    fits: ({ pointer, data }) =>
      /^\/(?:messages\/\d+\/tool_calls\/\d+|tools\/\d+)\/function\/name$/.test(pointer) ||
      (pointer === "/tools" && /characters/.test(valueText(data["wanted"]))),
    ...badCall,
    text: "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.",
    values: (facts) => ({ name: refusedName(facts) }),
  },
];

function refusedName({ body, pointer }: RefusalFacts): string {
  if (pointer !== "/tools") return valueText(valueAt(body, pointer));
  const names = list(body["tools"]).map((tool) => valueText(fields(fields(tool)["function"])["name"]));
  return names.find((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) ?? "";
}

/** A place as the API's validator writes it: in messages, with the role behind the index. */
function location({ body, pointer }: RefusalFacts, member?: unknown): readonly (string | number)[] {
  const tokens = pointerTokens(pointer).map((token) => (/^\d+$/.test(token) ? Number(token) : token));
  const [root, index, ...rest] = tokens;
  const role =
    root === "messages" && typeof index === "number" && rest.length > 0
      ? [valueText(fields(list(body["messages"])[index])["role"])]
      : [];
  const place = index === undefined ? tokens : [root ?? "", index, ...role, ...rest];
  return ["body", ...place, ...(typeof member === "string" && member !== "" ? [member] : [])];
}

/** What the schema refuses: a list of details in place of a sentence. */
function detail(
  what: Pick<RefusalText, "rule" | "kinds" | "fits">,
  type: string,
  words: (facts: RefusalFacts) => string,
  member: (facts: RefusalFacts) => unknown = () => undefined,
): RefusalText {
  return {
    ...what,
    stage: "shape",
    status: 422,
    text: "{detail}",
    values: (facts) => {
      const loc = location(facts, member(facts));
      const input = valueAt(facts.body, facts.pointer);
      return { detail: JSON.stringify({ detail: [{ type, loc, msg: words(facts), input }] }) };
    },
  };
}

const extra = (): string => "Extra inputs are not permitted";
const valid = ({ data }: RefusalFacts): string => {
  const wanted = valueText(data["wanted"] ?? "a string");
  const type =
    /a list/.test(wanted) && !/a string/.test(wanted)
      ? "list"
      : /an object/.test(wanted)
        ? "dictionary"
        : /number/.test(wanted)
          ? "number"
          : /true/.test(wanted)
            ? "boolean"
            : "string";
  return `Input should be a valid ${type}`;
};

/**
 * @see https://github.com/Gage-Technologies/mistral-go/pull/2
 * @see https://github.com/partITech/php-mistral/issues/76
 */
const shapes: readonly RefusalText[] = [
  detail({ rule: "invalid-request", kinds: ["misplaced", "unknown"] }, "extra_forbidden", extra),
  detail({ rule: "refused-reasoning", kinds: ["member"] }, "extra_forbidden", extra),
  detail(
    { rule: "bad-turn-order", kinds: ["unknown"] },
    "union_tag_invalid",
    ({ data }) =>
      `Input tag '${data["role"]}' found using 'role' does not match any of the expected tags: 'system', 'user', 'assistant', 'tool'`,
  ),
  detail(conflict("max_completion_tokens", /refuses/, ""), "extra_forbidden", extra),
  detail(
    { rule: "invalid-request", kinds: ["missing"] },
    "missing",
    () => "Field required",
    ({ data }) => data["member"],
  ),
  detail({ rule: "invalid-request", kinds: ["type"] }, "type_error", valid),
  detail({ rule: "malformed-tool-result", kinds: ["content"] }, "string_type", valid),
  detail(
    { rule: "invalid-request", kinds: ["value"] },
    "literal_error",
    ({ data }) => `Input should be ${valueText(data["wanted"]).replaceAll("`", "'")}`,
  ),
];

/**
 * @see https://github.com/cline/cline/issues/9085 for the text of 429
 * @see https://github.com/continuedev/continue/issues/6185 for the text of 503
 */
const failures: Failures = {
  texts: [
    { status: 422, text: '{"detail":[{"type":"missing","loc":["body"],"msg":"Field required"}]}' },
    { status: 429, text: "Rate limit exceeded", type: "rate_limited", code: "1300" },
    { status: 500, text: "Internal Server Error", type: "internal_server_error" },
    { status: 503, text: "Service tier capacity exceeded for this model." },
  ],
  inStream: 500,
};

export const mistralRefusals: ProfileRefusals = {
  "openai-chat": {
    texts: [...turns, ...pairing, ...calls, ...shapes],
    failures,
    // It takes arguments as text and as objects.
    accepts: ["misencoded-arguments"],
    errorBody: ({ status, message, type = "invalid_request_error", code }) => ({
      object: "error",
      message: status === 422 ? JSON.parse(message) : message,
      type,
      param: null,
      code: code ?? null,
    }),
    notJson: {
      status: 422,
      text: '{"detail":[{"type":"json_invalid","loc":["body",0],"msg":"JSON decode error","input":{}}]}',
    },
  },
};

export const mistralErrors: readonly ErrorText[] = [
  { pattern: /unexpected role '(?:tool|function)' after role '(?:user|system)'/i, ...means.orphan },
  // @see https://github.com/mistralai/mistral-inference/issues/135
  { pattern: /unexpected role RoleEnum\.(?:tool|function)\b/i, ...means.orphan },
  { pattern: /not the same number of function calls and responses/i, ...means.unanswered },
  { pattern: new RegExp(`unexpected tool call id ${ids} in tool results`, "i"), ...means.orphan },
  { pattern: new RegExp(`duplicate tool call id ${ids} in tool results`, "i"), ...means.duplicate },
  { pattern: new RegExp(`tool call id was ${ids} but must be a-z`, "i"), ...means.badId },
  { pattern: /tool call id has to be defined/i, ...means.badId },
  { pattern: /conversation must start with a user message/i, ...means.turnOrder },
  { pattern: /conversation must have at least one message/i, ...means.turnOrder },
  {
    pattern: /unexpected role 'user' after role 'tool'/i,
    ...means.turnOrder,
    advice: "send an assistant message between the results and the user's next message",
  },
  { pattern: /unexpected role '\w{1,20}' after role '\w{1,20}'/i, ...means.turnOrder },
  { pattern: /expected last role user or tool/i, ...means.turnOrder },
  { pattern: /must have either content or tool_calls, but not none/i, ...means.empty },
  // @see https://github.com/OpenHands/OpenHands/issues/10869
  { pattern: /at least one content or tool_calls should be non-empty/i, ...means.empty },
  {
    // It is said of a message with neither, too.
    // @see https://github.com/Mobile-Artificial-Intelligence/maid/issues/672
    pattern: /must have either content or tool_calls, but not both/i,
    ...means.badRequest,
    or: "empty-content",
    advice:
      "an assistant message has either text or calls: leave out a message with neither, and the text beside calls",
  },
  {
    // Also broken into lines by a terminal. @see https://github.com/charmbracelet/crush/issues/1590
    pattern: /extra inputs are not permitted.{0,40}?messages.{0,30}?assistant\W{1,5}reasoning_content/i,
    ...means.foreignReasoning,
  },
  { pattern: /function name was .{1,200}? but must be a-z/i, ...means.badSettings },
];
