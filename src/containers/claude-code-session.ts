import {
  type Fields,
  fields,
  filled,
  list,
  type SessionFile,
  type SessionRecord,
  timeOf,
} from "./session.ts";
import { append, type GrowingThread, growingThread } from "./threads.ts";
import type { Entry, Thread } from "./transcript.ts";

const protocol = "anthropic";

/** A record that others name as their parent. */
interface Node {
  readonly thread: GrowingThread;
  /** The newest entry of the thread that stands at or before the record. */
  readonly entry: Entry | undefined;
}

/**
 * Claude Code's own session files: each record names its parent, so that the history is a tree. A message of the model is written one
 * block a line under the same message id. A second child of a record is a rewind, unless it belongs to the same round: calls made at
 * once, and their results, name each other's parents as they come.
 */
export function* read(file: SessionFile): Generator<Thread> {
  const nodes = new Map<string, Node>();
  const threads: GrowingThread[] = [];
  /** The thread that grows now, by agent: sub-agents write into the same file. */
  const current = new Map<string, GrowingThread>();
  /** The thread in which a call was made. */
  const callers = new Map<string, GrowingThread>();
  let hasBoundary = false;

  const begin = (agent: string, origin?: Thread["origin"]): GrowingThread => {
    const thread = growingThread(protocol, origin);
    threads.push(thread);
    current.set(agent, thread);
    return thread;
  };

  for (const record of file.lines()) {
    const { value } = record;
    const uuid = filled(value["uuid"]);
    if (uuid !== undefined && nodes.has(uuid)) {
      file.skip(record, "a record that stands in the file twice");
      continue;
    }
    const parent = nodes.get(filled(value["parentUuid"]) ?? "");
    const agent = agentOf(value);
    const entry = entryOf(record);
    if (!entry) {
      hasBoundary ||= value["subtype"] === "compact_boundary";
      if (parent && uuid !== undefined) nodes.set(uuid, parent);
      file.skip(record, reasonOf(value));
      continue;
    }
    const thread = threadFor(record, entry, parent, agent);
    if (isInterruption(value)) interrupt(thread);
    append(thread, entry);
    for (const block of list(fields(value["message"])["content"])) {
      const id = fields(block)["type"] === "tool_use" ? filled(fields(block)["id"]) : undefined;
      if (id !== undefined) callers.set(id, thread);
    }
    if (uuid !== undefined) nodes.set(uuid, { thread, entry });
  }
  yield* threads;

  function threadFor(
    { value }: SessionRecord,
    entry: Entry,
    parent: Node | undefined,
    agent: string,
  ): GrowingThread {
    const newest = current.get(agent);
    if (value["isCompactSummary"] === true || (hasBoundary && filled(value["parentUuid"]) === undefined)) {
      hasBoundary = false;
      return begin(agent, newest && { how: "compaction", thread: newest, length: lengthOf(newest) });
    }
    const answers = list(fields(value["message"])["content"]).flatMap((block) => {
      const thread = callers.get(filled(fields(block)["tool_use_id"]) ?? "");
      return thread ? [thread] : [];
    });
    if (answers[0]) return answers[0];
    // A parent that the file lacks: whoever cut the file left the records in order.
    if (!parent) {
      if (newest && filled(value["parentUuid"]) !== undefined) return newest;
      if (newest?.entries.every((other) => fields(other.value)["role"] === "user")) return newest;
      return begin(agent);
    }
    const { thread } = parent;
    if (isInNewestRound(thread, parent.entry, entry)) {
      current.set(agent, thread);
      return thread;
    }
    const at = parent.entry ? thread.entries.indexOf(parent.entry) + 1 : 0;
    return begin(agent, { how: "branch", thread, length: lengthOf(thread) - thread.entries.length + at });
  }
}

function lengthOf({ entries, origin }: Thread): number {
  return entries.length + (origin?.how === "branch" ? origin.length : 0);
}

/** Sub-agents have ids in newer files, and share the file with their parent in older ones. */
function agentOf(value: Fields): string {
  return filled(value["agentId"]) ?? (value["isSidechain"] === true ? "sidechain" : "");
}

/** Nothing but the rest of one round stands behind the parent: other blocks of its reply, and results. */
function isInNewestRound(thread: GrowingThread, parent: Entry | undefined, entry: Entry): boolean {
  const { entries } = thread;
  for (let index = entries.length - 1; index >= 0; index--) {
    const other = entries[index] as Entry;
    if (other === parent) return true;
    const isSameReply =
      other.reply !== undefined && (other.reply === parent?.reply || other.reply === entry.reply);
    if (!isSameReply && !holdsResults(other)) return false;
  }
  return parent === undefined;
}

function holdsResults({ value }: Entry): boolean {
  return list(fields(value)["content"]).some((block) => fields(block)["type"] === "tool_result");
}

/** What the client writes in the user's name when somebody presses Escape. */
function isInterruption(value: Fields): boolean {
  const { content } = fields(value["message"]);
  const text = typeof content === "string" ? content : fields(list(content)[0])["text"];
  return typeof text === "string" && /^\[Request interrupted by user/.test(text);
}

function interrupt({ entries }: GrowingThread): void {
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index] as Entry;
    if (entry.reply === undefined) continue;
    entries[index] = { ...entry, isAborted: true };
    return;
  }
}

/** The message of a record; `undefined` for notes about the session. */
export function entryOf({ value, span, base }: SessionRecord): Entry | undefined {
  const message = fields(value["message"]);
  const type = value["type"];
  if ((type !== "user" && type !== "assistant") || message["content"] === undefined) return undefined;
  const time = timeOf(value["timestamp"]);
  const common = { value: message, span, base, pointer: "/message", ...(time !== undefined && { time }) };
  if (type === "user") return common;
  const reply = filled(message["id"]) ?? filled(value["uuid"]) ?? "";
  const model = filled(message["model"]);
  const reason = filled(message["stop_reason"]);
  const usage = usageOf(message["usage"]);
  const isError = value["isApiErrorMessage"] === true;
  const text = fields(list(message["content"])[0])["text"];
  return {
    ...common,
    reply,
    ...(model !== undefined && model !== "<synthetic>" && { model }),
    ...(usage && { usage }),
    // Lines are written while the reply still streams: nearly all of them say null.
    ...(reason !== undefined && !isError && { finish: { reason, pointer: "/stop_reason" } }),
    ...(isError && {
      error: { message: typeof text === "string" ? text : "the request failed", pointer: "/content" },
    }),
  };
}

function usageOf(value: unknown): Entry["usage"] {
  const usage = fields(value);
  const count = (key: string): number => (typeof usage[key] === "number" ? usage[key] : 0);
  if (typeof usage["output_tokens"] !== "number") return undefined;
  const cached = count("cache_read_input_tokens");
  return {
    input: count("input_tokens") + cached + count("cache_creation_input_tokens"),
    output: count("output_tokens"),
    cached,
  };
}

const reasons: ReadonlyMap<unknown, string> = new Map([
  ["summary", "a title for the list of sessions"],
  ["file-history-snapshot", "a backup of files"],
  ["queue-operation", "input that waited"],
  ["progress", "progress that was shown"],
  ["attachment", "context that the client adds by itself"],
]);

function reasonOf(value: Fields): string {
  return (
    reasons.get(value["type"]) ??
    `a note of the client (${filled(value["subtype"]) ?? filled(value["type"]) ?? "no type"})`
  );
}
