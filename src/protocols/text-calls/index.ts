/**
 * Tool calls that reached a log as text, because nothing on the way knew the model's syntax, and what is left of templates where
 * something knew half of it. Text in, spans out: which rule speaks, and how loudly, is decided elsewhere.
 */
export { findControlTokens } from "./control-tokens.ts";
export { findTextCalls } from "./find.ts";
export { splitParallelWrapper } from "./json.ts";
export { lostTextCalls } from "./lost.ts";
export { textRoundAt } from "./rounds.ts";
export { isSameCall } from "./same-call.ts";
export type { ControlToken, TextCall } from "./text-call.ts";
