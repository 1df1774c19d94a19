import type { Demands, Request } from "../../conversation/exchange.ts";
import { signsCalls } from "../gemini/signatures.ts";
import { type Fields, fields, filled, list } from "../wire.ts";

type Need = ReturnType<NonNullable<Demands["reasoning"]>>;

/** Models that want `reasoning_content` back with all their calls, and those that look at the last turn. */
const wantAll = /deepseek-v4|kimi-k2[.\d]*-thinking|kimi-k2\.[5-9]|kimi-for-coding/i;
const wantLast = /deepseek-(?:reasoner|chat|v3\.2)/i;

/**
 * DeepSeek 3.2 and later, and Kimi's thinking models, require `reasoning_content` in messages with calls.
 * DeepSeek 3.2 wants that of earlier turns removed; "reasoning_content of all subsequent turns" is V4's.
 * @see https://api-docs.deepseek.com/guides/thinking_mode#tool-calls
 */
export function neededReasoning({ model = "", settings }: Pick<Request, "model" | "settings">): Need {
  if (settings.reasoning === false) return undefined;
  if (wantAll.test(model)) return "with-calls";
  const thinks = settings.reasoning !== undefined || !/deepseek-(?:chat|v3\.2)/i.test(model);
  return thinks && wantLast.test(model) ? "with-last-calls" : undefined;
}

/** The same, and at a server that passes calls on to Gemini, their signatures. */
export function neededWithSignatures(request: Request): Need {
  return signsCalls(request.model) ? "signed-calls" : neededReasoning(request);
}

/** Models that think in every reply unless they are told not to. */
const think = /deepseek-(?:v4|reasoner)|kimi-k2[.\d]*-thinking|kimi-k2\.[5-9]|kimi-for-coding/i;

/** Whether the model thought before each of its calls, although the log may not show it. */
export function surelyReasons({ model = "", settings }: Request): boolean {
  return settings.reasoning === undefined ? think.test(model) : settings.reasoning === true;
}

/**
 * Whether a call has the thought signature that Gemini wants back. The OpenAI form keeps it in
 * `extra_content.google`; LiteLLM in `provider_specific_fields`, or in the call's id; OpenRouter in the
 * message's `reasoning_details`.
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures#openai
 */
export function isSigned(call: Fields, message: Fields): boolean {
  const google = fields(fields(call["extra_content"])["google"]);
  return (
    isText(google["thought_signature"] ?? google["thoughtSignature"]) ||
    isText(call["thought_signature"] ?? call["thoughtSignature"]) ||
    /__thought__/.test(filled(call["id"]) ?? "") ||
    [call, fields(call["function"]), message].some(({ provider_specific_fields: kept }) =>
      hasSignature(kept),
    ) ||
    hasSignature(fields(message["extra_content"])["google"]) ||
    list(message["reasoning_details"]).some((detail) => isText(fields(detail)["data"]))
  );
}

function hasSignature(value: unknown): boolean {
  const { thought_signature: one, thought_signatures: all } = fields(value);
  return isText(one) || list(all).some(isText);
}

function isText(value: unknown): boolean {
  return filled(value) !== undefined;
}
