import type { Entry, Thread, ThreadOrigin } from "./transcript.ts";

/** A thread while its file is read. */
export interface GrowingThread extends Thread {
  readonly entries: Entry[];
  origin?: ThreadOrigin;
  isPartial?: boolean;
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
