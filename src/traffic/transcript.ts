import type { Origin } from "../reading/origin.ts";
import { locateJson, locateText, originOf, type Span } from "../reading/place.ts";
import type { Extent, PayloadPlace } from "./place.ts";
import type { RecordPlace, Session } from "./session.ts";
import type { SessionWriter } from "./session-writer.ts";

/**
 * A transcript holds each message once. Its reader puts the records into threads, in the order in which the
 * model got them, whatever their order in the file. An entry has the shape of the wire, so that its protocol
 * decodes it like an element of a history. Turning threads into requests and replies is up to the log.
 */

/** One message or item, where it stands in the file. */
export interface Entry {
  /** As its protocol has it in a history: a message, a content, an item. */
  readonly value: unknown;
  /** The same with long texts left in the file until somebody reads them. Absent where {@link value} has them all. */
  readonly outline?: unknown;
  /** The JSON that is searched for places: the record, or the part of a document that holds the entry. */
  readonly span: Span;
  /** Pointer from that JSON to `value`. */
  readonly pointer: string;
  /** Pointer from the record's body to that JSON; `""` where the span is the record. */
  readonly base: string;
  /** Names the reply that it is a part of, where the log does. */
  readonly reply?: string;
  readonly model?: string;
  /** When, as the log writes it: a date as text, or seconds or milliseconds since the epoch. */
  readonly time?: unknown;
  readonly usage?: { readonly input?: number; readonly output?: number; readonly cached?: number };
  /**
   * The provider's word for why the reply ended, where the format is reliable in it, with its pointer in
   * `value`.
   */
  readonly finish?: { readonly reason: string; readonly pointer: string };
  /** The reply that it belongs to was broken off by the user, or by the program's end. */
  readonly isAborted?: boolean;
  /** It stands for a reply that failed, with what the program said about it. */
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
  /** See {@link Session}. */
  readonly takesRecords?: boolean;
  readonly isSentAsKept?: boolean;
  readonly form?: SessionWriter;
}

/**
 * `branch`: the first `length` entries of the other thread stand before this one's own. `compaction`: this
 * thread took the place of the first `length` entries of the other; its entries from `kept.from` up to and
 * without `kept.to` had stood there already.
 */
export interface ThreadOrigin {
  readonly how: "branch" | "compaction";
  readonly thread: Thread;
  readonly length: number;
  readonly kept?: { readonly from: number; readonly to: number };
}

/** The entry at a place, also where it stands in a thread that this one branches off. */
export function entryAt(thread: Thread, index: number): Entry | undefined {
  const holder = holderOf(thread, index);
  return holder.entries[index - startOf(holder)];
}

/** What a thread branches off. `far` is further back: a chain of thousands of branches is walked in leaps. */
interface Ancestry {
  readonly depth: number;
  readonly base: Thread;
  readonly far: Thread;
}

const ancestries = new WeakMap<Thread, Ancestry>();

/** The thread that has the entry at a place as its own: this one, or one that it branches off. */
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

/**
 * A skew-binary skip list: as many leaps as the depth has digits. The ancestry of the base is known already.
 */
function findAncestry(thread: Thread): Ancestry {
  const { origin } = thread;
  if (origin?.how !== "branch") return { depth: 0, base: thread, far: thread };
  // A thread may branch off at an entry that the other thread has from its own base.
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

/** The session of which a thread is a line, for all exchanges that are made of it. */
export function sessionOf(thread: Thread, callIds: Session["callIds"]): Session {
  const { takesRecords = false, isSentAsKept = false, form, entries } = thread;
  return {
    takesRecords,
    isSentAsKept,
    ...(form && { writer: form }),
    recordAt: (pointer) => recordAt(thread, pointer),
    callIds,
    sources: () => new Set(entries.map(({ span }) => originOf(span).source)),
  };
}

/**
 * The place of a thread's entries `from` up to and without `to`. Pointers into it begin with an entry's
 * number in the thread.
 */
export function threadPlace(thread: Thread, from: number, to: number): PayloadPlace {
  return new ThreadPlace(thread, from, to);
}

/** A long session has two for each reply: whatever they share belongs into {@link Session}. */
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

  get origin(): Origin {
    const origin = originOf(this.span);
    const last = entryAt(this.#thread, this.#to - 1);
    return last ? { ...origin, end: Math.max(origin.end, originOf(last.span).end) } : origin;
  }

  locate(pointer: string): Origin {
    const place = recordAt(this.#thread, pointer);
    return place ? locateJson(place.span, place.within) : this.origin;
  }

  locateAt(extent: Extent): Origin {
    return locateText(this.span, extent.start, extent.end);
  }
}

function recordAt(thread: Thread, pointer: string): RecordPlace | undefined {
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
