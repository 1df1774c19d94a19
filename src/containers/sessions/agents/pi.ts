import { type Fields, fields, filled } from "../../../reading/values.ts";
import type { PlainMessage } from "../../../traffic/plain-message.ts";
import type { SessionWriter } from "../../../traffic/session-writer.ts";
import type { Branch, Entry } from "../../../traffic/transcript.ts";
import { takingRecords } from "../branches.ts";
import { has } from "../head.ts";
import { otherType } from "../other-records.ts";
import { answeredIds, callIds, contentParts, known, plainEntry, resultPart, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";
import { RecordTree } from "../tree.ts";

export const format: SessionFormat = {
  name: "pi",
  summary: "sessions of pi and OpenClaw (~/.pi/agent/sessions)",
  signs: "a session header, messages with toolCall parts and toolResult roles",
  recognize: (head) => head.lines.some(isPi),
};

function isPi(line: Fields): boolean {
  if (line["type"] === "session") return has(line, "id", "cwd");
  const message = fields(line["message"]);
  if (line["type"] !== "message") return false;
  return (
    message["role"] === "toolResult" || (message["role"] === "assistant" && has(message, "api", "provider"))
  );
}

/**
 * Sessions of pi, and of OpenClaw, which is built on it: a header, then records that name their parent (in
 * older versions, records in order). The stop reason is reliable. A compaction keeps the entries from a named
 * one on.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const tree = new RecordTree("plain");
  /** Ids of records by index: older compactions name an index. */
  const ids: string[] = [];
  let previous: string | undefined;
  for (const record of file.lines()) {
    const { value } = record;
    const own = filled(value["id"]);
    const id = own ?? `#${ids.length}`;
    const place = own !== undefined && value["type"] !== "session" ? { record } : {};
    const parent = "parentId" in value ? filled(value["parentId"]) : previous;
    ids.push(id);
    previous = id;
    if (value["type"] === "compaction" || value["type"] === "branch_summary") {
      const summary = plainEntry(record, "user", [
        { kind: "summary", text: textOf(value["summary"]), at: "/summary" },
      ]);
      const index = value["firstKeptEntryIndex"];
      const keptFrom =
        filled(value["firstKeptEntryId"]) ?? (typeof index === "number" ? (ids[index] ?? "") : "");
      const replaces = value["type"] === "compaction" ? { replaces: { keptFrom } } : {};
      tree.add({ id, parent, entry: summary, ...place, ...replaces });
      continue;
    }
    const entry = value["type"] === "message" ? messageEntry(record) : customEntry(record);
    if (!entry) {
      tree.add({ id, parent, ...place });
      if (value["type"] !== "session") file.skip(record, otherType(filled(value["type"])));
      continue;
    }
    const { parts } = entry.value as { parts: Parameters<typeof callIds>[0] };
    tree.add({
      id,
      parent,
      entry,
      ...place,
      calls: callIds(parts),
      answers: answeredIds(parts),
      isResult: answeredIds(parts).length > 0,
    });
  }
  tree.goesOnFromLast();
  for (const { record, parent } of tree.lost())
    file.lacksBefore(
      record,
      `the record \`${parent}\`, which this one follows, is not in the file, and the agent loads only what follows`,
      false,
    );
  yield* takingRecords(tree.branches, { writer });
}

/**
 * When pi sends a history, it invents missing results and omits failed replies. Results may be anywhere.
 * @see https://github.com/badlogic/pi-mono/blob/main/packages/ai/src/providers/transform-messages.ts
 */
const writer: SessionWriter = {
  messages: (record) => messageOf(fields(record)) ?? [],
  hasResultRecords: true,
  resultsFollow: true,
  leavesOutFailed: true,
  resultId: () => "/message/toolCallId",
  result({ id, name }, text, record) {
    const { id: own, parentId, timestamp, message } = fields(record);
    return {
      element: {
        type: "message",
        ...(own !== undefined && { id: "" }),
        ...(parentId !== undefined && { parentId: "" }),
        ...(timestamp !== undefined && { timestamp }),
        message: {
          role: "toolResult",
          toolCallId: id,
          toolName: name,
          content: [{ type: "text", text }],
          isError: true,
          ...stampOf(message),
        },
      },
    };
  },
  words(text, record) {
    const message = {
      role: "user",
      content: [{ type: "text", text }],
      ...stampOf(fields(record)["message"]),
    };
    return { element: { ...fields(record), message } };
  },
};

function stampOf(message: unknown): Fields {
  const { timestamp } = fields(message);
  return timestamp === undefined ? {} : { timestamp };
}

/** The message of a record, as a list of at most one. */
function messageOf(record: Fields): PlainMessage[] | undefined {
  const message = fields(record["message"]);
  const at = "/message";
  const parts = contentParts(message["content"], `${at}/content`);
  switch (message["role"]) {
    case "user":
    case "assistant":
      return [{ role: message["role"], parts }];
    case "toolResult": {
      const [callId, name] = [filled(message["toolCallId"]), filled(message["toolName"])];
      const isError = message["isError"] === true;
      const text = textOf(message["content"]);
      return [{ role: "tool", parts: [resultPart({ callId, name, text, isError, at })] }];
    }
    case "bashExecution": {
      const text = `$ ${textOf(message["command"])}\n${textOf(message["output"])}`;
      return [{ role: "user", parts: [{ kind: "text", text, at }] }];
    }
  }
  return undefined;
}

/** The message of a record, which is at `message`; `undefined` for a note. */
export function messageEntry(record: SessionRecord): Entry | undefined {
  const message = fields(record.value["message"]);
  const at = "/message";
  const [said] = messageOf(record.value) ?? [];
  if (!said) return undefined;
  const { role, parts } = said;
  if (role !== "assistant") return plainEntry(record, role, parts);
  const reason = filled(message["stopReason"]);
  const usage = fields(message["usage"]);
  const count = (key: string): number => (typeof usage[key] === "number" ? usage[key] : 0);
  const facts = known({
    reply: filled(record.value["id"]) ?? `${record.span.start}`,
    model: filled(message["model"]),
    usage:
      usage["output"] === undefined
        ? undefined
        : {
            input: count("input") + count("cacheRead") + count("cacheWrite"),
            output: count("output"),
            cached: count("cacheRead"),
          },
    isAborted: reason === "aborted" ? true : undefined,
    error:
      reason === "error"
        ? { message: filled(message["errorMessage"]) ?? "the request failed", pointer: at }
        : undefined,
    finish:
      reason === undefined || reason === "aborted" || reason === "error"
        ? undefined
        : { reason, pointer: `${at}/stopReason` },
  });
  return plainEntry(record, "assistant", parts, facts);
}

/** Text that an extension adds for the model. */
function customEntry(record: SessionRecord): Entry | undefined {
  const { value } = record;
  if (value["type"] !== "custom_message") return undefined;
  return plainEntry(record, "user", contentParts(value["content"], "/content"));
}
