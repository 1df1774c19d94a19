import { type Inverse, patched, type Segment, segmentedView, type View } from "../../reading/view.ts";
import type { Slice } from "./slice.ts";

const LF = 10;

/** Maps changes into a chunked body: they are written as one chunk that replaces all chunks they touch. */
export function chunkedInverse(base: View, chunks: readonly Chunk[], joined: Buffer): Inverse {
  return {
    base,
    mapPatches(patches) {
      const touched = chunks.filter(({ at, length }) =>
        patches.some(({ start, end }) => start < at + length && end >= at),
      );
      const spread = (some: readonly Chunk[]): { first: Chunk; last: Chunk; bytes: Buffer } | undefined => {
        const [first, last] = [some[0], some.at(-1)];
        if (!first || !last) return undefined;
        const own = patches.map((patch) => ({
          ...patch,
          start: patch.start - first.at,
          end: patch.end - first.at,
        }));
        return { first, last, bytes: patched(joined.subarray(first.at, last.at + last.length), own) };
      };
      const own = spread(touched);
      // An empty chunk would end the body.
      const found = own && own.bytes.length === 0 ? spread(chunks) : own;
      if (!found) return { why: "the change is in none of the body's chunks" };
      const { first, last, bytes } = found;
      const size = Buffer.from(bytes.length.toString(16));
      return {
        patches: [
          { start: first.head, end: first.head + first.digits, bytes: size },
          { start: first.from, end: last.from + last.length, bytes },
        ],
      };
    },
  };
}

export interface Chunk extends Segment {
  /** Offset of the line with its length, and the number of its digits. */
  readonly head: number;
  readonly digits: number;
}

/** The chunks of a body; `undefined` if it is not chunked, even if its header says so. */
export function chunksOf(bytes: Buffer, start: number, end: number): Chunk[] | undefined {
  const chunks: Chunk[] = [];
  let at = 0;
  let from = start;
  while (from < end) {
    const head = /^([0-9a-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n/i.exec(
      bytes.toString("latin1", from, Math.min(end, from + 128)),
    );
    if (!head) return chunks.length > 0 ? chunks : undefined;
    const size = Number.parseInt(head[1] ?? "0", 16);
    if (size === 0) break;
    const line = from;
    from += head[0].length;
    const length = Math.min(size, end - from);
    chunks.push({ at, from, length, head: line, digits: head[1]?.length ?? 0 });
    at += length;
    from += length;
    if (bytes[from] === 13) from++;
    if (bytes[from] === LF) from++;
  }
  return chunks;
}

/** How a chunked body begins: the length of its first chunk, and the JSON or the events in it. */
export const chunkedBody =
  /^[0-9a-f]{1,8}[ \t]*(?:;[^\r\n]{0,200})?\r?\n\s{0,8}(?:[{["]|data:|event:|id:|retry:|:)/i;

/** A body that a text holds as it came over the wire, without the lengths of its chunks. */
export function unchunked({ view, bytes, shift }: Slice, start: number, end: number): Slice | undefined {
  const chunks = chunksOf(bytes, start, end)?.map((chunk) => ({ ...chunk, from: chunk.from + shift }));
  if (!chunks || chunks.length === 0) return undefined;
  const own = chunks.map(({ from, length }) => bytes.subarray(from - shift, from - shift + length));
  const joined = Buffer.concat(own);
  const placed = chunks.map((chunk) => ({ ...chunk, head: chunk.head + shift }));
  const inner = { ...segmentedView(view, joined, placed), inverse: chunkedInverse(view, placed, joined) };
  return { view: inner, bytes: joined, shift: 0, level: 0, isEmbedded: true };
}
