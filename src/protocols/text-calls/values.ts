/**
 * Values as models write them: JSON, Python literals and the notation of Gemma, in one tolerant reader that keeps the places.
 * JSON that is not quite JSON (raw line feeds in strings, trailing commas, `True`) is the normal case here, and so is text that ends too early.
 */
export type Written = Place &
  (
    | {
        readonly kind: "object";
        readonly members: readonly { readonly key: string; readonly value: Written }[];
      }
    | { readonly kind: "list"; readonly items: readonly Written[] }
    | { readonly kind: "scalar"; readonly value: unknown }
  );

interface Place {
  readonly start: number;
  readonly end: number;
  /** The text ended before the value did. */
  readonly isCut: boolean;
}

/** A place that moves forward through a text as values are read. */
export interface Cursor {
  readonly text: string;
  at: number;
}

interface Notation {
  readonly quotes: readonly string[];
  /** Keys and strings may stand without quotes, and quoted strings know no escapes. */
  readonly isBare: boolean;
}

/** JSON and Python literals. */
export const literals: Notation = { quotes: ['"""', "'''", '"', "'"], isBare: false };
/** `{city:<escape>Paris<escape>,days:3}`, and Gemma 4's `<|"|>`. */
export const gemma: Notation = { quotes: ["<escape>", '<|"|>', '"', "'"], isBare: true };

/** Deeper values are no arguments; the limit keeps hostile text from overflowing the stack. */
const maxDepth = 100;

const words = new Map<string, unknown>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["null", null],
  ["None", null],
]);

/** Reads one value and moves behind it; `undefined` when what stands there is none. At the end of the text: a cut scalar. */
export function readWritten(cursor: Cursor, notation: Notation = literals, depth = 0): Written | undefined {
  skipSpace(cursor);
  const { text, at: start } = cursor;
  if (start >= text.length) return { kind: "scalar", value: undefined, start, end: start, isCut: true };
  if (depth > maxDepth) return undefined;
  const open = text[start];
  if (open === "{") return readObject(cursor, notation, depth);
  if (open === "[" || open === "(") return readList(cursor, notation, depth, open === "[" ? "]" : ")");
  return readString(cursor, notation) ?? readWord(cursor, notation);
}

function readObject(cursor: Cursor, notation: Notation, depth: number): Written | undefined {
  const start = cursor.at++;
  const members: { key: string; value: Written }[] = [];
  const done = (isCut: boolean): Written => ({ kind: "object", members, start, end: cursor.at, isCut });
  for (;;) {
    const next = skipSeparators(cursor);
    if (next === undefined) return done(true);
    if (next === "}") {
      cursor.at++;
      return done(false);
    }
    const key = readString(cursor, notation) ?? (notation.isBare ? readWord(cursor, notation) : undefined);
    if (!key) return undefined;
    skipSpace(cursor);
    if (key.isCut || cursor.at >= cursor.text.length) return done(true);
    if (cursor.text[cursor.at++] !== ":") return undefined;
    const value = readWritten(cursor, notation, depth + 1);
    if (!value) return undefined;
    members.push({ key: String(valueOf(key)), value });
    if (value.isCut) return done(true);
  }
}

function readList(cursor: Cursor, notation: Notation, depth: number, close: string): Written | undefined {
  const start = cursor.at++;
  const items: Written[] = [];
  const done = (isCut: boolean): Written => ({ kind: "list", items, start, end: cursor.at, isCut });
  for (;;) {
    const next = skipSeparators(cursor);
    if (next === undefined) return done(true);
    if (next === close) {
      cursor.at++;
      return done(false);
    }
    const item = readWritten(cursor, notation, depth + 1);
    if (!item) return undefined;
    items.push(item);
    if (item.isCut) return done(true);
  }
}

function readString(cursor: Cursor, { quotes, isBare }: Notation): Written | undefined {
  const { text, at: start } = cursor;
  const quote = quotes.find((each) => text.startsWith(each, start));
  if (quote === undefined) return undefined;
  const from = start + quote.length;
  let at = from;
  while (at < text.length && !(text[at] === quote[0] && text.startsWith(quote, at))) {
    at += text[at] === "\\" && !isBare ? 2 : 1;
  }
  const isCut = at >= text.length;
  cursor.at = isCut ? text.length : at + quote.length;
  const raw = text.slice(from, at);
  return { kind: "scalar", value: isBare ? raw : unescaped(raw), start, end: cursor.at, isCut };
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", "\n": "" };

function unescaped(raw: string): string {
  return raw.replace(/\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|([^]))/g, (_, unicode, hex, letter) =>
    letter === undefined
      ? String.fromCharCode(Number.parseInt(unicode ?? hex, 16))
      : (escapes[letter] ?? letter),
  );
}

function readWord(cursor: Cursor, { isBare }: Notation): Written | undefined {
  const { text, at: start } = cursor;
  const pattern = isBare ? /[^\s:,{}[\]<>][^:,{}[\]<>]*/y : /[\w.+-]+/y;
  pattern.lastIndex = start;
  const word = pattern.exec(text)?.[0].trimEnd();
  if (word === undefined) return undefined;
  cursor.at = start + word.length;
  const isLast = cursor.at >= text.length;
  const number = /^[+-]?(?:\d[\d_]*)?\.?\d*(?:[eE][+-]?\d+)?$/.test(word)
    ? Number(word.replaceAll("_", ""))
    : Number.NaN;
  const value = words.has(word) ? words.get(word) : Number.isNaN(number) ? word : number;
  if (value === word && !isBare && !isLast) return undefined;
  return { kind: "scalar", value, start, end: cursor.at, isCut: value === word && isLast };
}

function skipSpace(cursor: Cursor): void {
  const space = /\s*/y;
  space.lastIndex = cursor.at;
  space.exec(cursor.text);
  cursor.at = space.lastIndex;
}

/** Steps over white space and commas to the next character; `undefined` at the end of the text. */
function skipSeparators(cursor: Cursor): string | undefined {
  const separators = /[\s,]*/y;
  separators.lastIndex = cursor.at;
  separators.exec(cursor.text);
  cursor.at = separators.lastIndex;
  return cursor.text[cursor.at];
}

/** The value itself. Of a key that stands twice the last counts. */
export function valueOf(written: Written): unknown {
  if (written.kind === "scalar") return written.value;
  if (written.kind === "list") return written.items.map(valueOf);
  return Object.fromEntries(written.members.map(({ key, value }) => [key, valueOf(value)]));
}

/** A value as arguments: its own text where that is JSON, else JSON that says the same; cut text as it stands. */
export function asArguments(text: string, written: Written): { argumentsText: string; arguments: unknown } {
  const source = text.slice(written.start, written.end);
  if (written.isCut) return { argumentsText: source, arguments: undefined };
  try {
    return { argumentsText: source, arguments: JSON.parse(source) };
  } catch {
    return fromValue(valueOf(written));
  }
}

/** Arguments that were not written as JSON. */
export function fromValue(value: unknown): { argumentsText: string; arguments: unknown } {
  return { argumentsText: JSON.stringify(value) ?? "", arguments: value };
}
