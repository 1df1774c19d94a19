import type { Item } from "../../../conversation/item.ts";
import { fields, isFields, list } from "../../wire.ts";
import { decodeCall, decodePart, decodeResult, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** LibreChat's exports: a call and its result are one part. */
export const libreChat: Framework = {
  listed: { row: "exports", name: "LibreChat" },
  messageKeys: [["sender", "text"]],
  decode(message) {
    const { isCreatedByUser: isUser, content, text } = message;
    if (typeof isUser !== "boolean" || typeof text !== "string") return undefined;
    const role = isUser ? "user" : "assistant";
    const items = list(content).flatMap((part, index): Item[] => {
      const pointer = `/content/${index}`;
      const call = fields(part)["tool_call"];
      if (!isFields(call)) return decodePart(part, role, pointer);
      const at = `${pointer}/tool_call`;
      return call["output"] === undefined
        ? [decodeCall(call, at)]
        : [decodeCall(call, at), decodeResult(call, at)];
    });
    return { role, items: items.length > 0 ? items : said(text, role, "/text") };
  },
};
