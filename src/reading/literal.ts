import { isDeepStrictEqual } from "node:util";
import { parseJson } from "./parse.ts";
import { endOfGap, endOfString } from "./scan.ts";
import {
  type Inverse,
  type MappedPatches,
  mapThroughPieces,
  type Piece,
  patched,
  type View,
} from "./view.ts";

/** The language whose way of printing a literal is written in. */
type Dialect = "python" | "javascript" | "ruby";

/** A value that a program printed in its language's way, as JSON, with the way back to the bytes that it was read from. */
export interface PrintedLiteral {
  /** JSON; where the literal is cut, JSON that is cut. */
  readonly bytes: Buffer;
  readonly pieces: readonly Piece[];
  /** Behind the literal's last byte. */
  readonly end: number;
  readonly dialect: Dialect;
  /** Whoever wrote it down put dots in place of parts of it, which are left out: what it lacks may have been there. */
  readonly hasGaps: boolean;
}

/** Deeper nesting than any body has. */
const maxDepth = 128;

/** Longer than any comment between the members of a body. */
const maxComment = 4096;

const words: ReadonlyMap<string, string> = new Map([
  ["None", "null"],
  ["True", "true"],
  ["False", "false"],
  ["nan", "null"],
  ["inf", "null"],
  ["Ellipsis", "null"],
  ["undefined", "null"],
  ["NaN", "null"],
  ["Infinity", "null"],
  ["nil", "null"],
  ["true", "true"],
  ["false", "false"],
]);

/** What Node prints in place of values that it leaves out: a literal with one of them tells too little. */
const leftOut = /^(?:Array|Object|Circular)\b/;

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

/**
 * Reads what programs print of their values. Python's `repr` and `print`: dicts and lists, strings in either quotes, tuples, objects as
 * `Name(key=value)`, enumerations as `<Name.KEY: value>`. Node's `console.log` and `util.inspect`, and JSON5: names of members without
 * quotes, strings in any quotes and in pieces, `Name { … }`. Ruby's `inspect`: `{"key"=>value}`, `{key: value}`, symbols. What is no
 * such literal gives `undefined`, and so does one in which Node wrote `[Array]` or `[Object]`; nothing is ever evaluated. `failed` is told how
 * far was read of what turned out to be none.
 * @see https://docs.python.org/3/reference/lexical_analysis.html#literals
 * @see https://nodejs.org/api/util.html#utilinspectobject-options
 */
export function printedLiteral(
  bytes: Buffer,
  start: number,
  end: number,
  failed?: (at: number) => void,
): PrintedLiteral | undefined {
  const reader = new LiteralReader(bytes, start, end);
  if (reader.value(0)) return reader.literal;
  failed?.(reader.at);
  return undefined;
}

