import { valueAt } from "../../../reading/pointer.ts";
import { type ErrorText, means } from "../../error-text.ts";
import { pairingTexts } from "../../openai-chat/pairing-texts.ts";
import { conflict } from "../../openai-chat/validation-texts.ts";
import { bracketed, type RefusalFacts, type Refusals, type RefusalText } from "../../refusals.ts";
import { valueText } from "../../wire.ts";
import type { ProfileRefusals } from "../profile.ts";

/** It counts the results that follow the calls, and does not say which are missing. */
const insufficient = {
  text: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
};
const noCall = {
  text: "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
};

/**
 * @see https://github.com/agno-agi/agno/issues/3105
 * @see https://github.com/qwersyk/Newelle/issues/425
 */
const pairing = pairingTexts({
  unanswered: insufficient,
  "unknown-id": insufficient,
  "missing-id": insufficient,
  "no-calls": noCall,
  duplicate: noCall,
});

const thinking: readonly RefusalText[] = [
  {
    // @see https://github.com/earendil-works/pi/issues/3636
    rule: "dropped-reasoning",
    kinds: ["withCalls"],
    fits: ({ request: { model = "" } }) => /v4/i.test(model),
    text: "The `reasoning_content` in the thinking mode must be passed back to the API.",
  },
  {
    // @see https://github.com/abhigyanpatwari/GitNexus/issues/43
    rule: "dropped-reasoning",
    kinds: ["withCalls"],
    text: "Missing `reasoning_content` field in the assistant message at message index {index}. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
  },
  // @see https://github.com/deepseek-ai/DeepSeek-V3/issues/1376
  conflict("tool_choice", /thinks/, "Thinking mode does not support this tool_choice"),
];

const unique: RefusalText = {
  // @see https://github.com/decolua/9router/pull/3333
  rule: "invalid-request",
  kinds: ["together"],
  fits: ({ pointer }) => pointer.startsWith("/tools/"),
  text: "Tool names must be unique.",
};

const half: RefusalText = {
  // @see https://github.com/JohnnyZ93/oai-compatible-copilot/pull/271
  rule: "invalid-request",
  kinds: ["text"],
  stage: "shape",
  text: "Failed to parse the request body as JSON: {path}: lone leading surrogate in hex escape",
};

/**
 * What its parser says about a body, the errors of Rust's serde. The column is that of the body's end, where
 * it gives up on values that may have several forms.
 * @see https://github.com/farion1231/cc-switch/issues/3330
 * @see https://github.com/tailcallhq/forgecode/issues/2008
 */
function parsed(
  what: Pick<RefusalText, "rule" | "kinds">,
  words: string,
  more: (facts: RefusalFacts) => Readonly<Record<string, string>> = () => ({}),
): RefusalText {
  return {
    ...what,
    stage: "shape",
    text: `Failed to deserialize the JSON body into the target type: ${words} at line 1 column {column}`,
    values: (facts) => ({
      place: facts.index === undefined ? bracketed(facts.pointer) : `messages[${facts.index}]`,
      found: serdeType(valueAt(facts.body, facts.pointer)),
      column: String(JSON.stringify(facts.body).length),
      ...more(facts),
    }),
  };
}

function serdeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "sequence";
  if (typeof value === "object") return "map";
  if (typeof value === "string") return `string "${value}"`;
  return typeof value === "number" && !Number.isInteger(value)
    ? `floating point \`${value}\``
    : `${typeof value === "number" ? "integer" : "boolean"} \`${valueText(value)}\``;
}

/** What it expects, in the words of the rule. */
function expectation({ data }: RefusalFacts): string {
  const wanted = valueText(data["wanted"] ?? "");
  if (/a string/.test(wanted)) return "a string";
  if (/whole number/.test(wanted)) return "u32";
  if (/number/.test(wanted)) return "f32";
  return /true/.test(wanted) ? "a boolean" : /a list/.test(wanted) ? "a sequence" : "struct";
}

