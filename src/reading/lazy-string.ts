import type { ByteSource } from "./source.ts";

/**
 * A long JSON string that stays where it stands in its file, and is read when somebody asks for it: most of a session are results of
 * tools, which take longer to decode and to keep than all that has to be known of them.
 */
export class LazyString {
  readonly #texts: Texts;
  readonly #start: number;
  readonly #end: number;

  /** The string between two offsets of a source, without its quotes; {@link endOfText} has found its end. */
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

/** Reads the held texts of one source. */
interface Texts {
  at(start: number, end: number): string;
}

/** Whoever goes through a log asks for text after text, so that much more is read than the one that is asked for; a little more elsewhere. */
const windowSize = 1 << 20;
const glance = 1 << 16;

/** Texts are kept while they and those asked for after them are not longer than so many characters: of most logs, all are. */
const maxKept = 1 << 20;

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
  /** The bytes of the source from `base` on, up to `filled`. */
  let window: Buffer | undefined;
  let base = 0;
  let filled = 0;
  const kept = new Map<number, string>();
  let length = 0;
  return {
    at(start, end) {
      const known = kept.get(start);
      if (known !== undefined) return known;
      // With its quotes, it is read as it stands.
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
      kept.set(start, text);
      length += text.length;
      for (const [oldest, { length: own }] of kept) {
        if (length <= maxKept) break;
        kept.delete(oldest);
        length -= own;
      }
      return text;
    },
  };
}

/** What is no JSON any more was written over since it was found. */
function unescaped(written: string): string {
  try {
    return String(JSON.parse(written));
  } catch {
    return written;
  }
}

const QUOTE = 34;

/** No longer string is looked at. */
const maxText = 1 << 24;

/** What may stand in a JSON string, read byte for byte. The number keeps what the search remembers small: it goes on where it stopped. */
const inString = /[ !#-[\]-\xff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\xff]*){0,1000}/y;

/** So many bytes are looked at first, since most texts are no longer, and many may stand in one line; then four times as many. */
const firstLook = 1 << 15;

/**
 * Where the JSON string ends whose first character is at `start`: the offset of its closing quote. -1 where the bytes up to `end` hold
 * none, or something that no string may hold (a control character, an unknown escape), and where the string is too long.
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
