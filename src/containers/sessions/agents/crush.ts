import { type Fields, fields, filled, list } from "../../../reading/values.ts";
import type { PlainPart } from "../../../traffic/plain-message.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, compacted, type GrowingBranch, newBranch } from "../branches.ts";
import { hasTable } from "../head.ts";
import { callPart, known, plainEntry, resultPart, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "crush",
  summary: "the database of Crush, and of the older opencode that it derives from",
  signs: "a table of messages with role and parts",
  recognize: (head) => hasTable(head, "messages", "session_id", "role", "parts"),
};

/**
 * Crush keeps all sessions in a database, one message per row. One column holds the parts, each with a type
 * and data. A summary replaces everything before it.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const sessions = new Map<unknown, GrowingBranch[]>();
  const rows: SessionRecord[] = [];
  for (const record of file.lines()) {
    if (record.value["table"] === "messages") rows.push(record);
    else file.skipRow(record);
  }
  rows.sort((a, b) => Number(a.value["created_at"]) - Number(b.value["created_at"]));
  for (const record of rows) {
    const { session_id: session, is_summary_message: isSummary } = record.value;
    const branches = sessions.get(session) ?? [newBranch("plain")];
    sessions.set(session, branches);
    if (isSummary === 1 && branches.at(-1)?.entries.length)
      branches.push(compacted(branches.at(-1) as GrowingBranch));
    addMessage(branches.at(-1) as GrowingBranch, record);
  }
  for (const branches of sessions.values()) yield* branches;
}

function addMessage(branch: GrowingBranch, record: SessionRecord): void {
  const { value, span } = record;
  const typed = list(value["parts"]).map(fields);
  const parts = typed.flatMap((part, index) => partOf(part, `/parts/${index}`));
  const time = value["created_at"];
  if (value["role"] !== "assistant") {
    const role = value["role"] === "tool" ? "tool" : value["role"] === "system" ? "system" : "user";
    addEntry(branch, plainEntry(record, role, parts, known({ time })));
    return;
  }
  const end = typed.findIndex(({ type }) => type === "finish");
  const { reason, message } = fields(typed[end]?.["data"]);
  const pointer = `/parts/${end}/data/reason`;
  addEntry(
    branch,
    plainEntry(record, "assistant", parts, {
      ...known({ time, model: filled(value["model"]), reply: filled(value["id"]) ?? `${span.start}` }),
      ...(reason === "canceled" && { isAborted: true }),
      ...(reason === "error" && { error: { message: filled(message) ?? "the request failed", pointer } }),
      ...(typeof reason === "string" &&
        !/^(?:canceled|error|unknown)$/.test(reason) && { finish: { reason, pointer } }),
    }),
  );
}

function partOf(part: Fields, at: string): PlainPart[] {
  const data = fields(part["data"]);
  const id = filled(data["id"]);
  switch (part["type"]) {
    case "text":
      return [{ kind: "text", text: textOf(data["text"]), at: `${at}/data` }];
    case "reasoning":
      return [{ kind: "reasoning", text: textOf(data["thinking"]), at: `${at}/data` }];
    case "tool_call":
      return [
        callPart({
          id,
          name: data["name"],
          arguments: data["input"] ?? {},
          isHosted: data["provider_executed"] === true,
          isOpen: data["finished"] === false,
          at: `${at}/data`,
        }),
      ];
    case "tool_result": {
      const callId = filled(data["tool_call_id"]);
      const isError = data["is_error"] === true;
      return [
        resultPart({
          callId,
          name: filled(data["name"]),
          text: textOf(data["content"]),
          isError,
          at: `${at}/data`,
        }),
      ];
    }
    case "image_url":
    case "binary":
      return [{ kind: "media", at }];
    default:
      return [];
  }
}
