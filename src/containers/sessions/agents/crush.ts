import type { PlainPart } from "../../../traffic/plain-message.ts";
import type { Thread } from "../../../traffic/transcript.ts";
import { known, plainEntry, resultPart, textOf } from "../plain.ts";
import { type Fields, fields, filled, list, type SessionFile, type SessionRecord } from "../session.ts";
import { append, compacted, type GrowingThread, growingThread } from "../branches.ts";

/**
 * Crush keeps all sessions in a database, a message a row, whose parts stand in a column: each has a type and its data. A summary takes the
 * place of what was before.
 */
export function* read(file: SessionFile): Generator<Thread> {
  const sessions = new Map<unknown, GrowingThread[]>();
  const rows: SessionRecord[] = [];
  for (const record of file.lines()) {
    if (record.value["table"] === "messages") rows.push(record);
    else file.skip(record, "a row of another table");
  }
  rows.sort((a, b) => Number(a.value["created_at"]) - Number(b.value["created_at"]));
  for (const record of rows) {
    const { session_id: session, is_summary_message: isSummary } = record.value;
    const threads = sessions.get(session) ?? [growingThread("plain")];
    sessions.set(session, threads);
    if (isSummary === 1 && threads.at(-1)?.entries.length)
      threads.push(compacted(threads.at(-1) as GrowingThread));
    addMessage(threads.at(-1) as GrowingThread, record);
  }
  for (const threads of sessions.values()) yield* threads;
}

function addMessage(thread: GrowingThread, record: SessionRecord): void {
  const { value, span } = record;
  const typed = list(value["parts"]).map(fields);
  const parts = typed.flatMap((part, index) => partOf(part, `/parts/${index}`));
  const time = value["created_at"];
  if (value["role"] !== "assistant") {
    const role = value["role"] === "tool" ? "tool" : value["role"] === "system" ? "system" : "user";
    append(thread, plainEntry(record, role, parts, known({ time })));
    return;
  }
  const end = typed.findIndex(({ type }) => type === "finish");
  const { reason, message } = fields(typed[end]?.["data"]);
  const pointer = `/parts/${end}/data/reason`;
  append(
    thread,
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
        {
          kind: "call",
          ...(id !== undefined && { id }),
          name: filled(data["name"]) ?? "",
          arguments: data["input"] ?? {},
          isHosted: data["provider_executed"] === true,
          isOpen: data["finished"] === false,
          at: `${at}/data`,
        },
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
