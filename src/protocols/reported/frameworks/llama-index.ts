import type { Item, Role } from "../../../conversation/item.ts";
import { speakerOf } from "../../../traffic/roles.ts";
import { type Fields, fields, isFields, string } from "../../wire.ts";
import { callsOf, decodeCall, reasoning, result, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/**
 * LlamaIndex for TypeScript keeps calls and results in the options of a message.
 * @see https://github.com/run-llama/LlamaIndexTS/blob/main/packages/core/src/llms/type.ts
 */
export const llamaIndexTs: Framework = {
  decode(message) {
    const { content, options } = message;
    const role = speakerOf(string(message["role"]));
    const { toolCall: calls, toolResult: outcome } = fields(options);
    if (role === undefined) return undefined;
    if (isFields(outcome)) {
      const { id: callId, result: output, isError } = outcome;
      const item = result({ callId, output, isError: isError === true }, "/options/toolResult");
      return { role: "tool", items: [item] };
    }
    if (calls === undefined) return undefined;
    const made = isFields(calls)
      ? [decodeCall(calls, "/options/toolCall")]
      : callsOf(calls, "/options/toolCall");
    return { role: "assistant", items: [...said(content, "assistant", "/content"), ...made] };
  },
};

/**
 * Messages of LlamaIndex: a list of blocks, before version 0.12 a plain `content`. The calls, and the id of
 * the call that a result answers, stand in `additional_kwargs`.
 * @see https://docs.llamaindex.ai/en/stable/api_reference/prompts/
 */
export const llamaIndex: Framework = {
  listed: { row: "frameworks", name: "LlamaIndex" },

  decode(message) {
    const { additional_kwargs: more } = message;
    const role = speakerOf(string(message["role"]));
    if (role === undefined || !isFields(more)) return undefined;
    const parts = partsOf(message, role);
    if (!parts) return undefined;
    if (role === "tool") {
      const output = parts.map((item) => (item.kind === "message" ? item.text : "")).join("\n");
      return { role, items: [result({ callId: more["tool_call_id"], name: more["name"], output }, "")] };
    }
    const known = new Set(parts.flatMap((item) => (item.kind === "call" ? [item.id] : [])));
    const calls = callsOf(more["tool_calls"], "/additional_kwargs/tool_calls").filter(
      ({ id }) => id === undefined || !known.has(id),
    );
    return { role, items: [...parts, ...calls] };
  },
};

/** What a message says, in its blocks or as plain text; `undefined` if it has neither. */
function partsOf({ blocks, content, ...others }: Fields, role: Role): readonly Item[] | undefined {
  if (!Array.isArray(blocks)) {
    if (content === null) return [];
    const isOwn = typeof content === "string" && !("tool_calls" in others) && !("tool_call_id" in others);
    return isOwn ? said(content, role, "/content") : undefined;
  }
  return blocks.flatMap((block, index): Item[] => {
    const { block_type: type, text, content: thought = text } = fields(block);
    const pointer = `/blocks/${index}`;
    if (type === "tool_call") return [decodeCall(fields(block), pointer)];
    if (type === "thinking") return [reasoning(thought, role, pointer)];
    return typeof text === "string"
      ? said(text, role, pointer)
      : [{ kind: "message", role, pointer, text: "", hasMedia: true }];
  });
}
