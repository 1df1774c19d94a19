import type { Item } from "../../../conversation/item.ts";
import { fields, filled, list } from "../../wire.ts";
import { result, said } from "../items.ts";
import { callOf, decodePart, resultText } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** Steps of the Agent Trajectory Interchange Format, as Harbor and Terminal-Bench keep runs. */
export const harbor: Framework = {
  listed: { row: "frameworks", name: "Harbor" },
  messageKeys: [["source", "message"]],
  decode(step) {
    const { step_id: id, source, message } = step;
    const role =
      source === "agent" ? "assistant" : source === "user" || source === "system" ? source : undefined;
    if (id === undefined || role === undefined) return undefined;
    const items: Item[] = [];
    const reasoning = filled(step["reasoning_content"]);
    if (reasoning !== undefined)
      items.push({ kind: "reasoning", role, pointer: "/reasoning_content", text: reasoning });
    items.push(
      ...(typeof message === "string"
        ? said(message, role, "/message")
        : list(message).flatMap((part, index) => decodePart(part, role, `/message/${index}`))),
    );
    for (const [index, call] of list(step["tool_calls"]).map(fields).entries())
      items.push(callOf({ ...call, name: call["function_name"] }, `/tool_calls/${index}`));
    for (const [index, outcome] of list(fields(step["observation"])["results"]).map(fields).entries()) {
      const { source_call_id: callId, content: output } = outcome;
      // What the surroundings said without having been called.
      const pointer = `/observation/results/${index}`;
      items.push(
        ...(callId === undefined || callId === null
          ? said(resultText(output), "user", pointer)
          : [result({ callId, output }, pointer)]),
      );
    }
    return { role, items };
  },
};
