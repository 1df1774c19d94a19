import { brotliDecompressSync, gunzipSync } from "node:zlib";
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadata,
  parquetReadObjects,
} from "hyparquet";
import { decompressLz4, decompressLz4Raw } from "hyparquet-compressors";
import { entryView } from "../../reading/entries.ts";
import { TooLarge } from "../../reading/limit.ts";
import { linesOf } from "../../reading/origin.ts";
import { isJson } from "../../reading/parse.ts";
import type { ByteSource } from "../../reading/source.ts";
import { sourceOver } from "../../reading/view.ts";
import { unzstd } from "../../reading/zstd.ts";
import type { Container, Defect, Recording } from "../../traffic/container.ts";
import { parquetData } from "./binaries.ts";
import { jsonl } from "./jsonl.ts";

/** The most bytes that a table's rows may have as JSON lines, and that one page may unpack to. */
const maxText = 1 << 29;
const maxPage = 1 << 29;

/** About so many bytes are unpacked at a time: a row group, or a part of a large one. */
const bytesAtOnce = 32 << 20;
const leastRows = 500;

/** The name of the rows in places: `export.parquet!rows:12:1` is in row 12. */
const rowsName = "rows";

/**
 * The container that reads this table: each row as a record, whose members are its columns. JSON in a column
 * is a part of the record, as in the same platform's export as JSON lines.
 *
 * @see https://langfuse.com/docs/api-and-data-platform/features/blob-storage-export-fields
 * @see https://docs.langchain.com/langsmith/data-export
 */
export async function parquetOf(source: ByteSource): Promise<Container> {
  const table = await tableOf(source);
  return {
    ...parquetData,
    read(_, recognizer): Recording {
      if (table.kind === "unread")
        return {
          container: parquetData.name,
          kind: "requests",
          candidates: [],
          defects: [],
          skipped: [],
          advice: table.advice,
        };
      const view = entryView(source, rowsName, table.lines, (offset) => columnAt(table.lines, offset));
      const rows = jsonl.read(sourceOver(view), recognizer);
      const lines = linesOf(view.source);
      const broken = table.broken.map(({ row, message }): Defect => {
        const start = lines.start(row);
        return { kind: "broken", origin: { source: view.source, start, end: lines.end(row) }, message };
      });
      return {
        ...rows,
        defects: [...rows.defects, ...broken],
        container: parquetData.name,
        advice: table.broken[0]
          ? `a Parquet file that cannot be read in full (${table.broken[0].message}): get it again`
          : `a Parquet file in whose rows no request was recognised (columns: ${table.columns.join(", ")}): export runs of models with their inputs and outputs`,
      };
    },
  };
}

type Table =
  | (Rows & { readonly kind: "read"; readonly columns: readonly string[] })
  | { readonly kind: "unread"; readonly advice: string };

function byDuckDb(name: string): string {
  return `copy its rows with DuckDB, and check these: \`duckdb -c "COPY (FROM '${name === "-" ? "FILE.parquet" : name}') TO 'rows.jsonl' (FORMAT json)"\``;
}

/** The rows as JSON lines: line N is row N. */
interface Rows {
  readonly lines: Buffer;
  /** Columns that could not be read from some row on: the rest of these rows was read. */
  readonly broken: readonly { readonly row: number; readonly message: string }[];
}

async function tableOf(source: ByteSource): Promise<Table> {
  try {
    const file = bufferOf(source);
    const metadata = parquetMetadata(await file.slice(0, file.byteLength));
    const columns = (metadata.schema[0]?.num_children ?? 0) > 0 ? columnsOf(metadata) : [];
    return { kind: "read", ...(await rowsOf(file, metadata, columns)), columns };
  } catch (error) {
    if (error instanceof TooLarge)
      return {
        kind: "unread",
        advice: `a Parquet file whose rows do not fit in memory: ${byDuckDb(source.name)}`,
      };
    return {
      kind: "unread",
      advice: `a Parquet file that cannot be read (${reasonOf(error)}): get it again; if DuckDB reads it, ${byDuckDb(source.name)}`,
    };
  }
}

function bufferOf(source: ByteSource): AsyncBuffer {
  return {
    byteLength: source.size,
    slice(start, end = source.size) {
      const bytes = source.read(start, end);
      return new Uint8Array(bytes).buffer;
    },
  };
}

/** Limits what a damaged or hostile page can claim. */
function bounded(unpack: (input: Uint8Array, length: number) => Uint8Array) {
  return (input: Uint8Array, length: number): Uint8Array => {
    if (length > maxPage) throw new TooLarge("a page unpacks to more than 512 MiB");
    return unpack(input, length);
  };
}

const compressors: Compressors = {
  GZIP: bounded((input, length) => gunzipSync(input, { maxOutputLength: length })),
  BROTLI: bounded((input, length) => brotliDecompressSync(input, { maxOutputLength: length })),
  ZSTD: bounded((input, length) => {
    const plain = unzstd(Buffer.from(input), length);
    if (!plain) throw new Error("a page is not Zstandard, as the table says");
    return plain;
  }),
  LZ4: bounded(decompressLz4),
  LZ4_RAW: bounded(decompressLz4Raw),
};

