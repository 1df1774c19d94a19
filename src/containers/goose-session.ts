import type { PlainPart } from "../reading/payload.ts";
import { contentParts, plainEntry, resultPart, textOf } from "./plain.ts";
import { fields, filled, list, type SessionFile } from "./session.ts";
import { append, growingThread } from "./threads.ts";
import type { Thread } from "./transcript.ts";

/** goose's older session files: a line about the session, then a message a line, whose requests and responses of tools have their own form. */
export function* read(file: SessionFile): Generator<Thread> {
  const thread = growingThread("plain");
  let count = 0;
  for (const record of file.lines()) {
    const { value } = record;
    const role = value["role"];
    if (role !== "user" && role !== "assistant") {
      file.skip(record, "a note about the session");
      continue;
    }
    const parts = list(value["content"]).flatMap((part, index) => partsOf(part, `/content/${index}`));
    const results = parts.filter(({ kind }) => kind === "result");
    const others = parts.filter(({ kind }) => kind !== "result");
    if (results.length > 0) append(thread, plainEntry(record, "tool", results));
    if (others.length > 0)
      append(
        thread,
        plainEntry(
          record,
          role,
          others,
          role === "assistant" ? { reply: filled(value["id"]) ?? `${count++}` } : {},
        ),
      );
  }
  yield thread;
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
