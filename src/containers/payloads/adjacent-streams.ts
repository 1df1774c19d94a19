import { plainText } from "../../reading/escapes.ts";
import type { JsonNode } from "../../reading/json-node.ts";
import { readValue } from "../../reading/json-values.ts";
import type { Origin } from "../../reading/origin.ts";
import { originOf, type Span } from "../../reading/place.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { threshold } from "../../traffic/certainty.ts";
import type { Frame, Frames } from "../../traffic/payload.ts";
import type { Extent, PayloadPlace } from "../../traffic/place.ts";
import type { RecognizedPayload, Recognizer } from "../../traffic/recognizer.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import type { Search } from "./candidates.ts";
import {
  codedFrames,
  looksCoded,
  ndjsonFrames,
  type RecognizedEvents,
  recognizeFrames,
  sseFrames,
} from "./frames.ts";
import { peekAt } from "./peek.ts";
import { isCut, type Slice, spanOf, streamPlace } from "./slice.ts";
import { laxValue } from "./unread-json.ts";

/**
 * Streams whose frames are adjacent in the log: a text or an array is one stream, a file may hold several.
 * open-streams.ts joins streams whose parts have records of their own.
 */

export type TextStream = Extract<PayloadCandidate, { part: "stream" }>;

/** A text that is a stream of events or lines; a single line is not one. */
export function textStream(
  recognizer: Recognizer,
  at: Slice,
  start: number,
  end: number,
  framing: "sse" | "ndjson",
  record: RecordContext,
  isCut: boolean,
): TextStream | undefined {
  const text = plainText(at.bytes, start, end, at.level);
  if (framing === "ndjson" && !text.trim().includes("\n")) return undefined;
  const frames =
    framing === "ndjson"
      ? ndjsonFrames(text)
      : looksCoded(text.slice(0, 4096))
        ? codedFrames(text)
        : sseFrames(text);
  const recognition = recognizeFrames(recognizer, frames, record.url);
  const span: Span = { view: at.view, start: start + at.shift, end: end + at.shift, level: at.level };
  return recognition && streamAt(span, recognition, frames, framing, record, isCut);
}

/** Whether an event only repeats what the provider sent: `{"type": "raw-chunk", "raw": {…}}`. */
function isRawCopy(at: Slice, { members = [] }: JsonNode): boolean {
  const type = members.find(({ key }) => key === "type")?.node;
  return type?.kind === "string" && /^raw\b/.test(String(readValue(at.bytes, type, at.level)));
}

/** An array whose elements are all events: a list of chunks, or a stream in the form of one JSON array. */
export function arrayStream(
  { recognizer, unread }: Pick<Search, "recognizer" | "unread">,
  at: Slice,
  node: JsonNode,
  record: RecordContext,
): TextStream | undefined {
  const items = node.items ?? [];
  const begin = items[0]?.kind === "object" ? items.find((item) => !isRawCopy(at, item)) : undefined;
  if (begin?.kind !== "object" || !recognizer.recognize(peekAt(at, begin), record.url)) return undefined;
  // The first events may be generic; a distinctive one follows soon.
  const first = items
    .slice(0, 12)
    .map((item) => (item.kind === "object" ? recognizer.recognize(peekAt(at, item), record.url) : undefined))
    .find((found) => found !== undefined && found.certainty >= threshold.leading);
  if (!first || first.part === "request" || first.part === "exchange") return undefined;
  if (first.part === "reply" && items.length === 1) return undefined;
  const events = items.filter((item) => !isDoneMark(at, item));
  if (events.some((item) => item.kind !== "object")) return undefined;
  // What may be an event of a stream may as well be the first message of a history.
  const isEvent = (item: JsonNode): boolean =>
    recognizer.recognize(peekAt(at, item), record.url)?.part === "event";
  if (first.certainty <= threshold.leading && !events.every(isEvent)) return undefined;
  const onLax = laxValue(unread, at, record, "reply");
  let from = node.start;
  let position = 0;
  const frames = items.map((item): Frame => {
    const isDone = isDoneMark(at, item);
    const data = isDone ? doneMark : plainText(at.bytes, item.start, item.end, at.level);
    const start = position + plainText(at.bytes, from, item.start, at.level).length;
    from = item.end;
    position = start + data.length;
    const value = isDone ? undefined : readValue(at.bytes, item, at.level, onLax);
    return { value, data, extent: { start, end: position } };
  });
  // Adjacent replies belong to several exchanges, unless they are chunks of one reply and share its id.
  if (first.part === "reply") {
    const ids = new Set(frames.map((frame) => recognizer.replyId(first.protocol, frame)));
    if (ids.size > 1 || ids.has(undefined)) return undefined;
  }
  if (beginsAgain(recognizer, first.protocol, frames)) return undefined;
  return streamAt(spanOf(at, node), first, frames, "array", record, isCut(at, node));
}

