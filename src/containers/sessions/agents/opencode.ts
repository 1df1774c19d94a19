import { type Fields, fields, filled, list } from "../../../reading/values.ts";
import type { PlainPart } from "../../../traffic/plain-message.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, compacted, type GrowingBranch, newBranch } from "../branches.ts";
import { documents, has, hasTable, typeOf } from "../head.ts";
import { aboutSession, otherType } from "../other-records.ts";
import { callPart, known, plainEntry, resultPart, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "opencode",
  summary:
    "sessions of opencode: its database, the files of its older storage (read as one), `opencode export`, `opencode run --format json`",
  signs: "info.id beginning with ses_ and messages with parts; sessionID, or messageID and a type",
  recognize: (head) =>
    documents(head).some((value) => isOpencode(value) || isOpencodePart(value)) ||
    isPrinted(head.lines) ||
    head.lines.some((line) => isBusEvent(line) || isWholeMessage(line)) ||
    (hasTable(head, "message", "session_id", "data") && hasTable(head, "part", "message_id", "data")),
  partOf: ({ document }) => (document && isOpencodePart(document) ? "all" : undefined),
  partNames: /(?:^|\/)(?:ses|msg|prt)_[^/]*\.json$/,
};

/** An export, or the first event that a run prints. */
function isOpencode(value: Fields): boolean {
  if (/^ses_/.test(filled(fields(value["info"])["id"]) ?? "")) return true;
  return has(value, "sessionID", "type") && has(fields(value["part"]), "type");
}

/** A message with its parts, as an export and the server's list of a session's messages hold it. */
function isWholeMessage({ info, parts }: Fields): boolean {
  return has(fields(info), "id", "sessionID", "role") && Array.isArray(parts);
}

/** An event of the server: `message.updated` has a message, `message.part.updated` a part. */
const busNames = /^message\.(?:part\.)?updated(?:\.\d+)?$/;

function isBusEvent(value: Fields): boolean {
  const { info, part } = fields(value["properties"] ?? value["data"]);
  return busNames.test(typeOf(value)) && (has(fields(info), "role") || has(fields(part), "messageID"));
}

function isStep(value: Fields): boolean {
  return /^step_(?:start|finish)$/.test(typeOf(value));
}

/** What a run prints, also by programs made from opencode, whose first event may have no part. */
function isPrinted(lines: readonly Fields[]): boolean {
  const holdsTool = (line: Fields): boolean => has(fields(line["part"]), "type", "tool", "state");
  return lines.some((line) => isStep(line) && has(line, "sessionID")) && lines.some(holdsTool);
}

/** A file of the older storage: a message, a part, or the session's description. */
function isOpencodePart(value: Fields): boolean {
  if (/^ses_/.test(filled(value["id"]) ?? "")) return has(value, "projectID", "time");
  // The older storage keeps no content with a message: its parts have files of their own.
  const isMessage = has(value, "id", "sessionID", "role", "time") && value["content"] === undefined;
  return isMessage || has(value, "id", "messageID", "type");
}

/**
 * opencode's sessions: messages with parts. A tool's call and result are one part. An assistant message holds
 * several replies, separated by `step-start`. A summary replaces everything before it. `opencode export`
 * writes one document. The older storage has a file per message and part, the newer database a row. `opencode
 * run --format json` prints one part per line.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const exported = file.elements("/messages");
  if (exported.length > 0) {
    yield* branchesOf(exported.map(exportedMessage), file);
    return;
  }
  for (const session of bySession(messagesOf(file))) yield* branchesOf(session, file);
}

function messagesOf(file: SessionFile): Message[] {
  if (file.value("/sqlite") !== undefined) return storedMessages(rowsOf(file), file);
  const [first] = file.documents();
  if (first && /^[a-z_]+(?:\.[a-z_]+)+(?:\.\d+)?$/.test(typeOf(first.value)))
    return storedMessages(eventParts(file), file);
  if (first && isWholeMessage(first.value)) return Array.from(file.lines(), exportedMessage);
  const records = file.documents().filter(({ value }) => value["part"] === undefined && !isStep(value));
  if (records.length === 0) return printedMessages(file);
  return storedMessages(
    records.map((record) => ({ record, value: record.value, at: "" })),
    file,
  );
}

/** A part of a message, in the record that holds it. */
interface Part {
  readonly record: SessionRecord;
  readonly value: Fields;
  /** Pointer from the record to the part. */
  readonly at: string;
}

interface Message {
  readonly info: Fields;
  /** The message's own record and the pointer to it; `undefined` if only its parts are known. */
  readonly stated: { readonly record: SessionRecord; readonly at: string } | undefined;
  readonly parts: readonly Part[];
}

function exportedMessage(record: SessionRecord): Message {
  const parts = list(record.value["parts"]).map((part, index): Part => {
    return { record, value: fields(part), at: `/parts/${index}` };
  });
  return { info: fields(record.value["info"]), stated: { record, at: "/info" }, parts };
}

