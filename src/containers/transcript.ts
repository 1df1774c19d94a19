import type { PayloadPlace, RecordPlace } from "../reading/payload.ts";
import { locateJson, locateText, originOf, type Span } from "../reading/place.ts";

/**
 * A transcript holds each thing that was said once. Its reader puts the records into threads: what the model had before it, in
 * order, whatever the order of the records is. An entry is wire-shaped, so that its protocol reads it as an element of a history;
 * how threads become requests and replies is nobody's business here.
 */

/** One thing that was said, where it stands in the file. */
export interface Entry {
  /** As its protocol has it in a history: a message, a content, an item. */
  readonly value: unknown;
  /** The JSON that is looked through for places: the record, or in a document the part of it that holds the entry. */
  readonly span: Span;
  /** Pointer from that JSON to `value`. */
  readonly pointer: string;
  /** Pointer from the record's body to that JSON; `""` where the span is the record. */
  readonly base: string;
  /** What the model said in one reply carries one name, where the log names it. */
  readonly reply?: string;
  readonly model?: string;
  /** Milliseconds since the epoch. */
  readonly time?: number;
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
  /** Records before the first are missing, so that absence proves nothing. */
  readonly isPartial?: boolean;
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
  let own: Thread = thread;
  while (own.origin?.how === "branch" && index < own.origin.length) own = own.origin.thread;
  return own.entries[index - startOf(own)];
}

/** How many entries of other threads stand before a thread's own. */
export function startOf({ origin }: Thread): number {
  return origin?.how === "branch" ? origin.length : 0;
}

/** The places of a thread's entries: pointers into it begin with an entry's number. `from` and `to` are what the whole stands for. */
export function threadPlace(thread: Thread, from: number, to: number): PayloadPlace {
  const first = entryAt(thread, from);
  const last = entryAt(thread, to - 1);
  const span = (first ?? last ?? entryAt(thread, 0))?.span as Span;
  return {
    get origin() {
      const start = originOf(span);
      return { ...start, end: last ? Math.max(start.end, originOf(last.span).end) : start.end };
    },
    locate(pointer) {
      const place = inRecord(thread, pointer);
      return place ? locateJson(place.span, place.within) : originOf(span);
    },
    locateAt: (extent) => locateText(span, extent.start, extent.end),
    span,
    inRecord: (pointer) => inRecord(thread, pointer),
  };
}

function inRecord(thread: Thread, pointer: string): RecordPlace | undefined {
  const found = /^\/(\d+)(.*)$/s.exec(pointer);
  const entry = found && entryAt(thread, Number(found[1]));
  if (!entry) return undefined;
  const within = `${entry.pointer}${found[2] ?? ""}`;
  return { span: entry.span, within, pointer: `${entry.base}${within}` };
}
