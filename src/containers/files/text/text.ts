import { withLineFeeds } from "../../../reading/carriage-returns.ts";
import { looksPrinted } from "../../../reading/literal.ts";
import { scanJson } from "../../../reading/scan.ts";
import { Segments } from "../../../reading/segments.ts";
import { createPool } from "../../../reading/shared.ts";
import { type ByteSource, textStart } from "../../../reading/source.ts";
import { plainSource } from "../../../reading/terminal-codes.ts";
import { unwrapped } from "../../../reading/terminal-wraps.ts";
import { originIn, segmentedView, type View, wholeView } from "../../../reading/view.ts";
import { unwired } from "../../../reading/wire-log.ts";
import type { PayloadCandidate } from "../../../traffic/candidate.ts";
import { threshold } from "../../../traffic/certainty.ts";
import type { Container, Defect, Recording, Skipped } from "../../../traffic/container.ts";
import type { Recognizer } from "../../../traffic/recognizer.ts";
import type { RecordContext } from "../../../traffic/record-context.ts";
import { cutStreams } from "../../payloads/adjacent-streams.ts";
import { type Chunk, chunkedInverse, chunksOf } from "../../payloads/chunked.ts";
import { errorInMember, errorInText, errorInWords, isErrorBody } from "../../payloads/error-bodies.ts";
import { sseFrames } from "../../payloads/frames.ts";
import { leftOut } from "../../payloads/printed-slice.ts";
import { type Context, noContext } from "../../payloads/record-context.ts";
import { type PayloadSearch, payloadSearch } from "../../payloads/search.ts";
import { holdsBroken, streamPlace } from "../../payloads/slice.ts";
import { DeepEvents, LostEvents } from "../../payloads/unread-events.ts";
import { lacksClosers } from "./broken-ends.ts";
import { withDecodedBodies } from "./encoded-bodies.ts";
import {
  contextOfLine,
  endsLine,
  endsText,
  eventField,
  headLength,
  isBlank,
  isLineEnd,
  type Line,
  lineAt,
  lineHead,
} from "./lines.ts";
import { withPrintedMessages } from "./printed-messages.ts";
import { textData } from "./text-data.ts";
import { TextLosses } from "./text-losses.ts";
import { type BrokenValue, type TextValue, ValueReader } from "./value-reader.ts";
import { nextValue } from "./value-starts.ts";
import { knownWords, namesErrorMember, ofException, wordedRefusal } from "./worded-refusals.ts";

/** The reader of {@link textData}. */
export const text: Container = {
  ...textData,
  read(source, recognizer): Recording {
    const defects: Defect[] = [];
    const { source: restored, left } = withDecodedBodies(
      unwrapped(unwired(plainSource(withLineFeeds(source)))),
    );
    const skipped: Skipped[] = [...left];
    const candidates = readLines(withPrintedMessages(restored), recognizer, defects, skipped);
    return {
      container: "text",
      kind: "requests",
      candidates,
      defects,
      skipped,
      ...(restored !== source && { restored }),
    };
  },
};

