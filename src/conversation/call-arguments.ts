import { isDeepJson } from "../reading/parse.ts";
import type { ToolCall } from "./item.ts";

type Arguments = Pick<ToolCall, "arguments" | "argumentsText">;

/** Whether the arguments of a call are not a JSON value. Those that nest too deep to be read are one. */
export function lacksValue(call: Arguments): boolean {
  return call.arguments === undefined && !areTooDeep(call);
}

/** Whether the arguments of a call are JSON that is nested too deeply to be read. */
export function areTooDeep(call: Arguments): boolean {
  return call.arguments === undefined && isDeepJson(call.argumentsText);
}

/** Whether a call carries arguments that should be JSON and are not. */
export function hasBrokenArguments(call: ToolCall): boolean {
  return call.isJson && call.argumentsText.trim() !== "" && lacksValue(call);
}
