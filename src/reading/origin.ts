import { LineStarts } from "./line-starts.ts";
import { type ByteSource, textStart } from "./source.ts";

/** A range of a log file, in bytes from its start; `end` is the first byte after it. */
export interface Origin {
  readonly source: ByteSource;
  readonly start: number;
  readonly end: number;
}

/** A position as editors count it: lines and columns from 1, columns in UTF-16 units. */
export interface LineColumn {
  readonly line: number;
  readonly column: number;
}

/** Converts byte offsets of one source into lines and columns. Counts line feeds once, on first use. */
export interface LineIndex {
  at(offset: number): LineColumn;
  /** The line (from 1) that holds an offset. */
  lineAt(offset: number): number;
  /** A line (from 1) without its line end: the text from byte `from` of the line, at most `limit` bytes. */
  text(line: number, from?: number, limit?: number): string;
  /** The offset at which a line (from 1) begins, in bytes. */
  start(line: number): number;
  /** The offset at which a line (from 1) ends, in bytes, without its line end. */
  end(line: number): number;
  readonly count: number;
}

const block = 1 << 22;

/** Columns in long lines are cached at this distance in bytes, for the last `maxLines` lines. */
const stride = 1 << 14;
const maxLines = 8;

const indexes = new WeakMap<ByteSource, LineIndex>();

/** The line index of a source, cached per source. */
export function linesOf(source: ByteSource): LineIndex {
  let index = indexes.get(source);
  if (!index) {
    index = indexLines(source);
    indexes.set(source, index);
  }
  return index;
}

/** Records the line starts of a source that was just read to its end, which saves a second pass over it. */
export function keepLineStarts(source: ByteSource, starts: LineStarts): void {
  if (!indexes.has(source)) indexes.set(source, lineIndex(source, starts));
}

function indexLines(source: ByteSource): LineIndex {
  const starts = new LineStarts(source);
  starts.add(0);
  const bytes = Buffer.allocUnsafe(Math.min(block, Math.max(1, source.size)));
  for (let at = 0; at < source.size; ) {
    const count = source.copy(bytes, 0, at);
    if (count === 0) break;
    for (let feed = bytes.indexOf(10); feed >= 0 && feed < count; feed = bytes.indexOf(10, feed + 1))
      starts.add(at + feed + 1);
    at += count;
  }
  return lineIndex(source, starts);
}

function lineIndex(source: ByteSource, starts: LineStarts): LineIndex {
  const end = (line: number): number => {
    const next = starts.offset(line);
    if (next === undefined) return source.size;
    const from = starts.offset(line - 1) ?? 0;
    const tail = source.read(Math.max(from, next - 2), next);
    return tail.length === 2 && tail[0] === 13 ? next - 2 : next - 1;
  };
  /** Known columns in the lines used last, so that long lines are not counted from their start again. */
  const columns = new Map<number, { readonly offset: number; readonly column: number }[]>();
  /** The last position looked up: the next one often follows it. */
  let newest = { line: -1, offset: 0, column: 0 };
  const columnIn = (line: number, from: number, offset: number): number => {
    // To count a few bytes again costs less than to remember where they end.
    if (offset - from <= shortLine) return source.read(from, offset).toString("utf8").length;
    const marks = columns.get(line) ?? [{ offset: from, column: 0 }];
    columns.delete(line);
    columns.set(line, marks);
    if (columns.size > maxLines) columns.delete(columns.keys().next().value as number);
    const count = (start: number, end: number): number => source.read(start, end).toString("utf8").length;
    let last = marks.at(-1) as { readonly offset: number; readonly column: number };
    while (last.offset + stride < offset) {
      const at = characterAt(source, last.offset + stride);
      if (at > offset) break;
      last = { offset: at, column: last.column + count(last.offset, at) };
      marks.push(last);
    }
    const mark = marks.findLast((each) => each.offset <= offset) ?? last;
    const isNewest = newest.line === line && newest.offset <= offset && newest.offset > mark.offset;
    const near = isNewest ? newest : mark;
    const column = near.column + count(near.offset, offset);
    if (characterAt(source, offset) === offset) newest = { line, offset, column };
    return column;
  };
  return {
    count: starts.count,
    start: (line) => starts.offset(line - 1) ?? source.size,
    end,
    at(offset) {
      const { index: line, start: from } = starts.lineAt(offset);
      // Columns in very long lines are byte offsets: decoding megabytes for one number is not worth it.
      const column = offset - from > block ? offset - from : columnIn(line, from, offset);
      return {
        line: line + 1,
        column: column + 1 - (line === 0 && startsWithMark(source) && column > 0 ? 1 : 0),
      };
    },
    lineAt: (offset) => starts.lineAt(offset).index + 1,
    text(line, from = 0, limit = block) {
      const begin = (starts.offset(line - 1) ?? source.size) + from;
      return source.read(begin, Math.min(end(line), begin + limit)).toString("utf8");
    },
  };
}

const shortLine = 256;

/** The first character boundary at or after an offset. Text can only be decoded from such a boundary. */
function characterAt(source: ByteSource, offset: number): number {
  const bytes = source.read(offset, offset + 4);
  const first = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return offset + Math.max(0, first);
}

/** Editors do not count a byte order mark as a column. */
function startsWithMark(source: ByteSource): boolean {
  return textStart(source.read(0, 3)) > 0;
}
