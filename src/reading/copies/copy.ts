import { indexOfRange } from "../lists.ts";
import { rewrittenSource } from "../rewritten-source.ts";
import { Segments } from "../segments.ts";
import type { ByteSource } from "../source.ts";
import type { SegmentWriter } from "../view.ts";

/** How a program that shows a log changes what is copied out of it. */
export interface Copy {
  /** What the program changed, for reports. */
  readonly reason: string;
  /** Where such a change stands, no log is written otherwise: it is undone before the file is read. */
  readonly isCertain: boolean;
  /** The log as it was before; `undefined` for a file that shows no such change. */
  restore(source: ByteSource): ByteSource | undefined;
}

/** Longer logs are saved, not copied, in bytes. */
export const longestCopy = 4 << 20;

/** What stands in a log for other text: from, to, and the text, in bytes of the file. */
export interface Substitute {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Encodes a text for the file; `cleared` holds the substitutes in the range that it replaces. */
export type CopyWriter = (text: string, cleared: readonly Cleared[]) => string;

/** What a change would take out of the file together with the text around it. */
export interface Cleared {
  /** As it stands in the file. */
  readonly text: string;
  /** Whether the change begins with it. */
  readonly isFirst: boolean;
}

/**
 * A text with the marks that stood before its lines. A new line would have no mark, and where marks count,
 * one that is missed ends the copy: the lines stay as many.
 */
export function inSameLines(text: string, cleared: readonly Cleared[]): string {
  const [first = "", ...others] = text.split(/\r?\n/);
  let written = first;
  for (const { text: mark, isFirst } of cleared)
    written = isFirst ? mark + written : `${written}\n${mark}${others.shift() ?? ""}`;
  return [written, ...others.map((line) => line.trimStart())].join(" ");
}

/** A source in which text stands for other text. `write` encodes what is changed in it. */
export function substituted(
  source: ByteSource,
  substitutes: readonly Substitute[],
  write: CopyWriter = (text) => text,
): ByteSource {
  const bytes = source.read(0, source.size);
  const plain = new Segments(bytes);
  let copied = 0;
  for (const { start, end, text } of substitutes) {
    if (start > copied) plain.copy(copied, start);
    if (text !== "") plain.write(text, start, end);
    copied = end;
  }
  if (copied < bytes.length) plain.copy(copied, bytes.length);
  const writer: SegmentWriter = ({ start, end, bytes: own }, from) => {
    const cleared = within(substitutes, from, end - start).map((each) => ({
      text: bytes.toString("utf8", each.start, each.end),
      isFirst: each.start === from,
    }));
    return Buffer.from(write(own.toString("utf8"), cleared));
  };
  return rewrittenSource(source, plain, writer);
}

/** The substitutes in a change that begins at `from` in the file and replaces `length` bytes as read. */
function within(substitutes: readonly Substitute[], from: number, length: number): Substitute[] {
  const found: Substitute[] = [];
  let left = length;
  let at = from;
  for (let index = indexOfRange(substitutes, from); index < substitutes.length; index++) {
    const each = substitutes[index];
    if (!each || each.start < from) continue;
    left -= each.start - at;
    if (left <= 0) break;
    found.push(each);
    left -= Buffer.byteLength(each.text);
    at = each.end;
  }
  return found;
}
