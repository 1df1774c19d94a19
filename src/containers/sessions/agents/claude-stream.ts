import { fields, filled } from "../../../reading/values.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, amendReply, type GrowingBranch, newBranch } from "../branches.ts";
import { has, typeOf } from "../head.ts";
import { otherType } from "../other-records.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile } from "../session-file.ts";
import { entryOf, interrupt, isInterruption } from "./claude-code.ts";

export const format: SessionFormat = {
  name: "claude-stream",
  summary: "what `claude -p --output-format stream-json` prints",
  signs: "records with session_id: a system line with a subtype, messages",
  recognize: (head) =>
    head.lines.some(
      (line) =>
        has(line, "session_id") &&
        ((line["type"] === "system" && has(line, "subtype")) ||
          (/^(?:user|assistant)$/.test(typeOf(line)) && has(fields(line["message"]), "role", "content"))),
    ),
};

/**
 * The output of `claude -p --output-format stream-json`: messages in order. A sub-agent's messages carry the
 * id of the call that started it. The API's stream events may come in between; only they give a stop reason.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const branches = new Map<string, GrowingBranch>();
  for (const record of file.lines()) {
    const { value } = record;
    const agent = filled(value["parent_tool_use_id"]) ?? "";
    let branch = branches.get(agent);
    const entry = entryOf(record);
    if (entry) {
      branch ??= newBranch("anthropic");
      if (agent !== "") branch.calledBy = agent;
      branches.set(agent, branch);
      addEntry(branch, entry);
      if (isInterruption(value)) interrupt(branch);
      continue;
    }
    const reason = filled(fields(fields(value["event"])["delta"])["stop_reason"]);
    const finish = reason === undefined ? undefined : { reason, pointer: "" };
    if (branch && finish) amendReply(branch, { finish });
    const type = filled(value["type"]);
    const note = otherType(type);
    file.skip(record, type === "stream_event" ? "an event of a reply that the file also has in full" : note);
  }
  yield* branches.values();
}