/** The library throws errors of many kinds on wrong bytes, each with a reason. */
function reasonOf(error: unknown): string {
  const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n", 1);
  return reason.includes("footer != PAR1") ? "its end is missing" : reason.slice(0, 200);
}

function columnsOf({ schema }: FileMetaData): string[] {
  const [root, ...elements] = schema;
  const columns: string[] = [];
  /** Elements of the column before that are still to come. */
  let inside = 0;
  for (const { name, num_children: children = 0 } of elements) {
    if (inside === 0 && columns.length < (root?.num_children ?? 0)) columns.push(name);
    else inside--;
    inside += children;
  }
  return columns;
}

type Row = Readonly<Record<string, unknown>>;

/** Reads row group by row group. Throws {@link TooLarge}, and what the library throws. */
async function rowsOf(file: AsyncBuffer, metadata: FileMetaData, columns: readonly string[]): Promise<Rows> {
  const parts: Buffer[] = [];
  const broken: { row: number; message: string }[] = [];
  let length = 0;
  for (const [rowStart, rowEnd] of batchesOf(metadata)) {
    const read = async (names: readonly string[]): Promise<Row[]> => {
      const asked = { file, metadata, compressors, rowStart, rowEnd, columns: [...names] };
      const rows = await parquetReadObjects(asked);
      if (rows.length < rowEnd - rowStart) throw new Error("it has fewer rows than the table states");
      return rows;
    };
    const whole = await settled(read(columns));
    const { rows, failed } = whole.rows ? { rows: whole.rows, failed: [] } : await byColumn(columns, read);
    if (!rows) throw new Error(whole.reason);
    for (const { column, reason } of failed)
      broken.push({
        row: rowStart + 1,
        message: `the column \`${column}\` cannot be read in rows ${rowStart + 1} to ${rowEnd} (${reason})`,
      });
    for (const row of rows) {
      const line = Buffer.from(`${lineOf(row)}\n`);
      length += line.length;
      if (length > maxText) throw new TooLarge("its rows have more than 512 MiB");
      parts.push(line);
    }
  }
  return { lines: Buffer.concat(parts, length), broken };
}

/** The rows to unpack together, from the first up to but not including the last. */
function* batchesOf({ row_groups: groups }: FileMetaData): Generator<[start: number, end: number]> {
  let start = 0;
  for (const { num_rows, total_byte_size } of groups) {
    const end = start + Number(num_rows);
    const fitting = Math.floor((Number(num_rows) * bytesAtOnce) / Math.max(1, Number(total_byte_size)));
    const most = Math.max(leastRows, fitting);
    for (; start < end; start = Math.min(end, start + most)) yield [start, Math.min(end, start + most)];
  }
}

/** What a reading came to: its rows, or why there are none. Passes {@link TooLarge} on. */
async function settled(reading: Promise<Row[]>): Promise<{ rows?: Row[]; reason?: string }> {
  try {
    return { rows: await reading };
  } catch (error) {
    if (error instanceof TooLarge) throw error;
    return { reason: reasonOf(error) };
  }
}

/** Rows of those columns that can be read; none if no column can. */
async function byColumn(
  columns: readonly string[],
  read: (names: readonly string[]) => Promise<Row[]>,
): Promise<{ rows: Row[] | undefined; failed: { column: string; reason: string }[] }> {
  let rows: Row[] | undefined;
  const failed: { column: string; reason: string }[] = [];
  for (const column of columns) {
    const { rows: own, reason = "" } = await settled(read([column]));
    if (!own) failed.push({ column, reason });
    else rows = rows?.map((row, index) => ({ ...row, ...own[index] })) ?? own;
  }
  return { rows, failed };
}

const [quote, backslash, feed, comma, colon] = [34, 92, 10, 44, 58];

/** The column of the table that an offset in its rows stands in; `undefined` between columns. */
function columnAt(lines: Buffer, offset: number): string | undefined {
  let name: string | undefined;
  let depth = 0;
  let isName = false;
  for (let at = lines.lastIndexOf(feed, offset - 1) + 1; at <= offset; at++) {
    const byte = lines[at];
    if (byte === quote) {
      const start = at;
      do at += lines[at + 1] === backslash ? 2 : 1;
      while (at < lines.length && lines[at] !== quote);
      if (isName && depth === 1) name = String(JSON.parse(lines.toString("utf8", start, at + 1)));
    } else if (byte === 123 || byte === 91) depth++;
    else if (byte === 125 || byte === 93) depth--;
    if (depth === 1 && (byte === 123 || byte === comma)) isName = true;
    else if (depth === 1 && byte === colon) isName = false;
  }
  return name;
}

function lineOf(row: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(row).flatMap(([column, value]) =>
    value === null || value === undefined ? [] : [`${JSON.stringify(column)}:${textOf(value)}`],
  );
  return `{${members.join(",")}}`;
}

/** A cell as JSON. Text that is JSON itself stays as it is written. */
function textOf(value: unknown): string {
  if (typeof value === "string" && /^\s*[{[]/.test(value) && isJson(value))
    return value.includes("\n") || value.includes("\r") ? value.replace(/[\r\n]+/g, " ") : value;
  return JSON.stringify(value, plain) ?? "null";
}

/** What JSON has no values for. */
function plain(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return value;
}
