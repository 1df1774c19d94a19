import type { ToolDefinition } from "../../conversation/exchange.ts";
import type { ToolCall } from "../../conversation/item.ts";
import { findTextCalls } from "./find.ts";
import { isSameCall } from "./same-call.ts";
import { teachesSyntax } from "./teaching.ts";
import type { TextCall } from "./text-call.ts";

/** The context of a model's text. */
export interface Surroundings {
  /** The tools that the request offers; absent when it has no tool list. */
  readonly tools: readonly ToolDefinition[] | undefined;
  /** The system prompt and other text that can teach a syntax. Evaluated only if there is a call. */
  prompt(): string;
  /** The structured calls of the same message. */
  readonly structured: readonly ToolCall[];
}

/**
 * The calls in a text that nothing runs: not also structured calls, and not in the protocol between this
 * client and its model. Their names, arguments and positions give the structured calls that were meant.
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
