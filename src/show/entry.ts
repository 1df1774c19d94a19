import type picocolors from "picocolors";
import { masked, printable, printableStart, visible } from "../reporters/visible.ts";
import { cut, widthOf, wrap } from "../reporters/width.ts";
import { sizeText } from "./words.ts";

/** How a log is printed. */
export interface ShowStyle {
  readonly color: boolean;
  readonly width: number;
  /** Write credentials unmasked. */
  readonly showValues: boolean;
  /** Write whole texts instead of one line each. */
  readonly isFull: boolean;
}

/** The style with its colour functions. */
export interface Pen extends ShowStyle {
  readonly paint: ReturnType<typeof picocolors.createColors>;
}

/** Why an item is shown. */
export type Mark = "new" | "call" | "result" | "gone" | "changed" | "missing";

const signs: Readonly<Record<Mark, string>> = {
  new: " ",
  call: "▸",
  result: "◂",
  gone: "−",
  changed: "~",
  missing: "!",
};

/** Columns of the label; the text of an entry begins after them. */
export const labelWidth = 15;

/** An entry of a step: label, text (`lead` goes before the text from the log), and a remark on the right. */
export function* entry(
  pen: Pen,
  mark: Mark,
  label: string,
  text: string,
  { lead = "", right = "" }: { readonly lead?: string; readonly right?: string } = {},
): Generator<string> {
  const { cyan, green, red, yellow } = pen.paint;
  const plain = (same: string) => same;
  const color = { new: plain, call: cyan, result: green, gone: red, changed: yellow, missing: red }[mark];
  const head = `   ${signs[mark]} ${label}`.padEnd(labelWidth);
  if (!pen.isFull) {
    yield aligned(pen, head, shortened(pen, text, lead), right, color);
    return;
  }
  const room = Math.max(20, pen.width - labelWidth);
  const whole = `${lead}${text}`;
  let start = color(head);
  for (const row of (pen.showValues ? whole : masked(whole)).split("\n")) {
    const clean = visible(row.replace(/\r$/, "").replaceAll("\t", "  "));
    for (const range of wrap(clean, room)) {
      yield `${start}${clean.slice(range.start, range.end)}`.trimEnd();
      start = " ".repeat(labelWidth);
    }
  }
  if (right) yield `${" ".repeat(labelWidth)}${pen.paint.dim(cut(safe(pen, right), room))}`;
}

/** A text that may be cut: its beginning, and its total size if it is long. */
export interface Shortened {
  readonly start: string;
  readonly size?: string;
}

/** Text from a log on one line, with white space collapsed. */
function shortened(pen: Pen, text: string, lead: string): Shortened {
  // No line is wider, so the rest need not be processed.
  const limit = pen.width * 4 + 256;
  const start = safeStart(pen, `${lead}${text}`, limit);
  return text.length > limit || widthOf(start) > pen.width / 2 ? { start, size: sizeText(text) } : { start };
}

/** Columns for the remark at the right end of a line, so that some of the text stays visible. */
export function rightRoom({ width }: Pen, headWidth: number): number {
  return Math.max(8, width - headWidth - leastText - 2);
}

/** The minimum width of a line's text, if the terminal has room. */
const leastText = 10;

/** A head, a text cut to the remaining width, and a remark at the right end. */
export function aligned(
  pen: Pen,
  head: string,
  { start, size }: Shortened,
  right: string,
  color: (text: string) => string,
): string {
  const end = cut(safe(pen, right), rightRoom(pen, widthOf(head)));
  const room = pen.width - widthOf(head) - (end ? widthOf(end) + 2 : 0);
  const isWhole = widthOf(start) <= room;
  const fitted =
    isWhole || size === undefined ? cut(start, room) : `${cut(start, room - size.length - 1)} ${size}`;
  const gap = " ".repeat(Math.max(2, pen.width - widthOf(head) - widthOf(fitted) - widthOf(end)));
  return `${color(head)}${fitted}${end && `${gap}${pen.paint.dim(end)}`}`.trimEnd();
}

/** White space, including line feeds, as single spaces. */
export function singleLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Printable text from a log. */
export function safe({ showValues }: ShowStyle, text: string): string {
  return printable(text, showValues);
}

/** The first `size` characters of a text from a log, printable and on one line. */
export function safeStart({ showValues }: ShowStyle, text: string, size: number): string {
  // What follows matters only for a credential that would be cut.
  return printableStart(singleLine(text.slice(0, size + seenBehind)), size, showValues);
}

/** Credentials are looked for up to here behind a cut. */
const seenBehind = 4096;
