import { type Fields, fields, filled, isFields } from "../../wire.ts";
import type { Framework } from "./framework.ts";

/**
 * Langfuse: its handler for LangChain keeps each tool that a request offers as a message behind the history,
 * with the definition as its content. Nobody sent it as a message.
 * @see https://github.com/langfuse/langfuse-python/blob/main/langfuse/langchain/CallbackHandler.py
 */
export const langfuse: Framework = {
  decode({ role, content, tool_call_id: callId }) {
    const isOffered = role === "tool" && callId === undefined && isDefinition(fields(content));
    return isOffered ? { role, items: [] } : undefined;
  },
};

/** Whether this defines a tool, in the form of the API that the framework asked. */
function isDefinition(content: Fields): boolean {
  if (Array.isArray(content["functionDeclarations"] ?? content["function_declarations"])) return true;
  const tool = content["type"] === "function" ? fields(content["function"] ?? content) : content;
  return filled(tool["name"]) !== undefined && isFields(tool["parameters"] ?? tool["input_schema"]);
}
