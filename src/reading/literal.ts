import { isQuote, QuotedReader } from "./literal-strings.ts";
import { parseJson } from "./parse.ts";
import { endOfGap } from "./scan.ts";
import { Segments } from "./segments.ts";
import type { Segment } from "./view.ts";

/** The language whose way of printing a literal is written in. */
export type Dialect = "python" | "javascript" | "ruby";

/** A value that a program printed in its language's way, as JSON, with the way back to the bytes that it was read from. */
export interface PrintedLiteral {
  /** JSON; where the literal is cut, JSON that is cut. */
  readonly bytes: Buffer;
  readonly pieces: readonly Segment[];
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

/** What was read of a part of a list or dict; `dots`: nothing but dots in place of its value, and the comma behind them. */
type PartRead = "whole" | "dots" | false;

/** Reads one literal, and writes the JSON that stands for it as it goes. */
class LiteralReader {
  /** Where it reads: behind the literal, or in it where there is none. */
  at: number;
  /** The bytes ended inside the literal. */
  private isCut = false;
  private hasGaps = false;
  /** The list or dict that was read last holds dots and nothing else. */
  private isGap = false;
  private dialect: Dialect = "python";
  /** Where the comma before the next part stands. */
  private comma: number;
  private readonly bytes: Buffer;
  private readonly end: number;
  private readonly json: Segments;

  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes;
    this.at = start;
    this.comma = start;
    this.end = end;
    this.json = new Segments(bytes);
  }

  get literal(): PrintedLiteral {
    const { at: end, dialect, hasGaps, json } = this;
    return { bytes: json.bytes, pieces: json.pieces, end, dialect, hasGaps };
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
    return this.parts("{}", "}", this.at, () => this.member(depth));
  }

  private list(depth: number, close: string): boolean {
    return this.parts("[]", close, this.at, () => this.value(depth + 1) && "whole");
  }

  /** Reads the parts up to `close`, with a comma between them. Parts that somebody replaced by dots are left out. */
  private parts(
    json: "{}" | "[]",
    close: string,
    from: number,
    part: () => PartRead,
    takesDots = true,
  ): boolean {
    this.write(json[0] as string, from, this.at + 1);
    this.at++;
    let hasGap = false;
    let count = 0;
    for (;;) {
      this.space();
      if (this.at >= this.end) return this.cut();
      if (this.byte() === close) break;
      if (takesDots && this.gap()) {
        hasGap = true;
        continue;
      }
      const mark = this.json.mark();
      if (count > 0) this.write(",", this.comma, this.at);
      this.isGap = false;
      const read = part();
      if (!read) return false;
      if (this.isCut) return true;
      const isElided = takesDots && (read === "dots" || this.isGap);
      if (isElided) {
        this.json.goBack(mark);
        hasGap = true;
      } else count++;
      if (read === "whole" && !this.separator(close)) return this.isCut;
    }
    this.write(json[1] as string, this.at, this.at + 1);
    this.at++;
    if (takesDots) this.isGap = hasGap && count === 0;
    return true;
  }

  /** A member of a dict: its name, a colon or an arrow, its value. */
  private member(depth: number): PartRead {
    if (!this.key()) return false;
    if (this.isCut) return "whole";
    this.space();
    if (this.at >= this.end) return this.cut() && "whole";
    const size = this.byte() === ":" ? 1 : this.ahead(this.at, 2) === "=>" ? 2 : 0;
    if (size === 0) return false;
    if (size === 2) this.dialect = "ruby";
    this.write(":", this.at, this.at + size);
    this.at += size;
    this.space();
    this.isGap = false;
    if (this.gap()) return "dots";
    return this.value(depth + 1) && "whole";
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
    this.name(name, from);
    return true;
  }

  /** Writes a name without quotes that was just read. */
  private name(name: string, from: number): void {
    this.write('"', from, from);
    this.write(name, from, this.at);
    this.write('"', this.at, this.at);
  }

  /** Skips dots in place of parts, and the comma behind them if there is one. */
  private gap(): boolean {
    const end = endOfGap(this.bytes, this.at, this.end);
    if (end < 0) return false;
    this.hasGaps = true;
    this.at = end;
    this.space();
    if (this.byte() === ",") this.at++;
    return true;
  }

  /** Skips a comma; false where neither a comma nor the closing bracket follows. */
  private separator(close: string): boolean {
    this.space();
    if (this.at >= this.end) return !this.cut();
    this.comma = this.at;
    if (this.byte() === ",") this.at++;
    else if (this.byte() !== close) return endOfGap(this.bytes, this.at, this.end) >= 0;
    return true;
  }

  /** `Message(role='user', content='…')` is a dict; of arguments without names, a list is made. */
  private object(depth: number, from: number): boolean {
    const isNamed = /^\(\s*(\)|[A-Za-z_]\w*\s*=[^=])/.test(this.ahead(this.at, 100));
    return isNamed
      ? this.parts("{}", ")", from, () => this.namedArgument(depth), false)
      : this.list(depth, ")");
  }

  private namedArgument(depth: number): PartRead {
    const from = this.at;
    while (this.at < this.end && /\w/.test(this.byte())) this.at++;
    if (this.at >= this.end) return this.cut() && "whole";
    const name = this.bytes.toString("latin1", from, this.at);
    if (name === "" || this.byte() !== "=") return false;
    this.name(name, from);
    this.write(":", this.at, this.at + 1);
    this.at++;
    return this.value(depth + 1) && "whole";
  }

  private quoted(): boolean {
    const reader = new QuotedReader(this.bytes, this.at, this.end, this.json);
    const end = reader.read();
    this.at = reader.at;
    return end === "cut" ? this.cut() : end === "closed";
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

  /** Writes JSON that stands for the bytes from `from` up to and without `to`. */
  private write(text: string, from: number, to: number): void {
    this.json.write(Buffer.from(text), from, to);
  }
}

/** The value that a program printed as this text; `undefined` where the text is no literal, or one in which something was left out. */
export function printedValue(text: string): unknown {
  const bytes = Buffer.from(text);
  const literal = printedLiteral(bytes, 0, bytes.length);
  return literal && parseJson(literal.bytes.toString("utf8"));
}

/**
 * Whether a value that begins here was printed in a language's way: behind its brackets a single quote stands, a name with arguments, a
 * name of a member without quotes, a symbol, or an arrow behind the first name.
 */
export function looksPrinted(bytes: Buffer, start: number, end: number): boolean {
  return /^[[{(\s]*(?:'|[A-Z]\w*\(\w+=|(?<=\{\s*)(?:[A-Za-z_$][\w$]*: ?|:\w+ ?=>|"[^"\\\n]{1,40}" ?=>))/.test(
    bytes.toString("latin1", start, Math.min(end, start + 80)),
  );
}
