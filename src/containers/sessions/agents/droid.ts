import { fields, filled } from "../../../reading/values.ts";
import type { Branch, Entry } from "../../../traffic/transcript.ts";
import { has } from "../head.ts";
import { otherType } from "../other-records.ts";
import {
  answeredIds,
  callIds,
  callPart,
  contentParts,
  known,
  plainEntry,
  resultPart,
  textOf,
} from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";
import { RecordTree } from "../tree.ts";

export const format: SessionFormat = {
  name: "droid",
  summary: "sessions of Factory's Droid, and what `droid exec --output-format stream-json` prints",
  signs: "session_start, or tool_call records with toolName and sessionId",
  recognize: (head) =>
    head.lines.some(
      (line) =>
        (line["type"] === "session_start" && has(line, "id")) ||
        (line["type"] === "tool_call" && has(line, "toolName", "parameters")),
    ),
};

/** Factory's Droid: a tree of records, or in order from `droid exec --output-format stream-json`. */
export function* read(file: SessionFile): Generator<Branch> {
  const tree = new RecordTree("plain");
  let previous: string | undefined;
  let count = 0;
  for (const record of file.lines()) {
    const { value } = record;
    const isPrinted = value["sessionId"] !== undefined || value["session_id"] !== undefined;
    const entry = isPrinted ? printedEntry(record) : entryOf(record);
    // The id of a result is its call's id.
    const own = isPrinted ? undefined : filled(value["id"]);
    const id = own ?? `#${count++}`;
    const parent = filled(value["parentId"]) ?? previous;
    previous = id;
    if (!entry) {
      tree.add({ id, parent });
      if (value["type"] !== "session_start") file.skip(record, otherType(filled(value["type"])));
      continue;
    }
    const { parts } = entry.value as { parts: Parameters<typeof callIds>[0] };
    const answers = answeredIds(parts);
    tree.add({ id, parent, entry, calls: callIds(parts), answers, isResult: answers.length > 0 });
  }
  yield* tree.branches;
}

function entryOf(record: SessionRecord): Entry | undefined {
  const message = fields(record.value["message"]);
  const role = message["role"];
  if (record.value["type"] !== "message" || (role !== "user" && role !== "assistant")) return undefined;
  const parts = contentParts(message["content"], "/message/content");
  const facts = known({
    model: filled(message["model"]),
    reply: role === "assistant" ? (filled(record.value["id"]) ?? `${record.span.start}`) : undefined,
  });
  return plainEntry(record, role, parts, facts);
}

function printedEntry(record: SessionRecord): Entry | undefined {
  const { value } = record;
  const id = filled(value["id"]);
  if (value["type"] === "message" && (value["role"] === "user" || value["role"] === "assistant"))
    return plainEntry(
      record,
      value["role"],
      [{ kind: "text", text: textOf(value["text"]), at: "/text" }],
      known({ reply: value["role"] === "assistant" ? (id ?? "") : undefined }),
    );
  if (value["type"] === "tool_call")
    return plainEntry(
      record,
      "assistant",
      [callPart({ id, name: value["toolName"], arguments: value["parameters"] ?? {}, at: "" })],
      { reply: filled(value["messageId"]) ?? id ?? "" },
    );
  if (value["type"] === "tool_result")
    return plainEntry(record, "tool", [
      resultPart({
        callId: id,
        text: textOf(value["value"] ?? value["error"]),
        isError: value["isError"] === true,
        at: "",
      }),
    ]);
  if (value["type"] === "completion" && filled(value["finalText"]) !== undefined)
    return plainEntry(
      record,
      "assistant",
      [{ kind: "text", text: textOf(value["finalText"]), at: "/finalText" }],
      { reply: "completion" },
    );
  return undefined;
}