/** The rows of `opencode.db`. The column `data` holds a file of the older storage without its ids. */
function* rowsOf(file: SessionFile): Generator<Part> {
  for (const record of file.lines()) {
    const { table, id, data, message_id: messageID, session_id: sessionID } = record.value;
    const value = { ...fields(data), id, sessionID };
    if (table === "message") yield { record, value, at: "/data" };
    else if (table === "part") yield { record, value: { ...value, messageID }, at: "/data" };
    else file.skipRow(record);
  }
}

/** The messages and parts of events: the last one of each says what it came to. */
function eventParts(file: SessionFile): Iterable<Part> {
  const newest = new Map<unknown, Part>();
  for (const record of file.lines()) {
    if (!isBusEvent(record.value)) {
      file.skip(record, otherType(typeOf(record.value)));
      continue;
    }
    const key = record.value["properties"] === undefined ? "data" : "properties";
    const { info, part, sessionID } = fields(record.value[key]);
    const held = fields(part ?? info);
    const at = `/${key}/${part === undefined ? "info" : "part"}`;
    const value = { ...held, sessionID: held["sessionID"] ?? sessionID };
    newest.set(filled(held["id"]) ?? record, { record, value, at });
  }
  return newest.values();
}

/** The storage's messages by creation time. Ids grow with time, so files in path order are in order, too. */
function storedMessages(records: Iterable<Part>, file: SessionFile): Message[] {
  const messages = new Map<string, { info: Fields; stated: Message["stated"]; parts: Part[] }>();
  const of = (id: string, sessionID: unknown) => {
    const message = messages.get(id) ?? { info: { id, sessionID }, stated: undefined, parts: [] };
    messages.set(id, message);
    return message;
  };
  for (const { record, value, at } of records) {
    const messageId = filled(value["messageID"]);
    if (messageId !== undefined) of(messageId, value["sessionID"]).parts.push({ record, value, at });
    else if (filled(value["role"]) !== undefined)
      Object.assign(of(filled(value["id"]) ?? "", value["sessionID"]), {
        info: value,
        stated: { record, at },
      });
    else file.skip(record, aboutSession);
  }
  for (const [id, { info, stated, parts }] of messages) {
    if (!stated || parts.length > 0) continue;
    file.skip(stated.record, "a message whose parts are in separate files, which were not read");
    // Without parts the reply's content is unknown, unless it failed.
    if (info["role"] === "assistant" && info["error"] === undefined) messages.delete(id);
  }
  if (messages.size === 0)
    file.advise(
      "a message of opencode's storage without its parts: name the folder above `message` and `part`, or `opencode export SESSION > session.json`",
    );
  const timeOf = ({ info }: Message): number => Number(fields(info["time"])["created"] ?? 0);
  return [...messages.values()]
    .map((message) => ({ ...message, info: { role: roleOf(message.parts), ...message.info } }))
    .sort((a, b) => timeOf(a) - timeOf(b));
}

/** The role of a message whose record is missing: only the model's parts have times or call tools. */
function roleOf(parts: readonly Part[]): string {
  const isModel = parts.some(
    ({ value }) => value["type"] !== "text" || fields(value["time"])["end"] !== undefined || value["time"],
  );
  return isModel && !parts.every(({ value }) => value["type"] === "file") ? "assistant" : "user";
}

function printedMessages(file: SessionFile): Message[] {
  const messages = new Map<string, { info: Fields; stated: undefined; parts: Part[] }>();
  let unnamed = 0;
  let sessionID: unknown;
  for (const record of file.lines()) {
    sessionID = record.value["sessionID"] ?? sessionID;
    const value = fields(record.value["part"]);
    // Some programs made from opencode name no message. Each step begins one.
    if (record.value["type"] === "step_start" && !has(value, "messageID")) unnamed++;
    const id = filled(value["messageID"]) ?? (unnamed > 0 ? `step ${unnamed}` : [...messages.keys()].at(-1));
    if (id === undefined || value["type"] === undefined) {
      file.skip(record, otherType(filled(record.value["type"])));
      continue;
    }
    const message = messages.get(id) ?? {
      info: { id, sessionID, role: "assistant" },
      stated: undefined,
      parts: [],
    };
    messages.set(id, message);
    message.parts.push({ record, value, at: "/part" });
  }
  return [...messages.values()];
}

function bySession(messages: readonly Message[]): Message[][] {
  const sessions = new Map<unknown, Message[]>();
  for (const message of messages) {
    const { sessionID } = message.info;
    sessions.set(sessionID, [...(sessions.get(sessionID) ?? []), message]);
  }
  return [...sessions.values()];
}

function branchesOf(messages: readonly Message[], file: SessionFile): GrowingBranch[] {
  const branches: GrowingBranch[] = [newBranch("plain")];
  for (const message of messages) {
    const { info, stated } = message;
    let branch = branches.at(-1) as GrowingBranch;
    if (info["summary"] === true && branch.entries.length > 0) {
      branch = compacted(branch);
      branches.push(branch);
    }
    if (info["role"] === "user") addUser(branch, message);
    else if (info["role"] === "assistant") addReplies(branch, message);
    else if (stated) file.skip(stated.record, "a message without a role");
  }
  return branches;
}

