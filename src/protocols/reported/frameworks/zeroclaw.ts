import type { Item } from "../../../conversation/item.ts";
import { keptInContent } from "../../../traffic/vocabulary.ts";
import { fields, list } from "../../wire.ts";
import { decodeCall, reasoning, result, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/**
 * zeroclaw keeps calls, and results with the ids of their calls, as JSON in the content of a message.
 * @see https://github.com/zeroclaw-labs/zeroclaw
 */
export const zeroclaw: Framework = {
  listed: { row: "frameworks", name: "zeroclaw" },
  decode(message) {
    const kept = keptInContent(message);
    if (!kept) return undefined;
    // What a text holds has no pointer of its own.
    const at = "/content";
    if (message["role"] === "tool")
      return {
        role: "tool",
        items: kept.map(({ tool_call_id: callId, content: output }) => result({ callId, output }, at)),
      };
    const { content, tool_calls: calls, reasoning_content: thought } = fields(kept[0]);
    const before: Item[] = typeof thought === "string" ? [reasoning(thought, "assistant", at)] : [];
    return {
      role: "assistant",
      items: [
        ...before,
        ...(typeof content === "string" ? said(content, "assistant", at) : []),
        ...list(calls).map((call) => decodeCall(fields(call), at)),
      ],
    };
  },
};
