import type { Item, Role } from "../../../conversation/item.ts";
import { type Fields, fields, filled, string } from "../../wire.ts";
import { result, said } from "../items.ts";
import { callOf } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** @see https://ai.pydantic.dev/message-history/ */
export const pydanticAi: Framework = {
  listed: { name: "pydantic-ai", summary: "messages of Pydantic AI", signs: "parts with part_kind" },
  messageKeys: [["kind", "parts"]],
  decode({ kind, parts }) {
    if (kind !== "request" && kind !== "response") return undefined;
    if (!Array.isArray(parts) || !parts.every((part) => typeof fields(part)["part_kind"] === "string"))
      return undefined;
    const role = kind === "request" ? "user" : "assistant";
    return {
      role,
      items: parts.flatMap((part, index) => pydanticPart(fields(part), `/parts/${index}`, role)),
    };
  },
};

function pydanticPart(part: Fields, pointer: string, role: Role): Item[] {
  const { part_kind: kind, content, tool_name: name, tool_call_id: callId } = part;
  switch (kind) {
    case "system-prompt":
      return said(content, "system", pointer);
    case "tool-call":
      return [callOf(part, pointer)];
    case "builtin-tool-call":
      return [{ ...callOf(part, pointer), isHosted: true }];
    case "tool-return":
      return [result({ callId, name, output: content }, pointer)];
    case "builtin-tool-return":
      return [{ ...result({ callId, name, output: content }, pointer), isHosted: true }];
    case "retry-prompt":
      // What was wrong with a call answers it; what was wrong with a text is said by the user.
      return filled(name) === undefined
        ? said(content, "user", pointer)
        : [result({ callId, name, output: content, isError: true }, pointer)];
    case "thinking":
      return [{ kind: "reasoning", role, pointer, text: string(content) ?? "" }];
    default:
      return said(content, role, pointer);
  }
}
