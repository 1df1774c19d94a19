import { type Fields, fields, filled } from "../../../reading/values.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, compacted, newBranch } from "../branches.ts";
import { has, typeOf } from "../head.ts";
import { otherType } from "../other-records.ts";
import { plainEntry, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";
import { messageEntry } from "./pi.ts";

export const format: SessionFormat = {
  name: "pi-stream",
  summary: "what `pi --mode json` and `pi --mode rpc` print",
  signs: "turn_start records, and message_start and message_end with a message",
  // Some begin with the header of a session file.
  priority: 1,
  recognize: ({ lines }) =>
    lines.some((line) => /^(?:agent|turn)_start$/.test(typeOf(line))) && lines.some(isMessageEvent),
};

function isMessageEvent(line: Fields): boolean {
  return /^message_(?:start|end)$/.test(typeOf(line)) && has(fields(line["message"]), "role", "content");
}

/**
 * The events of an agent of pi. `message_end` holds a message whole; the other events tell how it came about,
 * and the last of the run repeats all messages.
 * @see https://github.com/badlogic/pi-mono/blob/main/packages/coding-agent/docs/json.md
 */
export function* read(file: SessionFile): Generator<Branch> {
  let branch = newBranch("plain");
  /** The newest event of a message that has not ended. */
  let open: SessionRecord | undefined;
  for (const record of file.lines()) {
    const { value } = record;
    const type = typeOf(value);
    const entry = type === "message_end" ? messageEntry(record) : undefined;
    const summary = filled(fields(value["result"])["summary"]);
    if (entry) addEntry(branch, entry);
    else if (/compaction_end$/.test(type) && summary !== undefined) {
      yield branch;
      branch = compacted(branch);
      const part = { kind: "summary" as const, text: textOf(summary), at: "/result/summary" };
      addEntry(branch, plainEntry(record, "user", [part]));
    } else file.skip(record, reasonOf(type));
    if (/^message_(?:start|update)$/.test(type)) open = record;
    else if (type === "message_end") open = undefined;
  }
  const cut = open && messageEntry(open);
  if (cut?.reply !== undefined) addEntry(branch, { ...cut, isAborted: true });
  yield branch;
}

function reasonOf(type: string): string {
  return /^(?:message|tool_execution|turn|agent)_/.test(type)
    ? "an event about messages that the file also has in full"
    : otherType(type);
}
