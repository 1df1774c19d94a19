import type { Item } from "../../../conversation/item.ts";
import { fields, isFields, list, string } from "../../wire.ts";
import { reasoning, result, roleOf, said } from "../items.ts";
import { callOf } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** @see https://docs.llamaindex.ai/en/stable/api_reference/prompts/ */
export const llamaIndex: Framework = {
  listed: { row: "frameworks", name: "LlamaIndex" },

  decode(message) {
    const { blocks, additional_kwargs: more } = message;
    const role = roleOf(string(message["role"]));
    if (role === undefined || !Array.isArray(blocks) || !isFields(more)) return undefined;
    const parts = blocks.flatMap((block, index): Item[] => {
      const { block_type: type, text, content = text } = fields(block);
      const pointer = `/blocks/${index}`;
      if (type === "tool_call") return [callOf(fields(block), pointer)];
      if (type === "thinking") return [reasoning(content, role, pointer)];
      return typeof text === "string"
        ? said(text, role, pointer)
        : [{ kind: "message", role, pointer, text: "", hasMedia: true }];
    });
    if (role === "tool") {
      const output = parts.map((item) => (item.kind === "message" ? item.text : "")).join("\n");
      return { role, items: [result({ callId: more["tool_call_id"], name: more["name"], output }, "")] };
    }
    const known = new Set(parts.flatMap((item) => (item.kind === "call" ? [item.id] : [])));
    const calls = list(more["tool_calls"])
      .map((call, index) => callOf(fields(call), `/additional_kwargs/tool_calls/${index}`))
      .filter(({ id }) => id === undefined || !known.has(id));
    return { role, items: [...parts, ...calls] };
  },
};
