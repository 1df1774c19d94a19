import type { Origin } from "./origin.ts";
import type { ByteSource } from "./source.ts";

/**
 * Bytes to read JSON or events from, with the way back to the file. Most views are the file itself;
 * others are what stands in it in another writing: a YAML scalar, base64, gzip, lines behind prefixes.
 */
export interface View {
  readonly source: ByteSource;
  readonly size: number;
  read(start: number, end: number): Buffer;
  /** The stretch of the file from which these bytes of the view were made. */
  origin(start: number, end: number): Origin;
  /** The view is the file itself. */
  readonly isFile?: true;
  /** Maps changes of the view to what it was made from; absent where it is the file, or where it cannot be written. */
  readonly inverse?: Inverse | undefined;
}

/** Bytes that take the place of a stretch; the stretch is empty where they are put in. */
export interface Patch {
  readonly start: number;
  readonly end: number;
  readonly bytes: Buffer;
}

/** A source map from a view to the view that it was made from, for changes. */
export interface Inverse {
  readonly base: View;
  /** The patches of `base` that make these changes of the view. Both are in order and apart. */
  mapPatches(patches: readonly Patch[]): MappedPatches;
}

export type MappedPatches =
  | { readonly patches: readonly Patch[]; readonly notes?: readonly string[] }
  /** In plain words, why it cannot be written. */
  | { readonly why: string };

/** The bytes with patches applied, which are in order and apart. */
export function patched(bytes: Buffer, patches: readonly Patch[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, bytes: own } of patches) {
    parts.push(bytes.subarray(at, start), own);
    at = end;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]);
}

/** The file as it is. */
export function wholeView(source: ByteSource): View {
  return {
    source,
    size: source.size,
    read: (start, end) => source.read(start, end),
    origin: (start, end) => originIn(source, start, end),
    isFile: true,
  };
}

/** A stretch of a source, or of the file in which it begins where the source is several. */
export function originIn(source: ByteSource, start: number, end: number): Origin {
  const piece = source.segments?.findLast((each) => each.start <= start);
  if (!piece) return { source, start, end };
  const last = piece.end - piece.start;
  return {
    source: piece.source,
    start: Math.min(start - piece.start, last),
    end: Math.min(end - piece.start, last),
  };
}

/** A text that was put together from pieces of another view, each as it stands there or standing for it. */
export interface Segment {
  /** Where the piece begins in the new text. */
  readonly at: number;
  /** Where it comes from. */
  readonly from: number;
  readonly length: number;
  /** How many bytes of the base stand for this piece, where they are others: `\\n` is two bytes for one. */
  readonly width?: number;
}

/** How new bytes of a pieced view are written in its base: those of `patch`, which begin at `from` there. */
export type SegmentWriter = (patch: Patch, from: number) => Buffer | undefined;

/**
 * Bytes made from pieces of `base`. `writer` says, when a change is to be written, how; without it the view cannot be written. Between two pieces (an escape that became one character) a position maps
 * to the end of the piece before it.
 */
export function segmentedView(
  base: View,
  bytes: Buffer,
  pieces: readonly Segment[],
  writer?: () => SegmentWriter,
): View {
  const map = (offset: number, piece = pieces[segmentAt(pieces, offset)]): number =>
    piece ? piece.from + Math.min(Math.max(0, offset - piece.at), piece.length) : 0;
  /** Where the stretch ends whose last byte is at `offset`: behind the whole escape that stands for it. */
  const mapEnd = (offset: number): number => {
    const piece = pieces[segmentAt(pieces, offset)];
    return piece?.width === undefined ? map(offset, piece) + 1 : piece.from + piece.width;
  };
  return {
    source: base.source,
    size: bytes.length,
    read: (start, end) => bytes.subarray(start, end),
    origin(start, end) {
      const from = map(start);
      return base.origin(from, Math.max(from, end > start ? mapEnd(end - 1) : from));
    },
    ...(writer && {
      inverse: { base, mapPatches: (patches) => mapThroughSegments(patches, bytes.length, pieces, writer()) },
    }),
  };
}

/** The index of the last piece that begins at or before a position of the new text; 0 where none does. */
function segmentAt(pieces: readonly Segment[], offset: number): number {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieces[middle]?.at ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Patches of a view of `size` bytes that is made from pieces as patches of what they were taken from. */
export function mapThroughSegments(
  patches: readonly Patch[],
  size: number,
  pieces: readonly Segment[],
  write: SegmentWriter,
): MappedPatches {
  const lifted: Patch[] = [];
  for (const patch of patches) {
    const start = placeOf(patch.start, size, pieces);
    const end = placeOf(patch.end, size, pieces);
    if (start === undefined || end === undefined || end < start)
      return { why: "a part of an escape would have to be changed" };
    const bytes = write(patch, start);
    if (!bytes) return { why: "the new text cannot be written the way that the text around it is" };
    lifted.push({ start, end, bytes });
  }
  return { patches: lifted };
}

/** Where in the base a position of the view stands; `undefined` inside of what one piece stands for. */
function placeOf(offset: number, size: number, pieces: readonly Segment[]): number | undefined {
  const index = segmentAt(pieces, offset);
  const piece = pieces[index];
  if (!piece || offset < piece.at) return undefined;
  if (offset === size && index === pieces.length - 1 && offset > piece.at)
    return piece.from + (piece.width ?? piece.length);
  const past = offset - piece.at;
  return past <= piece.length ? piece.from + past : undefined;
}

/**
 * Bytes that were unpacked from a scalar: every position is the start of that scalar. `inverse` maps
 * changes to where the packed bytes stand.
 */
export function packedView(
  source: ByteSource,
  bytes: Buffer,
  at: { start: number; end: number },
  inverse?: () => Inverse | undefined,
): View {
  return {
    source,
    size: bytes.length,
    read: (start, end) => bytes.subarray(start, end),
    origin: () => ({ source, start: at.start, end: at.end }),
    get inverse() {
      return inverse?.();
    },
  };
}

/** Views one behind the other, whose bytes are these: each position is where it is in its own view. It cannot be written. */
export function joinedView(bytes: Buffer, views: readonly View[]): View {
  const starts: number[] = [];
  let size = 0;
  for (const view of views) {
    starts.push(size);
    size += view.size;
  }
  const ownAt = (offset: number): { view: View; at: number } => {
    const index = Math.max(
      0,
      starts.findLastIndex((start) => start <= offset),
    );
    return { view: views[index] as View, at: offset - (starts[index] ?? 0) };
  };
  const [first] = views;
  if (!first) throw new Error("nothing to join");
  return {
    source: first.source,
    size,
    read: (start, end) => bytes.subarray(start, end),
    origin(start, end) {
      const from = ownAt(start);
      const to = ownAt(Math.max(start, end - 1));
      const origin = from.view.origin(from.at, from.at + 1);
      return { ...origin, end: Math.max(origin.start, to.view.origin(to.at, to.at + 1).end) };
    },
  };
}
