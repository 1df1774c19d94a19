import { pushAll } from "./lists.ts";
import { printedLiteral } from "./literal.ts";
import { isJson } from "./parse.ts";
import { rewrittenSource } from "./rewritten-source.ts";
import { scanJson } from "./scan.ts";
import { Segments } from "./segments.ts";
import type { ByteSource } from "./source.ts";

/** The widths that terminals and mail programs have, in characters. */
const leastWidth = 40;
const greatestWidth = 400;

/** Longer logs were not copied from a screen, in bytes. */
const longestCopy = 1 << 20;

/** Blanks at the end of a line that a copy may lack. */
const mostBlanks = 3;

/** Starts of a value that are tried in lines that may belong together. */
const maxTries = 20;

/** What such attempts may read without a value, in sizes of the text, and in that of a short text. */
const maxWaste = 2;
const leastWaste = 64 << 10;

/** In bytes. */
const longestPrefix = 60;

/** What programs put before all lines of a text but the first; bodies have hardly two blanks in a row. */
const hangingIndent = /^[ \t]{2,}/;

const LINE_FEED = 10;
const OPEN_ARRAY = 91;
const OPEN_OBJECT = 123;

interface Line {
  readonly start: number;
  /** Without its line end. */
  readonly end: number;
  /** With its line end. */
  readonly next: number;
  /** In characters. */
  readonly width: number;
}

/**
 * A text copied from a screen, without the line ends where the screen was too narrow for a value: its lines
 * are equally wide, and together they are JSON or a printed value, which they are not as they stand. Any
 * other source as it is.
 */
export function unwrapped(source: ByteSource): ByteSource {
  if (source.size > longestCopy) return source;
  const bytes = source.read(0, source.size);
  const lines = linesOf(bytes);
  if (!lines) return source;
  const width = widthOfScreen(lines);
  if (width < leastWidth) return source;
  const isFull = (line: Line | undefined): boolean =>
    line !== undefined && line.width <= width && line.width >= width - mostBlanks;
  const plain = new Segments(bytes);
  const values = new Values(Math.max(leastWaste, maxWaste * bytes.length));
  let copied = 0;
  for (let at = 0; at < lines.length && !values.isSpent; at++) {
    const first = at;
    while (isFull(lines[at])) at++;
    if (at === first) continue;
    // Somebody may have written something before the first line.
    const own = lines.slice(Math.max(0, first - 1), at + 1);
    for (const { end, next, blanks } of wrapsIn(bytes, own, width, values)) {
      plain.copy(copied, end);
      plain.write(Buffer.alloc(blanks, " "), end, next);
      copied = next;
    }
  }
  if (copied === 0) return source;
  plain.copy(copied, bytes.length);
  return rewrittenSource(source, plain, ({ bytes: own }) => own);
}

/** The lines of a text; `undefined` if one of them is wider than a screen. */
function linesOf(bytes: Buffer): Line[] | undefined {
  const lines: Line[] = [];
  for (let start = 0; start < bytes.length; ) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const next = feed < 0 ? bytes.length : feed + 1;
    // No character has more than four bytes.
    if (next - start > 4 * greatestWidth + 2) return undefined;
    const text = bytes.toString("latin1", start, next).replace(/\r?\n$/, "");
    // What continues a character of UTF-8 has no width.
    const width = text.replace(/[\x80-\xbf]+/g, "").length;
    if (width > greatestWidth) return undefined;
    lines.push({ start, end: start + text.length, next, width });
    start = next;
  }
  return lines;
}

/** The most frequent width of the longer lines; 0 if no two are equally wide. */
function widthOfScreen(lines: readonly Line[]): number {
  const counts = new Map<number, number>();
  for (const { width } of lines) if (width >= leastWidth) counts.set(width, (counts.get(width) ?? 0) + 1);
  let best = 0;
  for (const [width, count] of counts) if (count > (counts.get(best) ?? 1)) best = width;
  return best;
}

