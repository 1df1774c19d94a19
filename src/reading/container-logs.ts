import { Segments } from "./segments.ts";
import type { ByteSource } from "./source.ts";
import {
  type Inverse,
  mapThroughSegments,
  type SegmentWriter,
  segmentedView,
  sourceOver,
  wholeView,
} from "./view.ts";

/** What a runtime of containers keeps of a line that a program wrote, in one record or in several. */
export interface KeptLine {
  readonly stream: string;
  /** The range of the text. */
  readonly start: number;
  readonly end: number;
  /** More of the line follows in the next record of its stream. */
  readonly isPart: boolean;
}

export interface Runtime {
  /** The text in a record; `undefined` for a line that is no record. */
  lineIn(bytes: Buffer, start: number, end: number): KeptLine | undefined;
  copy(plain: Segments, bytes: Buffer, line: KeptLine): void;
  readonly write: SegmentWriter;
}

const LINE_FEED = 10;

/**
 * What a program wrote, as its runtime kept it; `undefined` where the log does not begin with a record. A
 * line of the other stream follows the one that it came into.
 */
export function outputOf(source: ByteSource, runtime: Runtime): ByteSource | undefined {
  const bytes = source.read(0, source.size);
  if (!runtime.lineIn(bytes, 0, endOfLine(bytes, 0))) return undefined;
  const plain = new Segments(bytes);
  const waiting: (KeptLine | readonly [from: number, to: number])[] = [];
  const copy = (line: (typeof waiting)[number]): void => {
    if ("stream" in line) runtime.copy(plain, bytes, line);
    else plain.copy(line[0], line[1]);
  };
  let open: string | undefined;
  for (let at = 0, next = 0; at < bytes.length; at = next) {
    next = endOfLine(bytes, at);
    const line = runtime.lineIn(bytes, at, next);
    if (open !== undefined && line?.stream !== open) {
      waiting.push(line ?? [at, next]);
      continue;
    }
    copy(line ?? [at, next]);
    open = line?.isPart ? line.stream : undefined;
    if (open === undefined) for (const other of waiting.splice(0)) copy(other);
  }
  for (const other of waiting) copy(other);
  const base = wholeView(source);
  const { segments, length } = plain;
  const mapPatches: Inverse["mapPatches"] = (patches) => {
    const mapped = mapThroughSegments(patches, length, segments, runtime.write);
    return "why" in mapped
      ? mapped
      : { ...mapped, patches: mapped.patches.toSorted((a, b) => a.start - b.start) };
  };
  return sourceOver({ ...segmentedView(base, plain.bytes, segments), inverse: { base, mapPatches } });
}

function endOfLine(bytes: Buffer, at: number): number {
  const feed = bytes.indexOf(LINE_FEED, at);
  return feed < 0 ? bytes.length : feed + 1;
}
