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

/** A source in which text stands for other text. `write` encodes what is changed in it. */
export function substituted(
  source: ByteSource,
  substitutes: readonly Substitute[],
  write: (text: string) => string = (text) => text,
): ByteSource {
  const bytes = source.read(0, source.size);
  const plain = new Segments(bytes);
  let copied = 0;
  for (const { start, end, text } of substitutes) {
    if (start > copied) plain.copy(copied, start);
    if (text !== "") plain.write(Buffer.from(text), start, end);
    copied = end;
  }
  if (copied < bytes.length) plain.copy(copied, bytes.length);
  const writer: SegmentWriter = (patch) => Buffer.from(write(patch.bytes.toString("utf8")));
  return rewrittenSource(source, plain, writer);
}
