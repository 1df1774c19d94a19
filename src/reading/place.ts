import type { EscapeLevel } from "./escapes.ts";
import type { JsonNode } from "./json-node.ts";
import { nodeAt } from "./json-values.ts";
import type { Origin } from "./origin.ts";
import { scanJson } from "./scan.ts";
import { unescapedView } from "./unescaped.ts";
import type { View } from "./view.ts";

/** A range of a view that holds a payload, and how often its text is escaped. */
export interface Span {
  readonly view: View;
  readonly start: number;
  readonly end: number;
  readonly level: EscapeLevel;
}

/** The file bytes of a span. */
export function originOf(span: Span): Origin {
  return span.view.origin(span.start, span.end);
}

/** The same payload with all rounds of escapes undone: a view of plain text. */
export function plainSpan(span: Span): Span {
  let { view, start, end } = span;
  for (let round = span.level; round > 0; round--) {
    view = unescapedView(view, view.read(start, end), start);
    start = 0;
    end = view.size;
  }
  return { view, start, end, level: 0 };
}

/** The origin of the value at an RFC 6901 pointer in a JSON payload, or of its nearest existing ancestor. */
export function locateJson(span: Span, pointer: string): Origin {
  const { plain, root } = scanned(span);
  if (!root) return originOf(plain);
  const node = nodeAt(root, pointer);
  return plain.view.origin(plain.start + node.start, plain.start + node.end);
}

/** A payload with the positions of its values; in the plain text where its escapes are irregular. */
interface Scanned {
  readonly plain: Span;
  readonly root: JsonNode | undefined;
}

/** Payloads scanned last. Findings come in log order and point into one request and its predecessor. */
let lastScanned: readonly (Scanned & { readonly span: Span })[] = [];
const maxScanned = 2;

function scanned(span: Span): Scanned {
  const known = lastScanned.find((other) => isSame(other.span, span));
  if (known) return known;
  const made = { span, ...scan(span) };
  lastScanned = [made, ...lastScanned].slice(0, maxScanned);
  return made;
}

/** Spans of the elements of a list are made anew for each of their items. */
function isSame(one: Span, other: Span): boolean {
  if (one === other) return true;
  return (
    one.view === other.view && one.start === other.start && one.end === other.end && one.level === other.level
  );
}

function scan(span: Span): Scanned {
  const { view, start, end, level } = span;
  const bytes = view.read(start, end);
  const root = scanJson(bytes, 0, bytes.length, level);
  return root || level === 0 ? { plain: span, root } : scan(plainSpan(span));
}

/** The origin of a range of a text payload, given in UTF-16 offsets of its plain text. */
export function locateText(span: Span, start: number, end: number): Origin {
  let text = texts.get(span);
  if (!text) {
    text = plainTextOf(span);
    texts.set(span, text);
  }
  const from = offsetIn(text, start);
  return text.plain.view.origin(text.plain.start + from, text.plain.start + offsetIn(text, end));
}

interface PlainText {
  readonly plain: Span;
  readonly bytes: Buffer;
  readonly text: string;
  readonly isUtf8: boolean;
  /** The last position looked up, in both units: the next one is usually near it. */
  last: { readonly units: number; readonly offset: number };
}

/** Plain texts by span: streams are searched for many positions. */
const texts = new WeakMap<Span, PlainText>();

function plainTextOf(span: Span): PlainText {
  const plain = plainSpan(span);
  const bytes = plain.view.read(plain.start, plain.end);
  const text = bytes.toString("utf8");
  return {
    plain,
    bytes,
    text,
    isUtf8: Buffer.byteLength(text) === bytes.length,
    last: { units: 0, offset: 0 },
  };
}

/** The byte offset of the character at `units`. */
function offsetIn(plain: PlainText, units: number): number {
  const { bytes, text, isUtf8 } = plain;
  const { last } = plain;
  const from = units >= last.units ? last : { units: 0, offset: 0 };
  const offset = isUtf8
    ? from.offset + Buffer.byteLength(text.slice(from.units, units))
    : offsetAmongBroken(bytes, from.offset, units - from.units);
  plain.last = { units, offset };
  return offset;
}

/** Invalid UTF-8 is shorter than its decoded form, one to three bytes a unit, so this bisects by decoding. */
function offsetAmongBroken(bytes: Buffer, from: number, units: number): number {
  let low = Math.min(bytes.length, from + units);
  let high = Math.min(bytes.length, from + units * 3);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (bytes.toString("utf8", from, middle).length <= units) low = middle;
    else high = middle - 1;
  }
  return low;
}
