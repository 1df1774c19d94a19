import type { ToolCall } from "../../../conversation/item.ts";
import { printedValue } from "../../../reading/literal.ts";
import { fields, list } from "../../wire.ts";
import { decodeCall, result, resultText, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/**
 * smolagents: calls and results are texts under roles of their own, with calls printed as Python.
 * @see https://github.com/huggingface/smolagents/blob/main/src/smolagents/memory.py
 */
export const smolagents: Framework = {
  listed: { row: "frameworks", name: "smolagents" },

  decode({ role, content }) {
    if (role !== "tool-call" && role !== "tool-response") return undefined;
    const text = resultText(content);
    if (role === "tool-response") {
      const callId = /^Call id: (\S+)\n/.exec(text)?.[1];
      return { role: "tool", items: [result({ callId, output: text }, "/content")] };
    }
    const listed = /^Calling tools:\s*/.exec(text)?.[0];
    const calls = listed === undefined ? [] : list(printedValue(text.slice(listed.length)));
    const items = calls.map((call): ToolCall => {
      const read = decodeCall(fields(call), "/content");
      // Code takes the place of arguments.
      return typeof fields(fields(call)["function"])["arguments"] === "string"
        ? { ...read, isJson: false }
        : read;
    });
    if (items.length === 0) return { role: "assistant", items: said(text, "assistant", "/content") };
    // One observation follows all calls. It counts as the first one's result; the others get an empty one.
    const others = items
      .slice(1)
      .map(({ id: callId, name }) => result({ callId, name, output: "" }, "/content"));
    return { role: "assistant", items: [...items, ...others] };
  },
};