const wrongType = "{place}: invalid type: {found}, expected {expectation}";
const shapes: readonly RefusalText[] = [
  parsed(
    { rule: "bad-turn-order", kinds: ["unknown"] },
    "{path}: unknown variant `{role}`, expected one of `system`, `user`, `assistant`, `tool`, `latest_reminder`",
  ),
  {
    ...parsed({ rule: "bad-turn-order", kinds: ["nothing"] }, "missing field `messages`"),
    fits: ({ body }) => body["messages"] === undefined,
  },
  parsed({ rule: "invalid-request", kinds: ["missing"] }, "{place}: missing field `{member}`"),
  parsed({ rule: "invalid-request", kinds: ["type"] }, wrongType, (facts) => ({
    expectation: expectation(facts),
  })),
  ...["malformed-tool-result", "misencoded-arguments", "invalid-call-id"].map((rule) =>
    parsed({ rule, kinds: [rule === "malformed-tool-result" ? "content" : "type"] }, wrongType, () => ({
      expectation: "a string",
    })),
  ),
  parsed({ rule: "invalid-call-id", kinds: ["missing"] }, "{place}: missing field `id`"),
  parsed(
    { rule: "mixed-protocols", kinds: ["form", "block"] },
    "{place}.content: unknown variant `{form}`, expected `text`",
  ),
];

const envelope: Refusals["errorBody"] = ({ message, type, code }) => ({
  error: {
    message,
    type: type ?? "invalid_request_error",
    param: null,
    code: code ?? "invalid_request_error",
  },
});

export const deepseekRefusals: ProfileRefusals = {
  "openai-chat": {
    texts: [...pairing, ...thinking, unique, half, ...shapes],
    errorBody: envelope,
    notJson: { text: "Failed to parse the request body as JSON: {reason}" },
  },
  // @see https://github.com/Hmbown/Codewhale/issues/4329 for Anthropic's words about calls
  // @see https://github.com/decolua/9router/issues/2397
  anthropic: {
    texts: [
      {
        rule: "dropped-reasoning",
        text: "The `content[].thinking` in the thinking mode must be passed back to the API.",
      },
    ],
    errorBody: envelope,
  },
  // @see https://github.com/openai/codex/issues/46193
  "openai-responses": {
    texts: [
      ...["unanswered-tool-call", "misplaced-tool-result", "merged-or-split-turns"].map((rule) => ({
        rule,
        text: "No tool output found for tool call {id}.",
        values: ({ data, ids }: { data: Readonly<Record<string, unknown>>; ids: readonly string[] }) => ({
          id: valueText(data["callId"] ?? ids[0] ?? ""),
        }),
      })),
      unique,
      half,
    ],
    errorBody: envelope,
  },
};

export const deepseekErrors: readonly ErrorText[] = [
  { pattern: /insufficient tool messages following tool_calls/i, ...means.unanswered },
  {
    pattern: /missing .?reasoning_content.{0,80}?message index (?<index>\d{1,6})/i,
    ...means.lostReasoning,
  },
  {
    pattern:
      /(?:reasoning_(?:content|text)|content\[\]\.thinking).{0,80}?must be passed back|missing .?reasoning_content/i,
    ...means.lostReasoning,
  },
  {
    pattern: /unknown variant [`'"](?:human|ai|bot|model)[`'"], expected one of [`'"]system/i,
    ...means.turnOrder,
  },
  {
    pattern: /messages\[\d{1,6}\](?:\.content)?: invalid type: sequence, expected a string/i,
    ...means.textOnly,
  },
  {
    pattern:
      /does not support successive user or assistant messages(?: \(messages\[\d{1,6}\] and messages\[(?<index>\d{1,6})\])?/i,
    ...means.turnOrder,
  },
  // @see https://github.com/davidmonterocrespo24/DaveAgent/issues/13
  {
    pattern: /invalid consecutive assistant message at message index (?<index>\d{1,6})/i,
    ...means.turnOrder,
  },
  {
    // @see https://github.com/SciPhi-AI/R2R/issues/1990
    // @see https://github.com/ChatGPTNextWeb/NextChat/issues/6305
    pattern: /(?:first|last) message(?: \(except the system message\))? of .{1,60} must be a user message/i,
    ...means.turnOrder,
  },
  {
    // @see https://github.com/carlrobertoh/ProxyAI/issues/834
    // @see https://github.com/OnesoftQwQ/opencode-go-copilot/issues/24
    pattern: /invalid assistant message: content or tool_calls must be set/i,
    ...means.empty,
    advice: "leave out messages that have neither content nor calls; reasoning alone does not count",
  },
  { pattern: /does not support this tool_choice/i, ...means.badSettings },
];
