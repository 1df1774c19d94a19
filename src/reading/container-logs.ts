import type { Range } from "./lists.ts";
import { rewrittenSource } from "./rewritten-source.ts";
import { Segments } from "./segments.ts";
import type { ByteSource } from "./source.ts";
import type { SegmentWriter } from "./view.ts";

/** What a runtime of containers keeps of a line that a program wrote, in one record or in several. */
export interface KeptLine {
  readonly stream: string;
  /** The range of the text. */
  readonly start: number;
  readonly end: number;
  /** More of the line follows in the next record of its stream. */
  readonly isPart: boolean;
  /** Where something stands behind the record on its line: another one, from which a line end is missing. */
  readonly rest?: number;
}

export interface Runtime {
  /** The text in a record; `undefined` for a line that is no record. */
  lineIn(bytes: Buffer, start: number, end: number): KeptLine | undefined;
  copy(plain: Segments, bytes: Buffer, line: KeptLine): void;
  readonly write: SegmentWriter;
}

/** A record, or the range of a line that is none. */
type Taken = KeptLine | readonly [from: number, to: number];

/** What a program wrote, and the ranges of the records that the file begins and ends in. */
export interface Output {
  readonly source: ByteSource;
  readonly begun?: Range;
  readonly cut?: Range;
  /** The first of the lines between records that are none, and how many these are. */
  readonly between?: Range & { readonly count: number };
}

const LINE_FEED = 10;

/** What stands before the text in a record is shorter. */
const longestHead = 200;

/**
 * What a program wrote, as its runtime kept it; `undefined` where the log does not begin with a record
 * or the rest of one. A line of the other stream follows the one that it came into.
 */
export function outputOf(source: ByteSource, runtime: Runtime): Output | undefined {
  const bytes = source.read(0, source.size);
  const second = endOfLine(bytes, 0);
  const isBegun = !runtime.lineIn(bytes, 0, second);
  if (isBegun && !runtime.lineIn(bytes, second, endOfLine(bytes, second))) return undefined;
  const plain = new Segments(bytes);
  const waiting: Taken[] = [];
  let open: string | undefined;
  const copy = (taken: Taken): void => {
    if ("stream" in taken) runtime.copy(plain, bytes, taken);
    else plain.copy(taken[0], taken[1]);
  };
  const take = (taken: Taken): void => {
    const stream = "stream" in taken ? taken.stream : undefined;
    if (open !== undefined && stream !== open) {
      waiting.push(taken);
      return;
    }
    copy(taken);
    open = "stream" in taken && taken.isPart ? stream : undefined;
    if (open === undefined) for (const other of waiting.splice(0)) take(other);
  };
  let before = 0;
  let cut: Output["cut"];
  let between: Output["between"];
  for (let at = 0, next = 0; at < bytes.length; at = next) {
    next = endOfLine(bytes, at);
    const line = runtime.lineIn(bytes, at, next);
    take(line ?? [at, next]);
    if (line) before = at;
    else if (next === bytes.length && beginsAlike(bytes, at, before)) cut = { start: at, end: next };
    else if (at > 0 && bytes.toString("latin1", at, Math.min(next, at + longestHead)).trim() !== "")
      between = { ...(between ?? { start: at, end: next }), count: (between?.count ?? 0) + 1 };
    next = line?.rest ?? next;
  }
  for (const other of waiting) copy(other);
  return {
    source: rewrittenSource(source, plain, runtime.write),
    ...(isBegun && bytes.toString("latin1", 0, second).trim() !== "" && { begun: { start: 0, end: second } }),
    ...(cut && { cut }),
    ...(between && { between }),
  };
}

/** Whether the rest of a file is the beginning of a record like an earlier one, but for its numbers. */
function beginsAlike(bytes: Buffer, at: number, record: number): boolean {
  const form = (start: number): string =>
    bytes.toString("latin1", start, Math.min(bytes.length, start + bytes.length - at)).replace(/\d/g, "0");
  return bytes.length - at <= longestHead && form(at) === form(record);
}

function endOfLine(bytes: Buffer, at: number): number {
  const feed = bytes.indexOf(LINE_FEED, at);
  return feed < 0 ? bytes.length : feed + 1;
}
