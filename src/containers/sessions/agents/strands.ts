import { type Fields, fields, filled } from "../../../reading/values.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, newBranch } from "../branches.ts";
import { documents, has } from "../head.ts";
import { aboutSession } from "../other-records.ts";
import { known } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile } from "../session-file.ts";

export const format: SessionFormat = {
  name: "strands",
  summary: "sessions of Strands Agents, one message per file (read together)",
  signs: "message_id and a message with role and content",
  recognize: (head) => documents(head).some(isStrands),
  partOf: ({ document }) => (document && isStrands(document) ? "folder" : undefined),
};

function isStrands(value: Fields): boolean {
  return has(value, "message_id", "message") && has(fields(value["message"]), "role", "content");
}

/**
 * Sessions of Strands Agents: one numbered file per message, with Bedrock's blocks.
 * @see https://strandsagents.com/latest/documentation/docs/user-guide/concepts/agents/session-management/
 */
export function* read(file: SessionFile): Generator<Branch> {
  const branch = newBranch("bedrock-converse");
  for (const record of file.documents()) {
    const { value, span, base } = record;
    const message = fields(value["message"]);
    if (filled(message["role"]) === undefined) {
      file.skip(record, aboutSession);
      continue;
    }
    const reply = message["role"] === "assistant" ? `${span.start}` : undefined;
    const facts = known({ time: value["created_at"], reply });
    addEntry(branch, { value: message, span, base, pointer: "/message", ...facts });
  }
  yield branch;
}
