import { LineStarts } from "./line-starts.ts";
import { keepLineStarts } from "./origin.ts";
import type { ByteSource } from "./source.ts";

/** A line of a file. The buffer is reused for later lines: copy bytes that must outlive the loop. */
export interface RecordLine {
  readonly bytes: Buffer;
  readonly start: number;
  /** The end in the buffer, without the line end. */
  readonly end: number;
  /** The offset of the line in the file. */
  readonly offset: number;
  readonly isLast: boolean;
  /** A line feed follows it. */
  readonly isEnded: boolean;
}

const chunk = 4 << 20;

/** The lines of a source, in order, read in big chunks into one buffer that grows to the longest line. */
export function* recordLines(source: ByteSource, chunkSize = chunk): Generator<RecordLine> {
  let buffer = Buffer.allocUnsafe(Math.min(Math.max(source.size, 1), chunkSize));
  let filled = source.copy(buffer, 0, 0);
  let base = 0;
  let start = 0;
  const starts = new LineStarts(source);
  for (;;) {
    let feed = buffer.indexOf(10, start);
    let searched = filled;
    while ((feed < 0 || feed >= filled) && base + filled < source.size) {
      if (start > 0) {
        buffer.copyWithin(0, start, filled);
        base += start;
        filled -= start;
        searched -= start;
        start = 0;
      }
      if (filled === buffer.length) {
        const grown = Buffer.allocUnsafe(buffer.length * 2);
        buffer.copy(grown, 0, 0, filled);
        buffer = grown;
      }
      const count = source.copy(buffer, filled, base + filled);
      if (count === 0) break;
      filled += count;
      feed = buffer.indexOf(10, searched);
      searched = filled;
    }
    const isEnded = feed >= 0 && feed < filled;
    const stop = isEnded ? feed : filled;
    starts.add(base + start);
    if (start >= filled && !isEnded) break;
    const end = stop > start && buffer[stop - 1] === 13 ? stop - 1 : stop;
    yield {
      bytes: buffer,
      start,
      end,
      offset: base + start,
      isLast: base + stop + 1 >= source.size,
      isEnded,
    };
    if (!isEnded) break;
    start = stop + 1;
  }
  keepLineStarts(source, starts);
}

/** Whether a line is a comment, as people and generators of files write: no record, and nothing is lost. */
export function isComment(line: string): boolean {
  return line.length <= maxComment && /^(?:#+|\/\/+)(?:\s|$)/.test(line) && !/["']\s*:/.test(line);
}

/** Longer lines are not comments. */
export const maxComment = 1024;