/** Parts, grouped by their record. */
function byRecord<T>(
  parts: readonly { readonly record: SessionRecord; readonly part: T }[],
): { readonly record: SessionRecord; readonly said: T[] }[] {
  const groups: { record: SessionRecord; said: T[] }[] = [];
  for (const { record, part } of parts) {
    const last = groups.at(-1);
    if (last?.record === record) last.said.push(part);
    else groups.push({ record, said: [part] });
  }
  return groups;
}

function addUser(branch: GrowingBranch, { info, stated, parts }: Message): void {
  const said = parts.flatMap(({ record, value, at }): { record: SessionRecord; part: PlainPart }[] => {
    if (value["type"] === "text")
      return [{ record, part: { kind: "text", text: textOf(value["text"]), at } }];
    return value["type"] === "file" ? [{ record, part: { kind: "media", at } }] : [];
  });
  const facts = known({ time: fields(info["time"])["created"] });
  const groups = byRecord(said);
  // The message counts even without text.
  if (stated && !groups.some(({ record }) => record === stated.record))
    addEntry(branch, plainEntry(stated.record, "user", [], facts));
  for (const { record, said: own } of groups) addEntry(branch, plainEntry(record, "user", own, facts));
}

interface Step {
  readonly said: { readonly record: SessionRecord; readonly part: PlainPart }[];
  readonly results: { readonly record: SessionRecord; readonly part: PlainPart }[];
  finish: Part | undefined;
}

function addReplies(branch: GrowingBranch, { info, stated, parts }: Message): void {
  const error = fields(info["error"]);
  const isAborted = error["name"] === "MessageAbortedError";
  const facts = { model: filled(info["modelID"]), time: fields(info["time"])["created"] };
  const steps = stepsOf(parts);
  if (steps.length === 0) steps.push({ said: [], results: [], finish: undefined });
  for (const [index, { said, results, finish }] of steps.entries()) {
    const isLast = index === steps.length - 1;
    if (said.length === 0 && !isLast) continue;
    const reply = `${filled(info["id"]) ?? stated?.record.base ?? ""} ${index}`;
    const common = { ...known(facts), reply };
    const groups = byRecord(said).map(({ record, said: own }) =>
      plainEntry(record, "assistant", own, common),
    );
    const ends = stated && isLast ? stated : finish && { record: finish.record, at: finish.at };
    // If parts are files, the finish reason has a record of its own.
    if (ends && !groups.some(({ span }) => span === ends.record.span))
      groups.push(plainEntry(ends.record, "assistant", [], common));
    const reason = filled(finish?.value["reason"]) ?? (isLast ? filled(info["finish"]) : undefined);
    const tokens = fields(finish?.value["tokens"] ?? (isLast ? info["tokens"] : undefined));
    const last = groups.at(-1);
    if (last)
      groups[groups.length - 1] = {
        ...last,
        ...(reason !== undefined && { finish: { reason, pointer: ends?.at ?? "" } }),
        ...(typeof tokens["output"] === "number" && { usage: usageOf(tokens) }),
        ...(isLast && isAborted && { isAborted }),
        ...(isLast &&
          error["name"] !== undefined &&
          !isAborted && { error: { message: errorText(error), pointer: `${stated?.at ?? ""}/error` } }),
      };
    for (const entry of groups) addEntry(branch, entry);
    for (const { record, said: own } of byRecord(results))
      addEntry(branch, plainEntry(record, "tool", own, known(facts)));
  }
}

function stepsOf(parts: readonly Part[]): Step[] {
  const steps: Step[] = [];
  for (const part of parts) {
    const { record, value, at } = part;
    const { type } = value;
    const last = steps.at(-1);
    if (type === "step-start" || !last || last.finish)
      steps.push({ said: [], results: [], finish: undefined });
    const step = steps.at(-1);
    if (!step) continue;
    if (type === "step-finish") step.finish = part;
    else if (type === "text" || type === "reasoning")
      step.said.push({ record, part: { kind: type, text: textOf(value["text"]), at } });
    else if (type === "tool") addTool(step, part);
  }
  return steps;
}

function addTool(step: Step, { record, value, at }: Part): void {
  const state = fields(value["state"]);
  const id = filled(value["callID"]);
  const name = filled(value["tool"]) ?? "";
  const call = callPart({ id, name, arguments: state["input"] ?? {}, at });
  step.said.push({ record, part: call });
  const { status = has(state, "output") ? "completed" : undefined } = state;
  if (status !== "completed" && status !== "error") return;
  const text = textOf(status === "error" ? state["error"] : state["output"]);
  const result = resultPart({ callId: id, name, text, isError: status === "error", at: `${at}/state` });
  step.results.push({ record, part: result });
}

function usageOf(tokens: Fields): { input: number; output: number; cached: number } {
  const count = (value: unknown): number => (typeof value === "number" ? value : 0);
  const cached = count(fields(tokens["cache"])["read"]);
  return { input: count(tokens["input"]) + cached, output: count(tokens["output"]), cached };
}

function errorText(error: Fields): string {
  return filled(fields(error["data"])["message"]) ?? filled(error["message"]) ?? textOf(error["name"]);
}
