import { canonical } from "../../conversation/identity.ts";
import type { ToolCall } from "../../conversation/item.ts";
import type { TextCall } from "./text-call.ts";

/** Whether a call written as text duplicates a structured call. */
export function isSameCall(call: ToolCall, text: TextCall): boolean {
  if (call.name !== text.name && !call.name.endsWith(text.name)) return false;
  if (text.arguments === undefined || call.arguments === undefined)
    return call.argumentsText.trim() === text.argumentsText.trim();
  return looseText(call.arguments) === looseText(text.arguments);
}

/** A value as text: syntaxes without types turn numbers into strings. */
function looseText(value: unknown): string {
  return canonical(value).replace(/"/g, "");
}
