import type { Location } from "../findings/report.ts";
import { type LineIndex, linesOf } from "../reading/origin.ts";
import type { ByteSource } from "../reading/source.ts";
import { withoutCodes } from "../reading/terminal-codes.ts";
import { credentialFragments } from "../secrets/masks.ts";
import { masked } from "./visible.ts";

/** Text on both sides of a place that is searched for credentials, so that none is cut and half shown. */
export const reach = 16 << 10;

/** The text before, in and after a place on its first line, with credentials masked unless they may show. */
export interface MaskedText {
  readonly before: string;
  readonly place: string;
  readonly after: string;
  /** There is more text before `before`. */
  readonly isCutBefore: boolean;
  /** There is more text after `after`. */
  readonly isCutAfter: boolean;
}

interface Found extends MaskedText {
  /** What of its text is part of a credential that goes on in other lines. */
  readonly fragments: readonly string[];
}

/** The text before, in and after a place on its first line, up to {@link reach} on each side. */
export function placeText(source: ByteSource, location: Location): Found | undefined {
  const { line, column, endLine, endColumn } = location;
  const index = linesOf(source);
  if (line < 1 || line > index.count) return undefined;
  const start = index.start(line);
  const end = index.end(line);
  let before: string;
  let after: string;
  let isCutBefore = false;
  let isCutAfter: boolean;
  const at = farOffset(index, location);
  if (at !== undefined) {
    before = source.read(Math.max(start, at - reach), at).toString("utf8");
    isCutBefore = at - reach > start;
    after = source.read(at, Math.min(end, at + 3 * reach)).toString("utf8");
    isCutAfter = at + 3 * reach < end;
  } else {
    const until = Math.min(end, start + 3 * (column + reach));
    const text = withoutMark(source.read(start, until).toString("utf8"));
    before = text.slice(Math.max(0, column - 1 - reach), column - 1);
    isCutBefore = column - 1 > reach;
    after = text.slice(column - 1);
    isCutAfter = until < end;
  }
  if (after.length > reach) {
    after = after.slice(0, reach);
    isCutAfter = true;
  }
  const size = endLine === line ? Math.max(0, endColumn - column) : after.length;
  if (!isCutBefore) before = before.trimStart();
  const fragments = fragmentsAt(source, line);
  return {
    fragments,
    before,
    place: after.slice(0, size),
    after: after.slice(size),
    isCutBefore,
    isCutAfter,
  };
}

/**
 * The offset of a place far along its line, if its column counts bytes: in plain ASCII, and in lines so long
 * that {@link linesOf} counts bytes. Otherwise the line must be decoded.
 */
function farOffset(index: LineIndex, { line, column }: Location): number | undefined {
  if (column <= reach) return undefined;
  // A byte order mark adds a byte but no column.
  return [0, -1]
    .map((mark) => Math.min(index.end(line), index.start(line) + column - 1 - mark))
    .find((offset) => index.at(offset).column === column);
}

/** Events of a stream within this many bytes of a line may hold the rest of its credential. */
const neighbours = 4 << 10;
/** A line that may be an event of a stream, with a fragment of a text. */
const event = /^\s*(?:data:|\{)/;

/** What a line of a stream shows of credentials that its neighbours continue. */
function fragmentsAt(source: ByteSource, line: number): string[] {
  const index = linesOf(source);
  const [start, end] = [index.start(line), index.end(line)];
  if (
    end - start > neighbours ||
    !event.test(source.read(start, Math.min(end, start + 40)).toString("latin1"))
  )
    return [];
  const around = source.read(Math.max(0, start - neighbours), Math.min(source.size, end + neighbours));
  return [...credentialFragments(around.toString("utf8"))];
}

/**
 * Text without the codes of a terminal, its credentials masked unless they may show; `fragments` are parts of
 * longer ones.
 */
export function hidden(text: string, showValues: boolean, fragments: readonly string[] = []): string {
  const plain = withoutCodes(text);
  if (showValues) return plain;
  return fragments.reduce((rest, part) => rest.replaceAll(part, "***"), maskedLine(plain));
}

/** The lines masked last, and how many: the findings of a short log show one line again and again. */
const maskedLines = new Map<string, string>();
const mostLines = 8;

function maskedLine(text: string): string {
  const known = maskedLines.get(text);
  if (known !== undefined) return known;
  const shown = masked(text);
  for (const oldest of maskedLines.keys()) {
    if (maskedLines.size < mostLines) break;
    maskedLines.delete(oldest);
  }
  maskedLines.set(text, shown);
  return shown;
}

/** Text without a byte order mark. */
export function withoutMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
