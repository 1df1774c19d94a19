import { fields, filled, isFields, list, string } from "../../wire.ts";
import { decodeCall, reasoning, result, said } from "../parts.ts";
import type { Framework } from "./framework.ts";

/** Windsurf and Antigravity: a cascade of steps. The planner's step has the calls; each result is a step. */
export const windsurf: Framework = {
  listed: { row: "exports", name: "Windsurf" },
  messageKeys: [
    ["type", "userInput"],
    ["type", "plannerResponse"],
  ],
  decode(step) {
    const kind = /^CORTEX_STEP_TYPE_(\w+)$/.exec(string(step["type"]) ?? "")?.[1];
    if (kind === undefined) return undefined;
    if (kind === "USER_INPUT") {
      const { userResponse, query, items: asked } = fields(step["userInput"]);
      const text =
        filled(userResponse) ??
        filled(query) ??
        list(asked).map((part) => string(fields(part)["text"]) ?? "");
      return { role: "user", items: said(Array.isArray(text) ? text.join("") : text, "user", "/userInput") };
    }
    if (kind === "PLANNER_RESPONSE") {
      const { thinking, response, modifiedResponse, toolCalls } = fields(step["plannerResponse"]);
      const at = "/plannerResponse";
      const thought = filled(thinking);
      const calls = list(toolCalls).map((call, index) => {
        const inner = fields(call)["toolCall"];
        const pointer = `${at}/toolCalls/${index}`;
        return isFields(inner) ? decodeCall(inner, `${pointer}/toolCall`) : decodeCall(fields(call), pointer);
      });
      return {
        role: "assistant",
        items: [
          ...(thought === undefined ? [] : [reasoning(thought, "assistant", `${at}/thinking`)]),
          ...said(filled(modifiedResponse) ?? response ?? "", "assistant", `${at}/response`),
          ...calls,
        ],
      };
    }
    const { id: callId, name } = fields(fields(step["metadata"])["toolCall"]);
    const isOver = /_(?:DONE|ERROR|CANCELED|CANCELLED|INVALID|INTERRUPTED|HALTED)$/.test(
      string(step["status"]) ?? "_DONE",
    );
    if (callId === undefined || !isOver) return { role: "system", items: [] };
    const own = kind.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const done = step[own] ?? step["error"] ?? {};
    const isError = /_ERROR$/.test(string(step["status"]) ?? "");
    return { role: "tool", items: [result({ callId, name, output: outputOf(done), isError }, `/${own}`)] };
  },
};

/** Only the output, if the step stores it apart from the arguments. */
function outputOf(done: unknown): unknown {
  const members = fields(done);
  for (const key of [
    "renderedOutput",
    "combinedOutput",
    "stdout",
    "output",
    "content",
    "rawContent",
    "resultString",
    "result",
    "results",
  ]) {
    const value = members[key];
    const text = filled(value) ?? filled(fields(value)["full"]) ?? filled(fields(value)["text"]);
    if (text !== undefined) return text;
  }
  return done;
}
