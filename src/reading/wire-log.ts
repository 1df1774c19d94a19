import { rewrittenSource } from "./rewritten-source.ts";
import { Segments } from "./segments.ts";
import type { ByteSource } from "./source.ts";
import type { SegmentWriter } from "./view.ts";

/**
 * The wire log of Apache's HTTP client, which many programs in Java use: what went over a connection, a line
 * of it in quotes on each line of the log, other bytes in brackets: `http-outgoing-0 >> "{[\n]"`.
 * @see https://hc.apache.org/httpcomponents-client-5.5.x/logging.html
 */
const wireLine = /http-outgoing-\d{1,9} (>>|<<) "/;

/** The same client's log of headers, which repeats those of the wire. What another logger escaped is none. */
const headerLine = /http-outgoing-\d{1,9} (?:>>|<<) (?!\\*")/;

/** A byte in brackets. */
const inBrackets = /\[(?:\\([rn])|0x([0-9a-f]{1,2}))\]/g;

/** How much of a log must have such a line, in bytes. */
const headSize = 256 << 10;

const LINE_FEED = 10;
const QUOTE = 34;

/**
 * What went over the connections of a wire log; any other source as it is. Lines of other loggers follow the
 * message that they were written in.
 */
export function unwired(source: ByteSource): ByteSource {
  const head = source.read(0, Math.min(source.size, headSize)).toString("latin1");
  if (!wireLine.test(head)) return source;
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
    const end = at + text.length;
    decode(plain, bytes, start, bytes[end - 1] === QUOTE && end > start ? end - 1 : end);
    isWithin = !/\[\\n\]"?$/.test(text);
  }
  endMessage(bytes.length);
  return rewrittenSource(source, plain, encoded);
}

const lineFeed = Buffer.from("\n");

function decode(plain: Segments, bytes: Buffer, start: number, end: number): void {
  const text = bytes.toString("latin1", start, end);
  let done = 0;
  for (const { 0: whole, 1: letter, 2: code, index } of text.matchAll(inBrackets)) {
    if (index > done) plain.copy(start + done, start + index);
    const byte = code === undefined ? (letter === "r" ? 13 : 10) : Number.parseInt(code, 16);
    done = index + whole.length;
    plain.write(Buffer.from([byte]), start + index, start + done);
  }
  if (start + done < end) plain.copy(start + done, end);
}

/** Bytes as the client logs them. */
const encoded: SegmentWriter = ({ bytes }) =>
  Buffer.from(
    [...bytes]
      .map((byte) =>
        byte === 13
          ? "[\\r]"
          : byte === 10
            ? "[\\n]"
            : byte >= 32 && byte < 127
              ? String.fromCharCode(byte)
              : `[0x${byte.toString(16)}]`,
      )
      .join(""),
  );
