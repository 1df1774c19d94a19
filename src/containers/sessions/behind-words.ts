import { skipValue } from "../../reading/scan.ts";
import { Segments } from "../../reading/segments.ts";
import { type ByteSource, textStart } from "../../reading/source.ts";
import { type Patch, segmentedView, sourceOver, wholeView } from "../../reading/view.ts";

/** A file that is JSON from a line on, and what stands before. */
export interface BehindWords {
  /** The JSON alone; positions and edits lead to the file. */
  readonly source: ByteSource;
  /** The words, as offsets in the file. */
  readonly words: { readonly start: number; readonly end: number };
}

/** A file is searched as a whole. */
const maxSize = 64 << 20;

/** The command that printed a session, or a note of who copied it, is no longer. */
const maxWords = 4 << 10;

/**
 * The JSON of a file that begins with words; `undefined` for a file that begins otherwise, and where
 * more words follow: those are the lines of a program's log.
 */
export function behindWords(source: ByteSource): BehindWords | undefined {
  if (source.size > maxSize || source.segments) return undefined;
  const head = source.read(0, Math.min(source.size, maxWords));
  const start = textStart(head);
  const from = firstOpening(head, start);
  if (from === undefined || from === start) return undefined;
  const bytes = source.read(0, source.size);
  if (!isJsonFrom(bytes, from)) return undefined;
  const base = wholeView(source);
  const text = new Segments(bytes);
  text.copy(from, bytes.length);
  const back = ({ start, end, bytes: own }: Patch): Patch => ({
    start: start + from,
    end: end + from,
    bytes: own,
  });
  const view = segmentedView(base, text.bytes, text.segments);
  const inverse = { base, mapPatches: (patches: readonly Patch[]) => ({ patches: patches.map(back) }) };
  return { source: sourceOver({ ...view, inverse }), words: { start, end: from } };
}

/** Where the first object or list begins behind words. A time in brackets is no list. */
function firstOpening(head: Buffer, start: number): number | undefined {
  const text = head.toString("latin1", start);
  const at = text.search(/\{\s*["}]|\[\s*[{["\]]/);
  return at > 0 && /[^\s]/.test(text.slice(0, at)) && !/^\s*[{[]/.test(text) ? start + at : undefined;
}

/** Whether values follow each other to the end of the file. The last one may break off. */
function isJsonFrom(bytes: Buffer, from: number): boolean {
  for (let at = from; ; ) {
    while (at < bytes.length && ((bytes[at] ?? 0) <= 32 || bytes[at] === 44)) at++;
    if (at >= bytes.length) return true;
    if (bytes[at] !== 123 && bytes[at] !== 91) return false;
    const end = skipValue(bytes, at, bytes.length, 0);
    if (end < 0) return true;
    at = end;
  }
}
