import { pushAll, rangeAround } from "../../reading/lists.ts";
import { isJson } from "../../reading/parse.ts";
import { rewrittenSource } from "../../reading/rewritten-source.ts";
import { Segments } from "../../reading/segments.ts";
import type { ByteSource } from "../../reading/source.ts";
import { type SqlRow, type SqlValue, sqlParts, sqlRows, writtenInSql } from "../../reading/sql-rows.ts";
import type { Container, Defect } from "../../traffic/container.ts";
import { jsonl } from "./jsonl.ts";
import { sqlData } from "./sql-data.ts";

/** A dump is read like the database that it is made of: its tables, then a record for each row. */
export const sql: Container = {
  ...sqlData,
  read(source, recognizer) {
    const { lines, flaws } = recordsOf(source);
    const { restored: _, ...read } = jsonl.read(lines, recognizer);
    return {
      ...read,
      container: "sql",
      kept: lines,
      // The others are known only when the records have been read.
      get defects() {
        return [...flaws, ...read.defects];
      },
      get skipped() {
        // The line of the tables is in no dump.
        return read.skipped.filter(({ origin }) => origin.end > origin.start);
      },
    };
  },
};

/** A cell of the records: a value that stands there as JSON, or as a string. */
interface Cell extends SqlValue {
  readonly isString: boolean;
}

function recordsOf(source: ByteSource): { readonly lines: ByteSource; readonly flaws: readonly Defect[] } {
  const bytes = source.read(0, source.size);
  const text = bytes.toString("latin1");
  const rows = [...sqlRows(text)];
  const plain = new Segments(bytes);
  const cells: Cell[] = [];
  const flaws: Defect[] = [];
  const tables = Object.fromEntries(rows.map(({ table, columns }) => [table, columns]));
  plain.write(`${JSON.stringify({ sqlite: { tables } })}\n`, 0, 0);
  let last = 0;
  for (const row of rows) {
    pushAll(flaws, rowsWithin(source, text, last, row.start));
    writeRow(plain, text, row, cells);
    if (row.flaw) flaws.push(flawOf(source, row));
    last = row.end;
  }
  pushAll(flaws, rowsWithin(source, text, last, text.length));
  const lines = rewrittenSource(source, plain, ({ bytes: own }, from) => {
    const cell = rangeAround(cells, from) ?? rangeAround(cells, from - 1);
    const changed = own.toString("utf8");
    const said = cell?.isString ? (JSON.parse(`"${changed}"`) as string) : changed;
    const written = writtenInSql(said, cell?.notation);
    return written === undefined ? undefined : Buffer.from(written);
  });
  return { lines, flaws };
}

/** A statement with JSON, up to it: where another program put it into a line of its own, it gives no row. */
const unreadRow = /\b(?:INSERT|REPLACE)[A-Z ]{0,20} INTO\s[^\n]{0,400}?[{[]\\{0,3}"/gi;

/** The statements between two rows that are no lines of the dump any more. */
function rowsWithin(source: ByteSource, text: string, from: number, to: number): readonly Defect[] {
  return [...text.slice(from, to).matchAll(unreadRow)].map(({ index, 0: head }) => ({
    kind: "broken",
    origin: { source, start: from + index, end: from + index + head.length },
    message: "a row stands within another line, so it was not read",
  }));
}

function flawOf(source: ByteSource, { start, end, flaw, columns, values }: SqlRow): Defect {
  const origin = { source, start, end };
  if (flaw === "open") return { kind: "unfinished", origin, message: "the dump ends in the middle of a row" };
  const message =
    columns.length > 0 && values.length !== columns.length
      ? `the row has ${values.length} values, and its table ${columns.length} columns`
      : "more text follows a value of this row";
  return { kind: "broken", origin, message };
}

function writeRow(plain: Segments, text: string, row: SqlRow, cells: Cell[]): void {
  const { start, table, columns, values, end } = row;
  plain.write(`{"table":${JSON.stringify(table)}`, start, start);
  for (const [index, value] of values.entries()) {
    const name = columns[index] ?? `column${index + 1}`;
    plain.write(`,${JSON.stringify(name)}:`, value.start, value.start);
    cells.push(writeValue(plain, text, value));
  }
  plain.write("}\n", end, end);
}

function writeValue(plain: Segments, text: string, value: SqlValue): Cell {
  const { start, end, notation } = value;
  if (!notation) {
    const word = text.slice(start, end);
    const isValue = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false)$/i.test(word);
    const json = isValue ? word.toLowerCase() : /^(?:null|\\N)$/i.test(word) ? "null" : JSON.stringify(word);
    plain.write(Buffer.from(json, "latin1"), start, end);
    return { ...value, isString: false };
  }
  const parts = [...sqlParts(text, value)];
  const own = Buffer.concat(
    parts.map((part) => part.means ?? Buffer.from(text.slice(part.start, part.end), "latin1")),
  );
  const isString = !(own[0] === OPEN_OBJECT || own[0] === OPEN_ARRAY) || !isJson(own.toString("utf8"));
  if (isString) plain.write(quote, start, start);
  for (const part of parts) {
    if (part.means) plain.write(inJson(part.means, isString), part.start, part.end);
    else writeVerbatim(plain, text, part, isString);
  }
  if (isString) plain.write(quote, end, end);
  return { ...value, isString };
}

const OPEN_OBJECT = 123;
const OPEN_ARRAY = 91;
const quote = Buffer.from('"');

/** Characters that a line of JSON has to write in another way: in a string, and between its values. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const odd = { inString: /["\\\u0000-\u001f]/g, between: /[\r\n]/g } as const;

/** Copies characters that stand for themselves. */
function writeVerbatim(
  plain: Segments,
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  isString: boolean,
): void {
  let from = start;
  for (const { index } of text.slice(start, end).matchAll(isString ? odd.inString : odd.between)) {
    const at = start + index;
    if (at > from) plain.copy(from, at);
    from = at + 1;
    plain.write(inJson(Buffer.from(text.slice(at, from), "latin1"), isString), at, from);
  }
  if (end > from) plain.copy(from, end);
}

function inJson(bytes: Buffer, isString: boolean): Buffer {
  if (!isString) return bytes[0] === 10 || bytes[0] === 13 ? Buffer.from(" ") : bytes;
  // Bytes of a longer character are no text of their own.
  if (bytes.length === 1 && (bytes[0] ?? 0) > 127) return bytes;
  return Buffer.from(JSON.stringify(bytes.toString("utf8")).slice(1, -1));
}
