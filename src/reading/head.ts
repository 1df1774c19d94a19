import { isJsonSpace, opensJson } from "./json-bytes.ts";
import { type ByteSource, textStart } from "./source.ts";

const QUOTE = 34;
const BACKSLASH = 92;

/** A string of JSON that takes more bytes is shortened to about as many. */
const longestString = 16 << 10;

/** How far into a file its head may lead. */
const mostRead = 16 << 20;

/**
 * The beginning of a file of JSON, of about `size` bytes, with its long strings only in part: an image in the
 * first record would leave no room for the second. `undefined` where there is nothing to shorten.
 */
export function shortenedHead(source: ByteSource, size: number): Buffer | undefined {
  const head = source.read(0, Math.min(source.size, size));
  let start = textStart(head);
  while (start < head.length && isJsonSpace(head[start])) start++;
  if (source.size <= size || !opensJson(head[start]) || !holdsLongString(head)) return undefined;
  return shortened(source.read(0, Math.min(source.size, mostRead)), size);
}

function holdsLongString(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(QUOTE); at >= 0; ) {
    const close = closeOf(bytes, at + 1);
    if (close - at > longestString) return true;
    at = bytes.indexOf(QUOTE, close + 1);
  }
  return false;
}

function shortened(bytes: Buffer, size: number): Buffer {
  const parts: Buffer[] = [];
  let kept = 0;
  let from = 0;
  let at = 0;
  while (at < bytes.length && kept + at - from < size) {
    if (bytes[at++] !== QUOTE) continue;
    const close = closeOf(bytes, at);
    if (close - at > longestString) {
      const stop = wholeUpTo(bytes, at, at + longestString);
      parts.push(bytes.subarray(from, stop));
      kept += stop - from;
      from = close;
    }
    at = close + 1;
  }
  parts.push(bytes.subarray(from, Math.min(bytes.length, from + Math.max(0, size - kept))));
  return Buffer.concat(parts);
}

/** Where the string that began before `at` is closed, or the end of the bytes. */
function closeOf(bytes: Buffer, start: number): number {
  for (let at = start; ; ) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return bytes.length;
    let escapes = 0;
    while (bytes[quote - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return quote;
    at = quote + 1;
  }
}

/** The last place from `start` to `end` that no character and no escape spans, nor a pair of these. */
function wholeUpTo(bytes: Buffer, start: number, end: number): number {
  let stop = end;
  while (stop > start && ((bytes[stop] ?? 0) & 0xc0) === 0x80) stop--;
  for (;;) {
    const mark = bytes.lastIndexOf(BACKSLASH, stop - 1);
    if (mark < start || mark < stop - 12) return stop;
    stop = mark;
  }
}
