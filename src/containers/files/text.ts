import { looksPrinted, type PrintedLiteral, printedInverse, printedLiteral } from "../../reading/literal.ts";
import { endOfString, type JsonNode, scanJson } from "../../reading/scan.ts";
import { createPool } from "../../reading/shared.ts";
import { type ByteSource, textStart } from "../../reading/source.ts";
import { type Piece, piecedView, wholeView } from "../../reading/view.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { level } from "../../traffic/certainty.ts";
import {
  type Container,
  type Defect,
  type Recording,
  type Skipped,
  wholeFile,
} from "../../traffic/container.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import { sseFrames } from "../payloads/frames.ts";
import { type Context, noContext } from "../payloads/record-context.ts";
import { payloadSearch } from "../payloads/search.ts";
import { type Stretch, streamPlace } from "../payloads/slice.ts";
import { cutStreams } from "../payloads/streams.ts";
import { chunkedInverse, chunksOf } from "./http-messages.ts";
import { headerLengths } from "./stated-lengths.ts";

/**
 * A log that people read: JSON (on one line or over many) and server-sent events stand between arbitrary lines, behind prefixes,
 * under headings, in fences or prose. Lines that hold neither are stepped over and only counted.
 */
export const text: Container = {
  name: "text",
  summary:
    "a text log with JSON, server-sent events, or what Python, Node or Ruby print, anywhere between its lines",
  signs: "everything else",
  maxSize: wholeFile,
  recognize: (head) =>
    head.length > 0 && !head.includes(0) && !isOwnReport(head.toString("utf8", 0, reportHead))
      ? level.faint
      : 0,
  read: readText,
  lengths: headerLengths,
};

const reportHead = 16 << 10;

/** A report of toollint, saved by somebody: it quotes a log, and is none. */
export function isOwnReport(text: string): boolean {
  return (
    /^(?:error|warning|info)\[[a-z]+(?:-[a-z]+)+\] {1,2}\S/m.test(text) && /^ {2}┌─ \S+:\d+:\d+/m.test(text)
  );
}

/** So many times the file's size may be read in vain, in each of two ways: a log full of lone braces must not cost its square. */
const maxWaste = 4;
/** So many beginnings of values are tried on a line until one is whole. */
const maxTries = 8;
const headLength = 512;

const LINE_FEED = 10;
const QUOTE = 34;
const APOSTROPHE = 39;
const OPEN_CALL = 40;
const OPEN_ARRAY = 91;
const OPEN_OBJECT = 123;

const DOLLAR = 36;
const LETTER_B = 98;
const shellApostrophe = Buffer.from("'\\''");

