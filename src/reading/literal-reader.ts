import { bareModel, isBareModel, objectOfCall } from "./literal-calls.ts";
import {
  beginsWithClass,
  kindMember,
  type PrintedClass,
  printedClass,
  rustClass,
} from "./literal-classes.ts";
import type { LiteralCursor, PartRead } from "./literal-cursor.ts";
import { printedError } from "./literal-errors.ts";
import {
  hiddenName,
  holdsItems,
  noDataLength,
  nodeValue,
  objectOf,
  propertyLength,
  stubLength,
} from "./literal-node.ts";
import {
  elixirValue,
  isKeywordList,
  isVariant,
  oneOrMany,
  rubyObject,
  unitVariant,
  variantValue,
} from "./literal-objects.ts";
import { enumeration, isSet, oddKeyOf, typeArgumentsLength } from "./literal-python.ts";
import { isQuote, QuotedReader } from "./literal-strings.ts";
import type { Dialect, Gap, PrintedLiteral } from "./printed-literal.ts";
import { endOfGap } from "./scan.ts";
import { Segments } from "./segments.ts";

/** Deeper nesting than any body has. */
const maxDepth = 128;

/** White space in latin1. */
function isSpace(byte: number | undefined): boolean {
  return byte === 32 || byte === 0xa0 || (byte !== undefined && byte >= 9 && byte <= 13);
}

/** Longer than any comment between the members of a body. */
const maxComment = 4096;

/** A comment in place of a part: `// earlier messages`, `/* ... *\/`. Other comments explain a part. */
const standIn =
  /\.{3}|\xe2\x80\xa6|\b(?:omitted|truncated|removed|snip(?:ped)?|skipped|elided|shortened|abbreviated|redacted|previous|earlier|more|others?|rest|remaining|same|etc|history)\b/i;

const words: ReadonlyMap<string, string> = new Map([
  ["null", "null"],
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
  ["undef", "null"],
  ["datetime.timezone.utc", "null"],
  ["true", "true"],
  ["false", "false"],
]);

/** More white space than programs print before a bracket. */
const maxIndent = 400;

/** Longer than the text of an object that names its members. */
const maxForeign = 400;