/** Whether events of another reply follow the end of the first, as where a program collected all of a run. */
function beginsAgain(recognizer: Recognizer, protocol: string, frames: readonly Frame[]): boolean {
  const end = frames.findIndex((frame) => recognizer.isTerminal(protocol, frame));
  if (end < 0 || end === frames.length - 1) return false;
  const idOf = (frame: Frame): string | undefined => recognizer.replyId(protocol, frame);
  const first = frames
    .slice(0, end + 1)
    .map(idOf)
    .find((id) => id !== undefined);
  return first !== undefined && frames.slice(end + 1).some((frame) => (idOf(frame) ?? first) !== first);
}

/** What OpenAI's streams end with, which is no JSON there. */
const doneMark = "[DONE]";

function isDoneMark(at: Slice, { kind, start, end }: JsonNode): boolean {
  return kind === "string" && plainText(at.bytes, start, end, at.level) === `"${doneMark}"`;
}

function streamAt(
  span: Span,
  { protocol, certainty, fidelity }: Pick<RecognizedPayload, "protocol" | "certainty" | "fidelity">,
  frames: readonly Frame[],
  framing: TextStream["framing"],
  record: RecordContext,
  isCut: boolean,
): TextStream {
  const { start } = originOf(span);
  const place = streamPlace(span);
  return { part: "stream", protocol, certainty, fidelity, record, start, place, isCut, frames, framing };
}

/** A longer stream is not kept in memory when it can be read again. */
const maxKept = 20_000;

/** How {@link cutStreams} puts the streams that it finds in their places. */
export interface StreamCut {
  /** Locates the extents of frames. */
  readonly place: PayloadPlace;
  /** The end of the last stream is missing in the log. */
  readonly isCut?: boolean;
  /** The context of the stream that begins with a frame. */
  record(first: Frame): RecordContext;
  /** Is told of each frame that no stream has. */
  onLost?(frame: Frame): void;
  /** Reads the frames of a range again. */
  again?(range: Extent): Iterable<Frame>;
}

/**
 * Cuts a sequence of frames into the streams of single replies. A stream ends at its last event; usage
 * chunks, `[DONE]` and frames with the same reply id after it still belong to it.
 */
export function* cutStreams(
  frames: Iterable<Frame>,
  recognizer: Recognizer,
  { place, isCut = false, record, onLost, again }: StreamCut,
): Generator<TextStream> {
  const ahead = new Ahead(frames);
  // Behind an event that begins no stream, eleven of the next twelve are the same.
  const known: RecognizedEvents = new Map();
  for (let first = ahead.first; first; first = ahead.first) {
    const recognition = recognizeFrames(recognizer, ahead.upTo(12), undefined, known);
    if (!recognition) {
      onLost?.(first);
      ahead.next();
      known.delete(first);
      continue;
    }
    known.clear();
    const part = new StreamPart(again);
    takeStream(ahead, part, recognition.protocol, recognizer);
    const { start } = first.extent;
    const partPlace = new PartPlace(place, { start, end: part.last?.extent.end ?? start });
    yield {
      record: record(first),
      start: partPlace.origin.start,
      place: partPlace,
      isCut: isCut && ahead.first === undefined,
      part: "stream",
      frames: part.frames,
      framing: "sse",
      ...recognition,
    };
  }
}

