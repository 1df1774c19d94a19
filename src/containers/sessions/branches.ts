import type { SessionWriter } from "../../traffic/session-writer.ts";
import type { Entry, Thread, ThreadOrigin } from "../../traffic/transcript.ts";

/** A thread while its file is read. */
export interface GrowingThread extends Thread {
  readonly entries: Entry[];
  origin?: ThreadOrigin;
  takesRecords?: boolean;
  calledBy?: string;
  form?: SessionWriter;
  isSentAsKept?: boolean;
}

/** Says that new records can be written into these threads, and how. */
export function* takingRecords(
  threads: Iterable<GrowingThread>,
  facts: Pick<Thread, "form" | "isSentAsKept"> = {},
): Generator<Thread> {
  for (const thread of threads) {
    Object.assign(thread, facts);
    thread.takesRecords = true;
    yield thread;
  }
}

export function growingThread(protocol: string, origin?: ThreadOrigin): GrowingThread {
  return { protocol, entries: [], ...(origin && { origin }) };
}

/**
 * Adds what comes next. Agents write a reply's calls down one by one while the first results are there already: what belongs to
 * the newest reply is put where that stands, since the model said it in one breath.
 */
export function append(thread: GrowingThread, entry: Entry): void {
  const { entries } = thread;
  const last = entries.at(-1);
  if (entry.reply === undefined || last === undefined || last.reply === entry.reply) {
    entries.push(entry);
    return;
  }
  let at = entries.length;
  while (at > 0 && entries[at - 1]?.reply === undefined) at--;
  if (at > 0 && entries[at - 1]?.reply === entry.reply) entries.splice(at, 0, entry);
  else entries.push(entry);
}

/** How many entries the model has before it at the end of a thread. */
export function lengthOf({ entries, origin }: Thread): number {
  return entries.length + (origin?.how === "branch" ? origin.length : 0);
}

/** Adds facts to the newest entry that is the model's: what the log says of a reply only behind it. */
export function tellOfReply(
  thread: GrowingThread,
  facts: Partial<Entry>,
  isReply: (entry: Entry) => boolean,
): void {
  const at = thread.entries.findLastIndex(isReply);
  const entry = thread.entries[at];
  // Its value may be one that is read when it is asked for.
  if (entry) thread.entries[at] = { ...entry, value: entry.value, ...facts };
}

/** A thread that takes the place of another whose history was replaced by a summary. */
export function compacted(thread: GrowingThread, kept: readonly Entry[] = []): GrowingThread {
  const origin: ThreadOrigin = { how: "compaction", thread, length: lengthOf(thread) };
  const begun = growingThread(thread.protocol, origin);
  begun.entries.push(...kept);
  return begun;
}

/** A thread that goes on from an earlier point of another: its first `length` entries are the other's. */
export function branched(thread: GrowingThread, length: number): GrowingThread {
  return growingThread(thread.protocol, { how: "branch", thread, length });
}