/** `Chat<3, 'open'>`, `question.strip()`: a value that is no literal, before the next member on its line. */
const foreignValue =
  /^[A-Za-z_<(!-][\x20-\x7e]{0,300}?(?=\s*,\s*(?:'[^'\n]{0,80}'|"[^"\n]{0,80}"|[A-Za-z_$][\w$]{0,80}): |,?\s*\})/;

/** Reads one literal and writes the equivalent JSON as it goes. */
export class LiteralReader implements LiteralCursor {
  /** The current offset: in the end behind the literal, or where reading failed. */
  at: number;
  /** The bytes ended inside the literal. */
  isCut = false;
  private gaps: Gap[] = [];
  /** How many comments were skipped. */
  private comments = 0;
  /** The name of the member that was read last. */
  private latestKey = "";
  /** The list or dict that was read last contains only dots. */
  private isGap = false;
  dialect: Dialect = "json";
  /** An object was read whose class stands before its bracket. */
  private hasClass = false;
  /** The offset of the comma before the next part. */
  private comma: number;
  private readonly bytes: Buffer;
  readonly end: number;
  private readonly json: Segments;

  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes;
    this.at = start;
    this.comma = start;
    this.end = end;
    this.json = new Segments(bytes);
  }

  get literal(): PrintedLiteral {
    const { at: end, isCut, dialect, gaps, json } = this;
    return { bytes: json.bytes, segments: json.segments, end, isCut, dialect, gaps };
  }

  /** Reads a value; false where there is none. A value that the bytes cut off counts as read. */
  value(depth: number): boolean {
    this.space();
    if (this.at >= this.end) return this.cut();
    if (depth > maxDepth) return false;
    const first = this.byte();
    if (first === "{") return this.dict(depth);
    const ofNode = this.dialect === "python" || isQuote(first) ? undefined : nodeValue(this, depth);
    if (ofNode !== undefined) return ofNode;
    if (first === "[" && this.dialect === "elixir" && isKeywordList(this.ahead(this.at, 60)))
      return this.parts("{}", "]", this.at, () => this.member(depth));
    if (first === "[" || first === "(") return this.list(depth, first === "[" ? "]" : ")");
    if (isQuote(first)) return this.quoted();
    if (depth === 0 && isBareModel(this)) return bareModel(this);
    if (first === ":" || first === "#") return this.symbol(depth);
    if (first === "%" || first === "~") return elixirValue(this, depth);
    if (first === "<") return this.angles(depth);
    return this.word(depth);
  }

  private dict(depth: number, known?: PrintedClass): boolean {
    if (!known && isSet(this)) return this.items("}", this.at, () => this.value(depth + 1));
    return this.members(depth, this.at, known?.kind);
  }

  members(depth: number, from: number, kind: PrintedClass["kind"] | undefined): boolean {
    if (!kind) return this.parts("{}", "}", from, () => this.member(depth));
    const names = new Set<string>();
    const member = (): PartRead => this.member(depth, names);
    return this.parts("{}", "}", from, member, true, () => kindMember(kind, names));
  }

  items(close: string, from: number, item: () => boolean): boolean {
    return this.parts("[]", close, from, () => item() && "whole");
  }

  private list(depth: number, close: string): boolean {
    if (close === ")") this.speaksPython();
    return this.parts("[]", close, this.at, () => this.item(depth));
  }

  /** An item of a list, or a property that Node prints behind the items. */
  private item(depth: number): PartRead {
    const name = propertyLength(this);
    this.at += name;
    return this.value(depth + 1) && (name > 0 ? "aside" : "whole");
  }

  /**
   * Reads the parts up to `close`, separated by commas. Parts replaced by dots are left out. `more` gives a
   * member that the literal lacks.
   */
  parts(
    json: "{}" | "[]",
    close: string,
    from: number,
    part: () => PartRead,
    takesDots = true,
    more?: () => string,
  ): boolean {
    this.write(json[0] as string, from, this.at + 1);
    this.at++;
    const { comments } = this;
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
      const begin = this.at;
      const gapsBefore = this.gaps.length;
      if (count > 0) this.write(",", this.comma, this.at);
      this.isGap = false;
      const read = part();
      if (!read) return false;
      if (this.isCut) return true;
      if (read === "aside") {
        this.json.goBack(mark);
        this.gaps.length = gapsBefore;
        if (!this.separator(close)) return this.isCut;
        continue;
      }
      const isElided = takesDots && (read === "dots" || this.isGap);
      if (isElided) {
        this.json.goBack(mark);
        const inside = this.gaps.splice(gapsBefore);
        const isStub = inside.some((gap) => gap.isStub);
        const isForeign = inside.some((gap) => gap.isForeign);
        this.gaps.push({
          at: this.json.length,
          from: begin,
          ...(json === "{}" && { key: this.latestKey }),
          ...(isStub && { isStub }),
          ...(isForeign && { isForeign }),
        });
        hasGap = true;
      } else count++;
      if (read === "whole" && !this.separator(close)) return this.isCut;
    }
    // Nothing but a comment stands for what the list held.
    if (takesDots && count === 0 && !hasGap && this.comments > comments) {
      this.gaps.push({ at: this.json.length, from });
      hasGap = true;
    }
    const added = more?.() ?? "";
    if (added !== "") this.write(`${count > 0 ? "," : ""}${added}`, this.at, this.at);
    this.write(json[1] as string, this.at, this.at + 1);
    this.at++;
    if (takesDots) this.isGap = hasGap && count === 0;
    return true;
  }

  /** A member of a dict: its name, a colon or an arrow, its value. */
  private member(depth: number, names?: Set<string>): PartRead {
    const from = this.at;
    if (!this.key()) return false;
    const name = this.ahead(from, Math.min(40, this.at - from)).replaceAll(/['"]/g, "");
    names?.add(name);
    if (this.isCut) return "whole";
    this.space();
    if (this.at >= this.end) return this.cut() && "whole";
    const size = this.byte() === ":" ? 1 : this.ahead(this.at, 2) === "=>" ? 2 : 0;
    if (size === 0) return false;
    if (size === 2 && this.dialect !== "elixir") this.dialect = "ruby";
    this.write(":", this.at, this.at + size);
    this.at += size;
    this.space();
    this.isGap = false;
    const nothing = this.byte() === "[" ? noDataLength(this) : 0;
    if (nothing > 0) {
      this.write("null", this.at, this.at + nothing);
      this.at += nothing;
      return "whole";
    }
    const read = this.gap() ? "dots" : this.memberValue(depth);
    this.latestKey = name;
    return read;
  }

  /** A value that only its program can read is left out, up to the next member or the end of the object. */
  private memberValue(depth: number): PartRead {
    const from = this.at;
    const isRead = this.value(depth + 1);
    if (isRead && (this.isCut || this.isAtSeparator())) return "whole";
    const isPrinted = this.dialect === "python" || this.dialect === "javascript";
    const foreign = isPrinted && foreignValue.exec(this.ahead(from, maxForeign));
    if (!foreign) return isRead && "whole";
    this.at = from + foreign[0].length;
    this.gaps.push({ at: this.json.length, from, isForeign: true });
    this.space();
    if (this.byte() === ",") this.at++;
    return "dots";
  }

  /** Whether a comma, a closing bracket or dots follow. */
  private isAtSeparator(): boolean {
    if (/[,}\])]/.test(this.byte())) return true;
    const next = /^\s*(\S?)/.exec(this.ahead(this.at, maxIndent));
    const at = this.at + (next?.[0].length ?? 1) - 1;
    return !next?.[1] || /[,}\])>/#]/.test(next[1]) || endOfGap(this.bytes, at, this.end) >= 0;
  }

  /** The name of a member: quoted, bare, or a symbol. */
  private key(): boolean {
    if (isQuote(this.byte())) return this.quoted();
    const hidden = hiddenName(this);
    if (hidden !== "") {
      this.dialect = "javascript";
      const from = this.at;
      this.at += hidden.length;
      this.write(JSON.stringify(hidden), from, this.at);
      return true;
    }
    const odd = oddKeyOf(this);
    if (odd !== "") {
      this.write(JSON.stringify(odd), this.at, this.at + odd.length);
      this.at += odd.length;
      return true;
    }
    if (this.byte() === ":") this.at++;
    // A name of Rust that is also a word of the language: `r#type`.
    if (this.ahead(this.at, 2) === "r#") this.at += 2;
    const from = this.at;
    while (this.at < this.end && /[\w$]/.test(this.byte())) this.at++;
    const name = this.bytes.toString("latin1", from, this.at);
    if (this.at >= this.end) return this.cut();
    if (!/^[A-Za-z_$][\w$]*$/.test(name)) return false;
    if (this.dialect === "json" || this.dialect === "python") this.dialect = "javascript";
    this.name(name, from);
    return true;
  }

  /** Writes an unquoted name that was just read. */
  name(name: string, from: number): void {
    this.write('"', from, from);
    this.write(name, from, this.at);
    this.write('"', this.at, this.at);
  }

  /** Skips dots that replace parts, and a comma behind them. */
  private gap(): boolean {
    const stub = this.byte() === "[" ? stubLength(this) : 0;
    const end = stub > 0 ? this.at + stub : endOfGap(this.bytes, this.at, this.end);
    if (end < 0) return false;
    this.gaps.push({ at: this.json.length, from: this.at, ...(stub > 0 && { isStub: true }) });
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

  private quoted(): boolean {
    if (this.byte() !== '"') this.speaksPython();
    const reader = new QuotedReader(this.bytes, this.at, this.end, this.json);
    const end = reader.read();
    this.at = reader.at;
    return end === "cut" ? this.cut() : end === "closed";
  }

  /** A Ruby symbol becomes its name, `#<Object …>` becomes null. */
  private symbol(depth: number): boolean {
    const object = this.byte() === "#" ? rubyObject(this, depth) : undefined;
    if (object !== undefined) return object;
    const from = this.at;
    const opaque = /^#[A-Z][\w.]*<[^>\n]{0,200}>/.exec(this.ahead(from, 300));
    if (opaque) {
      this.at += opaque[0].length;
      this.write("null", from, this.at);
      return true;
    }
    if (this.dialect !== "elixir") this.dialect = "ruby";
    this.at++;
    if (this.bytes[from] === 35) return this.byte() === "<" && this.angles(depth);
    while (this.at < this.end && /\w/.test(this.byte())) this.at++;
    if (this.at === from + 1) return false;
    this.write(JSON.stringify(this.bytes.toString("latin1", from + 1, this.at)), from, this.at);
    return true;
  }

  private angles(depth: number): boolean {
    this.speaksPython();
    return enumeration(this, depth);
  }

  /** A number, the name of a constant, or an object. */
  private word(depth: number): boolean {
    const from = this.at;
    while (this.at < this.end && /[\w.+-]/.test(this.byte())) this.at++;
    const name = this.bytes.toString("latin1", from, this.at);
    if (this.at >= this.end) return name !== "" && this.cut();
    if (/^-?\d+(\.\d*)?([eE][+-]?\d+)?$/.test(name)) {
      this.write(name.replace(/\.(?=$|[eE])/, ""), from, this.at);
      return true;
    }
    // A complex number: `1+2j`, in parentheses.
    if (/^[-+]?[\d.e+-]*\dj$/.test(name)) {
      this.write("null", from, this.at);
      return true;
    }
    const known = words.get(name.replace(/^[-+]/, ""));
    if (known !== undefined) {
      if (name !== known) this.speaksPython();
      this.write(known, from, this.at);
      return true;
    }
    if (name === "new" && beginsWithClass(this.ahead(from, 80))) {
      this.space();
      return this.word(depth);
    }
    if (/(?:Error|Exception)$/.test(name) && this.error(depth, from)) return true;
    this.speaksPython();
    const printed = printedClass(name);
    if (this.byte() === "(" && !printed && isVariant(name, this.ahead(this.at, 120), this))
      return variantValue(this, depth, from);
    if (this.byte() === "(" && /^[A-Za-z_][\w.]*$/.test(name)) {
      if (depth > 0 && /^[a-z][\w.]*\.[a-z]\w*$/.test(name) && this.ahead(this.at, 2) === "()") return false;
      return objectOfCall(this, depth, from, printed);
    }
    // Node and Rust print the class before the members.
    if (this.ahead(this.at, 2) === " {" && /^[A-Z]\w*$/.test(name)) {
      this.hasClass = true;
      const list = oneOrMany(name, this, depth, from);
      if (list !== undefined) return list;
      this.at++;
      if (!printed && holdsItems(this)) return objectOf(this, depth, from, "");
      return this.dict(depth, printed ?? rustClass(name, this.ahead(this.at, 80), this.dialect === "rust"));
    }
    const variant = this.hasClass && this.dialect !== "python" ? unitVariant(name) : undefined;
    if (variant !== undefined) {
      this.write(variant, from, this.at);
      return true;
    }
    // Python's string prefixes. Other names are constants of the program, whose values are unknown.
    if (/^[bru]$/i.test(name) && (this.byte() === "'" || this.byte() === '"')) return this.quoted();
    if (!/^[A-Za-z_][\w.]*$/.test(name)) return false;
    const size = this.byte() === "[" && this.dialect === "python" ? typeArgumentsLength(this) : 0;
    this.at += size;
    this.write("null", from, this.at);
    // A variable in the source of a program, or its member, stands for a value that was there when it ran.
    this.isGap = size === 0 && /^[a-z]\w*(?:\.[a-z_]\w*)*$/.test(name);
    return true;
  }

  /** An error with its stack, as Node prints it inside a value, becomes the object of its members. */
  private error(depth: number, from: number): boolean {
    const error = printedError(this.bytes, from, this.end);
    if (!error) return false;
    this.dialect = "javascript";
    this.at = error.end;
    if (error.hasMembers) return this.dict(depth);
    this.write("null", from, this.at);
    return true;
  }

  /** Python, unless other signs tell of another language. */
  speaksPython(): void {
    if (this.dialect === "json") this.dialect = "python";
  }

  cut(): true {
    this.isCut = true;
    return true;
  }

  byte(): string {
    return this.at < this.end ? String.fromCharCode(this.bytes[this.at] ?? 0) : "";
  }

  /** Up to `length` bytes from an offset on. */
  ahead(from: number, length: number): string {
    return this.bytes.toString("latin1", from, Math.min(this.end, from + length));
  }

  space(): void {
    for (;;) {
      while (this.at < this.end && isSpace(this.bytes[this.at])) this.at++;
      const comment = /^[/#<\xe2]/.test(this.byte()) && commentHead.exec(this.ahead(this.at, maxComment));
      if (!comment) return;
      if (standIn.test(comment[0])) this.gaps.push({ at: this.json.length, from: this.at });
      this.comments++;
      this.at += comment[0].length;
    }
  }

  /** Writes JSON for the bytes from `from` up to but not including `to`. */
  write(text: string, from: number, to: number): void {
    this.json.write(text, from, to);
  }
}

/**
 * No value begins with a slash, with a number sign and a space, or with the arrow that a reporter draws
 * behind the member at fault: these begin comments.
 */
const commentHead = /^\/\/[^\n]*|^\/\*[\s\S]*?\*\/|^#(?=[ \t.])[^\n]*|^(?:<[-=]+|\xe2\x86\x90)[^\n]*/;