/** Reads one literal, and writes the JSON that stands for it as it goes. */
class LiteralReader {
  /** Where it reads: behind the literal, or in it where it is none. */
  at: number;
  /** The bytes ended in it. */
  private isCut = false;
  private hasGaps = false;
  /** The list or dict that was read last holds dots, and nothing else. */
  private isGap = false;
  private dialect: Dialect = "python";
  /** Where the comma before the next part stands. */
  private comma: number;
  private readonly bytes: Buffer;
  private readonly end: number;
  private readonly chunks: Buffer[] = [];
  private readonly pieces: Piece[] = [];
  private length = 0;

  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes;
    this.at = start;
    this.comma = start;
    this.end = end;
  }

  get literal(): PrintedLiteral {
    const { chunks, length, pieces, at: end, dialect, hasGaps } = this;
    return { bytes: Buffer.concat(chunks, length), pieces, end, dialect, hasGaps };
  }

  /** Whether a value was read; where the bytes end in it, it is cut, which also counts. */
  value(depth: number): boolean {
    this.space();
    if (this.at >= this.end) return this.cut();
    if (depth > maxDepth) return false;
    const first = this.byte();
    if (first === "{") return this.dict(depth);
    if (first === "[" && leftOut.test(this.ahead(this.at + 1, 11))) return false;
    if (first === "[" || first === "(") return this.list(depth, first === "[" ? "]" : ")");
    if (isQuote(first)) return this.quoted();
    if (first === ":" || first === "#") return this.symbol(depth);
    if (first === "<") return this.enumeration(depth);
    return this.word(depth);
  }

  private dict(depth: number): boolean {
    this.write("{", this.at, this.at + 1);
    this.at++;
    let hasGap = false;
    let count = 0;
    for (;;) {
      this.space();
      if (this.at >= this.end) return this.cut();
      if (this.byte() === "}") break;
      if (this.gap()) {
        hasGap = true;
        continue;
      }
      const mark = this.mark();
      if (count > 0) this.write(",", this.comma, this.at);
      if (!this.key()) return false;
      if (this.isCut) return true;
      this.space();
      if (this.at >= this.end) return this.cut();
      const size = this.byte() === ":" ? 1 : this.ahead(this.at, 2) === "=>" ? 2 : 0;
      if (size === 0) return false;
      if (size === 2) this.dialect = "ruby";
      this.write(":", this.at, this.at + size);
      this.at += size;
      this.space();
      this.isGap = false;
      const isElided = this.gap();
      if (!isElided && !this.value(depth + 1)) return false;
      if (this.isCut) return true;
      if (isElided || this.isGap) {
        this.goBack(mark);
        hasGap = true;
      } else count++;
      if (!isElided && !this.separator("}")) return this.isCut;
    }
    this.write("}", this.at, this.at + 1);
    this.at++;
    this.isGap = hasGap && count === 0;
    return true;
  }

  /** The name of a member: in quotes, bare, or a symbol. */
  private key(): boolean {
    if (isQuote(this.byte())) return this.quoted();
    if (this.byte() === ":") this.at++;
    const from = this.at;
    while (this.at < this.end && /[\w$]/.test(this.byte())) this.at++;
    const name = this.bytes.toString("latin1", from, this.at);
    if (this.at >= this.end) return this.cut();
    if (!/^[A-Za-z_$][\w$]*$/.test(name)) return false;
    if (this.dialect === "python") this.dialect = "javascript";
    this.write('"', from, from);
    this.write(name, from, this.at);
    this.write('"', this.at, this.at);
    return true;
  }

  private list(depth: number, close: string): boolean {
    this.write("[", this.at, this.at + 1);
    this.at++;
    let hasGap = false;
    let count = 0;
    for (;;) {
      this.space();
      if (this.at >= this.end) return this.cut();
      if (this.byte() === close) break;
      if (this.gap()) {
        hasGap = true;
        continue;
      }
      const mark = this.mark();
      if (count > 0) this.write(",", this.comma, this.at);
      this.isGap = false;
      if (!this.value(depth + 1)) return false;
      if (this.isCut) return true;
      if (this.isGap) {
        this.goBack(mark);
        hasGap = true;
      } else count++;
      if (!this.separator(close)) return this.isCut;
    }
    this.write("]", this.at, this.at + 1);
    this.at++;
    this.isGap = hasGap && count === 0;
    return true;
  }

  /** Steps over dots in place of parts, and over the comma behind them, if there is one. */
  private gap(): boolean {
    const end = endOfGap(this.bytes, this.at, this.end);
    if (end < 0) return false;
    this.hasGaps = true;
    this.at = end;
    this.space();
    if (this.byte() === ",") this.at++;
    return true;
  }

  private mark(): { readonly chunks: number; readonly pieces: number; readonly length: number } {
    return { chunks: this.chunks.length, pieces: this.pieces.length, length: this.length };
  }

  /** Takes back what was written since. */
  private goBack({ chunks, pieces, length }: ReturnType<LiteralReader["mark"]>): void {
    this.chunks.length = chunks;
    this.pieces.length = pieces;
    this.length = length;
  }

  /** Steps over a comma; false where neither one nor the closing bracket follows. */
  private separator(close: string): boolean {
    this.space();
    if (this.at >= this.end) return !this.cut();
    this.comma = this.at;
    if (this.byte() === ",") this.at++;
    else if (this.byte() !== close) return endOfGap(this.bytes, this.at, this.end) >= 0;
    return true;
  }

  /** `Message(role='user', content='…')` is a dict; of other arguments, only that there was something is kept. */
  private object(depth: number, from: number): boolean {
    const isNamed = /^\(\s*(\)|[A-Za-z_]\w*\s*=[^=])/.test(this.ahead(this.at, 100));
    if (!isNamed) {
      const opening = this.length;
      if (!this.list(depth, ")")) return false;
      return this.length > opening;
    }
    this.write("{", from, this.at + 1);
    this.at++;
    for (let count = 0; ; count++) {
      this.space();
      if (this.at >= this.end) return this.cut();
      if (this.byte() === ")") break;
      const key = this.at;
      while (this.at < this.end && /\w/.test(this.byte())) this.at++;
      const name = this.bytes.toString("latin1", key, this.at);
      if (this.at >= this.end) return this.cut();
      if (name === "" || this.byte() !== "=") return false;
      if (count > 0) this.write(",", this.comma, key);
      this.write('"', key, key);
      this.write(name, key, this.at);
      this.write('":', this.at, this.at + 1);
      this.at++;
      if (!this.value(depth + 1)) return false;
      if (this.isCut) return true;
      if (!this.separator(")")) return this.isCut;
    }
    this.write("}", this.at, this.at + 1);
    this.at++;
    return true;
  }

  private quoted(isBytes = this.isPrefix(98, this.at - 1)): boolean {
    let quote = this.bytes[this.at] as number;
    this.write('"', this.at, this.at + 1);
    this.at++;
    let from = this.at;
    const copy = (): void => {
      if (this.at > from)
        this.write(JSON.stringify(this.bytes.toString("utf8", from, this.at)).slice(1, -1), from, this.at);
    };
    while (this.at < this.end) {
      const current = this.bytes[this.at];
      if (current === quote) {
        copy();
        const next = this.continuation(this.at + 1);
        if (next !== undefined) {
          quote = this.bytes[next] as number;
          this.at = next + 1;
          from = this.at;
          continue;
        }
        this.write('"', this.at, this.at + 1);
        this.at++;
        return true;
      }
      // A line feed ends a literal that was cut by its logger; between backticks it belongs to the text.
      if (current === 10 && quote !== 96) return false;
      if (current !== 92) {
        // What JSON has to escape is written by itself, so that the rest keeps its places.
        if (current === 34 || (current as number) < 32) {
          copy();
          this.write(
            JSON.stringify(String.fromCharCode(current as number)).slice(1, -1),
            this.at,
            this.at + 1,
          );
          from = this.at + 1;
        }
        this.at++;
        continue;
      }
      copy();
      const size = (isBytes && this.codes()) || this.escaped();
      from = this.at + size;
      this.at = from;
    }
    copy();
    return this.cut();
  }

  /** Writes the character that the escaped bytes at `at` spell together, and says how long they are; 0 where they spell none. */
  private codes(): number {
    const run = /^(?:\\x[89a-f][0-9a-f])+/i.exec(this.ahead(this.at, 16))?.[0];
    if (!run) return 0;
    const bytes = Buffer.from(run.replaceAll("\\x", ""), "hex");
    const [first = ""] = bytes.toString("utf8");
    const length = Buffer.byteLength(first);
    // What is no UTF-8 is read like any other escape.
    if (!bytes.subarray(0, length).equals(Buffer.from(first))) return 0;
    const size = run.length * (length / bytes.length);
    this.write(first, this.at, this.at + size);
    return size;
  }

  /** Whether the letter at `place` stands by itself, as the `b` of `b'…'` does. */
  private isPrefix(letter: number, place: number): boolean {
    return this.bytes[place] === letter && !/\w/.test(String.fromCharCode(this.bytes[place - 1] ?? 32));
  }

  /** Where the next piece of a string opens: `'one ' +` and `'two'` on the next line are one text. */
  private continuation(from: number): number | undefined {
    const found = /^[ \t]*\+\s*(?=['"`])/.exec(this.ahead(from, 200));
    return found ? from + found[0].length : undefined;
  }

  /** Writes the escape at `at`, and says how long it is. */
  private escaped(): number {
    const letter = String.fromCharCode(this.bytes[this.at + 1] ?? 0);
    const digits = { x: 2, u: 4, U: 8 }[letter];
    const braced = /^u\{([0-9a-fA-F]{1,6})\}/.exec(this.ahead(this.at + 1, 9))?.[1];
    const code = braced ?? (digits && this.ahead(this.at + 2, digits));
    let size = 2;
    let text = escapes[letter] ?? `\\${letter}`;
    if (digits && code && /^[0-9a-fA-F]+$/.test(code) && (braced !== undefined || code.length === digits)) {
      const point = Number.parseInt(code, 16);
      size = 2 + (braced === undefined ? digits : braced.length + 2);
      text = point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd";
    }
    this.write(JSON.stringify(text).slice(1, -1), this.at, Math.min(this.end, this.at + size));
    return size;
  }

  /** A symbol of Ruby is its name; `#<Object …>` is nothing. */
  private symbol(depth: number): boolean {
    this.dialect = "ruby";
    const from = this.at;
    this.at++;
    if (this.bytes[from] === 35) return this.byte() === "<" && this.enumeration(depth);
    while (this.at < this.end && /\w/.test(this.byte())) this.at++;
    if (this.at === from + 1) return false;
    this.write(JSON.stringify(this.bytes.toString("latin1", from + 1, this.at)), from, this.at);
    return true;
  }

  /** `<Reason.STOP: 'STOP'>` is its value; `<object at 0x7f…>` is nothing. */
  private enumeration(depth: number): boolean {
    let close = this.at;
    while (close < this.end && this.bytes[close] !== 62 && this.bytes[close] !== 10) close++;
    if (close >= this.end || this.bytes[close] === 10) return false;
    const inner = /^<[\w.]+: (?=['"\d])/.exec(
      this.bytes.toString("utf8", this.at, Math.min(close, this.at + 200)),
    );
    if (!inner) {
      this.write("null", this.at, close + 1);
      this.at = close + 1;
      return true;
    }
    this.at += inner[0].length;
    if (!this.value(depth + 1)) return false;
    this.space();
    if (this.byte() !== ">") return false;
    this.at++;
    return true;
  }

  /** A number, a name of a constant, or an object. */
  private word(depth: number): boolean {
    const from = this.at;
    while (this.at < this.end && /[\w.+-]/.test(this.byte())) this.at++;
    const name = this.bytes.toString("latin1", from, this.at);
    if (this.at >= this.end) return name !== "" && this.cut();
    if (/^-?\d+(\.\d*)?([eE][+-]?\d+)?$/.test(name)) {
      this.write(name.replace(/\.(?=$|[eE])/, ""), from, this.at);
      return true;
    }
    const known = words.get(name.replace(/^[-+]/, ""));
    if (known !== undefined) {
      this.write(known, from, this.at);
      return true;
    }
    if (this.byte() === "(" && /^[A-Za-z_][\w.]*$/.test(name)) return this.object(depth, from);
    // Node prints the class before the members.
    if (this.ahead(this.at, 2) === " {" && /^[A-Z]\w*$/.test(name)) {
      this.at++;
      return this.dict(depth);
    }
    // Bytes, and names of constants that only the program knew.
    if (/^[bru]$/i.test(name) && (this.byte() === "'" || this.byte() === '"')) return this.quoted();
    if (!/^[A-Za-z_][\w.]*$/.test(name)) return false;
    this.write("null", from, this.at);
    return true;
  }

  private cut(): boolean {
    this.isCut = true;
    return true;
  }

  private byte(): string {
    return this.at < this.end ? String.fromCharCode(this.bytes[this.at] ?? 0) : "";
  }

  /** So many bytes from a place on, or as many as there are. */
  private ahead(from: number, length: number): string {
    return this.bytes.toString("latin1", from, Math.min(this.end, from + length));
  }

  private space(): void {
    for (;;) {
      while (this.at < this.end && /\s/.test(this.byte())) this.at++;
      // A slash begins no value, so that it can only be a comment.
      const comment =
        this.byte() === "/" && /^\/\/[^\n]*|^\/\*[\s\S]*?\*\//.exec(this.ahead(this.at, maxComment));
      if (!comment) return;
      this.at += comment[0].length;
    }
  }

  /** JSON that stands for the bytes of the literal from `from` up to and without `to`. */
  private write(text: string, from: number, to: number): void {
    const chunk = Buffer.from(text);
    // Positions inside of what is written the same in both count one by one.
    const isSame = chunk.length === to - from && this.bytes.compare(chunk, 0, chunk.length, from, to) === 0;
    this.pieces.push({
      at: this.length,
      from,
      length: isSame ? chunk.length : 0,
      ...(!isSame && { width: to - from }),
    });
    this.chunks.push(chunk);
    this.length += chunk.length;
  }
}

function isQuote(character: string): boolean {
  return character === "'" || character === '"' || character === "`";
}

/** The value that a program printed as this text; `undefined` where the text is no literal, or one in which something was left out. */
export function printedValue(text: string): unknown {
  const bytes = Buffer.from(text);
  const literal = printedLiteral(bytes, 0, bytes.length);
  return literal && parseJson(literal.bytes.toString("utf8"));
}

/**
 * Whether a value that begins here was printed in a language's inverse: behind its brackets a single quote stands, a name with arguments, a
 * name of a member without quotes, a symbol, or an arrow behind the first name.
 */
export function looksPrinted(bytes: Buffer, start: number, end: number): boolean {
  return /^[[{(\s]*(?:'|[A-Z]\w*\(\w+=|(?<=\{\s*)(?:[A-Za-z_$][\w$]*: ?|:\w+ ?=>|"[^"\\\n]{1,40}" ?=>))/.test(
    bytes.toString("latin1", start, Math.min(end, start + 80)),
  );
}

/**
 * The way back into a literal that was read as JSON: what changes is written as the language prints it, and read again before it is taken.
 * `base` holds the literal from `start` up to and without `end`.
 */
export function printedInverse(
  base: View,
  start: number,
  end: number,
  { bytes, pieces, dialect }: PrintedLiteral,
): Inverse {
  return {
    base,
    mapPatches(patches): MappedPatches {
      if (dialect === "ruby") return { why: "what Ruby printed is not written, only read" };
      const raw = base.read(start, end);
      const quotes = stringsOf(bytes);
      const lifted = mapThroughPieces(
        patches,
        bytes.length,
        pieces,
        ({ start: from, end: to, bytes: own }) => {
          const text = own.toString("utf8");
          const inside = quotes.find((string) => string.start < from && to < string.end);
          if (!inside) return Buffer.from(printedText(text, dialect));
          const piece = pieces.find(({ at }) => at === inside.start);
          const quote = String.fromCharCode(raw[(piece?.from ?? start) - start] ?? 39);
          const plain = parseJson(`"${text}"`);
          return typeof plain === "string" ? Buffer.from(escapedFor(plain, quote)) : undefined;
        },
      );
      if ("why" in lifted) return lifted;
      const own = lifted.patches.map((patch) => ({
        ...patch,
        start: patch.start - start,
        end: patch.end - start,
      }));
      const written = patched(raw, own);
      const again = printedLiteral(written, 0, written.length);
      const wanted = parseJson(`${patched(bytes, patches)}`);
      const isRead =
        wanted !== undefined &&
        again?.end === written.length &&
        isDeepStrictEqual(parseJson(`${again.bytes}`), wanted);
      return isRead ? lifted : { why: "what was printed there cannot hold the change" };
    },
  };
}

/** Where the strings of a JSON text stand, with their quotes. */
function stringsOf(json: Buffer): { readonly start: number; readonly end: number }[] {
  const strings: { start: number; end: number }[] = [];
  for (let at = json.indexOf(34); at >= 0; ) {
    const close = endOfString(json, at + 1, json.length, 0);
    if (close < 0) return strings;
    strings.push({ start: at, end: close });
    at = json.indexOf(34, close);
  }
  return strings;
}

const pythonWords: Readonly<Record<string, string>> = { null: "None", true: "True", false: "False" };

/** JSON text, or a part of one, as the language prints it. */
function printedText(json: string, dialect: Dialect): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|\b(?:null|true|false)\b|[,:]\s*/g, (word) => {
    if (word[0] !== '"')
      return /^[,:]/.test(word) ? `${word[0]} ` : dialect === "python" ? (pythonWords[word] ?? word) : word;
    const text = parseJson(word) as string;
    const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
    return quote + escapedFor(text, quote) + quote;
  });
}

const shorts: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };

/** Text for between such quotes, with what cannot be seen as numbers. */
function escapedFor(text: string, quote: string): string {
  return text.replace(/[^ !#-&(-[\]-~]/gu, (character) => {
    if (character === quote) return `\\${quote}`;
    if (character === "'" || character === '"') return character;
    const short = shorts[character];
    if (short !== undefined) return short;
    const code = character.codePointAt(0) ?? 0;
    const isSeen = code > 160 && code !== 173 && !/[\p{Cs}\p{Zl}\p{Zp}]/u.test(character);
    if (isSeen) return character;
    const [letter, length] = code < 256 ? ["x", 2] : ["u", 4];
    return `\\${letter}${code.toString(16).padStart(Number(length), "0")}`;
  });
}
