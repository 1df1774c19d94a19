import type { Range } from "./lists.ts";
import { columnDefinitions } from "./sqlite.ts";

/**
 * The rows in a dump of a database, as pg_dump, mysqldump, sqlite3 and others write them: lines below `COPY …
 * FROM stdin`, and the values of `INSERT` statements.
 * @see https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS
 * @see https://dev.mysql.com/doc/refman/8.4/en/string-literals.html
 */

/** How a text is written: which characters mean others. */
export type SqlNotation = "copy" | "quotes" | "backslashes" | "dollars";

/** A value of a row, without the quotes around it. */
export interface SqlValue extends Range {
  /** Absent for a number or a word, as it stands. */
  readonly notation?: SqlNotation;
}

export interface SqlRow extends Range {
  readonly table: string;
  /** Empty where nothing names them. */
  readonly columns: readonly string[];
  readonly values: readonly SqlValue[];
  /** `open`: the dump ends in it; `broken`: more or fewer values than columns, or more behind a value. */
  readonly flaw?: "open" | "broken";
}

const statement =
  /^[ \t]{0,8}(?:(COPY) {1,4}([^\s(]{1,200}) {0,4}(?:\(([^()]{0,9000})\))? {1,4}FROM {1,4}stdin\b[^;\n]{0,200};\r?\n|(?:INSERT(?: IGNORE| OR \w{1,20})?|REPLACE) INTO {1,4}([^\s(]{1,200})\s{0,9}(?:\(([^()]{0,9000})\))?[^'();]{0,60}?\bVALUES?\s{0,9}(?=\()|CREATE (?:TEMP\w{0,10} )?TABLE (?:IF NOT EXISTS )?([^\s(]{1,200})\s{0,9}\()/gim;

/** MySQL and its relatives read a backslash in any string. */
const readsBackslashes = /^-- (?:MySQL|MariaDB|phpMyAdmin)\b|^(?:INSERT|REPLACE) INTO `/m;

/** The head of a dump that says how its strings are written. */
const headSize = 64 << 10;

/** Where the definition of a table ends: with its line, or before another statement. */
const endOfDefinition = /;\r?\n|\n(?=[ \t]{0,8}(?:CREATE|INSERT|REPLACE|COPY)\b)/gi;

/** The longest definition of a table. */
const maxDefinition = 64 << 10;

/** The rows of a dump. `text` is the file as latin1, so that positions are offsets. */
export function* sqlRows(text: string): Generator<SqlRow> {
  const defined = new Map<string, readonly string[]>();
  const plain: SqlNotation = readsBackslashes.test(text.slice(0, headSize)) ? "backslashes" : "quotes";
  statement.lastIndex = 0;
  for (let found = statement.exec(text); found; found = statement.exec(text)) {
    const [, copies, copied = "", copiedColumns, inserted = "", insertedColumns, created] = found;
    const from = statement.lastIndex;
    if (created !== undefined) {
      endOfDefinition.lastIndex = from;
      const end = endOfDefinition.exec(text)?.index ?? text.length;
      const definition = decoded(text.slice(from - 1, Math.min(end, from + maxDefinition)));
      // No definition is looked through again for others.
      statement.lastIndex = end;
      const names = columnDefinitions(definition).filter((each) => !isIndex(each));
      defined.set(
        tableName(created),
        names.map(({ name }) => name),
      );
      continue;
    }
    const table = tableName(copies ? copied : inserted);
    const columns = columnNames(copies ? copiedColumns : insertedColumns) ?? defined.get(table) ?? [];
    const rows = copies ? copiedRows(text, from) : insertedRows(text, from, plain);
    let end = from;
    for (const row of rows) {
      end = row.end;
      const isOdd = columns.length > 0 && row.values.length !== columns.length;
      yield { ...(isOdd && { flaw: "broken" as const }), ...row, table, columns };
    }
    statement.lastIndex = end;
  }
}

/** MySQL lists indexes among the columns; elsewhere a column may be called `key`. */
function isIndex({ name, rest }: { readonly name: string; readonly rest: string }): boolean {
  return /^(?:KEY|INDEX|FULLTEXT|SPATIAL)$/i.test(name) && /^(?:KEY |INDEX )?[`(]/i.test(rest);
}

type BareRow = Omit<SqlRow, "table" | "columns">;

function decoded(text: string): string {
  return Buffer.from(text, "latin1").toString("utf8");
}

/** A name without its schema and quotes. */
function tableName(written: string): string {
  const own = written.slice(written.lastIndexOf(".") + 1);
  return decoded(own.replace(/^["`[]/, "").replace(/["`\]]$/, ""));
}

function columnNames(written: string | undefined): string[] | undefined {
  return written?.split(",").map((name) => tableName(name.trim()));
}

/** A row on each line, its cells separated by tabs, up to a line with a dot. */
function* copiedRows(text: string, from: number): Generator<BareRow> {
  for (let at = from, next = at; at < text.length; at = next) {
    const feed = text.indexOf("\n", at);
    next = feed < 0 ? text.length : feed + 1;
    const end = feed < 0 ? text.length : text[feed - 1] === "\r" ? feed - 1 : feed;
    if (text.startsWith("\\.", at) && end === at + 2) return;
    const values: SqlValue[] = [];
    let start = at;
    for (const cell of text.slice(at, end).split("\t")) {
      values.push({ start, end: start + cell.length, ...(cell !== "\\N" && { notation: "copy" as const }) });
      start += cell.length + 1;
    }
    yield { start: at, end: next, values, ...(feed < 0 && { flaw: "open" as const }) };
  }
}

/** Rows in parentheses, with commas between them. */
function* insertedRows(text: string, from: number, plain: SqlNotation): Generator<BareRow> {
  let at = from;
  while (text[at] === "(") {
    const row = insertedRow(text, at, plain);
    yield row;
    if (row.flaw) return;
    at = skipSpace(text, row.end);
    if (text[at] !== ",") return;
    at = skipSpace(text, at + 1);
  }
}

function insertedRow(text: string, start: number, plain: SqlNotation): BareRow {
  const values: SqlValue[] = [];
  let at = start + 1;
  for (;;) {
    const { value, end, isOpen } = valueAt(text, skipSpace(text, at), plain);
    values.push(value);
    if (isOpen || end >= text.length) return { start, end: text.length, values, flaw: "open" };
    at = end + 1;
    if (text[end] === ")") return { start, end: at, values };
    if (text[end] !== ",") return { start, end, values, flaw: "broken" };
  }
}

/** A string, perhaps within functions or with a word for its notation. */
const string = /(?:[A-Za-z_]\w{0,20} ?\( ?){0,2}(?:(E)|N|B|X|U&|_[a-z0-9]{2,10} ?)?'|\$(\w{0,20})\$/iy;

/** What may stand behind a string in its cell: a cast, more arguments of a function. */
const behindString = /^(?:[\s\w:"[\]().,]|'[^']{0,8}')*$/;

/** More than that, in characters. */
const maxBehind = 512;

function valueAt(
  text: string,
  at: number,
  plain: SqlNotation,
): { readonly value: SqlValue; readonly end: number; readonly isOpen?: boolean } {
  string.lastIndex = at;
  const quote = string.exec(text);
  if (!quote) {
    const end = endOfCell(text, at, 0);
    return { value: { start: at, end: at + text.slice(at, end).trimEnd().length }, end };
  }
  const [before, hasEscapes, tag] = quote;
  const start = string.lastIndex;
  const notation = tag !== undefined ? "dollars" : hasEscapes ? "backslashes" : plain;
  const close = tag !== undefined ? text.indexOf(`$${tag}$`, start) : closingQuote(text, start, notation);
  if (close < 0) return { value: { start, end: text.length, notation }, end: text.length, isOpen: true };
  const value = { start, end: close, notation };
  const rest = close + (tag === undefined ? 1 : tag.length + 2);
  const end = endOfCell(text, rest, before.split("(").length - 1, rest + maxBehind);
  const isOwn = end < rest + maxBehind && behindString.test(text.slice(rest, Math.min(end, rest + 200)));
  return { value, end: isOwn ? end : rest };
}

function closingQuote(text: string, from: number, notation: SqlNotation): number {
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === "\\" && notation === "backslashes") at++;
    else if (character === "'") {
      if (text[at + 1] !== "'") return at;
      at++;
    }
  }
  return -1;
}

/** Where a cell ends, up to `limit`: at a comma or a parenthesis that is not one of its own `open` ones. */
function endOfCell(text: string, from: number, open: number, limit = text.length): number {
  let depth = open;
  for (let at = from; at < Math.min(limit, text.length); at++) {
    const character = text[at];
    if (character === "(") depth++;
    else if (character === "'") {
      const close = closingQuote(text, at + 1, "quotes");
      if (close < 0) return text.length;
      at = close;
    } else if (character === ")" && depth-- === 0) return at;
    else if (character === ";" || (depth === 0 && character === ",")) return at;
  }
  return Math.min(limit, text.length);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at++;
  return at;
}

/** What a character behind a backslash means. */
const escapes: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "0": "\0",
  Z: "\x1a",
};

/** An escape of each notation. */
const escaped: Readonly<Record<SqlNotation, RegExp>> = {
  copy: /\\(?:x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|[\s\S])/g,
  backslashes: /''|\\(?:x[0-9A-Fa-f]{1,2}|[0-7]{1,3}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[\s\S])/g,
  quotes: /''/g,
  dollars: /(?!)/g,
};

/** The parts of a text: those that stand for themselves, and escapes with what they mean. */
export function* sqlParts(
  text: string,
  { start, end, notation = "dollars" }: SqlValue,
): Generator<Range & { readonly means?: Buffer }> {
  let from = start;
  for (const { 0: whole, index } of text.slice(start, end).matchAll(escaped[notation])) {
    const at = start + index;
    if (at > from) yield { start: from, end: at };
    from = at + whole.length;
    yield { start: at, end: from, means: meaningOf(whole) };
  }
  if (end > from) yield { start: from, end };
}

function meaningOf(written: string): Buffer {
  if (written === "''") return Buffer.from("'");
  const digits = /^\\(?:x([0-9A-Fa-f]+)|([0-7]{2,3})|[uU]([0-9A-Fa-f]{4,}))$/.exec(written);
  if (digits?.[1]) return Buffer.from([Number.parseInt(digits[1], 16)]);
  if (digits?.[2]) return Buffer.from([Number.parseInt(digits[2], 8) & 255]);
  if (digits?.[3])
    return Buffer.from(String.fromCodePoint(Math.min(0x10ffff, Number.parseInt(digits[3], 16))));
  const character = written.slice(1);
  return Buffer.from(escapes[character] ?? character, "latin1");
}

/** A text written in a notation; `undefined` where it cannot hold the text. */
export function writtenInSql(text: string, notation: SqlNotation | undefined): string | undefined {
  if (notation === "quotes") return text.replaceAll("'", "''");
  if (notation === "backslashes") return text.replaceAll("\\", "\\\\").replaceAll("'", "''");
  if (notation === "dollars") return /\$\w*\$/.test(text) ? undefined : text;
  if (notation === undefined) return undefined;
  const letters: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  return text.replace(/[\\\n\r\t]/g, (character) => letters[character] ?? character);
}
