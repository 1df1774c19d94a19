import { list } from "../../wire.ts";
import { decodeParts, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** A message holds the model's calls together with their results. */
export const claudeAi: Framework = {
  listed: { row: "exports", name: "claude.ai" },
  messageKeys: [["sender", "text"]],
  decode({ sender, content, text }) {
    const role = sender === "human" ? "user" : sender === "assistant" ? sender : undefined;
    if (role === undefined || !(Array.isArray(content) || typeof text === "string")) return undefined;
    const parts = list(content);
    const items = decodeParts(parts, role, "/content");
    return { role, items: parts.length > 0 ? items : said(text, role, "/text") };
  },
};
