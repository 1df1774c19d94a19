import type { Step } from "../conversation/conversation.ts";
import type { Spot } from "./rule.ts";

/** The place of a reply's stop reason. */
export function finishSpot(step: Step): Spot {
  const { pointer = "", extent } = step.reply?.finish ?? {};
  return { step, part: "response", pointer, ...(extent && { extent }) };
}

/** The place of a reply's error. */
export function errorSpot(step: Step): Spot {
  const { pointer = "", extent } = step.reply?.error ?? {};
  return { step, part: "response", pointer, ...(extent && { extent }) };
}
