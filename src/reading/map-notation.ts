import { QuotedReader } from "./literal-strings.ts";
import { closers, isObject, maxText, PrintReader } from "./print-reader.ts";
import type { MapDialect, PrintedLiteral } from "./printed-literal.ts";
import { endOfString } from "./scan.ts";

/**
 * What languages print for maps and lists that hold the JSON of a body, with the names of the wire. Some
 * quote the texts: Swift, Objective-C, Clojure, Lua, Go with `%#v`, the values of Rust's serde. Others print
 * them as they are: Java, Dart, Groovy, Scala, Go with `%v`. There a text ends before the next name, or
 * before the bracket of its map.
 * @see https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/util/AbstractMap.html#toString()
 * @see https://pkg.go.dev/fmt#hdr-Printing
 * @see https://docs.rs/serde_json/latest/serde_json/enum.Value.html#impl-Debug-for-Value
 */
export function mapNotation(
  bytes: Buffer,
  start: number,
  end: number,
  failed?: (at: number) => void,
): PrintedLiteral | undefined {
  const notation = notationOf(bytes.toString("latin1", start, Math.min(end, start + headLength)));
  const reader = notation && new MapReader(bytes, start, end, notation);
  if (reader?.value(0, "")) return reader.literal;
  failed?.(reader?.at ?? start);
  return undefined;
}

/** Whether a text begins with such a map, or with a list of them. */
export function beginsAsMap(text: string): boolean {
  return notationOf(text) !== undefined;
}

/** How a language prints a map. */
interface Notation {
  readonly dialect: MapDialect;
  /** A map, or lists and then a map. */
  readonly begins: RegExp;
  /** Which nothing in the beginning of such a map matches. */
  readonly not?: RegExp;
  /** The first bracket of a map. */
  readonly map: RegExp;
  /** The first bracket of a list. */
  readonly list: RegExp;
  /** A member's name, in one of the groups, and what stands before its value. */
  readonly name: RegExp;
  /** Texts have no quotes. */
  readonly isBare?: true;
  /** Texts of one word, or of digits, have none. */
  readonly hasBareWords?: true;
  /** Nothing but a space stands between members. */
  readonly isSpaced?: true;
}

const word = String.raw`[A-Za-z_$][\w$-]*`;
const quotedName = String.raw`"((?:[^"\\\n]|\\.){0,200})"`;
const goType = String.raw`(?:interface \{\}|any|string|[a-z]\w*\.\w+|map\[string\](?:interface \{\}|any|string))`;

