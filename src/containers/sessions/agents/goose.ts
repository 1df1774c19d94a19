import { type Fields, fields, filled, list } from "../../../reading/values.ts";
import type { PlainMessage, PlainPart } from "../../../traffic/plain-message.ts";
import type { SessionWriter } from "../../../traffic/session-writer.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, type GrowingBranch, newBranch, takingRecords } from "../branches.ts";
import { has, hasTable, typeOf } from "../head.ts";
import { aboutSession } from "../other-records.ts";
import { callPart, contentParts, plainEntry, resultPart, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "goose",
  summary: "sessions of goose: lines, `goose session export --format json`, and its database",
  signs: "working_dir in the first line, or toolRequest parts",
  recognize: (head) =>
    hasTable(head, "messages", "content_json", "session_id") ||
    (head.document !== undefined && has(head.document, "working_dir", "conversation")) ||
    head.lines.some(
      (line, index) =>
        (index === 0 && has(line, "working_dir") && !has(line, "messages")) ||
        list(line["content"]).some((part) => /^tool(?:Request|Response)$/.test(typeOf(fields(part)))),
    ),
};

/**
 * goose's session files: a line about the session, then one message per line, with tool requests and
 * responses in goose's own form. `goose session export --format json` writes one document. Newer versions
 * keep all sessions in a database, one message per row.
 */
export function* read(file: SessionFile): Generator<Branch> {
  if (file.value("/sqlite") !== undefined) {
    yield* storedBranches(file);
    return;
  }
  const branch = newBranch("plain");
  const exported = file.elements("/conversation");
  for (const record of exported.length > 0 ? exported : file.lines()) {
    if (!addMessages(branch, record, "content")) file.skip(record, aboutSession);
  }
  yield* takingRecords([branch], { writer });
}

const writer: SessionWriter = {
  messages: (record) => messagesOf(fields(record)),
  hasResultRecords: false,
  resultId: () => "/id",
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

/** The results in a message as a message of their own, then its other parts. */
function messagesOf(value: Fields, key = "content"): PlainMessage[] {
  const role = value["role"] === "assistant" ? "assistant" : "user";
  const parts = list(value[key]).flatMap((part, index) => partsOf(part, `/${key}/${index}`));
  const results = parts.filter(({ kind }) => kind === "result");
  const others = parts.filter(({ kind }) => kind !== "result");
  return [
    ...(results.length > 0 ? [{ role: "tool" as const, parts: results }] : []),
    ...(others.length > 0 ? [{ role, parts: others } as const] : []),
  ];
}

function storedBranches(file: SessionFile): Iterable<Branch> {
  const branches = new Map<unknown, GrowingBranch>();
  for (const record of file.lines()) {
    const { table, session_id: session } = record.value;
    const branch = branches.get(session) ?? newBranch("plain");
    if (table === "messages" && addMessages(branch, record, "content_json")) branches.set(session, branch);
    else file.skipRow(record);
  }
  return branches.values();
}

/** Adds a record; returns `false` when it is not a message. */
function addMessages(branch: GrowingBranch, record: SessionRecord, key: string): boolean {
  const { value, span } = record;
  if (value["role"] !== "user" && value["role"] !== "assistant") return false;
  for (const message of messagesOf(value, key)) {
    const reply = filled(value["id"]) ?? `${span.start}`;
    const facts = message.role === "assistant" ? { reply } : {};
    addEntry(branch, plainEntry(record, message.role, message.parts, facts));
  }
  return true;
}

function partsOf(value: unknown, at: string): PlainPart[] {
  const part = fields(value);
  const id = filled(part["id"]);
  if (part["type"] === "toolRequest") {
    const call = fields(fields(part["toolCall"])["value"]);
    return [callPart({ id, name: call["name"], arguments: call["arguments"] ?? {}, at })];
  }
  if (part["type"] === "toolResponse") {
    const { status, value: given, error } = fields(part["toolResult"]);
    const isError = status === "error";
    const content = fields(given)["content"] ?? given;
    return [resultPart({ callId: id, text: textOf(isError ? error : content), isError, at })];
  }
  return contentParts([value], at.replace(/\/\d+$/, "")).map((found) => ({ ...found, at }));
}
