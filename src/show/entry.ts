import type picocolors from "picocolors";
import { masked, printable, visible } from "../reporters/visible.ts";
import { cut, widthOf, wrap } from "../reporters/width.ts";
import { sizeText } from "./words.ts";

/** How a log is printed. */
export interface ShowStyle {
  readonly color: boolean;
  readonly width: number;
  /** Write credentials as they are. */
  readonly showValues: boolean;
  /** Write texts to their end instead of one line each. */
  readonly isFull: boolean;
}

/** What everything is printed with. */
export interface Pen extends ShowStyle {
  readonly paint: ReturnType<typeof picocolors.createColors>;
}

/** What has to be said about an item beside what it is. */
export type Mark = "new" | "call" | "result" | "gone" | "changed" | "missing";

const signs: Readonly<Record<Mark, string>> = {
  new: " ",
  call: "▸",
  result: "◂",
  gone: "−",
  changed: "~",
  missing: "!",
};

/** Columns of the label; the text of an entry begins behind them. */
export const labelWidth = 15;

/**
 * An entry of a step: what it is, what it says (`lead` before the text from the log), and on the right what
 * else is to be known.
 */
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
    for (const stretch of wrap(clean, room)) {
      yield `${start}${clean.slice(stretch.start, stretch.end)}`.trimEnd();
      start = " ".repeat(labelWidth);
    }
  }
  if (right) yield `${" ".repeat(labelWidth)}${pen.paint.dim(cut(safe(pen, right), room))}`;
}

/** A text that may be cut: its beginning, and how large the whole is, where that is worth saying. */
export interface Shortened {
  readonly start: string;
  readonly size?: string;
}

/** Text from a log on one line: white space is one space. */
function shortened(pen: Pen, text: string, lead: string): Shortened {
  // What stands behind the widest line is not even looked at.
  const limit = pen.width * 4 + 256;
  const start = safe(pen, singleLine(`${lead}${text.slice(0, limit)}`));
  return text.length > limit || widthOf(start) > pen.width / 2 ? { start, size: sizeText(text) } : { start };
}

/** Columns that something at the right end of a line may take, so that some of the text is still seen. */
export function rightRoom({ width }: Pen, headWidth: number): number {
  return Math.max(8, width - headWidth - leastText - 2);
}

/** Columns that the text of a line has at least, where the terminal has them. */
const leastText = 10;

/** A head, a text cut to the room that is left, and something at the right end of the line. */
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

/** White space, also line feeds, as single spaces. */
export function singleLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Text from a log as it may be printed. */
export function safe({ showValues }: ShowStyle, text: string): string {
  return printable(text, showValues);
}
