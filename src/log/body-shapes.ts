import type { Range } from "../reading/lists.ts";
import type { Origin } from "../reading/origin.ts";
import type { ByteSource } from "../reading/source.ts";
import { fields, isFields } from "../reading/values.ts";
import { originIn } from "../reading/view.ts";
import type { PayloadCandidate } from "../traffic/candidate.ts";

/** Fewer keys stand together in other lines, too. */
const fewestKeys = 4;

/** Logs have few kinds of bodies. */
const maxShapes = 16;

/** Lines that a body is wrapped to, as far as its keys go. */
const maxWrapped = 12;

/** Places that are remembered; in a log with more, no lines are compared. */
const maxPlaces = 10_000;

/** A key or a tag in any notation of the bytes, with what stands between it and the mark before its value. */
const keys =
  /\b([A-Za-z_]\w{0,40})(?:&(?:amp;){0,3}#?\w{2,5};|\[[\d;]{0,8}m|[^\w\s:=>,]){0,6}[ \t]{0,2}(?:[:=>]|->|\xef\xbc\x9a)/g;

/**
 * What the bodies of a log look like: the keys of each kind, and where some were found. A line with the same
 * keys in which none was found holds a body in a form that no reader knows, whatever it says.
 */
export class BodyShapes {
  readonly #shapes = new Map<string, readonly string[]>();
  readonly #places: Origin[] = [];

  /** The candidates, each of which is remembered. */
  *watch(candidates: Iterable<PayloadCandidate>): Generator<PayloadCandidate> {
    for (const candidate of candidates) {
      if (this.#places.length < maxPlaces) this.#add(candidate);
      yield candidate;
    }
  }

  #add(candidate: PayloadCandidate): void {
    this.#places.push(candidate.place.origin);
    const shape = shapeOf(candidate);
    if (shape.length >= fewestKeys && this.#shapes.size < maxShapes) this.#shapes.set(shape.join(), shape);
  }

  /** The lines with all keys of a body in which none was found; something is said of the places `known`. */
  linesIn(bytes: Buffer, source: ByteSource, known: readonly Origin[]): readonly Range[] {
    if (this.#shapes.size === 0 || this.#places.length === maxPlaces) return [];
    // Places are those of the file, also where the source is one that was restored.
    const file = originIn(source, 0, 1).source;
    const places = [...this.#places, ...known].filter((place) => place.source === file);
    places.sort((a, b) => a.start - b.start);
    const found: Range[] = [];
    /** The line that a wrapped body may begin on, and how many have followed. */
    let open: { readonly start: number; count: number } | undefined;
    let next = 0;
    let reach = 0;
    for (let start = 0; start < bytes.length; ) {
      const feed = bytes.indexOf(LINE_FEED, start);
      const end = feed < 0 ? bytes.length : feed;
      const line = originIn(source, start, end);
      for (; (places[next]?.start ?? line.end) < line.end; next++)
        reach = Math.max(reach, places[next]?.end ?? 0);
      if (reach > line.start || (open && ++open.count > maxWrapped)) open = undefined;
      if (reach <= line.start) {
        if (!open && isUnclosed(bytes, start, end)) open = { start, count: 1 };
        const body = [start, open?.start].find(
          (from) => from !== undefined && this.#isBody(bytes, from, end),
        );
        if (body !== undefined) {
          found.push({ start: body, end });
          open = undefined;
        }
      }
      start = end + 1;
    }
    return found;
  }

  #isBody(bytes: Buffer, start: number, end: number): boolean {
    const text = bytes.toString("latin1", start, end).replaceAll(/\n|\\(?=_)/g, "");
    const shapes = [...this.#shapes.values()].filter((shape) => shape.every((key) => text.includes(key)));
    if (shapes.length === 0) return false;
    const own = new Set(Array.from(text.matchAll(keys), ([, key]) => key));
    return shapes.some((shape) => shape.every((key) => own.has(key)));
  }
}

const LINE_FEED = 10;

/** Whether a line opens more brackets than it closes. */
function isUnclosed(bytes: Buffer, start: number, end: number): boolean {
  let depth = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === 40 || byte === 91 || byte === 123) depth++;
    else if (byte === 41 || byte === 93 || byte === 125) depth--;
  }
  return depth > 0;
}

/** The keys of a request and of its first message, or of a reply and, if it has few, of its first member. */
function shapeOf(candidate: PayloadCandidate): readonly string[] {
  if (candidate.part === "request") {
    const { fields: own, run, historyPointer = "" } = candidate.body;
    const list = historyPointer.slice(historyPointer.lastIndexOf("/") + 1);
    const first = run && run.length > 0 ? Object.keys(fields(run.element(0).value)) : [];
    return run ? [...Object.keys(own), list, ...first] : [];
  }
  if (candidate.part !== "reply" || !isFields(candidate.value)) return [];
  const own = Object.keys(candidate.value);
  if (own.length >= fewestKeys) return own;
  const inner = Object.values(candidate.value)
    .map((value) => Object.keys(fields(Array.isArray(value) ? value[0] : value)))
    .find(({ length }) => length > 0);
  return [...own, ...(inner ?? [])];
}
