import { lineEnd, type ScalarText, type ScalarWriter, scalarWriter } from "./scalar-writer.ts";
import { decodeYamlBlock } from "./yaml-blocks.ts";

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const DOUBLE = 34;
const SINGLE = 39;
const GREATER = 62;
const BACKSLASH = 92;
const PIPE = 124;

/**
 * Decodes a scalar token of the file, with its quotes or from the `|` of a block. `base` is its offset in the
 * file, `indent` the column of its parent (needed for blocks with an indentation indicator).
 * @see https://yaml.org/spec/1.2.2/#chapter-7-flow-style-productions
 */
export function decodeScalar(raw: Buffer, base: number, indent: number): ScalarText {
  const writer = scalarWriter(raw, base);
  const first = raw[0];
  if (first === PIPE || first === GREATER) {
    decodeYamlBlock(raw, indent, writer);
    return writer.finish(true);
  }
  if (first === SINGLE || first === DOUBLE) {
    const isClosed = raw.length > 1 && raw.at(-1) === first;
    const end = isClosed ? raw.length - 1 : raw.length;
    if (first === DOUBLE) decodeDouble(raw, end, writer);
    else unfold(raw, 1, end, writer, (from, to) => writeSingle(raw, from, to, writer));
    return writer.finish(isClosed);
  }
  unfold(raw, 0, raw.length, writer, writer.raw);
  return writer.finish(true);
}

/** Plain and single-quoted scalars: a line break becomes a space, blank lines become line breaks. */
function unfold(
  raw: Buffer,
  start: number,
  end: number,
  writer: ScalarWriter,
  write: (from: number, to: number) => void,
): void {
  let feed = feedBefore(raw, start, end);
  if (feed < 0) {
    write(start, end);
    return;
  }
  write(start, trimmedEnd(raw, start, lineEnd(raw, start, feed)));
  let separator = " ";
  let broken = feed;
  for (;;) {
    const begin = broken + 1;
    feed = feedBefore(raw, begin, end);
    if (feed < 0) break;
    const stop = lineEnd(raw, begin, feed);
    const from = pastBlanks(raw, begin, stop);
    if (from < stop) {
      writer.text(separator, broken);
      write(from, trimmedEnd(raw, from, stop));
      separator = " ";
    } else if (separator === "\n") {
      writer.text("\n", broken);
    } else {
      separator = "\n";
    }
    broken = feed;
  }
  writer.text(separator, broken);
  write(pastBlanks(raw, broken + 1, end), end);
}

function writeSingle(raw: Buffer, start: number, end: number, writer: ScalarWriter): void {
  let from = start;
  for (let quote = raw.indexOf(SINGLE, from); quote >= 0 && quote < end; quote = raw.indexOf(SINGLE, from)) {
    writer.raw(from, quote + 1);
    from = raw[quote + 1] === SINGLE ? quote + 2 : quote + 1;
  }
  writer.raw(from, end);
}

function decodeDouble(raw: Buffer, end: number, writer: ScalarWriter): void {
  let from = 1;
  let slash = placeOf(raw, BACKSLASH, from);
  let feed = placeOf(raw, LF, from);
  while (from < end) {
    if (slash < from) slash = placeOf(raw, BACKSLASH, from);
    if (feed < from) feed = placeOf(raw, LF, from);
    const stop = Math.min(slash, feed, end);
    if (stop === feed && stop < end) {
      writer.raw(from, trimmedEnd(raw, from, lineEnd(raw, from, feed)));
      from = foldBreaks(raw, feed, end, writer);
    } else {
      writer.raw(from, stop);
      from = stop < end ? decodeEscape(raw, stop, end, writer) : end;
    }
  }
}

/** One line break becomes a space; the first of several is dropped. Returns the offset after them. */
function foldBreaks(raw: Buffer, feed: number, end: number, writer: ScalarWriter): number {
  let at = feed + 1;
  let breaks = 0;
  for (; at < end; at++) {
    const byte = raw[at];
    if (byte === LF) breaks++;
    else if (byte === CR ? raw[at + 1] !== LF : byte !== SPACE && byte !== TAB) break;
  }
  writer.text(breaks === 0 ? " " : "\n".repeat(breaks), feed);
  return at;
}

// biome-ignore format: a table
const escapes: Readonly<Record<string, string>> = {
  "0": "\0", a: "\x07", b: "\b", e: "\x1b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", N: "\u0085", _: "\u00a0",
  L: "\u2028", P: "\u2029", " ": " ", '"': '"', "/": "/", "\\": "\\", "\t": "\t",
};

const digits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Writes the character that the escape at `slash` denotes and returns the offset after it. */
function decodeEscape(raw: Buffer, slash: number, end: number, writer: ScalarWriter): number {
  const letter = String.fromCharCode(raw[slash + 1] ?? 0);
  const short = escapes[letter];
  if (short !== undefined && slash + 1 < raw.length) {
    writer.text(short, slash);
    return slash + 2;
  }
  const feed = letter === "\r" ? slash + 2 : slash + 1;
  if (raw[feed] === LF && feed < end) return pastBlanks(raw, feed + 1, end);
  const length = digits[letter];
  if (length !== undefined) return decodeNumber(raw, slash, end, length, writer);
  const stop = Math.min(end, slash + 2);
  writer.raw(slash, stop);
  return stop;
}

function decodeNumber(raw: Buffer, slash: number, end: number, length: number, writer: ScalarWriter): number {
  const stop = Math.min(end, slash + 2 + length);
  const code = hexNumber(raw, slash + 2, stop, length);
  if (code === undefined) {
    writer.raw(slash, stop);
    return stop;
  }
  // Some writers escape characters beyond U+FFFF as two surrogates, which are valid only together.
  const isHigh = code >= 0xd800 && code < 0xdc00 && raw[stop] === BACKSLASH && raw[stop + 1] === 117;
  const low = isHigh ? hexNumber(raw, stop + 2, Math.min(end, stop + 6), 4) : undefined;
  if (low !== undefined && low >= 0xdc00 && low < 0xe000) {
    writer.text(String.fromCharCode(code, low), slash);
    return stop + 6;
  }
  writer.text(String.fromCodePoint(code), slash);
  return stop;
}

function hexNumber(raw: Buffer, from: number, to: number, length: number): number | undefined {
  const text = raw.toString("latin1", from, to);
  if (text.length !== length || !/^[0-9a-fA-F]+$/.test(text)) return undefined;
  const code = Number.parseInt(text, 16);
  return code <= 0x10ffff ? code : undefined;
}

function placeOf(raw: Buffer, byte: number, from: number): number {
  const at = raw.indexOf(byte, from);
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}

function feedBefore(raw: Buffer, from: number, end: number): number {
  const at = raw.indexOf(LF, from);
  return at < end ? at : -1;
}

function trimmedEnd(raw: Buffer, from: number, to: number): number {
  let end = to;
  while (end > from && (raw[end - 1] === SPACE || raw[end - 1] === TAB)) end--;
  return end;
}

function pastBlanks(raw: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && (raw[at] === SPACE || raw[at] === TAB)) at++;
  return at;
}
