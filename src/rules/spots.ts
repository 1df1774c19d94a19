import type { Step } from "../conversation/conversation.ts";
import type { Spot } from "./rule.ts";

/** Where a reply names its stop reason. */
export function finishSpot(step: Step): Spot {
  const { pointer = "", extent } = step.reply?.finish ?? {};
  return { step, part: "response", pointer, ...(extent && { extent }) };
}

/** Where a reply says what went wrong. */
export function errorSpot(step: Step): Spot {
  const { pointer = "", extent } = step.reply?.error ?? {};
  return { step, part: "response", pointer, ...(extent && { extent }) };
}
