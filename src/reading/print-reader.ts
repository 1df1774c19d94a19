import type { Dialect, PrintedLiteral } from "./printed-literal.ts";
import { Segments } from "./segments.ts";

/** Members that are objects, also where they are empty: some languages print an empty list alike. */
export const isObject =
  /^(?:input|arguments|args|parameters|properties|metadata|options|(?:generation|tool|thinking|inference)_?config)$/i;

/** The bracket that closes another. */
export const closers: Readonly<Record<string, string>> = { "[": "]", "{": "}", "(": ")" };

/**
 * The brackets of texts without quotes, which tell where such a text ends as long as all are in pairs. Those
 * that are never closed are remembered: whatever text has one of them would be searched up to the same place.
 */
class TextBrackets {
  readonly #unclosed: Set<number>;
  #open: { readonly at: number; readonly closer: string }[] = [];

  constructor(bytes: Buffer, end: number) {
    this.#unclosed = end < bytes.length ? new Set() : (unclosedIn.get(bytes) ?? new Set());
    if (end >= bytes.length) unclosedIn.set(bytes, this.#unclosed);
  }

  get areClosed(): boolean {
    return this.#open.length === 0;
  }

  beginText(): void {
    this.#open = [];
  }

  /** Takes the next character of a text; false where its brackets are not in pairs. */
  take(character: string, at: number): boolean {
    const closer = closers[character];
    if (closer !== undefined) {
      if (this.#unclosed.has(at)) return this.giveUp();
      this.#open.push({ at, closer });
    } else if (character === "]" || character === "}" || character === ")") {
      if (this.#open.at(-1)?.closer !== character) return this.giveUp();
      this.#open.pop();
    }
    return true;
  }

  /** Remembers the open brackets, up to an offset. */
  giveUp(to = Number.POSITIVE_INFINITY): false {
    for (const { at } of this.#open) if (at < to) this.#unclosed.add(at);
    return false;
  }
}

/** Many values may be tried in the same bytes, up to their end. */
const unclosedIn = new WeakMap<Buffer, Set<number>>();

/** The longest text of a member, in bytes. */
export const maxText = 64 << 10;

/** Reads a value in a printed notation, and writes the equivalent JSON as it goes. */
export abstract class PrintReader {
  /** The current offset: in the end behind the value, or where reading failed. */
  at: number;
  /** The bytes ended inside the value. */
  protected isCut = false;
  protected readonly bytes: Buffer;
  protected readonly end: number;
  protected readonly json: Segments;
  protected readonly brackets: TextBrackets;

  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
    this.json = new Segments(bytes);
    this.brackets = new TextBrackets(bytes, end);
  }

  /** What was read. */
  protected literalOf(dialect: Dialect): PrintedLiteral {
    const { at: end, isCut, json } = this;
    return { bytes: json.bytes, segments: json.segments, end, isCut, dialect, gaps: [] };
  }

  /** Writes JSON for the next `width` bytes, and steps over them. */
  protected write(json: string, width: number): true {
    this.json.write(json, this.at, this.at + width);
    this.at += width;
    return true;
  }

  protected cut(): true {
    this.isCut = true;
    return true;
  }

  protected space(): void {
    while (this.at < this.end && /\s/.test(this.byte())) this.at++;
  }

  protected byte(): string {
    return this.at < this.end ? String.fromCharCode(this.bytes[this.at] ?? 0) : "";
  }

  /** Up to `length` bytes from an offset on. */
  protected ahead(from: number, length: number): string {
    return this.bytes.toString("latin1", from, Math.min(this.end, from + length));
  }
}
