import type { ToolDefinition } from "../../conversation/exchange.ts";
import type { ToolCall } from "../../conversation/item.ts";
import { findTextCalls } from "./find.ts";
import { isSameCall } from "./same-call.ts";
import { teachesSyntax } from "./teaching.ts";
import type { TextCall } from "./text-call.ts";

/** What stands around a text of the model. */
export interface Surroundings {
  /** The tools that the request offers; absent when it has no list of them. */
  readonly tools: readonly ToolDefinition[] | undefined;
  /** The system prompt, and what else can teach a syntax; asked only when there is a call. */
  prompt(): string;
  /** The calls that came as calls, in the same message. */
  readonly structured: readonly ToolCall[];
}

/**
 * The calls of a text that nobody runs: those that did not come as calls as well, in a syntax that is not the protocol between this
 * client and its model. With their names, arguments and places they are the structured calls that were meant.
 */
export function lostTextCalls(
  text: string,
  { tools, prompt, structured }: Surroundings,
): readonly TextCall[] {
  const calls = findTextCalls(text, tools ? { tools } : {}).filter(
    (call) => !structured.some((other) => isSameCall(other, call)),
  );
  if (calls.length === 0) return [];
  const taught = prompt();
  return calls.filter((call) => !teachesSyntax(taught, call));
}