interface Line {
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** Lines of server-sent events, gathered until something else shows that the stream is over. */
interface EventBlock {
  readonly pieces: Piece[];
  readonly parts: Buffer[];
  length: number;
  readonly prefix: string;
  readonly context: Context;
}

/** A value as it was found: the bytes it was read from, and where it ends in the file. */
interface Scanned {
  readonly node: JsonNode;
  readonly at: Stretch;
  readonly fileEnd: number;
}

function readText(source: ByteSource, recognizer: Recognizer): Recording {
  const defects: Defect[] = [];
  const skipped: Skipped[] = [];
  return { container: "text", kind: "requests", candidates: candidates(), defects, skipped };

  function* candidates(): Generator<PayloadCandidate> {
    const bytes = source.read(0, source.size);
    const view = wholeView(source);
    const search = payloadSearch(recognizer, createPool());
    const stretch: Stretch = { view, bytes, shift: 0, level: 0 };
    let index = 0;
    let context: Context = noContext;
    let block: EventBlock | undefined;
    let patience = bytes.length * maxWaste;
    let prefixPatience = patience;
    let isChunked = false;

    let line = lineAt(bytes, textStart(bytes));
    while (line.start < bytes.length) {
      const next = yield* readLine(line);
      line = next < line.end ? { ...line, start: next } : lineAt(bytes, Math.max(next, line.start + 1));
    }
    yield* endBlock();

    /** Reads a line, or what is left of it behind a value, and says where to go on. */
    function* readLine(line: Line): Generator<PayloadCandidate, number> {
      const head = bytes.toString("utf8", line.start, Math.min(line.end, line.start + headLength));
      const field = eventField(head, block?.prefix);
      if (field !== undefined) {
        block ??= { pieces: [], parts: [], length: 0, prefix: field, context };
        addLine(block, bytes, line.start + Buffer.byteLength(field), line);
        return line.next;
      }
      if (block && isBlank(head, block.prefix)) {
        addLine(block, bytes, line.end, line);
        return line.next;
      }
      context = contextOfLine(context, head);
      if (/^\W{0,3}transfer-encoding:\s*chunked\b/i.test(head)) isChunked = true;
      else if (isChunked && head.trim() === "") {
        isChunked = false;
        const end = yield* readChunks(line.next);
        if (end !== undefined) return end;
      }
      let from = line.start;
      for (let tries = 0; tries < maxTries; tries++) {
        const begin = nextValue(bytes, from, line);
        if (begin < 0) break;
        from = begin + 1;
        const scanned = scanAt(begin, line);
        if (!scanned) continue;
        const { node, at, fileEnd } = scanned;
        const found = search.searchNode(at, node, context, ++index);
        if (node.state === "open") {
          if (found.length === 0) continue;
          const isLast = fileEnd >= bytes.length;
          defects.push({
            kind: isLast ? "unfinished" : "cut",
            origin: { source, start: begin, end: fileEnd },
            message: "the record ends in the middle",
          });
        }
        if (found.length > 0) {
          if (found.some((candidate) => candidate.part !== "event")) yield* endBlock();
          yield* found;
          context = {
            ...noContext,
            ...(context.time !== undefined && { time: context.time }),
            ...(context.url !== undefined && { url: context.url }),
          };
        }
        return endsLine(bytes, fileEnd) ?? fileEnd;
      }
      return line.next;
    }

    /** A body as HTTP/1.1 sends it in chunks, each behind its length; says where it ends, if it is one. */
    function* readChunks(start: number): Generator<PayloadCandidate, number | undefined> {
      const chunks = chunksOf(bytes, start, bytes.length);
      const last = chunks?.at(-1);
      if (!chunks || !last || chunks.some(({ from, length }) => !endsChunk(bytes, from + length)))
        return undefined;
      const own = Buffer.concat(chunks.map(({ from, length }) => bytes.subarray(from, from + length)));
      const inner = { ...piecedView(view, own, chunks), inverse: chunkedInverse(view, chunks, own) };
      const found = search.searchText(
        { view: inner, bytes: own, shift: 0, level: 0 },
        0,
        own.length,
        context,
        ++index,
      );
      if (found.length === 0) return undefined;
      yield* endBlock();
      yield* found;
      return last.from + last.length;
    }

    function* endBlock(): Generator<PayloadCandidate> {
      if (!block) return;
      const { parts, pieces, context: around } = block;
      block = undefined;
      const own = Buffer.concat(parts);
      const place = streamPlace({ view: piecedView(view, own, pieces), start: 0, end: own.length, level: 0 });
      yield* cutStreams(sseFrames(own.toString("utf8")), recognizer, place, () => ({
        ...around,
        index: ++index,
      }));
    }

    /** The value that begins at `begin`: as it stands; with the prefixes taken off, when every line stands behind one; up to where it was cut. */
    function scanAt(begin: number, line: Line): Scanned | undefined {
      const limit = patience > 0 ? bytes.length : line.end;
      if (isQuotedText(bytes, begin) || looksPrinted(bytes, begin, limit)) return literalAt(begin, limit);
      let hasGap = false;
      const onGap = (): void => {
        hasGap = true;
      };
      const node = scanJson(bytes, begin, limit, 0, { ...search.hints(0), onGap });
      const unquoted = node && shellTextAt(begin, node.end);
      if (unquoted) return unquoted;
      const isWhole = node?.state === "complete" && (node.end <= line.end || !holdsBroken(node));
      if (!isWhole && (hasGap || isCommented(bytes, begin, limit))) {
        const whole = literalAt(begin, limit);
        if (whole?.node.state === "complete") return whole;
      }
      if (isWhole) return { node, at: stretch, fileEnd: node.end };
      const prefixed = withoutPrefixes(begin, line);
      if (prefixed) return prefixed;
      if (node) patience -= node.end - begin;
      // No string of JSON goes over a line's end: there the logger cut it off, and other records follow.
      const { at: cut, isBroken } = lastLine(bytes, begin, limit);
      if (cut > line.end) patience -= cut - begin;
      if (!isBroken) return node && { node, at: stretch, fileEnd: node.end };
      const head = scanJson(bytes, begin, cut, 0, search.hints(0));
      return head && { node: head, at: stretch, fileEnd: cut };
    }

    /** What a program prints of its values, read as JSON. */
    function literalAt(begin: number, limit: number): Scanned | undefined {
      const literal = printedLiteral(bytes, begin, limit, (at) => {
        patience -= Math.max(headLength, at - begin);
      });
      if (!literal) return undefined;
      const { bytes: own, pieces, end, hasGaps } = literal;
      const node = scanJson(own, 0, own.length, 0, search.hints(0));
      const inner = {
        ...piecedView(view, own, pieces),
        get inverse() {
          return printedInverse(view, begin, end, literal as PrintedLiteral);
        },
      };
      return node && { node, at: { view: inner, bytes: own, shift: 0, level: 0, hasGaps }, fileEnd: end };
    }

    /** JSON that a shell's single quotes hold, where an apostrophe closes them for itself: `'{"text":"it'\\''s"}'`. */
    function shellTextAt(begin: number, end: number): Scanned | undefined {
      if (bytes[begin - 1] !== APOSTROPHE || !bytes.subarray(begin, end).includes(shellApostrophe))
        return undefined;
      const pieces: Piece[] = [];
      const parts: Buffer[] = [];
      let length = 0;
      let from = begin;
      for (let stop = begin; stop < end; from = stop + shellApostrophe.length) {
        const found = bytes.indexOf(shellApostrophe, from);
        stop = found < 0 || found > end ? end : found;
        pieces.push({ at: length, from, length: stop - from });
        parts.push(bytes.subarray(from, stop));
        length += stop - from;
        if (stop === end) break;
        pieces.push({ at: length, from: stop, length: 0, width: shellApostrophe.length });
        parts.push(bytes.subarray(stop, stop + 1));
        length++;
      }
      const own = Buffer.concat(parts, length);
      const node = scanJson(own, 0, own.length, 0, search.hints(0));
      const inner = piecedView(
        view,
        own,
        pieces,
        () =>
          ({ bytes: text }) =>
            Buffer.from(text.toString("utf8").replaceAll("'", `${shellApostrophe}`)),
      );
      return node && { node, at: { view: inner, bytes: own, shift: 0, level: 0 }, fileEnd: end };
    }

    function withoutPrefixes(begin: number, line: Line): Scanned | undefined {
      const width = begin - line.start;
      if (width === 0 || width > headLength || prefixPatience <= 0) return undefined;
      const prefix = bytes.toString("utf8", line.start, begin);
      const pieces: Piece[] = [{ at: 0, from: begin, length: line.next - begin }];
      let length = line.next - begin;
      let current = line;
      let node: JsonNode | undefined;
      let own = Buffer.alloc(0);
      for (let count = 1, tried = 1; ; count++) {
        const next = current.next < bytes.length ? lineAt(bytes, current.next) : undefined;
        const head = next && bytes.toString("utf8", next.start, Math.min(next.end, next.start + headLength));
        const size = head === undefined ? undefined : matchingPrefix(head, prefix);
        const isLast = next === undefined || head === undefined || size === undefined;
        // What is no JSON shows early, in twice as many lines each time.
        if (count > 1 && (isLast || count === tried * 2)) {
          tried = count;
          own = Buffer.concat(pieces.map((piece) => bytes.subarray(piece.from, piece.from + piece.length)));
          node = scanJson(own, 0, own.length);
          if (node?.state !== "open") break;
        }
        if (isLast) break;
        const from = next.start + Buffer.byteLength(head.slice(0, size));
        pieces.push({ at: length, from, length: next.next - from });
        length += next.next - from;
        current = next;
      }
      const found = node?.state === "complete" ? scanJson(own, 0, own.length, 0, search.hints(0)) : undefined;
      if (found?.state !== "complete") {
        prefixPatience -= length;
        return undefined;
      }
      const inner = piecedView(view, own, pieces, () => (patch, from) => {
        // New lines stand behind the prefix of the line that they begin on.
        const { from: behind } = pieces.findLast((piece) => piece.from <= from) ?? { from };
        const ownPrefix = bytes.toString("utf8", bytes.lastIndexOf(LINE_FEED, behind - 1) + 1, behind);
        return Buffer.from(patch.bytes.toString("utf8").replaceAll("\n", () => `\n${ownPrefix}`));
      });
      return {
        node: found,
        at: { view: inner, bytes: own, shift: 0, level: 0 },
        fileEnd: inner.origin(found.end - 1, found.end).end,
      };
    }
  }
}

/** JSON in which somebody put lines out of use, and which spreads over lines because of that. */
function isCommented(bytes: Buffer, begin: number, limit: number): boolean {
  return /\n[ \t]*\/\/|[{[,][ \t]*\/\/|\/\*/.test(
    bytes.toString("latin1", begin, Math.min(limit, begin + (64 << 10))),
  );
}

/** A history with an element that is no JSON: brackets were counted over the end of a record that was cut. */
function holdsBroken({ run, members, items }: JsonNode): boolean {
  if (run)
    return Array.from({ length: run.length }, (_, index) => run.element(index)).some(
      (element) => element.isBroken,
    );
  return (members?.some((member) => holdsBroken(member.node)) || items?.some(holdsBroken)) ?? false;
}

/** The line of the value that begins at `begin` which ends inside a string, or else the last one that looks like its own. */
function lastLine(bytes: Buffer, begin: number, end: number): { at: number; isBroken: boolean } {
  let at = begin;
  for (; at < end; at++) {
    if (bytes[at] === LINE_FEED && !isIndented(bytes[at + 1])) break;
    if (bytes[at] !== QUOTE) continue;
    const close = endOfString(bytes, at + 1, end, 0);
    const feed = bytes.subarray(at, close < 0 ? end : close).indexOf(LINE_FEED);
    if (feed >= 0) return { at: bytes[at + feed - 1] === 13 ? at + feed - 1 : at + feed, isBroken: true };
    if (close < 0) break;
    at = close - 1;
  }
  return { at, isBroken: false };
}

/** What a line of a value that is spread over many begins with: white space, a closing bracket, a quote. */
function isIndented(byte: number | undefined): boolean {
  return (
    byte === 32 || byte === 9 || byte === 10 || byte === 13 || byte === 125 || byte === 93 || byte === QUOTE
  );
}

/** Where the next line begins, when nothing but white space stands before it. */
function endsLine(bytes: Buffer, from: number): number | undefined {
  let at = from;
  while (at < bytes.length && (bytes[at] === 32 || bytes[at] === 9 || bytes[at] === 13)) at++;
  return at >= bytes.length ? bytes.length : bytes[at] === LINE_FEED ? at + 1 : undefined;
}

/** A line ends behind every chunk. */
function endsChunk(bytes: Buffer, at: number): boolean {
  return at >= bytes.length || bytes[at] === LINE_FEED || (bytes[at] === 13 && bytes[at + 1] === LINE_FEED);
}

function lineAt(bytes: Buffer, start: number): Line {
  const feed = bytes.indexOf(10, start);
  const stop = feed < 0 ? bytes.length : feed;
  return {
    start,
    end: stop > start && bytes[stop - 1] === 13 ? stop - 1 : stop,
    next: feed < 0 ? bytes.length : feed + 1,
  };
}

function addLine(block: EventBlock, bytes: Buffer, from: number, line: Line): void {
  const part = bytes.subarray(from, line.next);
  block.pieces.push({ at: block.length, from, length: part.length });
  block.parts.push(part);
  block.length += part.length;
}

/** The prefix before a field of server-sent events on this line (often empty); `undefined` when there is no such field. */
function eventField(head: string, known: string | undefined): string | undefined {
  const match =
    /^([^{}"]{0,200}?)(?:(data):\s?(?=[{[]|$)|(event):\s?[\w.-]+\s*$|(id|retry):\s?[\w.-]+\s*$)/.exec(head);
  if (!match) return undefined;
  const prefix = match[1] ?? "";
  if (known !== undefined && matchingPrefix(head, known) === prefix.length) return prefix;
  if (prefix.trim() === "") return prefix;
  // "id:" and "event:" behind words are prose; "data: {" hardly ever is.
  const isField = match[2] !== undefined || (match[3] !== undefined && /[<>|\]:-]\s$/.test(prefix));
  return isField && /[\s<>|\]:=-]$/.test(prefix) ? prefix : undefined;
}

function isBlank(head: string, prefix: string): boolean {
  if (head.trim() === "") return true;
  const size = matchingPrefix(head, prefix.trimEnd());
  return prefix.trim() !== "" && size !== undefined && head.slice(size).trim() === "";
}

/** The length of a prefix like `prefix` at the beginning of `head`: the same but for digits, as time stamps differ. */
function matchingPrefix(head: string, prefix: string): number | undefined {
  if (head.startsWith(prefix)) return prefix.length;
  const want = digitless(prefix);
  for (const size of [prefix.length, prefix.length - 1, prefix.length + 1]) {
    if (size > 0 && digitless(head.slice(0, size)) === want) return size;
  }
  return undefined;
}

function digitless(textWithDigits: string): string {
  return textWithDigits.replace(/\d+/g, "0");
}

/** Where the next value may begin: a brace or bracket that does not continue a word, or a quote before one in escaped JSON or in bytes. -1: nowhere. */
function nextValue(bytes: Buffer, from: number, { start, end }: Line): number {
  for (let at = from; at < end; at++) {
    const byte = bytes[at];
    if (isQuotedText(bytes, at)) return at;
    if (byte === QUOTE) {
      const inner = bytes[at + 1] === OPEN_ARRAY ? at + 2 : at + 1;
      if (bytes[inner] === OPEN_OBJECT && bytes[inner + 1] === 92) return at;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      const after = stepSpace(bytes, at + 1);
      if (bytes[after] === (byte === OPEN_OBJECT ? QUOTE : OPEN_OBJECT)) return at;
      if (byte === OPEN_OBJECT && (bytes[after] === APOSTROPHE || isBareName(bytes, after))) return at;
      // Behind a prefix the value goes on behind the next line's prefix.
      if (after >= end && at > start) return at;
    } else if (byte === OPEN_CALL && isNamedArgument(bytes, at)) {
      let name = at;
      while (name > start && isWordByte(bytes[name - 1])) name--;
      if (name < at && name >= from) return name;
    }
  }
  return -1;
}

/** Text in quotes whose escapes are not JSON's: the bytes that Python prints, `b'{…}'`, and what shells quote as `$'{…}'`. */
function isQuotedText(bytes: Buffer, at: number): boolean {
  const [before, quote] = [bytes[at - 1], bytes[at]];
  if (quote !== APOSTROPHE && (quote !== QUOTE || before === DOLLAR)) return false;
  if (before !== DOLLAR && before !== LETTER_B) return false;
  const next = bytes[at + 1];
  return (next === OPEN_OBJECT || next === OPEN_ARRAY) && !isWordByte(bytes[at - 2]);
}

/** `{ name: `, `{name: ` or `{:name=>`: the first member of an object that Node or Ruby printed. */
function isBareName(bytes: Buffer, at: number): boolean {
  return /^(?::\w+ ?=>|[A-Za-z_$][\w$]*: ?[['"`{\w-])/.test(bytes.toString("latin1", at, at + 60));
}

/** `(name=`: the first argument of an object that Python printed. */
function isNamedArgument(bytes: Buffer, at: number): boolean {
  const next = bytes[at + 1] ?? 0;
  if (next !== 95 && (next < 97 || next > 122)) return false;
  return /^\([a-z_]\w*=[^=]/.test(bytes.toString("latin1", at, at + 40));
}

function isWordByte(byte: number | undefined): boolean {
  return byte !== undefined && /\w/.test(String.fromCharCode(byte));
}

function stepSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (
    at < bytes.length &&
    (bytes[at] === 32 || bytes[at] === 9 || bytes[at] === 13 || bytes[at] === LINE_FEED)
  )
    at++;
  return at;
}

/** What a line says about the payload after it: where it went, how it was answered, when. */
function contextOfLine(context: Context, head: string): Context {
  if (head.trim() === "") return context;
  const change: { -readonly [K in keyof Context]?: Context[K] } = {};
  const plain = head.replace(/[{[]".*$/s, "");
  const url = /\bhttps?:\/\/[^\s"'<>{}]+|(?<=\b(?:POST|GET)\s)\/[^\s"'<>{}]*/.exec(plain)?.[0];
  if (url !== undefined) change.url = url;
  const status = /(?:HTTP\/[\d.]+|\bstatus(?:_?code)?|\bresponse|\bRESPONSE \d+|<-+)\W{0,4}(\d{3})\b/i.exec(
    plain,
  )?.[1];
  if (status !== undefined) change.status = Number(status);
  const stamp = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/.exec(plain)?.[0];
  if (stamp !== undefined) {
    const time = Date.parse(stamp.replace(",", ".").replace(" ", "T"));
    if (Number.isFinite(time)) change.time = time;
  }
  const id = /\b(request[_-]?id|req[_-]?id|correlation[_-]?id)\W{1,3}([\w.-]{2,80})/i.exec(plain);
  if (id?.[1] && id[2]) change.ids = new Map([[id[1].toLowerCase(), id[2]]]);
  return Object.keys(change).length > 0 ? { ...context, ...change } : context;
}
