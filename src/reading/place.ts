import { type Level, unescapeBytes } from "./escapes.ts";
import type { Origin } from "./origin.ts";
import { nodeAt, scanJson } from "./scan.ts";
import { piecedView, type View } from "./view.ts";

/** A stretch of a view that holds a payload, and how deep it is embedded in strings. */
export interface Span {
  readonly view: View;
  readonly start: number;
  readonly end: number;
  readonly level: Level;
}

/** The file bytes of a span. */
export function originOf(span: Span): Origin {
  return span.view.origin(span.start, span.end);
}

/** The same payload with all rounds of escapes undone: a view of plain text. */
export function plainSpan(span: Span): Span {
  let { view, start, end } = span;
  for (let round = span.level; round > 0; round--) {
    const { bytes, pieces } = unescapeBytes(view.read(start, end));
    const from = start;
    view = piecedView(view, bytes, pieces.map((piece) => ({ ...piece, from: piece.from + from })));
    start = 0;
    end = bytes.length;
  }
  return { view, start, end, level: 0 };
}

/** The place of the value at an RFC 6901 pointer in a JSON payload; of its nearest existing ancestor when it is not there. */
export function locateJson(span: Span, pointer: string): Origin {
  const { view, start, end, level } = span;
  const bytes = view.read(start, end);
  const root = scanJson(bytes, 0, bytes.length, level);
  if (root) {
    const node = nodeAt(root, pointer);
    return view.origin(start + node.start, start + node.end);
  }
  return level > 0 ? locateJson(plainSpan(span), pointer) : originOf(span);
}

/** The place of a stretch of a text payload, given in UTF-16 offsets of its plain text. */
export function locateText(span: Span, start: number, end: number): Origin {
  const plain = plainSpan(span);
  const bytes = plain.view.read(plain.start, plain.end);
  const text = bytes.toString("utf8");
  const from = Buffer.byteLength(text.slice(0, start));
  const length = Buffer.byteLength(text.slice(start, end));
  return plain.view.origin(plain.start + from, plain.start + from + length);
}
