import type { Location } from "../findings/report.ts";
import { smallest } from "../reading/lists.ts";
import { linesOf } from "../reading/origin.ts";
import type { ByteSource } from "../reading/source.ts";
import { type FocusTerms, focusOf, memberStart } from "./focus.ts";
import { hidden, type MaskedText, placeText, reach, withoutMark } from "./place-text.ts";
import { masked, visible } from "./visible.ts";
import { beginning, cut, cutStart, widthOf } from "./width.ts";

/** A part of a log line, ready to print. */
export interface Excerpt {
  readonly text: string;
  /** Columns of `text` before the place. */
  readonly before: number;
  /** Columns of the place, at least 1. */
  readonly size: number;
  /** The end of the place is cut off. */
  readonly isCut: boolean;
}

/** Where reports take the lines of a log from: the log itself, or what was kept of it for a later report. */
export type LineSource = ByteSource | KeptPlaces;

/** The places of a log that reports show, without the log. */
export interface KeptPlaces {
  keptAt(location: Location): KeptPlace | undefined;
}

/** What is kept of a place, with credentials masked. Plain data. */
export interface KeptPlace extends MaskedText {
  /** Of a place with several lines: the first of them, without their common indentation. */
  readonly lines?: readonly string[];
  /** Of a place with several lines: its text on one line. */
  readonly oneLine?: { readonly text: string; readonly isCut: boolean };
}

/**
 * The line around a place, cut to `room` columns; `undefined` if the source has no such line. If the place is
 * longer, only the sought part of it is marked.
 */
export function excerptAround(
  source: LineSource,
  location: Location,
  room: number,
  showValues: boolean,
  sought?: FocusTerms,
): Excerpt | undefined {
  const whole = maskedAround(source, location, showValues);
  if (!whole) return undefined;
  const found =
    location.endLine === location.line ? narrowed(whole, room, sought && asShown(sought, showValues)) : whole;
  const { before, place, after } = visibleParts(found);
  const sizes = { before: widthOf(before), place: widthOf(place), after: widthOf(after) };
  let left = before;
  if (found.isCutBefore || sizes.before + sizes.place + sizes.after > room) {
    const isNearStart = !found.isCutBefore && sizes.before + Math.min(sizes.place, room >> 2) <= room >> 1;
    const spare = found.isCutAfter ? 0 : room - Math.max(1, sizes.place) - sizes.after;
    // A place that fits is shown whole; one that does not fit gets little context before it.
    const context = Math.min(room >> 2, sizes.place < room - 1 ? room - sizes.place - 1 : room >> 3);
    if (!isNearStart) left = cutLeft(before, Math.max(context, spare), found.isCutBefore);
  }
  return fitted(left, place, after, found.isCutAfter, room);
}

/**
 * The text of a place on one line, cut to `room` columns, without the text before it; line breaks become
 * spaces. A longer place begins with the sought part, if that would otherwise be cut off.
 */
export function joined(
  source: LineSource,
  location: Location,
  room: number,
  showValues: boolean,
  sought?: FocusTerms,
): Excerpt | undefined {
  const { line, endLine } = location;
  if (endLine === line) {
    const whole = maskedAround(source, location, showValues);
    if (!whole) return undefined;
    const found = narrowed(whole, room, sought && asShown(sought, showValues), true);
    const { before, place, after } = visibleParts(found);
    if (!found.isCutBefore && widthOf(before) + widthOf(place) + widthOf(after) <= room)
      return fitted(before, place, after, found.isCutAfter, room);
    const left = before === "" && !found.isCutBefore ? "" : "…";
    return fitted(left, place, after, found.isCutAfter, room);
  }
  const one = "keptAt" in source ? source.keptAt(location)?.oneLine : onOneLine(source, location, showValues);
  return one && fitted("", visible(one.text), "", one.isCut, room);
}

/** The text of a place with several lines, with spaces for the line breaks. */
function onOneLine(source: ByteSource, location: Location, showValues: boolean): KeptPlace["oneLine"] {
  const found = placeText(source, location);
  if (!found) return undefined;
  const { line, endLine } = location;
  const index = linesOf(source);
  let { place } = found;
  let isCut = found.isCutAfter;
  for (let next = line + 1; next <= endLine && next <= index.count && !isCut; next++) {
    place += ` ${index.text(next, 0, reach).trim()}`;
    isCut = place.length > reach && next < endLine;
  }
  return { text: hidden(place, showValues, found.fragments), isCut };
}

/** The first lines of a place with several, up to `last`: see {@link block}. */
export function linesOfPlace(
  source: LineSource,
  location: Location,
  last: number,
  room: number,
  showValues: boolean,
): string[] {
  if (!("keptAt" in source)) return block(source, location.line, last, room, showValues);
  return (source.keptAt(location)?.lines ?? []).map((text) => cut(visible(text), room));
}

