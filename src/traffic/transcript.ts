import type { Origin } from "../reading/origin.ts";
import { locateJson, locateText, originOf, type Span } from "../reading/place.ts";
import type { ByteSource } from "../reading/source.ts";
import type { Extent, PayloadPlace, RecordPlace } from "./place.ts";
import type { SessionWriter } from "./session-writer.ts";

/**
 * A transcript holds each thing that was said once. Its reader puts the records into threads: what the model had before it, in
 * order, whatever the order of the records is. An entry is wire-shaped, so that its protocol reads it as an element of a history;
 * how threads become requests and replies is nobody's business here.
 */

/** One thing that was said, where it stands in the file. */
export interface Entry {
  /** As its protocol has it in a history: a message, a content, an item. */
  readonly value: unknown;
  /** The same, with {@link HeldText}s in place of long texts, for whoever only wants to know what was said. Absent: `value` has them all. */
  readonly outline?: unknown;
  /** The JSON that is looked through for places: the record, or in a document the part of it that holds the entry. */
  readonly span: Span;
  /** Pointer from that JSON to `value`. */
  readonly pointer: string;
  /** Pointer from the record's body to that JSON; `""` where the span is the record. */
  readonly base: string;
  /** What the model said in one reply carries one name, where the log names it. */
  readonly reply?: string;
  readonly model?: string;
  /** When, as the log writes it: a date as text, or seconds or milliseconds since the epoch. */
  readonly time?: unknown;
  readonly usage?: { readonly input?: number; readonly output?: number; readonly cached?: number };
  /** The provider's word for why the reply ended, where this format keeps it reliably; `pointer` leads from `value` to it. */
  readonly finish?: { readonly reason: string; readonly pointer: string };
  /** The reply that it belongs to was broken off by the user, or by the program's end. */
  readonly isAborted?: boolean;
  /** It stands for a reply that failed: what the program said of it. */
  readonly error?: { readonly message: string; readonly pointer: string };
}

/** What the model has before it at the end of a line of a conversation. */
export interface Thread {
  /** The name of the protocol in whose form the entries are. */
  readonly protocol: string;
  /** In the order in which the model got and said them. */
  readonly entries: readonly Entry[];
  /** Absent: it begins by itself, as a session or a sub-agent's work does. */
  readonly origin?: ThreadOrigin;
  readonly tools?: readonly string[];
  /** The id of the call for which a sub-agent does its work here. */
  readonly calledBy?: string;
  /** Records before the first are missing, so that absence proves nothing. */
  readonly isPartial?: boolean;
  /** Its records hold the entries as the protocol has them, and new ones can be written in their form. */
  readonly takesRecords?: boolean;
  /** How its records are written, where their form is the agent's own. */
  readonly form?: SessionWriter;
  /** Nobody mends it before it is sent. */
  readonly isSentAsKept?: boolean;
}

/**
 * `branch`: the first `length` entries of the other thread stand before this one's own. `compaction`: this thread took the place of
 * the first `length` entries of the other; its entries from `kept.from` up to and without `kept.to` had stood there already.
 */
export interface ThreadOrigin {
  readonly how: "branch" | "compaction";
  readonly thread: Thread;
  readonly length: number;
  readonly kept?: { readonly from: number; readonly to: number };
}

/** The entry at a place, also one that stands in the thread this one branches off. */
export function entryAt(thread: Thread, index: number): Entry | undefined {
  const holder = holderOf(thread, index);
  return holder.entries[index - startOf(holder)];
}

/** What a thread branches off; `far` is further back, so that a chain of thousands of branches is passed in leaps. */
interface Ancestry {
  readonly depth: number;
  readonly base: Thread;
  readonly far: Thread;
}

const ancestries = new WeakMap<Thread, Ancestry>();

/** The thread among whose own entries the one at a place stands: this thread, or one that it branches off. */
export function holderOf(thread: Thread, index: number): Thread {
  let holder = thread;
  while (index < startOf(holder)) {
    const { base, far } = ancestryOf(holder);
    holder = index < startOf(far) ? far : base;
  }
  return holder;
}

