import type { Item, Role } from "../../../conversation/item.ts";
import { means } from "../../error-text.ts";
import { type Fields, fields, filled } from "../../wire.ts";
import { decodeCall, decodeResult, reasoning, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** @see https://ai.pydantic.dev/message-history/ */
export const pydanticAi: Framework = {
  listed: { name: "pydantic-ai", summary: "messages of Pydantic AI", signs: "parts with part_kind" },
  errorTexts: [{ pattern: /message history contains unprocessed tool calls/i, ...means.unanswered }],
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
  const { part_kind: kind, content } = part;
  switch (kind) {
    case "system-prompt":
      return said(content, "system", pointer);
    case "tool-call":
      return [decodeCall(part, pointer)];
    case "builtin-tool-call":
      return [{ ...decodeCall(part, pointer), isHosted: true }];
    case "tool-return":
      return [decodeResult(part, pointer)];
    case "builtin-tool-return":
      return [{ ...decodeResult(part, pointer), isHosted: true }];
    case "retry-prompt":
      // An error in a call answers the call; an error in a text is a user message.
      return filled(part["tool_name"]) === undefined
        ? said(content, "user", pointer)
        : [{ ...decodeResult(part, pointer), isError: true }];
    case "thinking":
      return [reasoning(content, role, pointer)];
    default:
      return said(content, role, pointer);
  }
}
