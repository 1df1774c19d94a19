import { rewrittenSource } from "./rewritten-source.ts";
import { Segments } from "./segments.ts";
import type { ByteSource } from "./source.ts";
import type { SegmentWriter } from "./view.ts";
import { isWireLog, wireLine } from "./wire-lines.ts";

/** The same client's log of headers, which repeats those of the wire. What was escaped twice is none. */
const headerLine = /http-outgoing-\d{1,9} (?:>>|<<) (?!\\*")/;

/** A byte in brackets. */
const inBrackets = /\[(?:\\([rn])|0x([0-9a-f]{1,2}))\]/g;

/** The same in a string of another logger, and what that logger escaped. */
const inString = /\[(?:\\\\([rn])|0x([0-9a-f]{1,2}))\]|\\(["\\])/g;

const LINE_FEED = 10;

/**
 * What went over the connections of a wire log; any other source as it is. Lines of other loggers follow the
 * message that they were written in.
 */
export function unwired(source: ByteSource): ByteSource {
  if (!isWireLog(source)) return source;
  const bytes = source.read(0, source.size);
  const plain = new Segments(bytes);
  /** The lines of other loggers since the message began: from, to. */
  const others: (readonly [number, number])[] = [];
  let direction = "";
  let isWithin = false;
  const endMessage = (at: number): void => {
    if (isWithin) plain.write(lineFeed, at, at);
    for (const [from, to] of others.splice(0)) plain.copy(from, to);
  };
  for (let at = 0, next = 0; at < bytes.length; at = next) {
    const feed = bytes.indexOf(LINE_FEED, at);
    next = feed < 0 ? bytes.length : feed + 1;
    const text = bytes.toString("latin1", at, next).trimEnd();
    const found = wireLine.exec(text);
    if (!found) {
      if (!headerLine.test(text)) others.push([at, next]);
      continue;
    }
    const start = at + found.index + found[0].length;
    if (found[1] !== direction) endMessage(start);
    direction = found[1] ?? "";
    const isEscaped = found[2] !== "";
    const content = isEscaped
      ? contentInString(text.slice(start - at))
      : text.slice(start - at).replace(/"$/, "");
    decode(plain, content, start, isEscaped ? inString : inBrackets);
    isWithin = !/\[\\{1,2}n\]$/.test(content);
  }
  endMessage(bytes.length);
  return rewrittenSource(source, plain, writerOf(bytes));
}

const lineFeed = Buffer.from("\n");

/** What of a line stands before the escaped quote that ends it in another logger's string. */
function contentInString(text: string): string {
  const own = /^(?:[^"\\]|\\.)*/.exec(text)?.[0] ?? "";
  return own.replace(/(?:\\[rn]){0,2}$/, "").replace(/\\"$/, "");
}

function decode(plain: Segments, text: string, start: number, written: RegExp): void {
  let done = 0;
  for (const { 0: whole, 1: letter, 2: code, 3: escaped, index } of text.matchAll(written)) {
    if (index > done) plain.copy(start + done, start + index);
    done = index + whole.length;
    plain.write(Buffer.from([byteOf(letter, code, escaped)]), start + index, start + done);
  }
  if (done < text.length) plain.copy(start + done, start + text.length);
}

function byteOf(letter?: string, code?: string, escaped?: string): number {
  if (code !== undefined) return Number.parseInt(code, 16);
  return escaped?.charCodeAt(0) ?? (letter === "r" ? 13 : LINE_FEED);
}

/** Writes bytes as the line has them that they stand on. */
function writerOf(bytes: Buffer): SegmentWriter {
  return ({ bytes: own }, from) => {
    const start = bytes.lastIndexOf(LINE_FEED, from - 1) + 1;
    const isEscaped = wireLine.exec(bytes.toString("latin1", start, from))?.[2] === "\\";
    const text = encoded(own);
    return Buffer.from(isEscaped ? text.replace(/["\\]/g, "\\$&") : text);
  };
}

/** Bytes as the client logs them. */
function encoded(bytes: Buffer): string {
  return [...bytes]
    .map((byte) =>
      byte === 13
        ? "[\\r]"
        : byte === LINE_FEED
          ? "[\\n]"
          : byte >= 32 && byte < 127
            ? String.fromCharCode(byte)
            : `[0x${byte.toString(16)}]`,
    )
    .join("");
}
