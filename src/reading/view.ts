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
  /** Bytes of the view and of the file are the same bytes, so that an edit in one is an edit in the other. */
  readonly isExact: boolean;
}

/** The file as it is. */
export function wholeView(source: ByteSource): View {
  return {
    source,
    size: source.size,
    read: (start, end) => source.read(start, end),
    origin: (start, end) => ({ source, start, end }),
    isExact: true,
  };
}

/** A text that was put together from pieces of another view, each as it stands there or standing for it. */
export interface Piece {
  /** Where the piece begins in the new text. */
  readonly at: number;
  /** Where it comes from. */
  readonly from: number;
  readonly length: number;
  /** How many bytes of the base stand for this piece, where they are others: `\\n` is two bytes for one. */
  readonly width?: number;
}

/**
 * Bytes made from pieces of `base`. Between two pieces (an escape that became one character) a position maps
 * to the end of the piece before it.
 */
export function piecedView(base: View, bytes: Buffer, pieces: readonly Piece[]): View {
  const pieceAt = (offset: number): Piece | undefined => {
    let low = 0;
    let high = pieces.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((pieces[middle]?.at ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return pieces[low];
  };
  const map = (offset: number, piece = pieceAt(offset)): number =>
    piece ? piece.from + Math.min(Math.max(0, offset - piece.at), piece.length) : 0;
  /** Where the stretch ends whose last byte is at `offset`: behind the whole escape that stands for it. */
  const mapEnd = (offset: number): number => {
    const piece = pieceAt(offset);
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
    isExact: false,
  };
}

/** Bytes that were unpacked from a scalar: every position is the start of that scalar. */
export function packedView(source: ByteSource, bytes: Buffer, at: { start: number; end: number }): View {
  return {
    source,
    size: bytes.length,
    read: (start, end) => bytes.subarray(start, end),
    origin: () => ({ source, start: at.start, end: at.end }),
    isExact: false,
  };
}
