import { callTypes, resultTypes } from "../../traffic/vocabulary.ts";
import type { AroundPart } from "../protocol.ts";
import { type Fields, filled, string } from "../wire.ts";

/** The message of a framework that holds a call or a result. */
export function aroundPart(part: Fields): AroundPart | undefined {
  const { role, type, part_kind: kind, args } = part;
  if (role !== undefined) return undefined;
  // Pydantic AI.
  if (kind === "tool-call") return { before: '{"kind":"response","parts":[', after: "]}" };
  if (kind === "tool-return") return { before: '{"kind":"request","parts":[', after: "]}" };
  const isOfLangChain = args !== undefined && filled(part["name"]) !== undefined;
  if (isFlatCall(part) || (isOfLangChain && type === "tool_call"))
    return { before: '{"type":"ai","content":"","tool_calls":[', after: "]}" };
  if (isOfLangChain && type === "invalid_tool_call")
    return { before: '{"type":"ai","content":"","invalid_tool_calls":[', after: "]}" };
  // The AI SDK.
  if (filled(part["toolCallId"]) === undefined || typeof type !== "string") return undefined;
  if (callTypes.has(type)) return { before: '{"role":"assistant","content":[', after: "]}" };
  return resultTypes.has(type) ? { before: '{"role":"tool","content":[', after: "]}" } : undefined;
}

/** The members that a call may have which SDKs print: AutoGen's, RubyLLM's, those of LangChain for Elixir. */
const flatKeys = new Set(["id", "call_id", "name", "arguments", "type", "index", "status", "error"]);

/** A call without a function in it: `FunctionCall(id=…, arguments=…, name=…)`. */
function isFlatCall(part: Fields): boolean {
  return (
    Object.keys(part).every((key) => flatKeys.has(key)) &&
    (filled(part["id"]) ?? filled(part["call_id"])) !== undefined &&
    filled(part["name"]) !== undefined &&
    string(part["arguments"]) !== undefined &&
    (part["type"] === undefined || part["type"] === "function")
  );
}
