import type { ByteSource } from "./source.ts";

/**
 * A long JSON string that stays in its file until its text is needed. Tool results make up most of a session,
 * and decoding and storing them costs more than everything else that is read from it.
 */
export class LazyString {
  readonly #texts: Texts;
  readonly #start: number;
  readonly #end: number;

  /** The string between two offsets of a source, without its quotes; {@link endOfText} finds its end. */
  constructor(source: ByteSource, start: number, end: number) {
    this.#texts = textsOf(source);
    this.#start = start;
    this.#end = end;
  }

  /** The text. Throws what reading its file throws. */
  get text(): string {
    return this.#texts.at(this.#start, this.#end);
  }
}

/** Reads the lazy strings of one source. */
interface Texts {
  at(start: number, end: number): string;
}

/** Bytes to read at once: a large window while texts are requested in order, a small one after a jump. */
const windowSize = 1 << 20;
const glance = 1 << 16;

/** The newest texts are cached, between this total length in characters and twice as much. */
const maxKept = 1 << 17;

const readers = new WeakMap<ByteSource, Texts>();

function textsOf(source: ByteSource): Texts {
  let texts = readers.get(source);
  if (!texts) {
    texts = createTexts(source);
    readers.set(source, texts);
  }
  return texts;
}

function createTexts(source: ByteSource): Texts {
  /** The bytes of the source from `base` on; the first `filled` bytes are valid. */
  let window: Buffer | undefined;
  let base = 0;
  let filled = 0;
  // No text is deleted alone: a map that loses entries is copied again and again, and each old copy keeps its
  // texts alive until the next full collection.
  let newest = new Map<number, string>();
  let older = newest;
  let length = 0;
  return {
    at(start, end) {
      const known = newest.get(start) ?? older.get(start);
      if (known !== undefined) return known;
      // Includes the quotes, so that the bytes are a JSON string.
      const [from, to] = [start - 1, end + 1];
      if (!window || from < base || to > base + filled) {
        if (!window || window.length < to - from)
          window = Buffer.allocUnsafe(Math.max(to - from, Math.min(windowSize, source.size)));
        const goesOn = from >= base && from < base + filled + windowSize;
        base = from;
        filled = source.copy(goesOn ? window : window.subarray(0, Math.max(to - from, glance)), 0, from);
      }
      const written = window.toString("utf8", from - base, to - base);
      const text = written.includes("\\") ? unescaped(written) : written.slice(1, -1);
      if (length > maxKept) {
        older = newest;
        newest = new Map();
        length = 0;
      }
      newest.set(start, text);
      length += text.length;
      return text;
    },
  };
}

/** Text that is no longer JSON: the file was overwritten after the string was found. */
function unescaped(written: string): string {
  try {
    return String(JSON.parse(written));
  } catch {
    return written;
  }
}

const QUOTE = 34;

/** Longer strings are not searched for their end. */
const maxText = 1 << 24;

/** The content of a JSON string. The repeat limit bounds the stack; the search resumes where it stopped. */
const inString = /[ !#-[\]-\xff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\xff]*){0,1000}/y;

/** Bytes in the first search window; each retry is four times as long. Most texts are shorter. */
const firstLook = 1 << 15;

/**
 * The offset of the closing quote of the JSON string whose content begins at `start`. -1 when there is none
 * up to `end`, when an invalid character (control character, unknown escape) comes first, or when the string
 * is too long.
 */
export function endOfText(bytes: Buffer, start: number, end: number): number {
  const last = Math.min(end, start + maxText);
  for (let size = firstLook; ; size *= 4) {
    const stop = Math.min(last, start + size);
    const close = closingQuote(bytes.toString("latin1", start, stop));
    if (close >= 0) return start + close;
    if (stop === last) return -1;
  }
}

function closingQuote(text: string): number {
  let at = 0;
  for (;;) {
    inString.lastIndex = at;
    inString.test(text);
    if (text.charCodeAt(inString.lastIndex) === QUOTE) return inString.lastIndex;
    if (inString.lastIndex <= at) return -1;
    at = inString.lastIndex;
  }
}
