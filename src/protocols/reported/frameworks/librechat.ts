import type { Item } from "../../../conversation/item.ts";
import { fields, isFields, list } from "../../wire.ts";
import { result, said } from "../items.ts";
import { callOf, decodePart } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** LibreChat's exports: a call and what it gave are one part. */
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
      const { output, id: callId, name } = call;
      const called = callOf(call, `${pointer}/tool_call`);
      return output === undefined
        ? [called]
        : [called, result({ callId, name, output }, `${pointer}/tool_call`)];
    });
    return { role, items: items.length > 0 ? items : said(text, role, "/text") };
  },
};
