import { type Gap, type PrintedLiteral, printedLiteral } from "../../reading/literal.ts";
import { printedInverse } from "../../reading/literal-writing.ts";
import { segmentedView } from "../../reading/view.ts";
import type { Defect } from "../../traffic/container.ts";
import type { Slice } from "./slice.ts";

/** A printed value as a slice of JSON. */
export interface PrintedSlice {
  readonly slice: Slice;
  /** The offset behind the value, in the bytes that it was read from. */
  readonly end: number;
}

/** Reads the printed value at `start`, as {@link printedLiteral} does; edits of the slice reach the file. */
export function printedSlice(
  at: Slice,
  start: number,
  end: number,
  failed?: (at: number) => void,
): PrintedSlice | undefined {
  const literal = printedLiteral(at.bytes, start, end, failed);
  return literal && { slice: sliceOf(at, start, literal), end: literal.end };
}

function sliceOf(at: Slice, start: number, literal: PrintedLiteral): Slice {
  const { bytes, gaps } = literal;
  const segments =
    at.shift === 0
      ? literal.segments
      : literal.segments.map((segment) => ({ ...segment, from: segment.from + at.shift }));
  const view = {
    ...segmentedView(at.view, bytes, segments),
    // Only edits need it.
    get inverse() {
      return printedInverse(at.view, start + at.shift, literal.end + at.shift, { ...literal, segments });
    },
  };
  return { ...at, view, bytes, shift: 0, level: 0, gaps };
}

/** Whether comments, or dots in place of values, may explain why a text is no JSON. */
export function mayBeShortened(bytes: Buffer, start: number, end: number): boolean {
  return /\n[ \t]*(?:\/\/|# )|[{[,][ \t]*(?:\/\/|# )|\/\*|[\s{[:,](?:\.{3}|\xe2\x80\xa6)/.test(
    bytes.toString("latin1", start, end),
  );
}

/** What was left out of a printed value, told at its first place; `undefined` for nothing. */
export function leftOut({ view, shift }: Slice, gaps: readonly Gap[] = []): Defect | undefined {
  const [first, ...others] = gaps;
  if (!first) return undefined;
  const more =
    others.length === 1 ? " and once more" : others.length > 1 ? ` and ${others.length} more times` : "";
  const origin = view.origin(first.from + shift, first.from + shift + 1);
  const message = gaps.some(({ isStub }) => isStub)
    ? `Node printed a word like \`[Object]\` in place of a value here${more}: \`JSON.stringify(value)\` prints all`
    : `something was left out here${more}`;
  return { kind: "lax", origin, message };
}