/** Whether a value begins with a key in quotes, as programs write an object or a list of objects. */
function beginsRecord(bytes: Buffer, begin: number): boolean {
  return /^(?:\[\s*)?\{\s*["'][\w.$@-]+["']/.test(bytes.toString("latin1", begin, begin + headLength));
}

/** How many possible starts of a value are tried per line, and how many when too many attempts failed. */
const maxTries = 8;
const fewTries = 2;

/** The longest JSON of an event that is laid out over several lines, in bytes. */
const maxLaidOut = 16 << 10;

const COMMA = 44;
const OPEN_ARRAY = 91;
const OPEN_OBJECT = 123;

/** The lines of the longest paste that is searched for a refusal in a provider's words alone. */
const maxCompared = 300;

/** Whether the lines around a value are the fences of its block. */
function fillsBlock(bytes: Buffer, start: number, end: number): boolean {
  const before = bytes.toString("latin1", Math.max(0, start - fenceLength), start);
  const after = bytes.toString("latin1", end, end + fenceLength);
  return (
    /(?:^|\n)[ >]{0,8}(?:```|~~~)[\w-]{0,20}\r?\n$/.test(before) &&
    /^[ \t;]{0,8}\r?\n[ >]{0,8}(?:```|~~~)/.test(after)
  );
}

const fenceLength = 40;

function inBlock(candidate: PayloadCandidate): PayloadCandidate {
  return candidate.part === "event" ? { ...candidate, within: "block" } : candidate;
}

/** Whether a payload is more than what may be a part of another one, such as a fragment of a call. */
function standsForItself({ part, certainty }: PayloadCandidate): boolean {
  return (part !== "event" && part !== "stream") || certainty > threshold.leading;
}

/** The first line of a reply that went well, as HTTP/1.1 sends it; `curl -v` puts a mark before it. */
const headOfReply = /^(?:< )?HTTP\/[\d.]{1,5} 2\d\d\b/;

/** The lines of an event stream, collected until it ends. */
interface EventBlock {
  readonly lines: Segments;
  readonly prefix: string;
  readonly context: Context;
}

function* readLines(
  source: ByteSource,
  recognizer: Recognizer,
  defects: Defect[],
  skipped: Skipped[],
): Generator<PayloadCandidate> {
  const bytes = source.read(0, source.size);
  const reader = new TextReader(source, bytes, recognizer, defects, skipped);
  let line = lineAt(bytes, textStart(bytes));
  reader.losses.beginning(line);
  while (line.start < bytes.length) {
    const next = yield* reader.readLine(line);
    line = next < line.end ? { ...line, start: next } : lineAt(bytes, Math.max(next, line.start + 1));
  }
  yield* reader.end();
}

class TextReader {
  private readonly source: ByteSource;
  private readonly bytes: Buffer;
  private readonly recognizer: Recognizer;
  private readonly defects: Defect[];
  private readonly view: View;
  private readonly search: PayloadSearch;
  private readonly values: ValueReader;
  readonly losses: TextLosses;
  /** Numbers the values and streams in the order of reading. */
  private index = 0;
  /** What the lines since the last payload say about the next one. */
  private context: Context = noContext;
  /** The event stream that the previous lines belong to. */
  private block: EventBlock | undefined;
  /** The last payload was a request. */
  private isAsked = false;
  /** How many records held payloads. */
  private answered = 0;
  private hasRequests = false;
  /** A refusal before all payloads: people often paste the error first, then the request that caused it. */
  private early: PayloadCandidate | undefined;
  /** A line that tells why the provider refused that request; it counts unless a reply follows. */
  private refusal: PayloadCandidate | undefined;
  /** A line in the words of a refusal without its marks; it counts in a log of one request and no reply. */
  private words: PayloadCandidate | undefined;
  /** How many lines were searched for such words: each is compared with every known refusal. */
  private compared = 0;
  /** The last JSON value that could not be read. What stands in it is searched all the same. */
  private around: BrokenValue | undefined;
  /** The last error body since the last request. */
  private lastError: string | undefined;
  /** Headers announced a chunked body, which begins after the next empty line. */
  private isChunked = false;

  constructor(
    source: ByteSource,
    bytes: Buffer,
    recognizer: Recognizer,
    defects: Defect[],
    skipped: Skipped[],
  ) {
    this.source = source;
    this.bytes = bytes;
    this.recognizer = recognizer;
    this.defects = defects;
    this.view = wholeView(source);
    this.search = payloadSearch(recognizer, createPool(), defects);
    this.values = new ValueReader(this.view, bytes, this.search.hints(0));
    this.losses = new TextLosses(source, bytes, recognizer, defects, skipped);
  }

  /** Reads a line, or the rest of it after a value, and returns the offset to continue at. */
  *readLine(line: Line): Generator<PayloadCandidate, number> {
    const head = lineHead(this.bytes, line);
    const contentStart = this.eventContent(head, line);
    if (contentStart !== undefined) {
      const next = this.endOfLaidOut(contentStart, line) ?? line.next;
      this.block?.lines.copy(contentStart, next);
      return next;
    }
    this.context = contextOfLine(this.context, head);
    if (this.isAsked && headOfReply.test(head)) this.losses.replyBegins(line);
    if (/^\W{0,3}transfer-encoding:\s*chunked\b/i.test(head)) this.isChunked = true;
    else if (this.isChunked && head.trim() === "") {
      this.isChunked = false;
      const end = yield* this.readChunks(line.next);
      if (end !== undefined) return end;
    }
    return yield* this.readValue(line);
  }

  /** Offset of the line's content in its event stream. The first field opens a stream. */
  private eventContent(head: string, line: Line): number | undefined {
    const prefix = eventField(head, this.block?.prefix);
    if (prefix !== undefined) {
      const start = line.start + Buffer.byteLength(prefix);
      if (!this.block) this.losses.stream({ ...line, end: start }, this.context);
      this.block ??= { lines: new Segments(this.bytes), prefix, context: this.context };
      return start;
    }
    return this.block && isBlank(head, this.block.prefix) ? line.end : undefined;
  }

  /** Where the JSON of an event ends that somebody laid out over several lines, behind its last line. */
  private endOfLaidOut(start: number, { end }: Line): number | undefined {
    const { bytes } = this;
    const last = bytes[end - 1];
    if (end <= start || (last !== OPEN_OBJECT && last !== OPEN_ARRAY && last !== COMMA)) return undefined;
    const data = /^data: ?(?=[{[])/.exec(bytes.toString("latin1", start, Math.min(end, start + 16)));
    const from = start + (data?.[0].length ?? 0);
    const node = data && scanJson(bytes, from, Math.min(bytes.length, from + maxLaidOut));
    return node?.state === "complete" && node.end > end ? endsLine(bytes, node.end) : undefined;
  }

  private *readValue(line: Line): Generator<PayloadCandidate, number> {
    let from = line.start;
    const most = this.values.isSpent ? fewTries : maxTries;
    for (let tries = 0; tries < most; tries++) {
      const begin = nextValue(this.bytes, from, line);
      if (begin < 0) break;
      from = begin + 1;
      const value = this.values.read(begin, line);
      if (this.values.isSpent) this.losses.spent(begin);
      const all = value ? this.payloadsIn(value) : [];
      const found = this.isWithinOther(begin) ? all.filter(standsForItself) : all;
      if (all.length === 0 && value?.node.state !== "complete") this.values.failed();
      if (!value || (found.length === 0 && this.isBroken(begin, value))) {
        const end = yield* this.readBroken(begin, line);
        if (end !== undefined) return endsLine(this.bytes, end) ?? end;
        if (!value) continue;
      }
      const { node, fileEnd } = value;
      if (node.state === "open") {
        if (found.length === 0) {
          this.losses.cut(begin, line, value, this.context);
          continue;
        }
        this.reportCut(begin, value, found);
      }
      if (this.isRepeated(found, begin, line)) {
        this.losses.traffic(begin, line, fileEnd);
      } else if (found.length > 0) {
        this.losses.within(begin, line, this.around);
        this.losses.traffic(begin, line, fileEnd);
        const left = leftOut({ view: this.view, bytes: this.bytes, shift: 0, level: 0 }, value.at.gaps);
        if (left) this.defects.push(left);
        const isBlock = fillsBlock(this.bytes, line.start, fileEnd);
        yield* this.payloads(isBlock ? found.map(inBlock) : found);
      } else {
        if (this.isAsked) this.losses.notReply(begin, line, value);
        this.losses.quiet(begin, line, value, this.context);
        this.losses.line({ ...line, end: begin }, this.context, line.end);
        this.keepRefusal(line, this.refusalInMember(begin, line, value));
      }
      return endsLine(this.bytes, fileEnd) ?? fileEnd;
    }
    this.losses.line(line, this.context);
    this.keepRefusal(line);
    return line.next;
  }

  /** Whether a value was not read whole; what a program prints in words of its own is no flaw. */
  private isBroken(begin: number, { at, node, fileEnd }: TextValue): boolean {
    if (holdsBroken(node)) return true;
    return at.gaps?.some(({ isForeign }) => isForeign) === true && !looksPrinted(this.bytes, begin, fileEnd);
  }

  private payloadsIn({ at, node }: TextValue): PayloadCandidate[] {
    const context = at.isReport ? { ...this.context, fidelity: "reported" as const } : this.context;
    return this.search.searchNode(at, node, context, ++this.index);
  }

  /** Whether a value stands in JSON that could not be read, or among the events of a stream. */
  private isWithinOther(begin: number): boolean {
    return this.block !== undefined || begin < (this.around?.fileEnd ?? 0);
  }

  /** Whether an exception repeats the error body that the log has just before it. */
  private isRepeated([first, ...more]: readonly PayloadCandidate[], begin: number, line: Line): boolean {
    if (more.length > 0 || first?.part !== "reply" || first.certainty >= threshold.leading) return false;
    const text = JSON.stringify(first.value);
    const isAgain =
      text === this.lastError && ofException.test(this.bytes.toString("utf8", line.start, begin));
    this.lastError = text;
    return isAgain;
  }

  /** Reads JSON with a flaw up to the flaw, and returns its end; `undefined` if that gives no payload. */
  private *readBroken(begin: number, line: Line): Generator<PayloadCandidate, number | undefined> {
    const broken = this.losses.isDone(begin) ? undefined : this.values.broken(begin, line);
    if (!broken) return undefined;
    const { at, before } = broken;
    const index = ++this.index;
    const found = before ? this.search.searchNode(at, before, this.context, index) : [];
    const isRead = found.some(
      ({ part, certainty }) => part === "request" || (part !== "event" && certainty >= threshold.leading),
    );
    if (isRead && before && found.every(isErrorBody) && lacksClosers(at.bytes, before))
      this.reportUnclosed(begin, broken.flawAt);
    else this.losses.broken(begin, line, broken, this.context, isRead);
    if (!isRead) {
      if (begin >= (this.around?.fileEnd ?? 0) && beginsRecord(this.bytes, begin)) this.around = broken;
      return undefined;
    }
    this.losses.traffic(begin, line, broken.fileEnd);
    yield* this.payloads(found);
    return broken.fileEnd;
  }

  private *payloads(found: readonly PayloadCandidate[]): Generator<PayloadCandidate> {
    const isRequest = found.some(({ part }) => part === "request");
    if (isRequest) this.lastError = undefined;
    this.hasRequests ||= isRequest;
    const isAnswered = found.some(({ part }) => part !== "request");
    // The stream before a request answers the one before it.
    if (found.some(({ part }) => part !== "event")) yield* this.endBlock();
    if (!isAnswered) yield* this.endRequest();
    this.refusal = undefined;
    this.isAsked = !isAnswered;
    this.answered++;
    yield* found;
    const { time, url } = this.context;
    this.context = {
      ...noContext,
      ...(time !== undefined && { time }),
      ...(url !== undefined && { url }),
    };
  }

  /** Keeps the refusal of the last request, or of one to come, where a line tells one. */
  private keepRefusal(line: Line, inMember?: PayloadCandidate): void {
    if (!this.isAsked && this.answered > 0) return;
    const refusal = inMember ?? this.refusalIn(line);
    if (this.isAsked) this.refusal ??= refusal;
    else this.early ??= refusal;
    if (refusal || this.words || this.answered > 1 || ++this.compared > maxCompared) return;
    this.words = this.wordsIn(line);
  }

  /** The refusal in a member whose object is not there: `"error": {…}`. */
  private refusalInMember(begin: number, line: Line, { at, node }: TextValue): PayloadCandidate | undefined {
    return namesErrorMember.test(this.bytes.toString("utf8", line.start, begin))
      ? errorInMember(at, node, { ...this.context, index: this.index })
      : undefined;
  }

  private wordsIn(line: Line): PayloadCandidate | undefined {
    const { view } = this;
    const { start, end } = knownWords(this.bytes, line, this.recognizer) ?? {};
    if (start === undefined || end === undefined) return undefined;
    const text = this.bytes.toString("utf8", start, end);
    return errorInWords({ view, start, end, level: 0 }, text, { ...this.context, index: this.index });
  }

  /** The refusal of the last request that a line tells in words, as an exception does. */
  private refusalIn(line: Line): PayloadCandidate | undefined {
    const { view } = this;
    const refused = wordedRefusal(this.bytes, line, this.recognizer);
    if (!refused) return undefined;
    const { status, start, end } = refused;
    const words = this.bytes.toString("utf8", start, end);
    const context = { ...this.context, status, index: this.index };
    return errorInText({ view, start, end, level: 0 }, words, context);
  }

  /** Ends a request that no reply followed. */
  private *endRequest(): Generator<PayloadCandidate> {
    if (this.refusal) yield { ...this.refusal, record: { ...this.refusal.record, index: ++this.index } };
    this.refusal = undefined;
  }

  /** The words of an error are whole before the bracket that is missing. */
  private reportUnclosed(begin: number, flawAt: number): void {
    this.defects.push({
      kind: "lax",
      origin: originIn(this.source, Math.max(begin, flawAt - 1), flawAt),
      message: "not valid JSON: a closing bracket is missing",
    });
  }

  private reportCut(
    start: number,
    { at, node, fileEnd: end }: TextValue,
    found: readonly PayloadCandidate[],
  ): void {
    if (found.every(isErrorBody) && lacksClosers(at.bytes, node)) {
      this.reportUnclosed(start, end);
      return;
    }
    this.defects.push({
      kind: endsText(this.bytes, end) ? "unfinished" : "cut",
      origin: originIn(this.source, start, end),
      message: "the record ends in the middle",
    });
  }

  /** Reads the chunked body of an HTTP/1.1 message and returns its end; `undefined` if there is none. */
  private *readChunks(start: number): Generator<PayloadCandidate, number | undefined> {
    const { bytes, view } = this;
    const chunks = chunksOf(bytes, start, bytes.length);
    const last = chunks?.at(-1);
    const isEnded = ({ from, length }: Chunk): boolean =>
      isLineEnd(bytes, from + length) || from + length >= bytes.length - 1;
    if (!chunks || !last || !chunks.every(isEnded)) return undefined;
    const own = Buffer.concat(chunks.map(({ from, length }) => bytes.subarray(from, from + length)));
    const inner = { ...segmentedView(view, own, chunks), inverse: chunkedInverse(view, chunks, own) };
    const at = { view: inner, bytes: own, shift: 0, level: 0 } as const;
    const known = this.defects.length;
    const found = this.search.searchText(at, 0, own.length, this.context, ++this.index);
    // What was reported of the body is not reported again of its lines.
    if (found.length === 0) return this.defects.length > known ? last.from + last.length : undefined;
    yield* this.endBlock();
    this.losses.replyBegins(undefined);
    yield* found;
    return last.from + last.length;
  }

  /** Ends the event stream or the request that the lines so far belong to, and yields its replies. */
  *end(): Generator<PayloadCandidate> {
    yield* this.endBlock();
    if (this.isAsked && this.answered === 1) this.refusal ??= this.early ?? this.words;
    yield* this.endRequest();
    this.losses.end(this.hasRequests, this.answered > 0, this.isAsked);
  }

  private *endBlock(): Generator<PayloadCandidate> {
    if (!this.block) return;
    const isDue = this.isAsked;
    this.isAsked = false;
    this.refusal = undefined;
    const { lines, context } = this.block;
    this.block = undefined;
    const { bytes, segments } = lines;
    const view = segmentedView(this.view, bytes, segments);
    const place = streamPlace({ view, start: 0, end: bytes.length, level: 0 });
    const frames = sseFrames(bytes.toString("utf8"));
    const record = (): RecordContext => ({ ...context, index: ++this.index });
    const lost = new LostEvents();
    const deep = new DeepEvents();
    yield* cutStreams(deep.among(frames), this.recognizer, {
      place,
      record,
      onLost: (frame) => lost.add(frame),
    });
    if (isDue && frames.every(({ data }) => data.trim() === "")) this.losses.cutStream(place);
    this.losses.events(lost, deep, bytes, view, place);
  }
}
