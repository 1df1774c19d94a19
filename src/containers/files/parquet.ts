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
import { isJson } from "../../reading/parse.ts";
import type { ByteSource } from "../../reading/source.ts";
import { sourceOver } from "../../reading/view.ts";
import { unzstd } from "../../reading/zstd.ts";
import type { Container, Recording } from "../../traffic/container.ts";
import { parquetData } from "./binaries.ts";
import { jsonl } from "./jsonl.ts";

/** The most bytes that a table's rows may have as JSON lines, and that one page may unpack to. */
const maxText = 1 << 29;
const maxPage = 1 << 29;

/** So many rows are unpacked at a time. */
const rowsAtOnce = 2000;

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
      const rows = sourceOver(entryView(source, rowsName, table.lines));
      return {
        ...jsonl.read(rows, recognizer),
        container: parquetData.name,
        advice: `a Parquet file in whose rows no request was recognised (columns: ${table.columns.join(", ")}): export runs of models with their inputs and outputs`,
      };
    },
  };
}

type Table =
  | { readonly kind: "read"; readonly lines: Buffer; readonly columns: readonly string[] }
  | { readonly kind: "unread"; readonly advice: string };

const duckdb = `copy its rows with DuckDB, and check these: \`duckdb -c "COPY (FROM 'FILE.parquet') TO 'rows.jsonl' (FORMAT json)"\``;

async function tableOf(source: ByteSource): Promise<Table> {
  try {
    const file = bufferOf(source);
    const metadata = parquetMetadata(await file.slice(0, file.byteLength));
    const lines = await linesOf(file, metadata);
    return { kind: "read", lines, columns: metadata.schema.slice(1).map(({ name }) => name) };
  } catch (error) {
    if (error instanceof TooLarge)
      return { kind: "unread", advice: `a Parquet file whose rows do not fit in memory: ${duckdb}` };
    // The library throws errors of many kinds on wrong bytes, each with a reason.
    const reason = error instanceof Error ? error.message : String(error);
    return {
      kind: "unread",
      advice: `a Parquet file that cannot be read (${reason.split("\n", 1)[0]?.slice(0, 200)}): copy it again; if DuckDB reads it, ${duckdb}`,
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

/** The rows as JSON lines: line N is row N. Throws {@link TooLarge}, and what the library throws. */
async function linesOf(file: AsyncBuffer, metadata: FileMetaData): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  const count = Number(metadata.num_rows);
  for (let rowStart = 0; rowStart < count; rowStart += rowsAtOnce) {
    const rowEnd = Math.min(count, rowStart + rowsAtOnce);
    const rows = await parquetReadObjects({ file, metadata, compressors, rowStart, rowEnd });
    if (rows.length < rowEnd - rowStart) throw new Error("it has fewer rows than it states");
    for (const row of rows) {
      const line = Buffer.from(`${lineOf(row)}\n`);
      length += line.length;
      if (length > maxText) throw new TooLarge("its rows have more than 512 MiB");
      parts.push(line);
    }
  }
  return Buffer.concat(parts, length);
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