function ancestryOf(thread: Thread): Ancestry {
  const unknown: Thread[] = [];
  for (let each = thread; !ancestries.has(each); each = (each.origin as ThreadOrigin).thread) {
    unknown.push(each);
    if (each.origin?.how !== "branch") break;
  }
  for (const each of unknown.reverse()) ancestries.set(each, findAncestry(each));
  return ancestries.get(thread) as Ancestry;
}

/** Skips as a skew-binary list does: as many leaps as the depth has digits. What a thread branches off is known already. */
function findAncestry(thread: Thread): Ancestry {
  const { origin } = thread;
  if (origin?.how !== "branch") return { depth: 0, base: thread, far: thread };
  // It may branch off within what the other thread branches off itself.
  const base = holderOf(origin.thread, Math.max(0, origin.length - 1));
  const { depth, far } = ancestries.get(base) as Ancestry;
  const next = ancestries.get(far) as Ancestry;
  return {
    depth: depth + 1,
    base,
    far: depth - next.depth === next.depth - depthOf(next.far) ? next.far : base,
  };
}

function depthOf(thread: Thread): number {
  return ancestries.get(thread)?.depth ?? 0;
}

/** How many entries of other threads stand before a thread's own. */
export function startOf({ origin }: Thread): number {
  return origin?.how === "branch" ? origin.length : 0;
}

/** The places of a thread's entries: pointers into it begin with an entry's number. `from` and `to` are what the whole stands for. */
export function threadPlace(thread: Thread, from: number, to: number): PayloadPlace {
  return new ThreadPlace(thread, from, to);
}

/** There are two for each reply of a long session, so a place is no more than where it is. */
class ThreadPlace implements PayloadPlace {
  readonly #thread: Thread;
  readonly #from: number;
  readonly #to: number;

  constructor(thread: Thread, from: number, to: number) {
    this.#thread = thread;
    this.#from = from;
    this.#to = to;
  }

  get span(): Span {
    const entry = entryAt(this.#thread, this.#from) ?? entryAt(this.#thread, 0);
    return (entry as Entry).span;
  }

  get takesRecords(): boolean {
    return this.#thread.takesRecords === true;
  }

  get form(): SessionWriter | undefined {
    return this.#thread.form;
  }

  get isSentAsKept(): boolean {
    return this.#thread.isSentAsKept === true;
  }

  get origin(): Origin {
    const origin = originOf(this.span);
    const last = entryAt(this.#thread, this.#to - 1);
    return last ? { ...origin, end: Math.max(origin.end, originOf(last.span).end) } : origin;
  }

  locate(pointer: string): Origin {
    const place = this.inRecord(pointer);
    return place ? locateJson(place.span, place.within) : this.origin;
  }

  locateAt(extent: Extent): Origin {
    return locateText(this.span, extent.start, extent.end);
  }

  sources(): readonly ByteSource[] {
    const sources = new Set<ByteSource>();
    for (let index = this.#from; index < this.#to; index++) {
      const entry = entryAt(this.#thread, index);
      if (entry) sources.add(originOf(entry.span).source);
    }
    return [...sources];
  }

  inRecord(pointer: string): RecordPlace | undefined {
    return inRecord(this.#thread, pointer);
  }
}

function inRecord(thread: Thread, pointer: string): RecordPlace | undefined {
  const found = /^\/(\d+)(.*)$/s.exec(pointer);
  const entry = found && entryAt(thread, Number(found[1]));
  if (!entry) return undefined;
  const within = `${entry.pointer}${found[2] ?? ""}`;
  return { span: entry.span, within, pointer: `${entry.base}${within}` };
}

/** Milliseconds since the epoch, of a date as text, or of seconds or milliseconds. */
export function timeOf(value: unknown): number | undefined {
  const time =
    typeof value === "string"
      ? Date.parse(value)
      : typeof value === "number"
        ? value < 1e11
          ? value * 1000
          : value
        : Number.NaN;
  return Number.isFinite(time) && time > 0 ? time : undefined;
}
