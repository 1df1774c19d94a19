import { lineEnd, type ScalarWriter } from "./scalar-writer.ts";

const TAB = 9;
const LF = 10;
const SPACE = 32;
const GREATER = 62;

interface BlockLine {
  readonly start: number;
  /** Offset after the indentation. */
  readonly content: number;
  /** Offset before the line end. */
  readonly end: number;
  readonly feed: number;
}

/** Decodes literal and folded blocks. @see https://yaml.org/spec/1.2.2/#81-block-scalar-styles */
export function decodeYamlBlock(raw: Buffer, parentIndent: number, writer: ScalarWriter): void {
  const { isFolded, chomp, indicator, start } = blockHeader(raw);
  const lines = blockLines(raw, start);
  let last = lines.findLastIndex((line) => line.content < line.end) + 1;
  if (last === 0) {
    if (chomp === "+" && lines.length > 0) writer.text("\n".repeat(Math.max(1, lines.length - 1)), start);
    return;
  }
  const first = lines.findIndex((line) => line.content < line.end);
  const { start: begin, content } = lines[first] as BlockLine;
  const trim = indicator === 0 ? content - begin : parentIndent + indicator;
  // Trailing blank lines that are indented further than the text belong to it.
  last = Math.max(last, lines.findLastIndex((line) => line.content - line.start > trim) + 1);

  const from = (line: BlockLine): number => Math.min(line.start + trim, line.content);
  for (const line of lines.slice(0, first)) {
    writer.raw(from(line), line.content);
    writer.raw(line.feed, line.feed + 1);
  }
  const body = lines.slice(first, last);
  if (isFolded) writeFolded(raw, body, trim, from, writer);
  else writeLiteral(body, from, writer);
  const end = body.at(-1) as BlockLine;
  if (chomp === "+") {
    let feed = end.feed;
    for (const line of lines.slice(last)) {
      writer.raw(feed, feed + 1);
      writer.raw(from(line), line.content);
      feed = line.feed;
    }
    if (!writer.endsWithFeed()) writer.text("\n", end.end);
  } else if (chomp === "") {
    if (end.feed < raw.length) writer.raw(end.feed, end.feed + 1);
    else writer.text("\n", end.end);
  }
}

/** The indentation of a block's lines; `undefined` if it holds no text. */
export function blockIndent(raw: Buffer, parentIndent: number): number | undefined {
  const { indicator, start } = blockHeader(raw);
  const first = blockLines(raw, start).find((line) => line.content < line.end);
  return first && (indicator === 0 ? first.content - first.start : parentIndent + indicator);
}

function writeLiteral(
  lines: readonly BlockLine[],
  from: (line: BlockLine) => number,
  writer: ScalarWriter,
): void {
  for (const [place, line] of lines.entries()) {
    writer.raw(from(line), line.end);
    if (place < lines.length - 1) writer.raw(line.feed, line.feed + 1);
  }
}

/** Joins lines by spaces, except around blank lines and lines that are indented further. */
function writeFolded(
  raw: Buffer,
  lines: readonly BlockLine[],
  trim: number,
  from: (line: BlockLine) => number,
  writer: ScalarWriter,
): void {
  let separator = "";
  let wasIndented = false;
  let feed = 0;
  for (const line of lines) {
    if (line.content - line.start > trim || raw[line.content] === TAB) {
      if (separator === " ") separator = "\n";
      else if (!wasIndented && separator === "\n") separator = "\n\n";
      writer.text(separator, feed);
      writer.raw(from(line), line.end);
      separator = "\n";
      wasIndented = true;
    } else if (line.content < line.end) {
      writer.text(separator, feed);
      writer.raw(line.content, line.end);
      separator = " ";
      wasIndented = false;
    } else if (separator === "\n") {
      writer.text("\n", feed);
    } else {
      separator = "\n";
    }
    feed = line.feed;
  }
}

function blockHeader(raw: Buffer): { isFolded: boolean; chomp: string; indicator: number; start: number } {
  const feed = raw.indexOf(LF);
  const start = feed < 0 ? raw.length : feed + 1;
  const [flags = ""] = /^[0-9+-]*/.exec(raw.toString("latin1", 1, Math.min(start, 8))) ?? [];
  return {
    isFolded: raw[0] === GREATER,
    chomp: /[+-]/.exec(flags)?.[0] ?? "",
    indicator: Number(/[1-9]/.exec(flags)?.[0] ?? 0),
    start,
  };
}

function blockLines(raw: Buffer, from: number): BlockLine[] {
  const lines: BlockLine[] = [];
  if (from >= raw.length) return lines;
  let start = from;
  for (;;) {
    const found = raw.indexOf(LF, start);
    const feed = found < 0 ? raw.length : found;
    let content = start;
    while (content < feed && raw[content] === SPACE) content++;
    lines.push({ start, content, end: lineEnd(raw, content, feed), feed });
    if (found < 0) return lines;
    start = feed + 1;
  }
}
