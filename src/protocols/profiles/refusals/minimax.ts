import { valueAt } from "../../../reading/pointer.ts";
import { type ErrorText, ids, means } from "../../error-text.ts";
import { pairingTexts } from "../../openai-chat/pairing-texts.ts";
import type { RefusalFacts, RefusalText } from "../../refusals.ts";
import { fields } from "../../wire.ts";
import type { ProfileRefusals } from "../profile.ts";

const misplaced = { text: "invalid params, tool call result does not follow tool call (2013)" };
const notFound = { text: "invalid params, tool result's tool id({id}) not found (2013)" };

/**
 * @see https://github.com/can1357/oh-my-pi/issues/2055
 * @see https://github.com/MiniMax-AI/MiniMax-M2/issues/76
 */
const pairing = pairingTexts({
  unanswered: misplaced,
  "no-calls": notFound,
  "unknown-id": notFound,
  "missing-id": notFound,
  duplicate: misplaced,
});

const brokenArguments = {
  text: "invalid params, invalid function arguments json string, tool_call_id: {id} (2013)",
  values: ({ body, pointer, data }: RefusalFacts) => ({
    id: String(
      data["callId"] ?? fields(valueAt(body, pointer.replace(/\/function\/arguments$/, "")))["id"] ?? "",
    ),
  }),
};

/** The text for a conflict at a place below its member. */
const refusedAt = (place: RegExp, text: string): RefusalText => ({
  rule: "invalid-request",
  kinds: ["together"],
  fits: ({ pointer }) => place.test(pointer),
  text,
});

/**
 * @see https://github.com/madebyaris/advance-minimax-m3-cursor-rules/issues/2
 * @see https://github.com/openclaw/openclaw/issues/19386
 * @see https://github.com/QwenLM/qwen-code/issues/11834
 * @see https://github.com/CherryHQ/cherry-studio/issues/16431
 */
const texts: readonly RefusalText[] = [
  ...pairing,
  { rule: "bad-turn-order", kinds: ["system"], text: "invalid params, invalid chat setting (2013)" },
  refusedAt(/^\/tools\/\d+\/function$/, "invalid params, function parameters is empty (2013)"),
  refusedAt(
    /^\/thinking\/type$/,
    'invalid params, invalid thinking.type: "enabled" (allowed: adaptive, disabled) (2013)',
  ),
  { rule: "incomplete-arguments", ...brokenArguments },
  {
    rule: "invalid-request",
    kinds: ["type"],
    fits: ({ pointer }) => pointer.endsWith("/function/arguments"),
    ...brokenArguments,
  },
];

export const minimaxRefusals: ProfileRefusals = {
  "openai-chat": {
    texts,
    errorBody: ({ status, message, type = "bad_request_error", requestId }) => ({
      type: "error",
      error: { type, message, http_code: String(status) },
      request_id: requestId,
    }),
  },
};

export const minimaxErrors: readonly ErrorText[] = [
  { pattern: new RegExp(`tool result's tool id ?\\(${ids}\\) not found`, "i"), ...means.orphan },
  { pattern: /tool result's tool id ?\(\) not found/i, ...means.badId },
  { pattern: /tool call result does not follow tool call/i, ...means.misplaced },
  // @see https://github.com/Kilo-Org/kilocode/issues/3967
  { pattern: /tool call id is invalid \(2013\)/i, ...means.badId },
  { pattern: /tool call and result not match/i, ...means.mismatched, or: "unanswered-tool-call" },
  {
    pattern: new RegExp(`invalid function arguments json string(?:, tool_call_id: ?${ids})?`, "i"),
    ...means.brokenArguments,
  },
  {
    pattern: /function (?:name or )?parameters is empty/i,
    ...means.badSettings,
    advice: 'give each tool a schema, also one without parameters: `{ type: "object", properties: {} }`',
  },
  { pattern: /invalid params, invalid (?:tool type|thinking\.type)/i, ...means.badSettings },
  // It says the first of a system message in a wrong place, and the second of several.
  {
    pattern: /chat content has invalid message role: \w{1,20}|invalid params, invalid chat setting/i,
    ...means.turnOrder,
    advice: "it takes one system message, as the first of all",
  },
];
