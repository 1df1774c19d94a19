import type { Item } from "../../../conversation/item.ts";
import { speakerOf } from "../../../traffic/roles.ts";
import { fields, isFields, string } from "../../wire.ts";
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

/** @see https://docs.llamaindex.ai/en/stable/api_reference/prompts/ */
export const llamaIndex: Framework = {
  listed: { row: "frameworks", name: "LlamaIndex" },

  decode(message) {
    const { blocks, additional_kwargs: more } = message;
    const role = speakerOf(string(message["role"]));
    if (role === undefined || !Array.isArray(blocks) || !isFields(more)) return undefined;
    const parts = blocks.flatMap((block, index): Item[] => {
      const { block_type: type, text, content = text } = fields(block);
      const pointer = `/blocks/${index}`;
      if (type === "tool_call") return [decodeCall(fields(block), pointer)];
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
    const calls = callsOf(more["tool_calls"], "/additional_kwargs/tool_calls").filter(
      ({ id }) => id === undefined || !known.has(id),
    );
    return { role, items: [...parts, ...calls] };
  },
};
