import { canonical } from "../../conversation/identity.ts";
import type { ToolCall } from "../../conversation/item.ts";
import type { TextCall } from "./text-call.ts";

/** A call that was written as text is one that also came as a call. */
export function isSameCall(call: ToolCall, text: TextCall): boolean {
  if (call.name !== text.name && !call.name.endsWith(text.name)) return false;
  if (text.arguments === undefined || call.arguments === undefined)
    return call.argumentsText.trim() === text.argumentsText.trim();
  return loose(call.arguments) === loose(text.arguments);
}

/** Values as text: syntaxes without types make strings of numbers. */
function loose(value: unknown): string {
  return canonical(value).replace(/"/g, "");
}