/** Whole lines without their common indentation, each cut to `room` columns. */
export function block(
  source: ByteSource,
  first: number,
  last: number,
  room: number,
  showValues: boolean,
): string[] {
  return hiddenLines(source, first, last, showValues).map((text) => cut(visible(text), room));
}

function hiddenLines(source: ByteSource, first: number, last: number, showValues: boolean): string[] {
  const index = linesOf(source);
  const texts: string[] = [];
  for (let line = first; line <= Math.min(last, index.count); line++)
    texts.push(withoutMark(index.text(line, 0, reach)));
  const indents = texts
    .filter((text) => text.trim() !== "")
    .map((text) => text.length - text.trimStart().length);
  const shared = indents.length > 0 ? smallest(indents) : 0;
  return texts.map((text) => hidden(text.slice(shared), showValues));
}

/** Columns of the widest report: no more than this is kept on either side of what it shows. */
const kept = 1000;

/**
 * What a report of any width shows of a place, to be kept without the log; `undefined` if the source has no
 * such line. `last` is the last line of it that a report shows.
 */
export function keptPlace(
  source: ByteSource,
  location: Location,
  last: number,
  sought: FocusTerms,
): KeptPlace | undefined {
  const found = maskedAround(source, location, false);
  if (!found) return undefined;
  const { before, place, after, isCutBefore, isCutAfter } = found;
  const needed = (focusOf(place, asShown(sought, false))?.end ?? 0) + kept;
  const one = location.endLine > location.line ? onOneLine(source, location, false) : undefined;
  const rest = place.length > needed ? "" : after.slice(0, kept);
  return {
    before: before.slice(-kept),
    place: place.slice(0, needed),
    after: rest,
    isCutBefore: isCutBefore || before.length > kept,
    isCutAfter: isCutAfter || place.length > needed || rest.length < after.length,
    ...(one && {
      lines: hiddenLines(source, location.line, last, false).map((text) => text.slice(0, kept)),
      oneLine: { text: one.text.slice(0, kept), isCut: one.isCut || one.text.length > kept },
    }),
  };
}

/** A long place narrowed to its sought part, if that would be cut off; for a note, everything from there. */
function narrowed(
  found: MaskedText,
  room: number,
  sought: FocusTerms | undefined,
  isNote = false,
): MaskedText {
  const { before, place, after } = found;
  if (!sought || (place.length < room && widthOf(visible(place)) < room)) return found;
  const part = focusOf(place, sought);
  // The beginning is visible anyway, so the whole place is kept.
  if (!part || part.end < (isNote ? room - 1 : room - (room >> 3) - 1)) return found;
  const start = isNote ? memberStart(place, part) : part.start;
  const end = isNote ? place.length : part.end;
  return {
    ...found,
    before: before + place.slice(0, start),
    place: place.slice(start, end),
    after: place.slice(end) + after,
  };
}

/** The text around a place, masked. A credential may span two parts, so the whole is masked. */
function maskedAround(source: LineSource, location: Location, showValues: boolean): MaskedText | undefined {
  if ("keptAt" in source) return source.keptAt(location);
  const found = placeText(source, location);
  if (!found) return undefined;
  const { before, place, after, fragments, isCutBefore, isCutAfter } = found;
  const text = before + place + after;
  const whole = hidden(text, showValues, fragments);
  if (whole === text) return { before, place, after, isCutBefore, isCutAfter };
  let parts = [before, place, after].map((text) => hidden(text, showValues, fragments));
  if (parts.join("") !== whole) {
    const from = Math.min(parts[0]?.length ?? 0, whole.length);
    const to = Math.max(from, whole.length - (parts[2]?.length ?? 0));
    parts = [whole.slice(0, from), whole.slice(from, to), whole.slice(to)];
  }
  const [left = "", middle = "", right = ""] = parts;
  return { before: left, place: middle, after: right, isCutBefore, isCutAfter };
}

/** What is sought, as the text shows it. */
function asShown({ values, ...rest }: FocusTerms, showValues: boolean): FocusTerms {
  return { ...rest, values: showValues ? values : values.map((group) => group.map(masked)) };
}

function visibleParts({ before, place, after }: MaskedText): Pick<MaskedText, "before" | "place" | "after"> {
  return { before: visible(before), place: visible(place), after: visible(after) };
}

function fitted(before: string, place: string, after: string, isCut: boolean, room: number): Excerpt {
  const left = beginning(before, room - 1);
  const used = widthOf(left);
  const rest = place + after;
  const whole = isCut ? `${beginning(rest, room - used - 1)}…` : rest;
  const right = cut(whole, room - used);
  const placeSize = widthOf(place);
  const shown = right === rest ? room - used : room - used - 1;
  return {
    text: left + right,
    before: used,
    size: Math.max(1, Math.min(placeSize, shown)),
    isCut: placeSize > shown,
  };
}

function cutLeft(text: string, width: number, isCut: boolean): string {
  return isCut && widthOf(text) < width ? `…${text}` : cutStart(isCut ? `…${text}` : text, width);
}
