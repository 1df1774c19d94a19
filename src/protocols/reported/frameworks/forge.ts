import { speakerOf } from "../../../traffic/roles.ts";
import { fields, isFields, list, string } from "../../wire.ts";
import { callsOf, reasoning, result, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/**
 * What forge dumps: the first member of each message names its kind. A result's values are objects whose
 * member names their kind too, or the word `empty`.
 * @see https://github.com/antinomyhq/forge/blob/main/crates/forge_domain/src/context.rs
 */
export const forge: Framework = {
  listed: { row: "exports", name: "forge" },
  messageKeys: [["text"], ["tool"]],
  decode({ text: spoken, tool: outcome, image }) {
    if (isFields(outcome)) {
      const { call_id: callId, name, output } = outcome;
      const { values, is_error: isError } = fields(output);
      if (!Array.isArray(values)) return undefined;
      const text = values.flatMap((value) => string(fields(value)["text"]) ?? []).join("\n");
      return {
        role: "tool",
        items: [result({ callId, name, output: text, isError: isError === true }, "/tool")],
      };
    }
    if (isFields(spoken)) {
      const role = speakerOf(string(spoken["role"]));
      if (role === undefined || typeof spoken["content"] !== "string") return undefined;
      const thoughts = list(spoken["reasoning_details"]).map((thought, index) =>
        reasoning(fields(thought)["text"], role, `/text/reasoning_details/${index}`),
      );
      return {
        role,
        items: [
          ...thoughts,
          ...said(spoken["content"], role, "/text/content"),
          ...callsOf(spoken["tool_calls"], "/text/tool_calls"),
        ],
      };
    }
    if (!isFields(image) || typeof image["mime_type"] !== "string") return undefined;
    return {
      role: "user",
      items: [{ kind: "message", role: "user", pointer: "/image", text: "", hasMedia: true }],
    };
  },
};
