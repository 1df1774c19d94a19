import type { JsonNode } from "../../../reading/json-node.ts";
import { looksPrinted } from "../../../reading/literal.ts";
import { beginsAsMap } from "../../../reading/map-notation.ts";
import { beginsAsRecord } from "../../../reading/record-notation.ts";
import { type ScanHints, scanJson } from "../../../reading/scan.ts";
import { Segments } from "../../../reading/segments.ts";
import { offsetInBase, type SegmentWriter, segmentedView, type View } from "../../../reading/view.ts";
import { mayBeCode, mayBeShortened, printedSlice } from "../../payloads/printed-slice.ts";
import { holdsBroken, type Slice } from "../../payloads/slice.ts";
import { brokenAt } from "../../payloads/unread-json.ts";
import { endOfBroken, lastLine, mayContinue } from "./broken-ends.ts";
import { endsLine, headLength, type Line, lineAt, lineHead, matchingPrefix } from "./lines.ts";
import { numberedMessages } from "./numbered-messages.ts";
import { isQuotedText } from "./value-starts.ts";

/** A value in a text log: the bytes it was read from, and its end in the file. */
export interface TextValue {
  readonly node: JsonNode;
  readonly at: Slice;
  readonly fileEnd: number;
}

/** A text that begins as JSON and is none. Offsets with `file` or `flaw` in their names are the file's. */
export interface BrokenValue {
  readonly at: Slice;
  /** Its range in the slice. */
  readonly start: number;
  readonly end: number;
  /** What can be read before the flaw, as a value that is cut there. */
  readonly before: JsonNode | undefined;
  readonly flawAt: number;
  /** Where it probably ends. */
  readonly fileEnd: number;
  /** What should stand in place of the flaw. */
  readonly expected: string;
}

/** The budget for failed attempts, in file sizes. Without it, lone braces would take quadratic time. */
const maxWaste = 4;

/** The same for all failed attempts, also on one line. Logs of use stay far below it. */
const maxWork = 16;

/** What a short log may cost all the same. */
const leastWork = 16 << 20;

/** What stands before a flaw is searched for payloads, which costs as much as reading so many bytes. */
const costOfBroken = 2048;

/** What an attempt costs that gives no value: logs of use have none in every 64 bytes. */
const costOfAttempt = 1024;

/** What a byte of a printed literal costs next to one of JSON, as it is converted first. */
const costOfLiteral = 2;

/** What it costs to compare the prefix of a line, next to the bytes behind it. */
const costOfPrefix = 64;

/** What the prefixes of a short log may cost all the same. */
const leastPrefixes = 4 << 20;

/**
 * What maps and objects may cost that are never closed, in file sizes and for a short log: their texts
 * without quotes take whatever follows, which is converted and searched each time.
 */
const maxBare = 1;
const leastBare = 512 << 10;

/** What a byte of such a value costs, when that is spent, next to one of JSON. */
const costOfBare = 16;

/** The reach of an attempt when that budget is spent, in bytes. */
const shortReach = 1024;

/** Shorter ones are chance. */
const shortestPrefix = 4;

const LINE_FEED = 10;
const QUOTE = 34;
const APOSTROPHE = 39;

