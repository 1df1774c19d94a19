import type { Item } from "../../../conversation/item.ts";
import { speakerOf } from "../../../traffic/roles.ts";
import { fields, isFields, list, string } from "../../wire.ts";
import { callsOf, decodeCall, decodePart, decodeResult, reasoning, result, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** Zed's threads: the only member of each message and part names its kind. */
export const zed: Framework = {
  listed: { row: "exports", name: "Zed" },

  decode(message) {
    const [key] = Object.keys(message);
    const inner = fields(message[key ?? ""]);
    if ((key !== "User" && key !== "Agent") || !Array.isArray(inner["content"])) return undefined;
    const role = key === "User" ? "user" : "assistant";
    const items = inner["content"].flatMap((part, index): Item[] => {
      const { Text: text, Thinking: thought, ToolUse: use } = fields(part);
      const pointer = `/${key}/content/${index}`;
      if (isFields(use)) return [decodeCall(use, `${pointer}/ToolUse`)];
      if (isFields(thought)) return [reasoning(thought["text"], role, pointer)];
      return typeof text === "string" ? said(text, role, pointer) : [];
    });
    const results = Object.entries(fields(inner["tool_results"])).map(([id, value]) => {
      const { content, tool_name: name, is_error: isError } = fields(value);
      const output = fields(content)["Text"] ?? content;
      return result({ callId: id, name, output, isError: isError === true }, `/${key}/tool_results/${id}`);
    });
    return { role, items: [...items, ...results] };
  },
};

/** Zed's older threads: a message's texts, calls and results are in separate lists. */
export const zedSegments: Framework = {
  decode(message) {
    const { segments, tool_uses: uses, tool_results: results } = message;
    const role = speakerOf(string(message["role"]));
    if (role === undefined || !Array.isArray(segments)) return undefined;
    const spoken = segments.flatMap((segment, index) => decodePart(segment, role, `/segments/${index}`));
    const calls = callsOf(uses, "/tool_uses");
    const given = list(results).map((value, index) => decodeResult(fields(value), `/tool_results/${index}`));
    return { role, items: [...given, ...spoken, ...calls] };
  },
};
