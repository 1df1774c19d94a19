import { namesError } from "../errors.ts";
import type { Peek, RequestBody } from "../protocol.ts";
import { type Fields, fields, list } from "../wire.ts";

/** What servers that speak OpenAI's protocol have under names of their own. */

/** An error without a wrapper: `{object: "error"}`, `{error_code, error_msg}`, a list of a validator. */
export function isBareError(peek: Peek): boolean {
  if (peek.keys.length > 8) return false;
  if (peek.kind("object") === "string" && namesError(peek.value("object"))) return peek.has("message");
  // Baidu's Qianfan. @see https://github.com/langchain4j/langchain4j/issues/748
  if (peek.kind("error_code") === "number") return peek.kind("error_msg") === "string";
  if (peek.kind("detail") !== "array" || peek.keys.length > 2) return false;
  const first = fields(list(peek.value("detail"))[0]);
  return Array.isArray(first["loc"]) && typeof first["msg"] === "string";
}

/** Prefill by `prefix` (Mistral, DeepSeek), `partial` (Kimi) or `continue_final_message` (vLLM, Mistral). */
export function isPrefill(request: Fields, run: RequestBody["run"]): boolean {
  const last = fields(
    run && run.length > 0 ? run.element(run.length - 1).value : list(request["messages"]).at(-1),
  );
  return last["prefix"] === true || last["partial"] === true || request["continue_final_message"] === true;
}

/** The types of tools of OpenAI, and of servers that speak its protocol (Kimi, Mistral, Z.ai, Groq, xAI). */
export const knownTools: ReadonlySet<string> = new Set([
  "function",
  "custom",
  "builtin_function",
  "web_search",
  "web_search_preview",
  "web_search_premium",
  "browser_search",
  "code_interpreter",
  "code_execution",
  "image_generation",
  "document_library",
  "connector",
  "retrieval",
  "live_search",
  "mcp",
]);
