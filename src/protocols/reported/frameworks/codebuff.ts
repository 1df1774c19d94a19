import type { Item } from "../../../conversation/item.ts";
import { fields, list } from "../../wire.ts";
import { decodeCall, reasoning, result, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** Codebuff: a message's blocks are texts, thoughts, and calls with their results. */
export const codebuff: Framework = {
  listed: { row: "exports", name: "Codebuff" },
  messageKeys: [["variant", "content"]],
  decode(message) {
    const { variant, content, blocks } = message;
    const role =
      variant === "user" ? "user" : variant === "ai" || variant === "agent" ? "assistant" : undefined;
    if (role === undefined || typeof content !== "string") return undefined;
    const items = list(blocks).flatMap((block, index): Item[] => {
      const value = fields(block);
      const { type, textType, content: text, output } = value;
      const pointer = `/blocks/${index}`;
      if (type === "tool") {
        const call = decodeCall(value, pointer);
        return output === undefined
          ? [call]
          : [call, result({ callId: call.id, name: call.name, output }, pointer)];
      }
      if (type !== "text") return [];
      return textType === "reasoning" ? [reasoning(text, role, pointer)] : said(text, role, pointer);
    });
    return { role, items: items.length > 0 ? items : said(content, role, "/content") };
  },
};