/** A line end inside a value: where the text before it ends, where it goes on, and the blanks between. */
interface Wrap {
  readonly end: number;
  readonly next: number;
  readonly blanks: number;
}

/** The line ends inside of values that are whole only without them. */
function wrapsIn(bytes: Buffer, lines: readonly Line[], width: number, values: Values): Wrap[] {
  const parts: Buffer[] = [];
  const breaks: (Wrap & { readonly at: number })[] = [];
  const prefixes = prefixesOf(bytes, lines);
  let length = 0;
  for (const [index, line] of lines.entries()) {
    const isTrimmed = line !== lines.at(-1) && line.width >= width - mostBlanks;
    const blanks = isTrimmed ? Math.max(0, width - line.width) : 0;
    const own = bytes.subarray(line.start + (prefixes[index] ?? 0), line.end);
    parts.push(own, Buffer.alloc(blanks, " "));
    length += own.length + blanks;
    breaks.push({ at: length, end: line.end, next: line.next + (prefixes[index + 1] ?? 0), blanks });
  }
  const joined = Buffer.concat(parts, length);
  const wraps: Wrap[] = [];
  let tries = 0;
  for (let at = 0; at < joined.length && tries < maxTries && !values.isSpent; at++) {
    if (joined[at] !== OPEN_OBJECT && joined[at] !== OPEN_ARRAY) continue;
    tries++;
    const end = values.endOf(joined, at);
    if (end === undefined) continue;
    const inside = breaks.filter((line) => line.at > at && line.at < end);
    const [first, last] = [inside[0], inside.at(-1)];
    if (first && last) {
      const start = first.end - (first.at - first.blanks - at);
      const stop = last.next + (end - last.at);
      if (values.endOf(bytes.subarray(start, stop), 0) !== stop - start) pushAll(wraps, inside);
    }
    at = end - 1;
  }
  return wraps;
}

/**
 * The length of what a logger puts before each line, in which only digits differ, or of the indent of all but
 * the first line of each value; for each line.
 */
function prefixesOf(bytes: Buffer, lines: readonly Line[]): readonly number[] {
  const texts = lines.map(({ start, end }) =>
    bytes.toString("latin1", start, Math.min(end, start + longestPrefix)).replaceAll(/\d/g, "0"),
  );
  // Something else may stand before the value.
  const common = commonStart(texts.slice(lines.length > 2 ? 1 : 0));
  const end = Math.max(common.lastIndexOf(" "), common.lastIndexOf("\t")) + 1;
  const prefix = common.slice(0, end);
  // Lines of one value may begin with the same word or member by chance.
  if (/[\d|\]>:]/.test(prefix) && !/["'{}]/.test(prefix))
    return lines.map((_, index) => (index > 0 ? end : 0));
  const indented = commonStart(texts.filter((text) => hangingIndent.test(text)));
  const indent = hangingIndent.exec(indented)?.[0] ?? "";
  return texts.map((text) => (text.startsWith(indent) ? indent.length : 0));
}

function commonStart([first = "", ...others]: readonly string[]): string {
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length);
}

/** Finds whole values, as long as not too much was read in vain. */
class Values {
  /** Bytes that may still be read without a value. */
  private patience: number;

  constructor(patience: number) {
    this.patience = patience;
  }

  get isSpent(): boolean {
    return this.patience <= 0;
  }

  /** The end of the JSON or of the printed value that begins here; `undefined` if it is not whole. */
  endOf(bytes: Buffer, start: number): number | undefined {
    const node = scanJson(bytes, start, bytes.length);
    if (node?.state === "complete" && isJson(bytes.toString("utf8", start, node.end))) return node.end;
    this.patience -= (node?.end ?? start) - start;
    const literal = printedLiteral(bytes, start, bytes.length, (at) => {
      this.patience -= at - start;
    });
    if (literal?.isCut) this.patience -= literal.end - start;
    return literal && literal.gaps.length === 0 ? literal.end : undefined;
  }
}