/** How JSON begins whose quotes are doubled. */
const doubledKey = /^[[{\s]{1,60}""[\w$-]{1,60}""\s{0,9}:/;
const apostrophe = Buffer.from("'");
/** How shells write an apostrophe between apostrophes: escaped, or between other quotes. */
const shellApostrophes = ["'\\''", `'"'"'`].map((text) => Buffer.from(text));

/** Reads values in a text log in any notation: JSON, printed literals, shell quotes. */
export class ValueReader {
  private readonly view: View;
  private readonly bytes: Buffer;
  private readonly hints: ScanHints;
  /** Bytes left for failed attempts; without any, a value must end on its line. */
  private patience: number;
  /** The same for prefixed lines; without any, prefixes are no longer removed. */
  private prefixPatience: number;
  /** Bytes left for failed attempts on their lines too; without any, a value must be short. */
  private work: number;

  /** Bytes left for maps and objects that are never closed; without any, they must be short. */
  private barePatience: number;

  /** Bytes left to be searched for comments. */
  private commentPatience: number;

  constructor(view: View, bytes: Buffer, hints: ScanHints) {
    this.view = view;
    this.bytes = bytes;
    this.hints = hints;
    this.patience = bytes.length * maxWaste;
    this.prefixPatience = Math.max(leastPrefixes, this.patience);
    this.work = Math.max(leastWork, bytes.length * maxWork);
    this.barePatience = Math.max(leastBare, bytes.length * maxBare);
    this.commentPatience = bytes.length * maxWork;
  }

  /** Whether so many attempts failed that only short values are read from now on. */
  get isSpent(): boolean {
    return this.work <= 0;
  }

  /** How far an attempt at `begin` may look. */
  private reach(begin: number, line: Line): number {
    if (this.isSpent) return Math.min(line.end, begin + shortReach);
    return this.patience > 0 ? this.bytes.length : line.end;
  }

  /** An attempt gave no payload, nor a whole value. */
  failed(): void {
    this.work -= costOfAttempt;
  }

  /** The value at `begin`: verbatim, without the prefixes of its lines, or up to where it was cut. */
  read(begin: number, line: Line): TextValue | undefined {
    const { bytes } = this;
    const limit = this.reach(begin, line);
    const list = this.numberedList(begin, line);
    if (list) return list;
    if (isQuotedText(bytes, begin) || looksPrinted(bytes, begin, limit))
      return this.literal(begin, limit) ?? this.literalBehindPrefixes(begin, line);
    const unquoted = this.shellText(begin, limit) ?? this.withDoubledQuotes(begin, limit);
    if (unquoted) return unquoted;
    const node = scanJson(bytes, begin, limit, 0, this.hints);
    const isWhole = node?.state === "complete" && (node.end <= line.end || !holdsBroken(node));
    const isFlawed = !isWhole || holdsBroken(node);
    const spelt = isFlawed ? this.spelt(begin, limit) : undefined;
    if (spelt) return spelt;
    if (isFlawed && (this.mayBeShortened(begin, limit) || this.mayBeCode(begin, limit))) {
      const whole = this.literal(begin, limit);
      if (whole?.node.state === "complete") return whole;
    }
    if (isWhole) return this.listOfMessages(node, line) ?? this.asItStands(node, node.end);
    return (
      this.withoutPrefixes(begin, line) ??
      this.literalBehindPrefixes(begin, line) ??
      this.cut(begin, line, limit, node)
    );
  }

  /** JSON in a string as Python spells it, with its own backslashes doubled: `'{"text": "a \\"b\\""}'`. */
  private spelt(begin: number, limit: number): TextValue | undefined {
    if (this.bytes[begin - 1] !== APOSTROPHE) return undefined;
    const value = this.literal(begin - 1, limit);
    return value?.node.state === "complete" ? value : undefined;
  }

  /** The messages of a list that a program prints one by one, each with its number. */
  private numberedList(begin: number, line: Line): TextValue | undefined {
    const own = begin === line.start ? undefined : numberedMessages(this.bytes, begin, line);
    if (!own) return undefined;
    const at = this.sliceOf(own, ({ bytes }) => bytes);
    const printed = looksPrinted(at.bytes, 0, at.bytes.length) && printedSlice(at, 0, at.bytes.length);
    const slice = printed ? printed.slice : at;
    const node = this.scan(slice.bytes);
    return node && { node, at: slice, fileEnd: endIn(own, own.length) };
  }

  /** The messages of a list that somebody copied without its brackets: their commas are left between them. */
  private listOfMessages(first: JsonNode, line: Line): TextValue | undefined {
    const { bytes } = this;
    // The call of a result at the beginning was not copied.
    if (!isMessage(first) || this.isOfTool(first)) return undefined;
    if (bytes.toString("latin1", line.start, first.start).trim() !== "") return undefined;
    const own = new Segments(bytes);
    own.write("[", first.start, first.start);
    own.copy(first.start, first.end);
    let { end } = first;
    for (;;) {
      const between = /^\s*,[ \t]*\r?\n\s*(?=\{)/.exec(bytes.toString("latin1", end, end + shortReach))?.[0];
      const next = between === undefined ? undefined : scanJson(bytes, end + between.length, bytes.length);
      if (next?.state !== "complete" || !isMessage(next) || holdsBroken(next)) break;
      own.copy(end, next.end);
      end = next.end;
    }
    if (end === first.end) return undefined;
    own.write("]", end, end);
    const at = this.sliceOf(own);
    const node = this.scan(at.bytes);
    return node && { node, at, fileEnd: end };
  }

  private isOfTool({ members = [] }: JsonNode): boolean {
    const role = members.find(({ key }) => key === "role")?.node;
    return (
      role !== undefined && /^"(?:tool|function)"$/.test(this.bytes.toString("latin1", role.start, role.end))
    );
  }

  /** Whether it is a program's literal, by its first part that is no JSON. */
  private mayBeCode(begin: number, limit: number): boolean {
    const end = Math.min(limit, begin + (64 << 10));
    if (this.commentPatience <= 0) return false;
    this.commentPatience -= end - begin;
    return mayBeCode(this.bytes, begin, end);
  }

  /** Whether comments or dots explain why the JSON continues on further lines. */
  private mayBeShortened(begin: number, limit: number): boolean {
    const end = Math.min(limit, begin + (64 << 10));
    if (this.commentPatience <= 0) return false;
    this.commentPatience -= end - begin;
    return mayBeShortened(this.bytes, begin, end);
  }

  /**
   * What stands at `begin` as JSON, where {@link read} gives no value: what can be read of it up to its flaw,
   * after the prefixes of its lines.
   */
  broken(begin: number, line: Line): BrokenValue | undefined {
    if (this.patience <= 0 || this.isSpent) return undefined;
    const prefixed = this.prefixedLines(begin, line);
    const at = prefixed ? this.sliceOf(prefixed) : this.whole;
    const start = prefixed ? 0 : begin;
    const isCut = prefixed !== undefined && scanJson(at.bytes, 0, at.bytes.length)?.state === "open";
    const cutAt = isCut ? { at: at.bytes.length, expected: "the end of the value" } : undefined;
    const flaw = brokenAt(at, start, at.bytes.length) ?? cutAt;
    if (!flaw) return undefined;
    this.patience -= flaw.at - start;
    const flawAt = prefixed ? endIn(prefixed, flaw.at) : flaw.at;
    const end = endOfBroken(at.bytes, start, flaw.at);
    const fileEnd = prefixed ? endIn(prefixed, end) : end;
    const before = scanJson(at.bytes, start, flaw.at, 0, this.hints);
    this.work -= Math.max(costOfBroken, end - start);
    return { at, start, end, before, flawAt, fileEnd, expected: flaw.expected };
  }

  /** The lines that have a prefix like the first one's, without it; `undefined` for one line. */
  private prefixedLines(begin: number, line: Line): Segments | undefined {
    const width = begin - line.start;
    if (width === 0 || width > headLength || this.prefixPatience <= 0) return undefined;
    const prefix = this.prefixBefore(begin, line);
    const own = new Segments(this.bytes);
    own.copy(begin, line.next);
    let next = this.nextPrefixed(line, prefix);
    if (!next) return undefined;
    for (; next && mayContinue(this.bytes[next.from]); next = this.nextPrefixed(next.line, prefix))
      own.copy(next.from, next.line.next);
    this.chargePrefixes(own);
    return own;
  }

  /** A literal whose lines all have a prefix like the first one's, as runners of builds write it. */
  private literalBehindPrefixes(begin: number, line: Line): TextValue | undefined {
    if (endsLine(this.bytes, begin + 1) === undefined && !looksPrinted(this.bytes, begin, line.end))
      return undefined;
    const own = this.prefixedLines(begin, line);
    if (!own) return undefined;
    const at = this.sliceOf(own, prefixWriter(this.bytes, own));
    const printed = looksPrinted(at.bytes, 0, at.bytes.length) && printedSlice(at, 0, at.bytes.length);
    const node = printed ? this.scan(printed.slice.bytes) : undefined;
    if (!printed || node?.state !== "complete") return undefined;
    return { node, at: printed.slice, fileEnd: endIn(own, printed.end) };
  }

  /** The lines or fragments of the log as one text. */
  private sliceOf({ bytes, segments }: Segments, writer?: SegmentWriter): Slice {
    const view = segmentedView(this.view, bytes, segments, writer && (() => writer));
    return { view, bytes, shift: 0, level: 0 };
  }

  private get whole(): Slice {
    return { view: this.view, bytes: this.bytes, shift: 0, level: 0 };
  }

  private asItStands(node: JsonNode, fileEnd: number): TextValue {
    return { node, at: this.whole, fileEnd };
  }

  private scan(bytes: Buffer): JsonNode | undefined {
    return scanJson(bytes, 0, bytes.length, 0, this.hints);
  }

  /** JSON strings do not span lines: a line end in one shows where the logger cut the value off. */
  private cut(begin: number, line: Line, limit: number, node: JsonNode | undefined): TextValue | undefined {
    if (node) this.patience -= node.end - begin;
    // No string breaks off at a line's end that an attempt does not reach.
    if (limit <= line.end) {
      if (node) this.work -= node.end - begin;
      return node && this.asItStands(node, node.end);
    }
    const { at: end, isBroken } = lastLine(this.bytes, begin, limit);
    if (end > line.end) this.patience -= end - begin;
    this.work -= Math.max(node?.end ?? begin, end) - begin;
    if (!isBroken) return node && this.asItStands(node, node.end);
    const head = scanJson(this.bytes, begin, end, 0, this.hints);
    return head && this.asItStands(head, end);
  }

  /** A value that a program printed as a literal, as JSON. It must be whole if too many attempts failed. */
  private literal(begin: number, farthest: number): TextValue | undefined {
    const isShort = this.barePatience <= 0 && this.beginsBare(begin);
    const limit = isShort ? Math.min(farthest, begin + shortReach) : farthest;
    if (this.isSpent && !mayBeClosed(this.bytes, begin, limit)) return undefined;
    const printed = printedSlice(this.whole, begin, limit, (at) => {
      this.patience -= Math.max(headLength, at - begin);
      this.work -= costOfLiteral * (at - begin);
    });
    if (!printed) return undefined;
    const { slice, end } = printed;
    const node = this.scan(slice.bytes);
    if (node?.state === "open") {
      if (this.isSpent) return undefined;
      this.work -= (isShort ? costOfBare : costOfLiteral) * (end - begin);
      this.barePatience -= end - begin;
    }
    return node && { node, at: slice, fileEnd: end };
  }

  private beginsBare(begin: number): boolean {
    const head = this.bytes.toString("latin1", begin, begin + headLength);
    return beginsAsMap(head) || beginsAsRecord(head);
  }

  /** JSON in a shell's single quotes that has an apostrophe in it. */
  private shellText(begin: number, limit: number): TextValue | undefined {
    const { bytes } = this;
    if (bytes[begin - 1] !== APOSTROPHE) return undefined;
    const own = new Segments(bytes);
    let written: Buffer | undefined;
    for (let from = begin; ; ) {
      const at = bytes.indexOf(APOSTROPHE, from);
      if (at < 0 || at >= limit) return undefined;
      own.copy(from, at);
      const spelt = shellApostrophes.find((each) => bytes.subarray(at, at + each.length).equals(each));
      if (!spelt) {
        if (!written) return undefined;
        const spelling = written.toString();
        const writer: SegmentWriter = ({ bytes: text }) =>
          Buffer.from(text.toString("utf8").replaceAll("'", spelling));
        return this.valueOf(own, writer, at);
      }
      own.write(apostrophe, at, at + spelt.length);
      written ??= spelt;
      from = at + spelt.length;
    }
  }

  /** JSON in a string whose quotes are doubled, as C# and Visual Basic write it: `@"{""model"": …}"`. */
  private withDoubledQuotes(begin: number, limit: number): TextValue | undefined {
    const { bytes } = this;
    if (bytes[begin - 1] !== QUOTE || !doubledKey.test(bytes.toString("latin1", begin, begin + headLength)))
      return undefined;
    const own = new Segments(bytes);
    for (let from = begin; ; ) {
      const at = bytes.indexOf(QUOTE, from);
      if (at < 0 || at >= limit) {
        this.patience -= limit - begin;
        this.work -= limit - begin;
        return undefined;
      }
      if (bytes[at + 1] !== QUOTE) {
        own.copy(from, at);
        const writer: SegmentWriter = (patch) =>
          Buffer.from(patch.bytes.toString("utf8").replaceAll('"', '""'));
        return this.valueOf(own, writer, at);
      }
      own.copy(from, at + 1);
      from = at + 2;
    }
  }

  /** A value whose lines all have a prefix like the first one's. */
  private withoutPrefixes(begin: number, line: Line): TextValue | undefined {
    const { bytes } = this;
    const width = begin - line.start;
    if (width === 0 || width > headLength || this.prefixPatience <= 0) return undefined;
    const prefix = this.prefixBefore(begin, line);
    const own = new Segments(bytes);
    own.copy(begin, line.next);
    let isWhole = false;
    let current: Line | undefined = line;
    for (let count = 1, tried = 1; current; count++) {
      const next = this.nextPrefixed(current, prefix);
      // Non-JSON fails early, so attempts after twice as many lines each time suffice.
      if (count > 1 && (!next || count === tried * 2)) {
        tried = count;
        const node = scanJson(own.bytes, 0, own.length);
        isWhole = node?.state === "complete";
        if (node?.state !== "open") break;
      }
      if (next) own.copy(next.from, next.line.next);
      current = next?.line;
    }
    const value = isWhole ? this.valueOf(own, prefixWriter(bytes, own)) : undefined;
    if (value?.node.state === "complete") return value;
    this.chargePrefixes(own);
    return undefined;
  }

  private chargePrefixes({ length, segments }: Segments): void {
    this.prefixPatience -= length + costOfPrefix * segments.length;
  }

  /** The prefix of a value's lines. On the first one, words may follow it: `11:01:05 request: {`. */
  private prefixBefore(begin: number, line: Line): string {
    const whole = this.bytes.toString("utf8", line.start, begin);
    if (line.next >= this.bytes.length) return whole;
    const next = lineHead(this.bytes, lineAt(this.bytes, line.next));
    const shared = whole.slice(0, sharedLength(whole, next));
    if (shared.length >= shortestPrefix && matchingPrefix(next, shared) !== undefined) return shared;
    return whole;
  }

  /** The next line if it has the same prefix, and the offset of its content. */
  private nextPrefixed({ next }: Line, prefix: string): { line: Line; from: number } | undefined {
    if (next >= this.bytes.length) return undefined;
    const line = lineAt(this.bytes, next);
    const head = lineHead(this.bytes, line);
    const size = matchingPrefix(head, prefix);
    return size === undefined
      ? undefined
      : { line, from: line.start + Buffer.byteLength(head.slice(0, size)) };
  }

  private valueOf(own: Segments, writer: SegmentWriter, fileEnd?: number): TextValue | undefined {
    const at = this.sliceOf(own, writer);
    const node = this.scan(at.bytes);
    return node && { node, at, fileEnd: fileEnd ?? endIn(own, node.end) };
  }
}

/** Whether an object says who speaks, and something else. */
function isMessage({ kind, members = [] }: JsonNode): boolean {
  return kind === "object" && members.length > 1 && members.some(({ key }) => key === "role");
}

/** Whether a bracket that closes the first one of a value stands before `end`. */
function mayBeClosed(bytes: Buffer, begin: number, end: number): boolean {
  for (let at = begin; at < end; at++) {
    const closer = closerOf.get(bytes[at] ?? 0);
    if (closer !== undefined) return bytes.subarray(at, end).includes(closer);
  }
  return true;
}

/** The bracket that closes another. */
const closerOf: ReadonlyMap<number, number> = new Map([
  [40, 41],
  [91, 93],
  [123, 125],
]);

/** The offset behind what the text of the segments holds before `end`, in the bytes that they come from. */
function endIn({ length, segments }: Segments, end: number): number {
  return end > 0 ? (offsetInBase(end - 1, length, segments) ?? 0) + 1 : (segments[0]?.from ?? 0);
}

/** How long two lines begin alike, up to the last separator; their numbers may differ. */
function sharedLength(one: string, other: string): number {
  let shared = 0;
  for (let at = 0, otherAt = 0; at < one.length; ) {
    if (isDigit(one, at) && isDigit(other, otherAt)) {
      while (isDigit(one, at)) at++;
      while (isDigit(other, otherAt)) otherAt++;
    } else if (one[at] === other[otherAt]) {
      at++;
      otherAt++;
      if (" \t|>])".includes(one[at - 1] as string)) shared = at;
    } else break;
  }
  return shared;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/** Gives new lines the prefix of the line they begin on. */
function prefixWriter(bytes: Buffer, { segments }: Segments): SegmentWriter {
  return (patch, from) => {
    const { from: contentStart } = segments.findLast((segment) => segment.from <= from) ?? { from };
    const prefix = bytes.toString("utf8", bytes.lastIndexOf(LINE_FEED, contentStart - 1) + 1, contentStart);
    return Buffer.from(patch.bytes.toString("utf8").replaceAll("\n", () => `\n${prefix}`));
  };
}
