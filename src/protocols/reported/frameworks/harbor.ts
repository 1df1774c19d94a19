import type { Item } from "../../../conversation/item.ts";
import { pushAll } from "../../../reading/lists.ts";
import { type Fields, fields, filled, isFields, list } from "../../wire.ts";
import { decodeCall, decodeParts, reasoning, result, resultText, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** Steps of the Agent Trajectory Interchange Format, in which Harbor and Terminal-Bench store runs. */
export const harbor: Framework = {
  listed: { row: "frameworks", name: "Harbor" },
  messageKeys: [
    ["source", "message"],
    ["step_id", "message"],
  ],
  decode(step) {
    const { step_id: id } = step;
    const { source, message, at } = saidIn(step);
    const role =
      source === "agent" ? "assistant" : source === "user" || source === "system" ? source : undefined;
    if (id === undefined || role === undefined) return undefined;
    const items: Item[] = [];
    const thought = filled(step["reasoning_content"]);
    if (thought !== undefined) items.push(reasoning(thought, role, "/reasoning_content"));
    pushAll(items, typeof message === "string" ? said(message, role, at) : decodeParts(message, role, at));
    for (const [index, call] of list(step["tool_calls"]).entries())
      items.push(decodeCall(fields(call), `/tool_calls/${index}`));
    for (const [index, outcome] of list(fields(step["observation"])["results"]).map(fields).entries()) {
      const { source_call_id: callId, content: output } = outcome;
      const pointer = `/observation/results/${index}`;
      // The environment may speak without a call.
      pushAll(
        items,
        callId === undefined || callId === null
          ? said(resultText(output), "user", pointer)
          : [result({ callId, output }, pointer)],
      );
    }
    return { role, items };
  },
};

/** Who speaks and what: beside each other, or in one object, `{message: {role, content}}`. */
function saidIn({ source, message }: Fields): {
  readonly source: unknown;
  readonly message: unknown;
  readonly at: string;
} {
  if (source !== undefined || !isFields(message)) return { source, message, at: "/message" };
  return { source: message["role"], message: message["content"], at: "/message/content" };
}
