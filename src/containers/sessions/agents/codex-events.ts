import { fields, filled } from "../../../reading/values.ts";
import type { PlainPart } from "../../../traffic/plain-message.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, newBranch } from "../branches.ts";
import { otherType } from "../other-records.ts";
import { known, plainEntry, resultPart, textOf } from "../plain.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

/** The history of a rollout without items, rebuilt from its screen events: texts, commands and tools. */
export function eventBranch(events: readonly SessionRecord[], file: SessionFile): Branch {
  const branch = newBranch("plain");
  let reply = 0;
  for (const record of events) {
    const { value } = record;
    const event = fields(value["payload"]);
    const time = value["timestamp"];
    const type = filled(event["type"]) ?? "";
    const callId = filled(event["call_id"]);
    const say = (part: PlainPart) =>
      addEntry(branch, plainEntry(record, "assistant", [part], known({ time, reply: `${reply}` })));
    if (type === "user_message") {
      reply++;
      const text = textOf(event["message"]);
      addEntry(
        branch,
        plainEntry(record, "user", [{ kind: "text", text, at: "/payload/message" }], known({ time })),
      );
    } else if (type === "agent_message")
      say({ kind: "text", text: textOf(event["message"]), at: "/payload/message" });
    else if (type === "agent_reasoning")
      say({ kind: "reasoning", text: textOf(event["text"]), at: "/payload/text" });
    else if (/_end$/.test(type) && callId !== undefined) {
      // The end event names the command, too; the begin event is often missing.
      const { tool, arguments: asked } = fields(event["invocation"]);
      const name = filled(tool) ?? type.replace(/_end$/, "");
      const { command, changes, query } = event;
      say({
        kind: "call",
        id: callId,
        name,
        arguments: asked ?? givenOf({ command, changes, query }),
        at: "/payload",
      });
      reply++;
      const output =
        event["aggregated_output"] ?? event["formatted_output"] ?? event["stdout"] ?? event["result"];
      const isError = typeof event["exit_code"] === "number" && event["exit_code"] !== 0;
      addEntry(
        branch,
        plainEntry(record, "tool", [resultPart({ callId, text: textOf(output), isError, at: "/payload" })]),
      );
    } else file.skip(record, otherType(type, "a display event"));
  }
  return branch;
}

/** The arguments that an event states. */
function givenOf(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
