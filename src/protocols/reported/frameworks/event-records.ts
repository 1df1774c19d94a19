import type { Item } from "../../../conversation/item.ts";
import { kindOfRecord } from "../../../traffic/event-names.ts";
import { callIdBeside, toolNameIn } from "../../../traffic/vocabulary.ts";
import { type Fields, fields, filled, isFields, list } from "../../wire.ts";
import { callsOf, decodeCall, decodeResult, reasoning, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/**
 * Events of home-made agents in one list: `{kind: "tool_use", toolUseId, name, input}`, `{type:
 * "tool_call", tool_calls}`, `{type: "tool_result", call_id, outcome}`. Messages among them have a role and
 * need no reader.
 */
export const eventRecords: Framework = {
  decode(element) {
    const kind = kindNamed(element);
    if (kind === "reasoning" && element["role"] === "assistant")
      return {
        role: "assistant",
        items: [reasoning(element["content"] ?? element["text"], "assistant", "")],
      };
    if (kind === "call") {
      const items = callItems(element);
      return items && { role: "assistant", items };
    }
    if (kind !== "result" || callIdBeside(element) === undefined) return undefined;
    // The Messages API has blocks of this name, without a role.
    if (element["tool_use_id"] !== undefined && element["role"] === undefined) return undefined;
    return { role: "tool", items: [decodeResult(withOutcome(element), "")] };
  },
};

/** By the event's own name: a role names who spoke, and items of the Responses API are not events. */
function kindNamed({ kind, type, event }: Fields): ReturnType<typeof kindOfRecord> {
  const name = filled(kind) ?? filled(type) ?? filled(event);
  return name === undefined || /^(?:function|custom_tool)_call/.test(name)
    ? undefined
    : kindOfRecord({ type: name });
}

function callItems(element: Fields): Item[] | undefined {
  const { content, tool_calls: calls } = element;
  const made = list(calls).map(fields);
  if (made.length > 0 && made.every((call) => toolNameIn(call) !== undefined && !isFields(call["function"])))
    return [
      ...(filled(content) ? said(content, "assistant", "/content") : []),
      ...callsOf(calls, "/tool_calls"),
    ];
  if (callIdBeside(element) === undefined || toolNameIn(element) === undefined) return undefined;
  return [decodeCall(element, "")];
}

/** `{outcome: {type: "success", result}}`. */
function withOutcome(element: Fields): Fields {
  const outcome = fields(element["outcome"]);
  const output = outcome["result"] ?? outcome["error"];
  return output === undefined ? element : { ...element, output };
}