const notations: readonly Notation[] = [
  {
    dialect: "rust-values",
    begins: /^(?:Array \[\s*)?Object \{\s*"/,
    map: /^Object \{/,
    list: /^Array \[/,
    name: new RegExp(`^${quotedName}: `),
  },
  {
    dialect: "go-source",
    begins: new RegExp(String.raw`^(?:\[\]${goType}\{)?map\[string\]${goType}\{"`),
    map: new RegExp(String.raw`^map\[string\]${goType}\{`),
    list: new RegExp(String.raw`^\[\]${goType}\{`),
    name: new RegExp(`^${quotedName}:`),
  },
  {
    dialect: "go-map",
    begins: /^\[?map\[[a-z_]\w*:\S/,
    map: /^map\[/,
    list: /^\[/,
    name: /^([^\s:[\]{}]+):/,
    isBare: true,
    isSpaced: true,
  },
  {
    dialect: "scala",
    begins: new RegExp(String.raw`^(?:List\(|Vector\(|ArrayBuffer\()?(?:Hash)?Map\(${word} -> `),
    map: /^(?:Hash|Linked|Tree)?Map\(/,
    list: /^(?:List|Vector|ArrayBuffer|Array|Seq)\(/,
    name: new RegExp(`^(${word}) -> `),
    isBare: true,
  },
  {
    dialect: "swift",
    begins: /^\[\s*(?:\[\s*)?(?:AnyHashable\()?"[\w$.-]{1,60}"\)?: (?!\{)/,
    map: /^\[(?=\s*(?:AnyHashable\()?"(?:[^"\\\n]|\\.){0,200}"\)?: |:\])/,
    list: /^\[/,
    name: new RegExp(String.raw`^(?:AnyHashable\()?${quotedName}\)?: `),
  },
  {
    dialect: "groovy",
    begins: new RegExp(String.raw`^\[(?:\[)?${word}:(?![/ ])[\w"[{-]`),
    map: new RegExp(String.raw`^\[(?=${word}:(?!/)|:\])`),
    list: /^\[/,
    name: new RegExp(`^(${word}):`),
    isBare: true,
  },
  {
    dialect: "objective-c",
    begins: /^(?:\(\r?\n\s*)?\{\r?\n\s*(?:"[\w$.-]{1,60}"|[a-zA-Z]\w*) = /,
    map: /^\{/,
    list: /^\(/,
    name: new RegExp(`^(?:${quotedName}|(${word})) = `),
    hasBareWords: true,
  },
  {
    dialect: "lua",
    begins: /^\{\s*(?:\{\s*)?(?:\["[\w$.-]{1,60}"\]|[a-z_]\w*) = (?:["{\d]|true|false)/,
    map: new RegExp(String.raw`^\{(?=\s*(?:\["(?:[^"\\\n]|\\.){0,200}"\]|${word}) = )`),
    list: /^\{/,
    name: new RegExp(String.raw`^(?:\[${quotedName}\]|(${word})) = `),
  },
  {
    dialect: "clojure",
    begins: /^\[?\{:[a-zA-Z][\w-]* ["[{:\d]/,
    map: /^\{/,
    list: /^[[(]/,
    name: /^:([\w$-]+)\s+/,
    isSpaced: true,
  },
  {
    dialect: "java-map",
    begins: /^\[?\{[a-z_]\w*=(?![=>'"])[^\s,}]/,
    map: new RegExp(String.raw`^\{(?=${word}=|\})`),
    list: /^\[/,
    name: new RegExp(`^(${word})=`),
    isBare: true,
  },
  {
    dialect: "dart",
    begins: /^\[?\{[a-z_]\w*: (?:\[?\{[a-z_]\w*: ){0,8}(?!(?:\d+|true|false|null|undefined)[,}])\w/,
    not: /: ["'`]/,
    map: new RegExp(String.raw`^\{(?=${word}: |\})`),
    list: /^\[/,
    name: new RegExp(`^(${word}): `),
    isBare: true,
  },
];

/** A member of a body: programs print maps of all kinds. */
const ofBody =
  /\b(?:role|contents?|messages|model|choices|candidates|parts|inputs?|outputs?|tools|type|id|system)"?[)\]]?(?:[:= ]| ->)/;

function notationOf(head: string): Notation | undefined {
  if (!ofBody.test(head)) return undefined;
  return notations.find(({ begins, not }) => begins.test(head) && !not?.test(head));
}

/** Deeper nesting than any body has. */
const maxDepth = 64;

/** What is looked at of what follows. */
const headLength = 200;

/** Members whose values are texts, even if they look like a number or like JSON. */
const isText =
  /^(?:content|text|arguments|name|model|role|type|thinking|description|(?:\w+_)?id|thoughtSignature)$/;

const nothing =
  /^(?:nil|null|Null|None|<nil>|<null>|"<null>"|(?:interface \{\}|[\w.]+)\(nil\))(?=[\s,;)\]}]|$)/;
const plainWord = /^(true|false|-?\d{1,15}(?:\.\d{1,17})?)(?=[\s,;)\]}]|$)/;

/** `String("…")`, `Number(5)`, `Optional(…)`: a value in the name of its kind. */
const inKind = /^(?:String|Number|Bool|Some|Optional|AnyHashable)\(/;

/** Reads one map or list and writes the equivalent JSON as it goes. */
class MapReader extends PrintReader {
  private readonly notation: Notation;
  constructor(bytes: Buffer, start: number, end: number, notation: Notation) {
    super(bytes, start, end);
    this.notation = notation;
  }

  get literal(): PrintedLiteral {
    return this.literalOf(this.notation.dialect);
  }

  /** Reads the value of a member within a map or list that `closer` closes; false where there is none. */
  value(depth: number, closer: string, key = ""): boolean {
    if (depth > maxDepth) return false;
    if (this.at >= this.end) return this.cut();
    const head = this.ahead(this.at, headLength);
    const { map, list, isBare, hasBareWords } = this.notation;
    const isJson = isBare && /^(?:\{\s*"|\[\s*["{[]\s*")/.test(head);
    if (!isJson && !(isBare && isText.test(key) && /^(?:\{\}|\[\])/.test(head))) {
      const open = map.exec(head);
      if (open) return this.members(depth, open[0].length);
      if (isObject.test(key) && /^\{\s*\}/.test(head)) return this.members(depth, 1);
      const items = list.exec(head);
      if (items) return this.items(depth, items[0].length);
    }
    if (depth === 0) return false;
    const none = nothing.exec(head);
    if (none) return this.write("null", none[0].length);
    const kind = inKind.exec(head);
    if (kind && !isBare) return this.kind(depth, kind[0].length, key);
    const plain = isText.test(key) && (isBare || hasBareWords) ? null : plainWord.exec(head);
    if (plain) return this.write(plain[0], plain[0].length);
    if (isBare) return this.bareText(closer, depth > 1);
    if (head[0] === '"') return this.quoted();
    const name = /^:?([\w.-]+)(?=[\s,;)\]}]|$)/.exec(head);
    return name !== null && this.write(JSON.stringify(name[1]), name[0].length);
  }

  private kind(depth: number, size: number, key: string): boolean {
    this.at += size;
    this.space();
    if (!this.value(depth + 1, ")", key) || this.isCut) return this.isCut;
    this.separator();
    if (this.byte() !== ")") return false;
    this.at++;
    return true;
  }

  private quoted(): boolean {
    const reader = new QuotedReader(this.bytes, this.at, this.end, this.json);
    const end = reader.read();
    this.at = reader.at;
    return end === "cut" ? this.cut() : end === "closed";
  }

  /** The members of a map whose first bracket ends after `size` bytes. */
  private members(depth: number, size: number): boolean {
    const close = this.closerAt(this.at + size - 1);
    this.write("{", size);
    if (this.ahead(this.at, 2) === ":]") return this.write("}", 2);
    for (let count = 0; ; count++) {
      this.separator();
      if (this.at >= this.end) return this.cut();
      if (this.byte() === close) return this.write("}", 1);
      const member = this.notation.name.exec(this.ahead(this.at, headLength));
      if (!member) return false;
      const key = member[1] ?? member[2] ?? "";
      this.write(`${count > 0 ? "," : ""}${JSON.stringify(key)}:`, member[0].length);
      if (!this.value(depth + 1, close, key)) return false;
      if (this.isCut) return true;
    }
  }

  private items(depth: number, size: number): boolean {
    const close = this.closerAt(this.at + size - 1);
    this.write("[", size);
    for (let count = 0; ; count++) {
      this.separator();
      if (this.at >= this.end) return this.cut();
      if (this.byte() === close) return this.write("]", 1);
      if (count > 0) this.write(",", 0);
      if (!this.value(depth + 1, close)) return false;
      if (this.isCut) return true;
    }
  }

  private closerAt(at: number): string {
    return closers[String.fromCharCode(this.bytes[at] ?? 0)] ?? "}";
  }

  private separator(): void {
    this.space();
    while (this.byte() === "," || this.byte() === ";") {
      this.at++;
      this.space();
    }
  }

  /** Reads a text within a map or list that something else may hold (`isInner`). */
  private bareText(closer: string, isInner: boolean): boolean {
    const end = Math.min(this.endOfText(closer, isInner), this.end);
    const from = this.at;
    const said = JSON.stringify(this.bytes.toString("utf8", from, end));
    this.json.write('"', from, from);
    if (said.length === end - from + 2) this.json.copy(from, end);
    else this.json.write(said.slice(1, -1), from, end);
    this.json.write('"', end, end);
    this.at = end;
    return this.at < this.end || this.cut();
  }

  /** Where a text without quotes ends. Brackets within it are paired, unless one of them stands alone. */
  private endOfText(closer: string, isInner: boolean): number {
    return this.endByBrackets(closer, isInner) ?? this.endByNames(closer);
  }

  private endByBrackets(closer: string, isInner: boolean): number | undefined {
    const { brackets } = this;
    brackets.beginText();
    const limit = Math.min(this.end, this.at + maxText);
    for (let at = this.at; at < limit; at++) {
      const character = String.fromCharCode(this.bytes[at] ?? 0);
      if (brackets.areClosed && this.endsBefore(at)) return at;
      if (brackets.areClosed && character === closer) return isInner && !this.isEndAt(at) ? undefined : at;
      if (!brackets.take(character, at)) return undefined;
      if (character !== '"' || brackets.areClosed) continue;
      const close = endOfString(this.bytes, at + 1, limit, 0);
      if (close > 0) at = close - 1;
    }
    // A bracket that is near the limit may be closed behind it.
    brackets.giveUp(limit < this.end ? limit - maxText / 2 : limit);
    return undefined;
  }

  /** The first bracket that may close the map, or the first name, whatever brackets stand before it. */
  private endByNames(closer: string): number {
    const limit = Math.min(this.end, this.at + maxText);
    for (let at = this.at; at < limit; at++) {
      if (this.endsBefore(at)) return at;
      if (String.fromCharCode(this.bytes[at] ?? 0) !== closer) continue;
      if (this.isEndAt(at)) return at;
    }
    return limit;
  }

  /** Whether what follows a bracket may follow the end of a map. */
  private isEndAt(at: number): boolean {
    const next = this.ahead(at + 1, 4);
    return /^\s*(?:$|[\]})]|,\s|\n)/.test(next) || (this.notation.isSpaced === true && next[0] === " ");
  }

  /** Whether the separator before the next member, or the next object of a list, stands at an offset. */
  private endsBefore(at: number): boolean {
    const { isSpaced, name, map } = this.notation;
    const byte = this.bytes[at];
    if (byte !== (isSpaced ? SPACE : COMMA)) return false;
    const next = this.ahead(at + 1, headLength).replace(/^ /, isSpaced ? " " : "");
    if (!isSpaced) return name.test(next) || map.test(next);
    return /^[a-z_]\w*:(?=\S)(?!\/\/)/.test(next) || map.test(next);
  }
}

const SPACE = 32;
const COMMA = 44;
