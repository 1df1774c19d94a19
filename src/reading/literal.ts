import { isDeepStrictEqual } from "node:util";
import { parseJson } from "./parse.ts";
import { endOfString } from "./scan.ts";
import { type Lifted, liftPieces, type Piece, patched, type View, type Way } from "./view.ts";

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
 * such literal gives `undefined`, and so does one in which Node wrote `[Array]` or `[Object]`; nothing is ever evaluated.
 * @see https://docs.python.org/3/reference/lexical_analysis.html#literals
 * @see https://nodejs.org/api/util.html#utilinspectobject-options
 */
export function printedLiteral(bytes: Buffer, start: number, end: number): PrintedLiteral | undefined {
  const chunks: Buffer[] = [];
  const pieces: Piece[] = [];
  let length = 0;
  let at = start;
  let isCut = false;
  let dialect: Dialect = "python";

  /** JSON that stands for the bytes of the literal from `from` up to and without `to`. */
  const write = (text: string, from: number, to: number): void => {
    const chunk = Buffer.from(text);
    // Positions inside of what is written the same in both count one by one.
    const isSame = chunk.length === to - from && bytes.compare(chunk, 0, chunk.length, from, to) === 0;
    pieces.push({
      at: length,
      from,
      length: isSame ? chunk.length : 0,
      ...(!isSame && { width: to - from }),
    });
    chunks.push(chunk);
    length += chunk.length;
  };
  const byte = (): string => (at < end ? String.fromCharCode(bytes[at] ?? 0) : "");
  const space = (): void => {
    for (;;) {
      while (at < end && /\s/.test(byte())) at++;
      // A slash begins no value, so that it can only be a comment.
      const comment =
        byte() === "/" &&
        /^\/\/[^\n]*|^\/\*[\s\S]*?\*\//.exec(bytes.toString("latin1", at, Math.min(end, at + maxComment)));
      if (!comment) return;
      at += comment[0].length;
    }
  };

  /** Whether a value was read; where the bytes end in it, it is cut, which also counts. */
  const value = (depth: number): boolean => {
    space();
    if (at >= end) return cut();
    if (depth > maxDepth) return false;
    const first = byte();
    if (first === "{") return dict(depth);
    if (first === "[" && leftOut.test(bytes.toString("latin1", at + 1, Math.min(end, at + 12)))) return false;
    if (first === "[" || first === "(") return list(depth, first === "[" ? "]" : ")");
    if (isQuote(first)) return quoted();
    if (first === ":" || first === "#") return symbol(depth);
    if (first === "<") return enumeration(depth);
    return word(depth);
  };

  const cut = (): boolean => {
    isCut = true;
    return true;
  };

  const dict = (depth: number): boolean => {
    write("{", at, at + 1);
    at++;
    for (let count = 0; ; count++) {
      space();
      if (at >= end) return cut();
      if (byte() === "}") break;
      if (count > 0) write(",", comma, at);
      if (!key()) return false;
      if (isCut) return true;
      space();
      if (at >= end) return cut();
      const size = byte() === ":" ? 1 : bytes.toString("latin1", at, at + 2) === "=>" ? 2 : 0;
      if (size === 0) return false;
      if (size === 2) dialect = "ruby";
      write(":", at, at + size);
      at += size;
      if (!value(depth + 1)) return false;
      if (isCut) return true;
      if (!separator("}")) return isCut;
    }
    write("}", at, at + 1);
    at++;
    return true;
  };

  /** The name of a member: in quotes, bare, or a symbol. */
  const key = (): boolean => {
    if (isQuote(byte())) return quoted();
    if (byte() === ":") at++;
    const from = at;
    while (at < end && /[\w$]/.test(byte())) at++;
    const name = bytes.toString("latin1", from, at);
    if (at >= end) return cut();
    if (!/^[A-Za-z_$][\w$]*$/.test(name)) return false;
    if (dialect === "python") dialect = "javascript";
    write('"', from, from);
    write(name, from, at);
    write('"', at, at);
    return true;
  };

  const list = (depth: number, close: string): boolean => {
    write("[", at, at + 1);
    at++;
    for (let count = 0; ; count++) {
      space();
      if (at >= end) return cut();
      if (byte() === close) break;
      if (count > 0) write(",", comma, at);
      if (!value(depth + 1)) return false;
      if (isCut) return true;
      if (!separator(close)) return isCut;
    }
    write("]", at, at + 1);
    at++;
    return true;
  };

  /** Where the comma before the next part stands. */
  let comma = start;

  /** Steps over a comma; false where neither one nor the closing bracket follows. */
  const separator = (close: string): boolean => {
    space();
    if (at >= end) return !cut();
    comma = at;
    if (byte() === ",") at++;
    else if (byte() !== close) return false;
    return true;
  };

  const quoted = (isBytes = isPrefix(98, at - 1)): boolean => {
    let quote = bytes[at] as number;
    write('"', at, at + 1);
    at++;
    let from = at;
    const copy = (): void => {
      if (at > from) write(JSON.stringify(bytes.toString("utf8", from, at)).slice(1, -1), from, at);
    };
    while (at < end) {
      const current = bytes[at];
      if (current === quote) {
        copy();
        const next = continuation(at + 1);
        if (next !== undefined) {
          quote = bytes[next] as number;
          at = next + 1;
          from = at;
          continue;
        }
        write('"', at, at + 1);
        at++;
        return true;
      }
      // A line feed ends a literal that was cut by its logger; between backticks it belongs to the text.
      if (current === 10 && quote !== 96) return false;
      if (current !== 92) {
        // What JSON has to escape is written by itself, so that the rest keeps its places.
        if (current === 34 || (current as number) < 32) {
          copy();
          write(JSON.stringify(String.fromCharCode(current as number)).slice(1, -1), at, at + 1);
          from = at + 1;
        }
        at++;
        continue;
      }
      copy();
      const size = (isBytes && codes()) || escaped();
      from = at + size;
      at = from;
    }
    copy();
    return cut();
  };

  /** Bytes beyond ASCII, which spell one character together; says how long they are, 0 where there are none. */
  const codes = (): number => {
    const run = /^(?:\\x[89a-f][0-9a-f])+/i.exec(bytes.toString("latin1", at, Math.min(end, at + 400)))?.[0];
    if (!run) return 0;
    const text = Buffer.from(run.replaceAll("\\x", ""), "hex").toString("utf8");
    const [first = ""] = text;
    const size = 4 * Buffer.byteLength(first);
    write(first, at, at + size);
    return size;
  };

  /** Whether the letter at `place` stands by itself, as the `b` of `b'…'` does. */
  const isPrefix = (letter: number, place: number): boolean =>
    bytes[place] === letter && !/\w/.test(String.fromCharCode(bytes[place - 1] ?? 32));

  /** Where the next piece of a string opens: `'one ' +` and `'two'` on the next line are one text. */
  const continuation = (from: number): number | undefined => {
    const found = /^[ \t]*\+\s*(?=['"`])/.exec(bytes.toString("latin1", from, Math.min(end, from + 200)));
    return found ? from + found[0].length : undefined;
  };

  /** A symbol of Ruby is its name; `#<Object …>` is nothing. */
  const symbol = (depth: number): boolean => {
    dialect = "ruby";
    const from = at;
    at++;
    if (bytes[from] === 35) return byte() === "<" && enumeration(depth);
    while (at < end && /\w/.test(byte())) at++;
    if (at === from + 1) return false;
    write(JSON.stringify(bytes.toString("latin1", from + 1, at)), from, at);
    return true;
  };

  /** Writes the escape at `at`, and says how long it is. */
  const escaped = (): number => {
    const letter = String.fromCharCode(bytes[at + 1] ?? 0);
    const digits = { x: 2, u: 4, U: 8 }[letter];
    const braced = /^u\{([0-9a-fA-F]{1,6})\}/.exec(bytes.toString("latin1", at + 1, at + 10))?.[1];
    const code = braced ?? (digits && bytes.toString("latin1", at + 2, at + 2 + digits));
    let size = 2;
    let text = escapes[letter] ?? `\\${letter}`;
    if (digits && code && /^[0-9a-fA-F]+$/.test(code) && (braced !== undefined || code.length === digits)) {
      const point = Number.parseInt(code, 16);
      size = 2 + (braced === undefined ? digits : braced.length + 2);
      text = point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd";
    }
    write(JSON.stringify(text).slice(1, -1), at, Math.min(end, at + size));
    return size;
  };

  /** `<Reason.STOP: 'STOP'>` is its value; `<object at 0x7f…>` is nothing. */
  const enumeration = (depth: number): boolean => {
    let close = at;
    while (close < end && bytes[close] !== 62 && bytes[close] !== 10) close++;
    if (close >= end || bytes[close] === 10) return false;
    const inner = /^<[\w.]+: (?=['"\d])/.exec(bytes.toString("utf8", at, Math.min(close, at + 200)));
    if (!inner) {
      write("null", at, close + 1);
      at = close + 1;
      return true;
    }
    at += inner[0].length;
    if (!value(depth + 1)) return false;
    space();
    if (byte() !== ">") return false;
    at++;
    return true;
  };

  /** A number, a name of a constant, or an object. */
  const word = (depth: number): boolean => {
    const from = at;
    while (at < end && /[\w.+-]/.test(byte())) at++;
    const name = bytes.toString("latin1", from, at);
    if (at >= end) return name !== "" && cut();
    if (/^-?\d+(\.\d*)?([eE][+-]?\d+)?$/.test(name)) {
      write(name.replace(/\.(?=$|[eE])/, ""), from, at);
      return true;
    }
    const known = words.get(name.replace(/^[-+]/, ""));
    if (known !== undefined) {
      write(known, from, at);
      return true;
    }
    if (byte() === "(" && /^[A-Za-z_][\w.]*$/.test(name)) return object(depth, from);
    // Node prints the class before the members.
    if (/^ \{/.test(bytes.toString("latin1", at, at + 2)) && /^[A-Z]\w*$/.test(name)) {
      at++;
      return dict(depth);
    }
    // Bytes, and names of constants that only the program knew.
    if (/^[bru]$/i.test(name) && (byte() === "'" || byte() === '"')) return quoted();
    if (!/^[A-Za-z_][\w.]*$/.test(name)) return false;
    write("null", from, at);
    return true;
  };

  /** `Message(role='user', content='…')` is a dict; of other arguments, only that there was something is kept. */
  const object = (depth: number, from: number): boolean => {
    const isNamed = /^\(\s*(\)|[A-Za-z_]\w*\s*=[^=])/.test(
      bytes.toString("latin1", at, Math.min(end, at + 100)),
    );
    if (!isNamed) {
      const opening = length;
      if (!list(depth, ")")) return false;
      return length > opening;
    }
    write("{", from, at + 1);
    at++;
    for (let count = 0; ; count++) {
      space();
      if (at >= end) return cut();
      if (byte() === ")") break;
      const key = at;
      while (at < end && /\w/.test(byte())) at++;
      const name = bytes.toString("latin1", key, at);
      if (at >= end) return cut();
      if (name === "" || byte() !== "=") return false;
      if (count > 0) write(",", comma, key);
      write('"', key, key);
      write(name, key, at);
      write('":', at, at + 1);
      at++;
      if (!value(depth + 1)) return false;
      if (isCut) return true;
      if (!separator(")")) return isCut;
    }
    write("}", at, at + 1);
    at++;
    return true;
  };

  if (!value(0)) return undefined;
  return { bytes: Buffer.concat(chunks, length), pieces, end: at, dialect };
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
 * Whether a value that begins here was printed in a language's way: behind its brackets a single quote stands, a name with arguments, a
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
export function printedWay(
  base: View,
  start: number,
  end: number,
  { bytes, pieces, dialect }: PrintedLiteral,
): Way {
  return {
    base,
    lift(patches): Lifted {
      if (dialect === "ruby") return { why: "what Ruby printed is not written, only read" };
      const raw = base.read(start, end);
      const quotes = stringsOf(bytes);
      const lifted = liftPieces(patches, bytes.length, pieces, ({ start: from, end: to, bytes: own }) => {
        const text = own.toString("utf8");
        const inside = quotes.find((string) => string.start < from && to < string.end);
        if (!inside) return Buffer.from(printedText(text, dialect));
        const piece = pieces.find(({ at }) => at === inside.start);
        const quote = String.fromCharCode(raw[(piece?.from ?? start) - start] ?? 39);
        const plain = parseJson(`"${text}"`);
        return typeof plain === "string" ? Buffer.from(escapedFor(plain, quote)) : undefined;
      });
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
