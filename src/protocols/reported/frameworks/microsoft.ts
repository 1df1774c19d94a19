import type { Item } from "../../../conversation/item.ts";
import { speakerOf } from "../../../traffic/roles.ts";
import { type Fields, fields, filled, list, string } from "../../wire.ts";
import { decodeCall, member, reasoning, result, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/**
 * Semantic Kernel and Microsoft.Extensions.AI: contents with .NET type names, members in either spelling.
 * @see https://learn.microsoft.com/dotnet/api/microsoft.extensions.ai.aicontent
 */
export const microsoft: Framework = {
  listed: { row: "frameworks", name: "Semantic Kernel, Microsoft.Extensions.AI" },
  messageKeys: [["Role"]],
  decode(message) {
    const [key, contents] = member(message, "contents", "items");
    const typed = list(contents).map(fields);
    if (typed.length === 0 || !typed.every((part) => typeOfContent(part) !== undefined)) return undefined;
    const label = member(message, "role")[1];
    const role = speakerOf(string(label) ?? string(member(fields(label), "label")[1]));
    if (role === undefined) return undefined;
    return {
      role,
      items: typed.flatMap((part, index): Item[] => {
        const pointer = `/${key}/${index}`;
        const type = typeOfContent(part)?.replace(/_/g, "").toLowerCase() ?? "";
        const callId = member(part, "callId", "call_id", "id")[1];
        const name = member(part, "functionName", "function_name", "name")[1];
        if (type.startsWith("functioncall"))
          return [decodeCall({ callId, name, arguments: member(part, "arguments")[1] }, pointer)];
        if (type.startsWith("functionresult"))
          return [result({ callId, name, output: member(part, "result")[1] }, pointer)];
        const text = string(member(part, "text")[1]);
        if (/^(?:text)?reasoning/.test(type)) return [reasoning(text, role, pointer)];
        return text === undefined
          ? [{ kind: "message", role, pointer, text: "", hasMedia: true }]
          : said(text, role, pointer);
      }),
    };
  },
};

function typeOfContent(part: Fields): string | undefined {
  return filled(part["$type"]) ?? filled(part["content_type"]);
}
