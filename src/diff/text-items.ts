import { printableStart } from "../reporters/visible.ts";
import { cut, widthOf } from "../reporters/width.ts";
import { aligned, labelWidth, type Pen, safe, safeStart, singleLine } from "../show/entry.ts";
import type { ShownItem } from "../show/shown.ts";
import { countText, sizeText } from "../show/words.ts";
import type { DiffedPart } from "./item-diff.ts";
import type { RowReport, SettingReport } from "./report.ts";
import { diffParts, excerptOf } from "./text-diff.ts";

/** Prints the items of a step, and what differs inside them. */

/** The maximum number of differences printed for one item. */
const shownParts = 6;
/** Values up to this length are printed side by side on one line. */
const shortPart = 28;

const signs = { same: "=", missing: "−", added: "+", changed: "~", moved: "↕", skipped: "⋮" } as const;

export function* setting(
  { setting: what, name, parts: inside, left, right }: SettingReport,
  pen: Pen,
): Generator<string> {
  const mark = left === null ? "missing" : right === null ? "added" : "changed";
  const label = name === null ? what.replace("-", " ") : `${what === "tools" ? "tool" : what} ${name}`;
  yield aligned(
    pen,
    head(mark),
    { start: safe(pen, singleLine(label)) },
    linesText(left?.line, right?.line),
    paintOf(mark, pen),
  );
  if (mark === "changed") yield* parts(inside, pen);
}

function head(mark: RowReport["mark"]): string {
  return `   ${signs[mark]} ${mark === "same" ? "" : mark}`.padEnd(labelWidth);
}

function paintOf(mark: RowReport["mark"], { paint }: Pen): (text: string) => string {
  return {
    same: paint.dim,
    missing: paint.red,
    added: paint.green,
    changed: paint.yellow,
    moved: paint.yellow,
    skipped: paint.dim,
  }[mark];
}

function linesText(left: number | undefined, right: number | undefined): string {
  return `${left === undefined ? "" : `:${left} `}↔${right === undefined ? "" : ` :${right}`}`;
}

export function* narrowRow(
  { mark, left, right, parts: inside, isKnown, count }: RowReport,
  pen: Pen,
): Generator<string> {
  if (mark === "skipped") {
    yield pen.paint.dim(`   ⋮ ${countText(count, "equal item")}`);
    return;
  }
  const item = left ?? right;
  if (!item) return;
  const remark = isKnown ? "as before  " : "";
  yield aligned(
    pen,
    head(mark),
    said(item, pen),
    `${remark}${linesText(left?.line, right?.line)}`,
    paintOf(mark, pen),
  );
  yield* parts(inside, pen);
}

/** Prints the failing item, the mark, and the passing item on one line. */
export function* wideRow(row: RowReport, pen: Pen): Generator<string> {
  const { mark, left, right, parts: inside, count } = row;
  if (mark === "skipped") {
    yield pen.paint.dim(`   ⋮ ${countText(count, "equal item")}`);
    return;
  }
  const room = Math.floor((pen.width - 9) / 2);
  const paint = paintOf(mark, pen);
  const cell = (item: ShownItem | null): string => {
    if (!item) return " ".repeat(room);
    const place = `:${item.line}`;
    const { start, size } = said(item, pen);
    const text = cut(start, room - place.length - 1 - (size ? size.length + 1 : 0));
    const whole = size && text !== start ? `${text} ${size}` : text;
    return `${whole}${" ".repeat(Math.max(1, room - widthOf(whole) - place.length))}${pen.paint.dim(place)}`;
  };
  yield `   ${cell(left)} ${paint(signs[mark])}   ${cell(right)}`.trimEnd();
  yield* parts(inside, pen);
}

function said(item: ShownItem, pen: Pen): { start: string; size?: string } {
  const own = item.kind === "message" ? item.role : item.kind;
  const words = [own, ...(item.tool === undefined ? [] : [item.tool])].join(" ");
  const text = item.text === "" ? (item.kind === "call" ? "(no arguments)" : "(no text)") : item.text;
  const limit = pen.width * 4 + 256;
  const start = safeStart(pen, `${words} ${text}`, limit);
  return text.length > limit || widthOf(start) > pen.width / 2 ? { start, size: sizeText(text) } : { start };
}

/** Prints what differs inside an item: short values on one line, long ones as excerpts below each other. */
export function* parts(all: readonly DiffedPart[], pen: Pen): Generator<string> {
  const indent = " ".repeat(labelWidth);
  for (const { name, pointer, left, right } of all.slice(0, shownParts)) {
    const path = safe(pen, `${name}${pointer}`);
    const [one, other] = [left, right].map((value) =>
      value === null ? nothingOf(name) : safe(pen, singleLine(value.slice(0, 400))) || '""',
    );
    const isShort =
      name === "answers" ||
      ([left, right].every((value) => value === null || value.length <= shortPart) &&
        !`${left}${right}`.includes("\n"));
    if (isShort && one !== undefined && other !== undefined) {
      yield cut(`${indent}${path}${path === "" ? "" : "  "}failing ${one} · passing ${other}`, pen.width);
      continue;
    }
    if (path !== "") yield cut(`${indent}${path}`, pen.width);
    const slices = diffParts(shownValue(left, pen), shownValue(right, pen));
    for (const side of ["left", "right"] as const) {
      const word = side === "left" ? "failing " : "passing ";
      const value = side === "left" ? left : right;
      yield value === null ? `${indent}${word} —` : `${indent}${word} ${emphasised(slices, side, pen)}`;
    }
  }
  if (all.length > shownParts) yield `${indent}… and ${all.length - shownParts} more differences inside`;
}

/** The text for a value that one side lacks. */
function nothingOf(part: string): string {
  return part === "form" ? "as expected" : "—";
}

/** The printable text of a value. Masked credentials look equal. */
function shownValue(value: string | null, pen: Pen): string {
  return value === null ? "" : printableStart(value, maxShown, pen.showValues);
}

/** Only this many characters of a value are compared. */
const maxShown = 200_000;

/** One side's excerpt around the difference. Without colours, brackets mark what differs. */
function emphasised(slices: ReturnType<typeof diffParts>, side: "left" | "right", pen: Pen): string {
  const room = Math.max(20, pen.width - labelWidth - 10);
  const paint = side === "left" ? pen.paint.red : pen.paint.green;
  const marks = pen.color ? 0 : 2;
  const excerpts = excerptOf(slices, side, Math.max(16, room - marks * 3));
  let left = room;
  let line = "";
  for (const { text, isOwn } of excerpts) {
    const fitted = cut(text, left - (isOwn ? marks : 0));
    if (fitted === "") break;
    left -= widthOf(fitted) + (isOwn ? marks : 0);
    line += isOwn ? (pen.color ? paint(fitted) : `[${fitted}]`) : fitted;
    if (left <= marks) break;
  }
  return line;
}
