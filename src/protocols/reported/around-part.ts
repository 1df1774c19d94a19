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
  // LangChain.
  if (type === "tool_call" && args !== undefined && filled(part["name"]) !== undefined)
    return { before: '{"type":"ai","content":"","tool_calls":[', after: "]}" };
  if (isOfAutoGen(part))
    return { before: '{"type":"ToolCallRequestEvent","source":"assistant","content":[', after: "]}" };
  // The AI SDK.
  if (filled(part["toolCallId"]) === undefined || typeof type !== "string") return undefined;
  if (callTypes.has(type)) return { before: '{"role":"assistant","content":[', after: "]}" };
  return resultTypes.has(type) ? { before: '{"role":"tool","content":[', after: "]}" } : undefined;
}

/** What AutoGen and others print as `FunctionCall(id=…, arguments=…, name=…)`. */
function isOfAutoGen(part: Fields): boolean {
  return (
    Object.keys(part).length === 3 &&
    filled(part["id"]) !== undefined &&
    filled(part["name"]) !== undefined &&
    string(part["arguments"]) !== undefined
  );
}
