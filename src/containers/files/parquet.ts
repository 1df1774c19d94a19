import { brotliDecompressSync, gunzipSync } from "node:zlib";
import {
  type AsyncBuffer,
  type ColumnChunk,
  type ColumnMetaData,
  type Compressors,
  type FileMetaData,
  type ParquetParsers,
  parquetMetadata,
  parquetReadObjects,
  parquetSchema,
  type RowGroup,
} from "hyparquet";
import { decompressLz4, decompressLz4Raw } from "hyparquet-compressors";
import { beyondSmall, Density, mostOfSmall, smallPacked } from "../../reading/density.ts";
import { entryView } from "../../reading/entries.ts";
import { opensJson } from "../../reading/json-bytes.ts";
import { TooLarge } from "../../reading/limit.ts";
import { linesOf } from "../../reading/origin.ts";
import { isJson, parseJson } from "../../reading/parse.ts";
import type { ByteSource } from "../../reading/source.ts";
import { sourceOver } from "../../reading/view.ts";
import { unzstd } from "../../reading/zstd.ts";
import type { Container, Defect, DefectKind, Recording } from "../../traffic/container.ts";
import { parquetData } from "./binaries.ts";
import { jsonl } from "./jsonl.ts";
import { type Leaf, leavesOf, measurePages } from "./parquet-pages.ts";
import { ThriftReader } from "./parquet-thrift.ts";
import { unsnappy } from "./snappy.ts";

/** The most bytes that a table's rows may have as JSON lines, and that one page may unpack to. */
const maxText = 1 << 29;
const maxPage = 1 << 27;

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
      const broken = table.broken.map(({ row, message, kind = "broken" }): Defect => {
        const start = lines.start(row);
        return { kind, origin: { source: view.source, start, end: lines.end(row) }, message };
      });
      return {
        ...rows,
        // What is wrong in the rows is known only when they have been read.
        get defects() {
          return [...rows.defects, ...broken];
        },
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
  /** Columns that could not be read from some row on, and cells: the rest of these rows was read. */
  readonly broken: readonly Broken[];
}

interface Broken {
  readonly row: number;
  readonly message: string;
  readonly kind?: DefectKind;
}

async function tableOf(source: ByteSource): Promise<Table> {
  try {
    const metadata = metadataOf(source);
    const columns = (metadata.schema[0]?.num_children ?? 0) > 0 ? columnsOf(metadata) : [];
    return { kind: "read", ...(await rowsOf(source, metadata, columns)), columns };
  } catch (error) {
    if (error instanceof TooLarge)
      return {
        kind: "unread",
        advice: `a Parquet file ${error.message}: ${byDuckDb(source.name)}`,
      };
    return {
      kind: "unread",
      advice: `a Parquet file that cannot be read (${reasonOf(error)}): get it again; if DuckDB reads it, ${byDuckDb(source.name)}`,
    };
  }
}

/** The description at the end of the file. */
function metadataOf(source: ByteSource): FileMetaData {
  const end = source.read(Math.max(0, source.size - 8), source.size);
  if (end.length < 8 || end.toString("latin1", 4) !== "PAR1") throw new Error("its end is missing");
  const start = source.size - 8 - end.readUInt32LE(0);
  if (start < 4) throw new Error("its description is longer than the file");
  const footer = source.read(start, source.size);
  const reader = new ThriftReader(footer, 0);
  reader.struct();
  if (reader.at !== footer.length - 8) throw new Error("its description has another length than it states");
  return parquetMetadata(new Uint8Array(footer).buffer);
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
    if (length > maxPage) throw new TooLarge("with a page of more than 128 MiB");
    return length === 0 ? new Uint8Array(0) : unpack(input, length);
  };
}

