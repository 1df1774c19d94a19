import { isCrowd, maxCrowd } from "./crowds.ts";
import { type EscapeLevel, plainText } from "./escapes.ts";
import type { JsonNode } from "./json-node.ts";
import { holdsCrowd, readValue } from "./json-values.ts";
import { append, emptyList, pushAll } from "./lists.ts";
import type { Mutable } from "./mutable.ts";
import { parseJson } from "./parse.ts";
import { mayRepeatKey } from "./repeated-keys.ts";
import { scanJson, skipValue } from "./scan.ts";
import type { Element, RunPool, SharedRun } from "./shared-run.ts";

/**
 * Shares structure between histories. A request repeats all earlier turns, so a log of n turns holds n²
 * elements, each of which is parsed once: the bytes of a history are compared with the newest histories of
 * the last conversations, equal bytes give the same element objects, and only the rest is parsed.
 */

interface Remembered {
  bytes: Buffer;
  length: number;
  readonly level: EscapeLevel;
  elements: Element[];
  starts: number[];
  ends: number[];
  /** Element indexes by size in bytes, made on first use. */
  bySize: Map<number, number[]> | undefined;
}

/** How many histories are remembered: interleaved conversations, sub-agents. */
const maxHistories = 8;
const maxStable = 6;
/** Shorter values are cheaper to parse than to remember. */
const minStable = 128;

/**
 * A pool for one file. `areKept`: the scanned bytes stay as they are, so histories are remembered without a
 * copy; a document of one request may be a hundred megabytes.
 */
export function createPool({ areKept = false } = {}): RunPool {
  const histories: Remembered[] = [];
  const stables = new Map<string, { bytes: Buffer; level: EscapeLevel; value: unknown; isLax: boolean }[]>();

  return {
    scanRun(bytes, at, end, level, shift) {
      let best: Remembered | undefined;
      let common = 0;
      for (const candidate of histories) {
        if (candidate.level !== level) continue;
        const length = commonPrefix(candidate.bytes, 0, candidate.length, bytes, at, end);
        if (length > common) [best, common] = [candidate, length];
      }
      const knownLength = best?.elements.length ?? 0;
      const found = best
        ? reread(best, common, bytes, at, end, level)
        : readElements(bytes, at, end, level, { elements: [], starts: [], ends: [] });
      if (!found) return undefined;
      const { elements, starts, ends, stop, state, brokenAt, crowdedAt, laxAt } = found;
      const length = elements.length;
      const reused = best ? found.reused : 0;
      if (length > 0 && (stop - at >= minStable || length > 1)) {
        const isSameConversation = best !== undefined && reused > 0 && reused * 2 >= knownLength;
        const kept = isSameConversation && best ? best : undefined;
        const entry = kept ?? {
          bytes: Buffer.alloc(0),
          length: 0,
          level,
          elements,
          starts,
          ends,
          bySize: undefined,
        };
        if (areKept) {
          entry.bytes = bytes.subarray(at, stop);
          entry.length = stop - at;
        } else remember(entry, kept ? Math.min(common, kept.length) : 0, bytes, at, stop);
        entry.elements = elements;
        entry.starts = starts;
        entry.ends = ends;
        entry.bySize = undefined;
        const place = histories.indexOf(entry);
        if (place >= 0) histories.splice(place, 1);
        histories.unshift(entry);
        if (histories.length > maxHistories) histories.pop();
      }
      const run = new PooledRun({ elements, starts, ends, length, state, level }, at + shift, stop + shift);
      if (brokenAt !== undefined) run.brokenAt = brokenAt + shift;
      if (crowdedAt !== undefined) run.crowdedAt = crowdedAt + shift;
      if (laxAt !== undefined) run.laxAt = laxAt + shift;
      return { run, end: stop };
    },

    findStable(key, bytes, at, end, level) {
      for (const stable of stables.get(key) ?? []) {
        const stop = at + stable.bytes.length;
        if (stable.level !== level || stop > end) continue;
        if (stable.bytes.compare(bytes, at, stop) === 0)
          return { value: stable.value, isLax: stable.isLax, end: stop };
      }
      return undefined;
    },

    keepStable(key, bytes, at, end, level) {
      if (end - at < minStable) return undefined;
      const lax: true[] = [];
      const value = parsed(bytes, at, end, level, () => lax.push(true));
      if (value === undefined) return undefined;
      const isLax = lax.length > 0;
      const list = stables.get(key) ?? [];
      list.unshift({ bytes: Buffer.from(bytes.subarray(at, end)), level, value, isLax });
      if (list.length > maxStable) list.pop();
      stables.set(key, list);
      return { value, isLax, end };
    },
  };
}

