import type { Item } from "../../../conversation/item.ts";
import { fields, list, string } from "../../wire.ts";
import { result, said } from "../items.ts";
import { callOf } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** Codebuff: the blocks of a message are texts, thoughts, and calls with what they gave. */
export const codebuff: Framework = {
  listed: { row: "exports", name: "Codebuff" },
  messageKeys: [["variant", "content"]],
  decode(message) {
    const { variant, content, blocks } = message;
    const role =
      variant === "user" ? "user" : variant === "ai" || variant === "agent" ? "assistant" : undefined;
    if (role === undefined || typeof content !== "string") return undefined;
    const items = list(blocks).flatMap((block, index): Item[] => {
      const {
        type,
        textType,
        content: text,
        toolName: name,
        toolCallId: callId,
        input,
        output,
      } = fields(block);
      const pointer = `/blocks/${index}`;
      if (type === "tool") {
        const call = callOf({ id: callId, name, arguments: input }, pointer);
        return output === undefined ? [call] : [call, result({ callId, name, output }, pointer)];
      }
      if (type !== "text") return [];
      return textType === "reasoning"
        ? [{ kind: "reasoning", role, pointer, text: string(text) ?? "" }]
        : said(text, role, pointer);
    });
    return { role, items: items.length > 0 ? items : said(content, role, "/content") };
  },
};