const compressors: Compressors = {
  SNAPPY: bounded(unsnappy),
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
  return reason.slice(0, 200);
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

/** The columns of a row group that can be read, why others cannot, and how many bytes all have unpacked. */
interface Measured {
  readonly failed: ReadonlyMap<string, string>;
  readonly size: number;
}

/** Measures a row group before it is read. Throws {@link TooLarge}. */
function measured(file: MeasuredFile, group: RowGroup): Measured {
  const failed = new Map<string, string>();
  let size = 0;
  const chunks = new Map(group.columns.map((chunk) => [pathOf(chunk.meta_data?.path_in_schema), chunk]));
  for (const leaf of file.leaves) {
    const [column = ""] = leaf.path;
    const path = pathOf(leaf.path);
    const chunk = chunks.get(path);
    chunks.delete(path);
    if (failed.has(column)) continue;
    try {
      size += chunkSize(file, chunk, leaf, group);
    } catch (error) {
      if (error instanceof TooLarge) throw error;
      failed.set(column, reasonOf(error));
    }
    if (size > maxText) throw new TooLarge("whose rows do not fit in memory");
  }
  for (const path of chunks.keys()) failed.set(path, "the schema does not have it");
  return { failed, size };
}

function pathOf(path: readonly string[] = []): string {
  return path.join(".");
}

interface MeasuredFile {
  readonly source: ByteSource;
  readonly leaves: readonly Leaf[];
  readonly doubled: Doubled;
  /** Where the description begins. */
  readonly dataEnd: number;
}

/** Chunks of columns that begin within another one. */
type Doubled = ReadonlySet<ColumnChunk>;

function doubledIn({ row_groups: groups }: FileMetaData): Doubled {
  const ranges = groups
    .flatMap(({ columns }) => columns)
    .flatMap((chunk) => (chunk.meta_data ? [{ chunk, ...rangeOf(chunk.meta_data) }] : []))
    .sort((a, b) => a.start - b.start);
  const doubled = new Set<ColumnChunk>();
  let last = 0;
  for (const { chunk, start, end } of ranges) {
    if (start < last) doubled.add(chunk);
    last = Math.max(last, end);
  }
  return doubled;
}

function rangeOf(meta: ColumnMetaData): { readonly start: number; readonly end: number } {
  const start = Number(meta.dictionary_page_offset || meta.data_page_offset);
  return { start, end: start + Number(meta.total_compressed_size) };
}

function chunkSize(
  { source, doubled, dataEnd }: MeasuredFile,
  chunk: ColumnChunk | undefined,
  leaf: Leaf,
  { num_rows: rows }: RowGroup,
): number {
  const meta = chunk?.meta_data;
  if (!chunk || !meta) throw new Error("the table does not say where it is");
  // Where there is nothing, it has no place.
  if (Number(rows) === 0 && Number(meta.num_values) === 0) return 0;
  if (chunk.file_path) throw new Error("it is kept in another file");
  if (meta.type !== leaf.element.type) throw new Error("it is described in two ways");
  if (doubled.has(chunk)) throw new Error("its bytes are those of another column");
  const { start, end } = rangeOf(meta);
  if (!(start >= 4 && start <= end && end <= dataEnd)) throw new Error("it is not within the file");
  const { codec } = meta;
  const unpack = codec === "UNCOMPRESSED" ? (bytes: Buffer) => bytes : compressors[codec];
  if (!unpack) throw new Error(`it is compressed in an unknown way`);
  return measurePages({ bytes: source.read(start, end), meta, leaf, rows: Number(rows), unpack });
}

/** The number of cells that any table may have, and how many more for each of its bytes. */
const fewCells = 1_000_000;
const cellsPerByte = 4;

/** How many rows the row groups have. Throws {@link TooLarge} where the file is too small for their cells. */
function rowCount({ size }: ByteSource, { row_groups: groups }: FileMetaData, leaves: number): number {
  const rows = groups.reduce((sum, { num_rows: own }) => sum + Number(own), 0);
  if (groups.some(({ num_rows: own }) => own < 0)) throw new Error("it states fewer than no rows");
  if (rows * leaves > fewCells + cellsPerByte * size)
    throw new TooLarge(`that states ${rows} rows of ${leaves} columns, which its size does not explain`);
  return rows;
}

/** Reads row group by row group. Throws {@link TooLarge}, and what the library throws. */
async function rowsOf(source: ByteSource, metadata: FileMetaData, columns: readonly string[]): Promise<Rows> {
  const file = bufferOf(source);
  const leaves = leavesOf(parquetSchema(metadata));
  const measuredFile: MeasuredFile = {
    ...{ source, leaves, doubled: doubledIn(metadata) },
    dataEnd: source.size - 8 - metadata.metadata_length,
  };
  const rowsInAll = rowCount(source, metadata, leaves.length);
  const parts: Buffer[] = [];
  const broken: Broken[] = [];
  let length = 0;
  const density = source.size < smallPacked ? new Density() : undefined;
  const add = (line: string): void => {
    const bytes = Buffer.from(`${line}\n`);
    length += bytes.length;
    if (length > maxText) throw new TooLarge("whose rows do not fit in memory");
    if (density && length > mostOfSmall) throw new TooLarge(`whose rows hold ${beyondSmall.bytes}`);
    if (density?.take(bytes) === false) throw new TooLarge(`whose rows hold ${beyondSmall.values}`);
    parts.push(bytes);
  };
  const tell = (failed: Iterable<readonly [string, string]>, start: number, end: number): void => {
    for (const [column, reason] of failed)
      broken.push({
        row: start + 1,
        message: `the column \`${column}\` cannot be read in rows ${start + 1} to ${end} (${reason})`,
      });
  };
  let groupStart = 0;
  let hasRead = rowsInAll === 0;
  for (const group of metadata.row_groups) {
    const groupEnd = groupStart + Number(group.num_rows);
    const { failed, size } = measured(measuredFile, group);
    tell(failed, groupStart, groupEnd);
    const sound = columns.filter((column) => !failed.has(column));
    for (const [rowStart, rowEnd] of batchesOf(groupStart, groupEnd, size)) {
      const read = async (names: readonly string[]): Promise<Row[]> =>
        parquetReadObjects({
          ...{ file, metadata, compressors, parsers, rowStart, rowEnd },
          columns: [...names],
        });
      const whole = await settled(read(sound));
      const one = whole.rows ? { rows: whole.rows, failed: [] } : await byColumn(sound, read);
      tell(one.failed, rowStart, rowEnd);
      hasRead ||= sound.length > one.failed.length;
      // Line N is row N.
      for (let row = rowStart; row < rowEnd; row++) {
        const unparsed: string[] = [];
        add(lineOf(one.rows?.[row - rowStart] ?? {}, unparsed));
        for (const column of unparsed)
          broken.push({
            row: row + 1,
            message: `the column \`${column}\` begins as JSON in row ${row + 1}, and is not valid JSON`,
            kind: "unknown",
          });
      }
    }
    groupStart = groupEnd;
  }
  if (!hasRead) throw new Error(broken[0]?.message ?? "it has no columns");
  if (Number(metadata.num_rows) !== rowsInAll)
    broken.push({
      row: Math.max(1, rowsInAll),
      message: `the table states ${metadata.num_rows} rows, and its row groups ${rowsInAll}`,
    });
  return { lines: Buffer.concat(parts, length), broken };
}

/** The rows to unpack together, from the first up to but not including the last. */
function* batchesOf(from: number, to: number, size: number): Generator<[start: number, end: number]> {
  const most = Math.max(leastRows, Math.floor(((to - from) * bytesAtOnce) / Math.max(1, size)));
  for (let start = from; start < to; start = Math.min(to, start + most))
    yield [start, Math.min(to, start + most)];
}

/** A cell of JSON that is none is a text. */
const parsers: Partial<ParquetParsers> = {
  jsonFromBytes(bytes) {
    const text = Buffer.from(bytes).toString("utf8");
    return parseJson(text) ?? text;
  },
};

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
): Promise<{ rows: Row[] | undefined; failed: (readonly [column: string, reason: string])[] }> {
  let rows: Row[] | undefined;
  const failed: (readonly [column: string, reason: string])[] = [];
  for (const column of columns) {
    const { rows: own, reason = "" } = await settled(read([column]));
    if (!own) failed.push([column, reason]);
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
      const start = at++;
      while (at < lines.length && lines[at] !== quote) at += lines[at] === backslash ? 2 : 1;
      if (isName && depth === 1) name = String(JSON.parse(lines.toString("utf8", start, at + 1)));
    } else if (opensJson(byte)) depth++;
    else if (byte === 125 || byte === 93) depth--;
    if (depth === 1 && (byte === 123 || byte === comma)) isName = true;
    else if (depth === 1 && byte === colon) isName = false;
  }
  return name;
}

