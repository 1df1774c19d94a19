import type { PlainMessage, PlainPart, RecordForm } from "../reading/payload.ts";
import { contentParts, plainEntry, resultPart, textOf } from "./plain.ts";
import { type Fields, fields, filled, list, type SessionFile } from "./session.ts";
import { append, growingThread, takingRecords } from "./threads.ts";
import type { Thread } from "./transcript.ts";

/**
 * goose's session files: a line about the session, then a message a line, whose requests and responses of tools have their own form; and
 * what `goose session export --format json` writes, which is one document.
 */
export function* read(file: SessionFile): Generator<Thread> {
  const thread = growingThread("plain");
  let count = 0;
  const exported = file.elements("/conversation");
  for (const record of exported.length > 0 ? exported : file.lines()) {
    const { value } = record;
    const role = value["role"];
    if (role !== "user" && role !== "assistant") {
      file.skip(record, "a note about the session");
      continue;
    }
    for (const message of messagesOf(value)) {
      const reply = filled(value["id"]) ?? `${count}`;
      const facts = message.role === "assistant" ? { reply } : {};
      append(thread, plainEntry(record, message.role, message.parts, facts));
    }
    count++;
  }
  yield* takingRecords([thread], { form });
}

const form: RecordForm = {
  messages: (record) => messagesOf(fields(record)),
  hasResultRecords: false,
  resultId: "/id",
  result({ id }, text, record) {
    const { id: own, created } = fields(record);
    const part = { type: "toolResponse", id, toolResult: { status: "error", error: text } };
    const stamps = { ...(own !== undefined && { id: "" }), ...(created !== undefined && { created }) };
    return {
      element: { role: "user", ...stamps, content: [part] },
      part: { list: "/content", value: part },
    };
  },
  words(text, record) {
    const part = { type: "text", text };
    return { element: { ...fields(record), content: [part] }, part: { list: "/content", value: part } };
  },
};

/** The results that a message brings, and what is said beside them. */
function messagesOf(value: Fields): PlainMessage[] {
  const role = value["role"] === "assistant" ? "assistant" : "user";
  const parts = list(value["content"]).flatMap((part, index) => partsOf(part, `/content/${index}`));
  const results = parts.filter(({ kind }) => kind === "result");
  const others = parts.filter(({ kind }) => kind !== "result");
  return [
    ...(results.length > 0 ? [{ role: "tool" as const, parts: results }] : []),
    ...(others.length > 0 ? [{ role, parts: others } as const] : []),
  ];
}

function partsOf(value: unknown, at: string): PlainPart[] {
  const part = fields(value);
  const id = filled(part["id"]);
  if (part["type"] === "toolRequest") {
    const call = fields(fields(part["toolCall"])["value"]);
    const name = filled(call["name"]) ?? "";
    return [{ kind: "call", ...(id !== undefined && { id }), name, arguments: call["arguments"] ?? {}, at }];
  }
  if (part["type"] === "toolResponse") {
    const { status, value: given, error } = fields(part["toolResult"]);
    const isError = status === "error";
    const content = fields(given)["content"] ?? given;
    return [resultPart({ callId: id, text: textOf(isError ? error : content), isError, at })];
  }
  return contentParts([value], at.replace(/\/\d+$/, "")).map((found) => ({ ...found, at }));
}
