import type { EscapeLevel } from "./escapes.ts";

/** One element of a history array. The same bytes in a later request are usually the same object. */
export interface Element {
  readonly value: unknown;
  /** The value with {@link LazyString}s in place of long texts; absent where `value` was read in full. */
  readonly outline?: unknown;
  /** Length in bytes as written. */
  readonly size: number;
  /** The bytes are not JSON: the value is `undefined`. */
  readonly isBroken: boolean;
  /** The bytes are not quite JSON, but were read all the same: a trailing comma, a word of Python. */
  readonly isLax?: boolean;
  /** A list in it has too many entries for its size; `value` holds the first of them. */
  readonly isCrowd?: boolean;
  /** It is JSON with more keys than its value: one may stand twice in an object. */
  readonly mayRepeatKey?: boolean;
  /** No text in it has half a character: it escapes none. Absent where nobody looked. */
  readonly isWellFormed?: boolean;
  /** What a protocol decoded it to; cached here because elements are shared. */
  decoded?: unknown;
}

/** The history array of one request. Offsets of elements count from the array's opening bracket. */
export interface SharedRun {
  readonly length: number;
  element(index: number): Element;
  /** Where an element begins and ends, in bytes of the view. */
  start(index: number): number;
  end(index: number): number;
  /** Where the array begins and ends, in bytes of the view. */
  readonly arrayStart: number;
  readonly arrayEnd: number;
  readonly level: EscapeLevel;
  readonly state: "complete" | "open";
  /** The elements with a flaw, or with a key that may stand twice, by index; absent if nobody looked. */
  readonly flaws?: readonly number[];
  /** Where something that is not a value ended the reading, in bytes of the view: the rest was left out. */
  readonly brokenAt?: number;
  /** Where the reading ended because the list has too many elements for its size, in bytes of the view. */
  readonly crowdedAt?: number;
  /** Where a comma has no value before it or behind it, in bytes of the view. */
  readonly laxAt?: number;
}

export interface Stable {
  readonly value: unknown;
  /** See {@link Element}. */
  readonly isLax: boolean;
  readonly end: number;
}

export interface RunPool {
  /** Reads the array at `at`; `undefined` when it is not an array of values. */
  scanRun(
    bytes: Buffer,
    at: number,
    end: number,
    level: EscapeLevel,
    shift: number,
  ): { run: SharedRun; end: number } | undefined;
  /** The value of this key if the same bytes were read before. */
  findStable(key: string, bytes: Buffer, at: number, end: number, level: EscapeLevel): Stable | undefined;
  keepStable(key: string, bytes: Buffer, at: number, end: number, level: EscapeLevel): Stable | undefined;
}
