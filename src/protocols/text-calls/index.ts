/**
 * Finds tool calls that reached a log as text because no component parsed the model's syntax, and leftover
 * template tokens from partial parsing. Text in, spans out: rules decide what to report, and how severely.
 */
export { findControlTokens } from "./control-tokens.ts";
export { findTextCalls } from "./find.ts";
export { splitParallelWrapper } from "./json.ts";
export { lostTextCalls } from "./lost.ts";
export { textRoundAt } from "./rounds.ts";
export { isSameCall } from "./same-call.ts";
export type { ControlToken, TextCall } from "./text-call.ts";
