import { isJsonSpace } from "../../../reading/json-bytes.ts";
import { endOfString } from "../../../reading/scan.ts";
import { endsLine, type Line, lineAt } from "./lines.ts";

/** Where a value that is broken or cut off ends, by the lines that it stands on. */

const QUOTE = 34;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * The probable end of a value with a flaw: of its line, or before the first later line that is indented no
 * deeper than the line it begins on, which is the value's last one if it begins with a closing bracket.
 */
export function endOfBroken(bytes: Buffer, begin: number, flawAt: number): number {
  const first = lineAt(bytes, begin === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, begin - 1) + 1);
  const depth = indentOf(bytes, first);
  let line = lineAt(bytes, bytes.lastIndexOf(LINE_FEED, Math.max(begin, flawAt - 1)) + 1);
  // JSON on one line ends with it.
  if (line.start <= begin && endsLine(bytes, begin + 1) === undefined) return line.end;
  while (line.next < bytes.length) {
    const next = lineAt(bytes, line.next);
    if (next.end > next.start && indentOf(bytes, next) <= depth)
      return isCloser(bytes[next.start + depth]) ? next.end : line.end;
    line = next;
  }
  return bytes.length;
}

function indentOf(bytes: Buffer, { start, end }: Line): number {
  let at = start;
  while (at < end && (bytes[at] === 32 || bytes[at] === 9)) at++;
  return at - start;
}

function isCloser(byte: number | undefined): boolean {
  return byte === 125 || byte === 93;
}

/** The end of the line where a string of the value breaks off, else of its last possible line. */
export function lastLine(bytes: Buffer, begin: number, end: number): { at: number; isBroken: boolean } {
  let at = begin;
  for (; at < end; at++) {
    if (bytes[at] === LINE_FEED && !mayContinue(bytes[at + 1])) break;
    if (bytes[at] !== QUOTE) continue;
    const close = endOfString(bytes, at + 1, end, 0);
    const feed = bytes.subarray(at, close < 0 ? end : close).indexOf(LINE_FEED);
    if (feed >= 0) {
      const stop = at + feed;
      return { at: bytes[stop - 1] === CARRIAGE_RETURN ? stop - 1 : stop, isBroken: true };
    }
    if (close < 0) break;
    at = close - 1;
  }
  return { at, isBroken: false };
}

/** Whether a byte may begin a further line of a value: white space, a closing bracket or a quote. */
export function mayContinue(byte: number | undefined): boolean {
  return byte !== undefined && ' \t\n\r}]"'.includes(String.fromCharCode(byte));
}

/**
 * Whether a value that ends at a flaw lacks nothing but closing brackets: its last member is closed, and what
 * stands at the flaw begins no other.
 */
export function lacksClosers(
  bytes: Buffer,
  { start, end }: { readonly start: number; readonly end: number },
): boolean {
  let at = end - 1;
  while (at > start && isJsonSpace(bytes[at])) at--;
  const opens = end < bytes.length && '"{['.includes(String.fromCharCode(bytes[end] ?? 0));
  return at > start && isCloser(bytes[at]) && !opens;
}
