import { isUtf8 } from "node:buffer";
import type { Segments } from "./segments.ts";

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
  v: "\v",
  a: "\u0007",
  "0": "\0",
  "'": "'",
  '"': '"',
  "`": "`",
  "#": "#",
  "\\": "\\",
};

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const DOUBLE_QUOTE = 34;
const BACKSLASH = 92;
const BACKTICK = 96;
const LETTER_B = 98;
const BLANK = 32;

/** The width of the narrowest window, in bytes. */
const leastWindow = 40;

/** Bytes in which the end of a wrapped text is looked for. */
const longestWrapped = 1 << 16;

export function isQuote(character: string): boolean {
  return character === "'" || character === '"' || character === "`";
}

/** Reads one quoted string literal of Python, Node or Ruby and writes it as a JSON string. */
export class QuotedReader {
  /** The current offset; after reading, the offset behind the string. */
  at: number;
  private readonly bytes: Buffer;
  private readonly end: number;
  private readonly json: Segments;
  /** Where the bytes begin that were read but not yet written. */
  private from: number;
  /** Where the closing quote of a text stands that was wrapped at the width of a window. */
  private wrappedUntil = -1;

  /** `at` is the offset of the opening quote. */
  constructor(bytes: Buffer, at: number, end: number, json: Segments) {
    this.bytes = bytes;
    this.at = at;
    this.from = at;
    this.end = end;
    this.json = json;
  }

  /** How the string ends; `broken`: at a line end, so the logger cut it off. */
  read(): "closed" | "cut" | "broken" {
    let quote = this.bytes[this.at] as number;
    const isBytes = this.bytes[this.at - 1] === LETTER_B && !/\w/.test(this.character(this.at - 2));
    this.write('"', 1);
    while (this.at < this.end) {
      const byte = this.bytes[this.at] as number;
      if (byte === quote) {
        const next = this.continuation(this.at + 1);
        this.flush();
        if (next === undefined) {
          this.write('"', 1);
          return "closed";
        }
        quote = this.bytes[next] as number;
        this.at = next + 1;
        this.from = this.at;
      } else if (this.lineEnd(this.at) > 0 && quote !== BACKTICK) {
        // A template literal may contain line feeds.
        if (this.at > this.wrappedUntil) this.wrappedUntil = this.endOfWrapped(quote);
        if (this.at > this.wrappedUntil) return "broken";
        this.flush();
        this.write("", this.lineEnd(this.at));
      } else if (byte === BACKSLASH) {
        this.flush();
        if (!isBytes || !this.codes()) this.escape();
      } else if (byte === DOUBLE_QUOTE || byte < 32) {
        // Writes escaped characters one at a time, so that the rest maps to its bytes one to one.
        this.flush();
        this.write(inJson(String.fromCharCode(byte)), 1);
      } else this.at++;
    }
    this.flush();
    return "cut";
  }

  /** Writes the bytes that were read and need no change in JSON. */
  private flush(): void {
    const { from, at } = this;
    if (at > from) {
      const bytes = this.bytes.subarray(from, at);
      if (isUtf8(bytes)) this.json.copy(from, at);
      else this.json.write(bytes.toString("utf8"), from, at);
    }
    this.from = at;
  }

  /** Writes JSON for the next `width` bytes, and steps over them. */
  private write(json: string, width: number): void {
    this.json.write(json, this.at, Math.min(this.end, this.at + width));
    this.at += width;
    this.from = this.at;
  }

  /** Writes the character that a run of byte escapes encodes in UTF-8; false where they encode none. */
  private codes(): boolean {
    const run = /^(?:\\x[89a-f][0-9a-f])+/i.exec(this.ahead(this.at, 16))?.[0];
    if (!run) return false;
    const bytes = Buffer.from(run.replaceAll("\\x", ""), "hex");
    const [first = ""] = bytes.toString("utf8");
    const length = Buffer.byteLength(first);
    // Bytes that are not UTF-8 are read like any other escape.
    if (!bytes.subarray(0, length).equals(Buffer.from(first))) return false;
    this.write(first, run.length * (length / bytes.length));
    return true;
  }

  private escape(): void {
    const letter = this.character(this.at + 1);
    const digits = { x: 2, u: 4, U: 8 }[letter];
    const braced = /^u\{([0-9a-fA-F]{1,6})\}/.exec(this.ahead(this.at + 1, 9))?.[1];
    const code = braced ?? (digits && this.ahead(this.at + 2, digits));
    const isCode = digits && code && /^[0-9a-fA-F]+$/.test(code);
    if (isCode && (braced !== undefined || code.length === digits)) {
      const point = Number.parseInt(code, 16);
      const text = point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd";
      this.write(inJson(text), 2 + (braced === undefined ? digits : braced.length + 2));
    } else this.write(inJson(escapes[letter] ?? `\\${letter}`), 2);
  }

  /**
   * Where the next fragment of the text opens: `'one ' +` and `'two'` on the next line are one text. Python
   * needs no sign; `pprint` breaks long texts behind a space. In JSON, a comma may be missing there.
   */
  private continuation(from: number): number | undefined {
    const found = /^(?:[ \t]*\+\s*(?=['"`])|\r?\n[ \t]*(?=['"]))/.exec(this.ahead(from, 200));
    if (!found) return undefined;
    const next = from + found[0].length;
    const isJson = this.bytes[from - 1] === DOUBLE_QUOTE && this.bytes[next] === DOUBLE_QUOTE;
    const isBroken = /(?:\s|\\[nrt])"$/.test(this.bytes.toString("latin1", from - 3, from));
    return found[0].includes("+") || !isJson || isBroken ? next : undefined;
  }

  /**
   * Where a text ends that a printer wrapped here for a narrow window: Python's `rich` adds line ends behind
   * blanks. -1 if the text does not end as one in a literal does, so that its logger cut it off.
   */
  private endOfWrapped(quote: number): number {
    const start = this.bytes.lastIndexOf(LINE_FEED, this.at - 1) + 1;
    if (this.at - start < leastWindow) return -1;
    const stop = Math.min(this.end, this.at + longestWrapped);
    for (let at = this.at; at < stop; at++) {
      const byte = this.bytes[at];
      if (byte === BACKSLASH) at++;
      else if (this.lineEnd(at) > 0 && this.bytes[at - 1] !== BLANK) return -1;
      else if (this.lineEnd(at) === 2) at++;
      else if (byte === quote) return /^[ \t]*[,)\]}:]/.test(this.ahead(at + 1, 20)) ? at : -1;
    }
    return -1;
  }

  /** The length of the line end at an offset; 0 if there is none. */
  private lineEnd(at: number): number {
    if (this.bytes[at] === LINE_FEED) return 1;
    return this.bytes[at] === CARRIAGE_RETURN && this.bytes[at + 1] === LINE_FEED ? 2 : 0;
  }

  private character(at: number): string {
    return String.fromCharCode(this.bytes[at] ?? 0);
  }

  private ahead(from: number, length: number): string {
    return this.bytes.toString("latin1", from, Math.min(this.end, from + length));
  }
}

/** Text escaped for the inside of a JSON string. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