/** Columns that hold traffic, and how a text begins that is to be JSON. */
const trafficColumn = /^(?:inputs?|outputs?|messages|requests?|responses?)$/i;
const begunJson = /^\s*(?:\{\s*"|\[\s*[{"])/;

/** A row as a line. `unparsed` receives the columns whose text begins as JSON, and is none. */
function lineOf(row: Row, unparsed: string[]): string {
  const members = Object.entries(row).flatMap(([column, value]) => {
    if (value === null || value === undefined) return [];
    const json = typeof value === "string" ? jsonOf(value) : undefined;
    const isBegun = json === undefined && typeof value === "string" && begunJson.test(value);
    // A text may have one value in each of its lines.
    if (isBegun && trafficColumn.test(column) && !isJson(value.slice(0, value.indexOf("\n"))))
      unparsed.push(column);
    return [`${JSON.stringify(column)}:${json ?? JSON.stringify(value, plain) ?? "null"}`];
  });
  return `{${members.join(",")}}`;
}

/** Text that is JSON itself stays as it is written. */
function jsonOf(text: string): string | undefined {
  if (!/^\s*[{[]/.test(text) || !isJson(text)) return undefined;
  return text.includes("\n") || text.includes("\r") ? text.replace(/[\r\n]+/g, " ") : text;
}

/** What JSON has no values for. */
function plain(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return value;
}