/** The elements that a history had when it was read; the lists may grow with later histories. */
interface ReadElements {
  readonly elements: readonly Element[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly length: number;
  readonly state: "complete" | "open";
  readonly level: EscapeLevel;
}

// Every request keeps its run, and closures or a getter in a literal would take several times its memory.
class PooledRun implements SharedRun {
  readonly length: number;
  readonly arrayStart: number;
  readonly arrayEnd: number;
  readonly level: EscapeLevel;
  readonly state: "complete" | "open";
  brokenAt?: number;
  crowdedAt?: number;
  laxAt?: number;
  readonly #elements: readonly Element[];
  readonly #starts: readonly number[];
  readonly #ends: readonly number[];

  constructor(
    { elements, starts, ends, length, state, level }: ReadElements,
    arrayStart: number,
    arrayEnd: number,
  ) {
    this.length = length;
    this.arrayStart = arrayStart;
    this.arrayEnd = arrayEnd;
    this.level = level;
    this.state = state;
    this.#elements = elements;
    this.#starts = starts;
    this.#ends = ends;
  }

  element(index: number): Element {
    return this.#elements[index] as Element;
  }

  start(index: number): number {
    return this.arrayStart + (this.#starts[index] ?? 0);
  }

  end(index: number): number {
    return this.arrayStart + (this.#ends[index] ?? 0);
  }

  get flaws(): readonly number[] {
    return flawsAmong(this.#elements, this.length);
  }
}

/** The flawed elements of a list; lists grow, and each element is looked at once. */
const flawed = new WeakMap<readonly Element[], { upTo: number; readonly flaws: number[] }>();

function flawsAmong(elements: readonly Element[], length: number): readonly number[] {
  // To look at a short list again costs less than to remember it.
  if (elements.length <= shortList) return flawsIn(elements, 0, length);
  const seen = flawed.get(elements) ?? { upTo: 0, flaws: [] };
  pushAll(seen.flaws, flawsIn(elements, seen.upTo, elements.length));
  seen.upTo = elements.length;
  flawed.set(elements, seen);
  return seen.flaws.length === 0 ? seen.flaws : seen.flaws.filter((index) => index < length);
}

const shortList = 16;

function flawsIn(elements: readonly Element[], from: number, to: number): readonly number[] {
  let flaws: readonly number[] = emptyList;
  for (let index = from; index < to; index++) {
    const { isBroken, isLax, isCrowd: hasCrowd, mayRepeatKey } = elements[index] as Element;
    if (isBroken || isLax || hasCrowd || mayRepeatKey) flaws = append(flaws, index);
  }
  return flaws;
}

/** Stores the bytes of a history for the next comparison; copies only what differs. */
function remember(entry: Remembered, common: number, bytes: Buffer, at: number, stop: number): void {
  const length = stop - at;
  if (entry.bytes.length < length) {
    const grown = Buffer.allocUnsafe(Math.max(4096, length + (length >> 1)));
    entry.bytes.copy(grown, 0, 0, common);
    entry.bytes = grown;
  }
  bytes.copy(entry.bytes, common, at + common, stop);
  entry.length = length;
}

interface Found {
  elements: Element[];
  starts: number[];
  ends: number[];
  stop: number;
  state: "complete" | "open";
  reused: number;
  /** See {@link SharedRun}; offsets in the bytes. */
  brokenAt?: number;
  crowdedAt?: number;
  laxAt?: number;
}

/** Reads an array that is mostly known: reuses runs of equal bytes, parses single elements between them. */
function reread(
  known: Remembered,
  common: number,
  bytes: Buffer,
  at: number,
  end: number,
  level: EscapeLevel,
): Found | undefined {
  const first = countWithin(known.ends, common);
  const { elements, starts, ends } = known;
  if (first < elements.length) {
    const before = {
      elements: elements.slice(0, first),
      starts: starts.slice(0, first),
      ends: ends.slice(0, first),
    };
    return readElements(bytes, at, end, level, before, known, first);
  }
  // A pure extension grows the same arrays: older runs look only at their own length.
  const found = readElements(bytes, at, end, level, known, undefined, first);
  if (!found) {
    for (const list of [elements, starts, ends]) list.length = first;
    flawed.delete(elements);
  }
  return found;
}

function readElements(
  bytes: Buffer,
  at: number,
  end: number,
  level: EscapeLevel,
  before: Pick<Remembered, "elements" | "starts" | "ends">,
  known?: Remembered,
  reusedBefore = 0,
): Found | undefined {
  // Most histories of short logs have one element, and a first push would reserve room for sixteen.
  let { elements, starts, ends } = before;
  let reused = reusedBefore;
  let position = ends.length > 0 ? at + (ends[ends.length - 1] ?? 0) : at + 1;
  let expectsValue = ends.length === 0;
  let isFirst = ends.length === 0;
  let laxAt: number | undefined;
  const found = (stop: number, state: Found["state"], brokenAt?: number): Found => ({
    elements,
    starts,
    ends,
    stop,
    state,
    reused,
    ...(brokenAt !== undefined && { brokenAt }),
    ...(laxAt !== undefined && { laxAt }),
  });
  for (;;) {
    position = stepSpace(bytes, position, end, level);
    const byte = bytes[position];
    if (position >= end || byte === undefined) return found(end, "open");
    if (byte === 93) {
      if (expectsValue && !isFirst) laxAt ??= position;
      return found(position + 1, "complete");
    }
    if (byte === 44) {
      if (expectsValue) laxAt ??= position;
      position++;
      expectsValue = true;
      continue;
    }
    if (!expectsValue) return undefined;
    if (isCrowd(elements.length, position - at))
      return { ...found(skipRest(bytes, at, end, level), "complete"), crowdedAt: position };
    // A history is an array of objects. Sloppy Responses input contains bare strings, and a client may lose
    // an item to null. Dots replace elements that were left out.
    const isUsual = byte === 123 || byte === 34 || byte === 92;
    const isGap = byte === 46 || byte === 0xe2;
    if (isGap || (!isUsual && elements.length === 0)) return undefined;
    const stop = skipValue(bytes, position, end, level);
    if (!isUsual && (stop < 0 || parsed(bytes, position, stop, level) === undefined)) {
      return found(skipRest(bytes, at, end, level), "complete", position);
    }
    if (stop < 0) return found(end, "open");
    const size = stop - position;
    const same = known ? findSame(known, bytes, position, size) : -1;
    if (known && same >= 0) {
      const offset = position - at - (known.starts[same] ?? 0);
      const from = known.starts[same] ?? 0;
      const length = commonPrefix(known.bytes, from, known.length, bytes, position, end);
      for (
        let index = same;
        index < known.elements.length && (known.ends[index] ?? 0) <= from + length;
        index++
      ) {
        elements = append(elements, known.elements[index] as Element);
        starts = append(starts, (known.starts[index] ?? 0) + offset);
        ends = append(ends, (known.ends[index] ?? 0) + offset);
        reused++;
      }
    } else {
      let isLax = false;
      const onLax = (): void => {
        isLax = true;
      };
      const crowd = size > maxCrowd ? crowdIn(bytes, position, stop, level) : undefined;
      const text = crowd ? undefined : plainText(bytes, position, stop, level);
      const value =
        text === undefined
          ? crowd && readValue(bytes, crowd, level, onLax)
          : (parseJson(text) ?? parsed(bytes, position, stop, level, onLax));
      const element: Mutable<Element> = { value, size, isBroken: value === undefined, decoded: undefined };
      if (crowd) element.isCrowd = true;
      if (isLax && value !== undefined) element.isLax = true;
      if (text !== undefined && mayRepeatKey(text, value)) element.mayRepeatKey = true;
      if (level === 0 && text !== undefined && !text.includes("\\u")) element.isWellFormed = true;
      elements = append(elements, element);
      starts = append(starts, position - at);
      ends = append(ends, stop - at);
    }
    position = at + (ends[ends.length - 1] ?? 0);
    expectsValue = false;
    isFirst = false;
  }
}

/** The structure of an element in which a list has too many entries for its size. */
function crowdIn(bytes: Buffer, start: number, stop: number, level: EscapeLevel): JsonNode | undefined {
  const node = scanJson(bytes, start, stop, level);
  return node?.state === "complete" && node.end === stop && holdsCrowd(node) ? node : undefined;
}

function skipRest(bytes: Buffer, at: number, end: number, level: EscapeLevel): number {
  const stop = skipValue(bytes, at, end, level);
  return stop < 0 ? end : stop;
}

/** The index of a known element with these bytes, or -1. */
function findSame(known: Remembered, bytes: Buffer, at: number, size: number): number {
  if (!known.bySize) {
    known.bySize = new Map();
    for (let index = 0; index < known.elements.length; index++) {
      const length = (known.ends[index] ?? 0) - (known.starts[index] ?? 0);
      const list = known.bySize.get(length);
      if (list) list.push(index);
      else known.bySize.set(length, [index]);
    }
  }
  for (const index of known.bySize.get(size) ?? []) {
    const from = known.starts[index] ?? 0;
    if (known.bytes.compare(bytes, at, at + size, from, from + size) === 0) return index;
  }
  return -1;
}

function stepSpace(bytes: Buffer, from: number, end: number, level: EscapeLevel): number {
  let at = from;
  while (at < end) {
    const byte = bytes[at];
    if (byte === 32 || byte === 10 || byte === 13 || byte === 9) at++;
    else if (byte === 92 && level > 0) {
      let next = at;
      while (bytes[next] === 92) next++;
      const letter = bytes[next];
      if (next - at !== 2 ** (level - 1) || (letter !== 110 && letter !== 114 && letter !== 116)) return at;
      at = next + 1;
    } else return at;
  }
  return at;
}

function parsed(bytes: Buffer, start: number, end: number, level: EscapeLevel, onLax?: () => void): unknown {
  const value = parseJson(plainText(bytes, start, end, level));
  if (value !== undefined) return value;
  onLax?.();
  const node = scanJson(bytes, start, end, level);
  return node?.state === "complete" && node.end === end ? readValue(bytes, node, level) : undefined;
}

/** How many of the ascending `ends` are at most `limit`. */
function countWithin(ends: readonly number[], limit: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The length of the common prefix of two ranges. Compares growing blocks, then bisects the last one. */
export function commonPrefix(
  a: Buffer,
  aStart: number,
  aEnd: number,
  b: Buffer,
  bStart: number,
  bEnd: number,
): number {
  const most = Math.min(aEnd - aStart, bEnd - bStart);
  let done = 0;
  let size = 64;
  while (done < most) {
    const step = Math.min(size, most - done);
    if (a.compare(b, bStart + done, bStart + done + step, aStart + done, aStart + done + step) !== 0) {
      let low = 0;
      let high = step;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        const differs =
          a.compare(
            b,
            bStart + done + low,
            bStart + done + middle,
            aStart + done + low,
            aStart + done + middle,
          ) !== 0;
        if (differs) high = middle;
        else low = middle;
      }
      return done + low;
    }
    done += step;
    size = Math.min(size * 4, 1 << 20);
  }
  return done;
}