/** The place of one stream of several. Each reply keeps one; closures would take five times its memory. */
class PartPlace implements PayloadPlace {
  readonly #all: PayloadPlace;
  readonly origin: Origin;

  constructor(all: PayloadPlace, extent: Extent) {
    this.#all = all;
    this.origin = all.locateAt(extent);
  }

  get span(): Span {
    return this.#all.span;
  }

  locate(_pointer: string): Origin {
    return this.origin;
  }

  locateAt(extent: Extent): Origin {
    return this.#all.locateAt(extent);
  }
}

/** Takes the frames of the stream that begins here. */
function takeStream(ahead: Ahead, part: StreamPart, protocol: string, recognizer: Recognizer): void {
  let id: string | undefined;
  let isEnded = false;
  for (let frame = ahead.first; frame; frame = ahead.first) {
    const own = recognizer.replyId(protocol, frame);
    const isDone = frame.data.trim() === doneMark;
    const isOther = own !== undefined && own !== id;
    const isFirst = part.first === undefined;
    const reply = { first: part.first ?? frame, last: part.last ?? frame };
    const goesOn = !isFirst && isOther && recognizer.continuesReply(protocol, frame, reply);
    if (!isFirst && isOther && id !== undefined && !goesOn) return;
    if (isEnded && !isDone && (own === undefined || isOther) && !goesOn) return;
    part.push(frame);
    ahead.next();
    id ??= own;
    if (isDone) return;
    isEnded ||= recognizer.isTerminal(protocol, frame);
  }
}

/** A sequence of frames with a view of the next ones. */
class Ahead {
  readonly #rest: Iterator<Frame>;
  readonly #next: Frame[] = [];

  constructor(frames: Iterable<Frame>) {
    this.#rest = frames[Symbol.iterator]();
  }

  get first(): Frame | undefined {
    return this.upTo(1)[0];
  }

  /** The next frames, as many as there are. */
  upTo(count: number): readonly Frame[] {
    while (this.#next.length < count) {
      const { value, done } = this.#rest.next();
      if (done) break;
      this.#next.push(value);
    }
    return this.#next;
  }

  next(): void {
    this.#next.shift();
  }
}

/** The frames of one stream while it is cut out of a sequence. */
class StreamPart {
  readonly #again: StreamCut["again"];
  #kept: Frame[] = [];
  #length = 0;
  first: Frame | undefined;
  last: Frame | undefined;

  constructor(again: StreamCut["again"]) {
    this.#again = again;
  }

  push(frame: Frame): void {
    this.first ??= frame;
    this.last = frame;
    this.#length++;
    if (!this.#again || this.#length <= maxKept) this.#kept.push(frame);
    else this.#kept = [];
  }

  get frames(): Frames {
    const [first, last, again] = [this.first, this.last, this.#again];
    if (!again || !first || !last || this.#length <= maxKept) return this.#kept;
    const range = { start: first.extent.start, end: last.extent.end };
    return new LongStream(this.#length, () => again(range));
  }
}

/** The frames of a stream that is read from the log for each look at it. */
class LongStream implements Frames {
  readonly length: number;
  readonly #read: () => Iterable<Frame>;

  constructor(length: number, read: () => Iterable<Frame>) {
    this.length = length;
    this.#read = read;
  }

  [Symbol.iterator](): Iterator<Frame> {
    return this.#read()[Symbol.iterator]();
  }

  *entries(): Generator<[number, Frame]> {
    let index = 0;
    for (const frame of this) yield [index++, frame];
  }

  at(index: number): Frame | undefined {
    const wanted = index < 0 ? this.length + index : index;
    for (const [place, frame] of this.entries()) if (place === wanted) return frame;
    return undefined;
  }

  some(predicate: (frame: Frame) => boolean): boolean {
    for (const frame of this) if (predicate(frame)) return true;
    return false;
  }

  every(predicate: (frame: Frame) => boolean): boolean {
    return !this.some((frame) => !predicate(frame));
  }

  map<T>(of: (frame: Frame, index: number) => T): T[] {
    return Array.from(this, of);
  }
}
