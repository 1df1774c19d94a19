import { isObject, PrintReader } from "./print-reader.ts";
import type { PrintedLiteral } from "./printed-literal.ts";
import { snakeCase } from "./snake-case.ts";

/**
 * What PHP prints for an array or an object: `var_dump` with the length of each text, `print_r` with neither
 * quotes nor types, `var_export` and source with arrows, and Symfony's `dump` with one member a line. Arrays
 * whose keys count from 0 are lists.
 * @see https://www.php.net/manual/en/function.var-dump.php
 * @see https://www.php.net/manual/en/function.print-r.php
 * @see https://symfony.com/doc/current/components/var_dumper.html
 */
export function phpNotation(
  bytes: Buffer,
  start: number,
  end: number,
  failed?: (at: number) => void,
): PrintedLiteral | undefined {
  const reader = new PhpReader(bytes, start, end);
  if (reader.value(0, "")) return reader.literal;
  failed?.(reader.at);
  return undefined;
}

/** Whether a text begins with such an array or object. */
export function beginsAsPhp(text: string): boolean {
  return begins.test(text);
}

const className = String.raw`[A-Za-z_\\][\w\\]*`;
const dumped = new RegExp(String.raw`^(?:array\(\d+\)|object\(${className}[^()\n]*\)#\d+ \(\d+\)) \{\s*\n`);
const printed = new RegExp(String.raw`^(?:Array|${className} Object)[ \t]*\r?\n([ \t]*)\([ \t]*\r?\n`);
const exported = /^(?:array ?\(|\[)\s*/;
const shown = new RegExp(
  String.raw`^(?:array:\d+ \[|${className} \{#\d+)(?:\xe2\x96\xbc|\xe2\x96\xb6)?[ \t]*\r?\n`,
);
/** `(object) array(`, `\App\Call::__set_state(array(`. */
const setState = new RegExp(String.raw`^(?:\(object\) ?|${className}::__set_state\()`);
const begins = new RegExp(
  [
    dumped.source,
    printed.source,
    shown.source,
    String.raw`^(?:${setState.source.slice(1)})?(?:array ?\(|\[)\s*(?:(?:array ?\(|\[)\s*){0,4}(?:'[\w-]{1,60}'|"[\w-]{1,60}"|0) ?=>`,
  ].join("|"),
);

/** Deeper nesting than any message has. */
const maxDepth = 64;

/** The longest text of a member, in bytes. */
const maxText = 256 << 10;

/** What is looked at of what follows. */
const headLength = 240;

/** Members that are texts, also where no quotes say so. */
const isText = /^(?:content|text|arguments|name|model|role|type|(?:\w+_)?id)$/;

type Form = "dumped" | "printed" | "exported" | "shown";

/** How a form writes the name of a member before its value; the groups are the name and the number. */
const keys: Readonly<Record<Exclude<Form, "printed">, RegExp>> = {
  dumped: /^\[(?:"((?:[^"\\\n]|\\.){0,200})"|(-?\d{1,9}))(?::[^\]\n]{0,120})?\]=>\s*/,
  exported: /^(?:(?:'([^'\n]{0,200})'|"([^"\n]{0,200})")|(-?\d{1,9}))\s*=>\s*/,
  shown: /^(?:[+#~-]?"?([A-Za-z_][\w-]{0,120})"?(?:: | => )|(-?\d{1,9}) => )/,
};

const closers: Readonly<Record<string, string>> = { "{": "}", "(": ")", "[": "]" };

class PhpReader extends PrintReader {
  /** An object was read, whose names are those of a program. */
  private hasClass = false;
  get literal(): PrintedLiteral {
    return this.literalOf(this.hasClass ? "php-objects" : "php");
  }

  /** Reads the value of a member; false where there is none. */
  value(depth: number, key: string): boolean {
    if (depth > maxDepth) return false;
    if (this.at >= this.end) return this.cut();
    const head = this.head();
    const state = setState.exec(head);
    if (state) {
      this.at += state[0].length;
      this.hasClass = true;
      if (!this.value(depth + 1, key) || this.isCut) return this.isCut;
      if (state[0].endsWith("(") && this.byte() === ")") this.at++;
      return true;
    }
    for (const [form, pattern] of [
      ["dumped", dumped],
      ["printed", printed],
      ["shown", shown],
    ] as const) {
      const open = pattern.exec(head);
      if (!open) continue;
      const isNamed = !/^array\b/i.test(head);
      this.hasClass ||= isNamed;
      return form === "printed"
        ? this.printedMembers(depth, open[0].length, open[1] ?? "", isNamed, key)
        : this.members(depth, form, open[0].length, isNamed, key);
    }
    const empty = /^(?:array:0 )?\[\]|^array\(0\) \{\s*\}|^array ?\(\s*\)/.exec(head);
    if (empty) return this.write(isObject.test(key) ? "{}" : "[]", empty[0].length);
    const open = exported.exec(head);
    if (open) return this.members(depth, "exported", open[0].length, false, key);
    return depth > 0 && this.scalar(head);
  }

  private scalar(head: string): boolean {
    const sized = /^string\((\d{1,9})\) "/.exec(head);
    if (sized) return this.sized(sized[0].length, Number(sized[1]));
    const number = /^(?:int|float)\((-?[\d.eE+-]{1,30})\)|^(-?\d{1,18}(?:\.\d{1,18})?)(?=[\s,)\]]|$)/.exec(
      head,
    );
    if (number) return this.write(number[1] ?? number[2] ?? "0", number[0].length);
    const word = /^bool\((true|false)\)|^(true|false)\b/i.exec(head);
    if (word) return this.write((word[1] ?? word[2] ?? "").toLowerCase(), word[0].length);
    const nothing = /^(?:NULL|null|uninitialized\([^)\n]{0,80}\)|\*RECURSION\*)/.exec(head);
    if (nothing) return this.write("null", nothing[0].length);
    const variant = /^enum\([\w\\]+::(\w+)\)/.exec(head);
    if (variant) return this.write(JSON.stringify(variant[1]), variant[0].length);
    if (head.startsWith('"""')) return this.quoted('"""', false);
    if (head[0] === "'") return this.quoted("'", true);
    if (head[0] === '"') return this.quoted('"', false);
    return false;
  }

  /** The members of an array or object whose head has `size` bytes. */
  private members(
    depth: number,
    form: "dumped" | "exported" | "shown",
    size: number,
    isNamed: boolean,
    outer: string,
  ): boolean {
    const opener = /[{([](?=[^{([]*$)/.exec(this.head().slice(0, size))?.[0] ?? "{";
    const close = closers[opener] ?? "}";
    const begin = this.at;
    this.at += size;
    let isList: boolean | undefined;
    for (let count = 0; ; count++) {
      this.space();
      if (this.byte() === ",") {
        this.at++;
        this.space();
      }
      if (this.at >= this.end) return isList === undefined ? false : this.cut();
      if (this.byte() === close) break;
      const head = this.head();
      const found = keys[form].exec(head);
      const name = found && (form === "exported" ? (found[1] ?? found[2]) : found[1]);
      const number = found && (form === "exported" ? found[3] : found[2]);
      // Source leaves the numbers out.
      if (!found && form !== "exported") return false;
      const isCounted = name === undefined || name === null;
      isList ??= this.open(isCounted && Number(number ?? 0) === 0, begin);
      if (isList !== isCounted || (number && isList && Number(number) !== count)) return false;
      const key = name ?? "";
      if (count > 0) this.insert(",");
      const written = isNamed ? snakeCase(key) : key;
      if (!isList) this.write(`${JSON.stringify(written)}:`, found?.[0].length ?? 0);
      else this.at += found?.[0].length ?? 0;
      if (!this.value(depth + 1, written)) return false;
      if (this.isCut) return true;
    }
    return this.close(isList, begin, isNamed || isObject.test(outer));
  }

  /** The members that `print_r` indents below their bracket. */
  private printedMembers(
    depth: number,
    size: number,
    indent: string,
    isNamed: boolean,
    outer: string,
  ): boolean {
    const begin = this.at;
    this.at += size;
    const inner = `${indent}    [`;
    let isList: boolean | undefined;
    for (let count = 0; ; count++) {
      this.blankLines();
      if (this.at >= this.end) return isList === undefined ? false : this.cut();
      const head = this.head();
      const end = new RegExp(`^${indent}\\)[ \\t]*(?:\\r?\\n|$)`).exec(head);
      if (end) {
        this.at += indent.length;
        return this.close(isList, begin, isNamed || isObject.test(outer));
      }
      const found = head.startsWith(inner)
        ? /^([^\]:\n]{0,200})(?::[^\]\n]{0,120})?\] =>(?: |(?=\r?\n))/.exec(head.slice(inner.length))
        : null;
      if (!found) return false;
      const name = found[1] ?? "";
      const isCounted = /^\d{1,9}$/.test(name);
      isList ??= this.open(name === "0", begin);
      if (isList !== isCounted || (isList && Number(name) !== count)) return false;
      if (count > 0) this.insert(",");
      const key = isNamed ? snakeCase(name) : name;
      const width = inner.length + found[0].length;
      if (!isList) this.write(`${JSON.stringify(key)}:`, width);
      else this.at += width;
      const isNested = printed.test(this.head());
      if (!(isNested ? this.value(depth + 1, key) : this.bare(key, indent))) return false;
      if (this.isCut) return true;
    }
  }

  /** A text without quotes ends before the next member, or the bracket of its array. */
  private bare(key: string, indent: string): boolean {
    const limit = Math.min(this.end, this.at + maxText);
    let stop = this.at;
    for (;;) {
      const feed = this.bytes.indexOf(10, stop);
      if (feed < 0 || feed >= limit) {
        stop = limit;
        break;
      }
      const next = this.bytes.toString("latin1", feed + 1, feed + 1 + indent.length + headLength);
      stop = feed;
      if (next.startsWith(`${indent}    [`) && /^[^\]\n]{1,200}\] =>/.test(next.slice(indent.length + 5)))
        break;
      if (next.startsWith(`${indent})`)) break;
      stop = feed + 1;
    }
    const text = this.bytes.toString("utf8", this.at, stop).replace(/\r$/, "");
    const isNumber = !isText.test(key) && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text);
    if (text === "" && !/^(?:content|text)$/.test(key)) this.insert("null");
    else if (isNumber) this.write(text, text.length);
    else this.text(this.at, this.at + Buffer.byteLength(text), 0);
    this.at = stop;
    return stop < limit || this.cut();
  }

  /** A text whose length `var_dump` states; a paste may have changed it. */
  private sized(head: number, length: number): boolean {
    const from = this.at + head;
    if (from + length >= this.end) {
      this.text(from, this.end, head, false);
      return this.cut();
    }
    let to = from + length;
    if (this.bytes[to] !== 34) {
      const rest = this.bytes.toString("latin1", from, Math.min(this.end, from + length + headLength));
      const found = /"(?=[ \t]*\r?\n\s*(?:\[|\}))/.exec(rest);
      if (!found) return false;
      to = from + found.index;
    }
    this.text(from, to, head);
    this.at = to + 1;
    return true;
  }

  /** A text in quotes. `dump` does not escape what it shows, and ends a text at the end of its line. */
  private quoted(quote: string, hasEscapes: boolean): boolean {
    const from = this.at + quote.length;
    const limit = Math.min(this.end, from + maxText);
    for (let at = from; at < limit; at++) {
      if (this.bytes[at] === 92 && (hasEscapes || quote === '"')) at++;
      else if (this.bytes.toString("latin1", at, at + quote.length) === quote) {
        const next = this.bytes.toString("latin1", at + quote.length, at + quote.length + 24);
        if (quote === '"' && !/^(?:[ \t]*\r?\n|\s*[,\])]|$)/.test(next)) continue;
        this.text(from, at, quote.length, true, hasEscapes);
        this.at = at + quote.length;
        return true;
      }
    }
    this.text(from, limit, quote.length, false, hasEscapes);
    return limit === this.end && this.cut();
  }

  /** Writes a range as a JSON string; `before` bytes in front of it belong to it. */
  private text(from: number, to: number, before: number, isClosed = true, hasEscapes = false): void {
    const raw = this.bytes.toString("utf8", from, to);
    const said = JSON.stringify(hasEscapes ? raw.replace(/\\([\\'])/g, "$1") : raw);
    this.json.write('"', from - before, from);
    if (said.length === raw.length + 2) this.json.copy(from, to);
    else this.json.write(said.slice(1, -1), from, to);
    if (isClosed) this.json.write('"', to, to);
    this.at = to;
  }

  /** Opens a list or an object, whose brackets PHP writes alike. */
  private open(isList: boolean, begin: number): boolean {
    this.json.write(isList ? "[" : "{", begin, this.at);
    return isList;
  }

  /** Closes what was opened; `undefined`: nothing was, and both brackets stand for what begins at `begin`. */
  private close(isList: boolean | undefined, begin: number, mayBeNamed: boolean): true {
    if (isList === undefined) this.json.write(mayBeNamed ? "{" : "[", begin, this.at);
    return this.write((isList ?? !mayBeNamed) ? "]" : "}", 1);
  }

  private insert(json: string): void {
    this.json.write(json, this.at, this.at);
  }

  private blankLines(): void {
    for (;;) {
      const blank = /^[ \t]*\r?\n/.exec(this.head());
      if (!blank) return;
      this.at += blank[0].length;
    }
  }

  private head(): string {
    return this.ahead(this.at, headLength);
  }
}
