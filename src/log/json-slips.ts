import { opensJson, pastSpace } from "../reading/json-bytes.ts";
import { jsonDefect } from "../reading/json-defect.ts";
import { looksPrinted, printedLiteral } from "../reading/literal.ts";
import { isJson } from "../reading/parse.ts";
import { skipValue } from "../reading/scan.ts";
import { type ByteSource, textStart } from "../reading/source.ts";
import { originIn } from "../reading/view.ts";
import type { Skipped } from "../traffic/container.ts";

/**
 * What is not JSON in a file that is JSON by its brackets, but was not read as such: as a text, or as the
 * records of a session in a document. Whatever else was found in it, a part of it may be lost there.
 */

/** Longer files are not searched. */
const maxSize = 64 << 20;

/** Offsets in a file. */
interface Extent {
  readonly start: number;
  readonly end: number;
}

/**
 * What is not JSON, outside of the `known` ranges; at the offsets `read` stands what was read as traffic.
 * Offsets are those of the file, also where the source is one that was restored.
 */
export function jsonSlips(
  source: ByteSource,
  known: readonly Extent[],
  read: ReadonlySet<number> = new Set(),
): Skipped[] {
  if (source.size > maxSize || source.segments) return [];
  const bytes = source.read(0, source.size);
  const start = pastSpace(bytes, textStart(bytes));
  if (!opensJson(bytes[start])) return [];
  const isRead = (at: number): boolean => read.has(originIn(source, at, at + 1).start);
  const slips = slipsInLines(bytes, start) ?? slipsInDocuments(bytes, start, isRead);
  const placed = slips.map(({ start, end, reason }) => ({ origin: originIn(source, start, end), reason }));
  return outside(known, placed);
}

/** The slips, which stand in order, that touch none of the ranges. */
function outside(ranges: readonly Extent[], slips: readonly Skipped[]): Skipped[] {
  const sorted = [...ranges].sort((a, b) => a.start - b.start);
  let next = 0;
  let reach = -1;
  return slips.filter(({ origin: { start, end } }) => {
    for (let range = sorted[next]; range && range.start < end; range = sorted[++next])
      reach = Math.max(reach, range.end);
    return reach <= start;
  });
}

type Slip = Extent & Pick<Skipped, "reason">;

/** The lines that are not JSON where most are; `undefined` where the file is not JSON lines. */
function slipsInLines(bytes: Buffer, from: number): Slip[] | undefined {
  const slips: Slip[] = [];
  let count = 0;
  for (let line = from; line < bytes.length; ) {
    const feed = bytes.indexOf(10, line);
    const end = feed < 0 ? bytes.length : feed;
    const start = pastSpace(bytes, line);
    if (start < end) {
      if (!opensJson(bytes[start])) return undefined;
      count++;
      if (!isJson(bytes.toString("utf8", start, end)) && !isPrinted(bytes, start, end))
        slips.push(slipOf(bytes, start, end));
    }
    line = end + 1;
  }
  return count > 1 && slips.length <= count / 2 ? slips : undefined;
}

/** The first slip of documents that follow each other up to the end of the file. */
function slipsInDocuments(bytes: Buffer, from: number, isRead: (at: number) => boolean): Slip[] {
  for (let start = from; start < bytes.length; ) {
    if (!opensJson(bytes[start])) return [];
    const stop = skipValue(bytes, start, bytes.length, 0);
    const end = stop < 0 ? bytes.length : stop;
    const isOther =
      looksPrinted(bytes, start, end) &&
      !hasJsonNames(bytes, start, end) &&
      (isRead(start) || isPrinted(bytes, start, end));
    if (!isOther && !isJson(bytes.toString("utf8", start, end)))
      return beginsAsJson(bytes, start) && isClosing(bytes) ? [slipOf(bytes, start, end)] : [];
    start = pastSpace(bytes, end);
    if (bytes[start] === COMMA) start = pastSpace(bytes, start + 1);
  }
  return [];
}

function slipOf(bytes: Buffer, start: number, end: number): Slip {
  const defect = jsonDefect(bytes, start, end);
  return {
    start: defect?.at ?? start,
    end: Math.max(end, (defect?.at ?? start) + 1),
    reason: `not valid JSON: ${defect?.message ?? "it is nested too deeply"}`,
  };
}

const COMMA = 44;

function isPrinted(bytes: Buffer, start: number, end: number): boolean {
  const literal = printedLiteral(bytes, start, end);
  return literal !== undefined && pastSpace(bytes, literal.end) >= end;
}

/** Whether the names of the first object have JSON's quotes: no program prints them so beside others. */
function hasJsonNames(bytes: Buffer, start: number, end: number): boolean {
  return /\{\s*(["'])/.exec(bytes.toString("latin1", start, Math.min(end, start + 4096)))?.[1] === '"';
}

function beginsAsJson(bytes: Buffer, start: number): boolean {
  // A list may begin with the slip itself: `[*,{"role":…`, or with a line of words; JSON5 has bare names.
  return /^(?:\{\s*(?:["{},[]|\w+: ?["{[])|\[\s*(?:[[{"\],]|[^[\]{}"]{1,80}\{\s*"))/.test(
    bytes.toString("latin1", start, start + 200),
  );
}

/** Whether the file ends with a bracket, as documents do and texts hardly. */
function isClosing(bytes: Buffer): boolean {
  let at = bytes.length - 1;
  while (at >= 0 && (bytes[at] ?? 0) <= 32) at--;
  return bytes[at] === 125 || bytes[at] === 93;
}
