import { mostOfSmall, smallPacked } from "./density.ts";
import { TooLarge } from "./limit.ts";
import { msgpackValue } from "./msgpack.ts";
import { parseJson } from "./parse.ts";
import { isZstd, unzstd } from "./zstd.ts";

/**
 * Reads SQLite databases as JSON lines: first the tables, then one row per line, with JSON columns as JSON.
 * Covers what agents and proxies write: tables with row ids, in row id order.
 * @see https://www.sqlite.org/fileformat2.html
 */

const magic = "SQLite format 3\0";

export function isSqlite(bytes: Buffer): boolean {
  return bytes.toString("latin1", 0, magic.length) === magic;
}

/** Longer rows are left out: as JSON they can be six times as long, and a string is limited to 512 MiB. */
const maxRow = 1 << 25;
/** Output beyond this is a trap: each row repeats the column names, which multiplies the size. */
const maxLines = 1 << 30;

/**
 * The intact rows of all tables; `undefined` where the bytes are no database. `log`: its write-ahead log.
 *
 * @throws {TooLarge}
 */
export function sqliteLines(bytes: Buffer, log?: Buffer): Buffer | undefined {
  if (!isSqlite(bytes) || bytes.length < 512) return undefined;
  const pages = pagesOf(bytes, log);
  const tables = tablesOf(pages);
  const columns = Object.fromEntries(tables.map(({ name, columns: names }) => [name, names]));
  const lines = [Buffer.from(`${JSON.stringify({ sqlite: { tables: columns } })}\n`)];
  const isSmall = bytes.length < smallPacked;
  let length = 0;
  for (const table of tables) {
    for (const { id, values } of rowsOf(pages, table.root)) {
      const line = Buffer.from(`${rowText(table, id, values)}\n`);
      length += line.length;
      if (length > (isSmall ? mostOfSmall : maxLines))
        throw new TooLarge(
          `as JSON, its rows have more than ${isSmall ? "32 MiB, the most for a database below 1 MiB" : "1 GiB"}: export the conversations as JSON lines`,
        );
      lines.push(line);
    }
  }
  return Buffer.concat(lines);
}

interface Pages {
  /** Usable bytes per page. */
  readonly usable: number;
  readonly encoding: "utf8" | "utf16le" | "utf16be";
  /**
   * The bytes of a page (from 1). Empty where there is no such page or it was taken before: each page belongs
   * to one table or one value, but in a damaged file pages may form a cycle or be referenced many times.
   */
  take(number: number): Buffer;
}

function pagesOf(bytes: Buffer, log: Buffer | undefined): Pages {
  const stated = bytes.readUInt16BE(16);
  const size = stated === 1 ? 65_536 : Math.max(512, stated);
  const newer = log ? newerPages(log, size) : new Map<number, Buffer>();
  const taken = new Set<number>();
  const take = (number: number): Buffer => {
    if (taken.has(number)) return nothing;
    taken.add(number);
    return newer.get(number) ?? bytes.subarray((number - 1) * size, number * size);
  };
  const head = bytes.subarray(0, 100);
  const encoding = ({ 2: "utf16le", 3: "utf16be" } as const)[head.readUInt32BE(56)] ?? "utf8";
  return { usable: size - (head[20] ?? 0), encoding, take };
}

const nothing = Buffer.alloc(0);

/** The pages in a write-ahead log up to the last commit; later versions of a page replace earlier ones. */
function newerPages(log: Buffer, size: number): Map<number, Buffer> {
  const pages = new Map<number, Buffer>();
  if (log.length < 32 || (log.readUInt32BE(0) & ~1) !== 0x377f0682) return pages;
  let open = new Map<number, Buffer>();
  for (let at = 32; at + 24 + size <= log.length; at += 24 + size) {
    // Frames of an earlier cycle that the log has not overwritten yet.
    if (log.compare(log, 16, 24, at + 8, at + 16) !== 0) break;
    open.set(log.readUInt32BE(at), log.subarray(at + 24, at + 24 + size));
    if (log.readUInt32BE(at + 4) === 0) continue;
    for (const [number, page] of open) pages.set(number, page);
    open = new Map();
  }
  return pages;
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** The column that is an alias of the row id. */
  readonly idColumn: number;
  readonly root: number;
}

type Value = string | number | Buffer | null;

function tablesOf(pages: Pages): Table[] {
  return [...rowsOf(pages, 1)].flatMap(({ values: [type, name, , root, sql] }): Table[] => {
    if (type !== "table" || typeof name !== "string" || typeof sql !== "string") return [];
    if (/^sqlite_/.test(name) || /\bWITHOUT\s+ROWID\s*$/i.test(sql) || Number(root) === 0) return [];
    const definitions = columnDefinitions(sql);
    const idColumn = definitions.findIndex(({ rest }) => /^INTEGER\s+PRIMARY\s+KEY/i.test(rest));
    return [{ name, columns: definitions.map(({ name: own }) => own), idColumn, root: Number(root) }];
  });
}

/** Names and types from a CREATE TABLE statement. */
export function columnDefinitions(sql: string): { readonly name: string; readonly rest: string }[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = "";
  let part = "";
  for (const character of sql.slice(sql.indexOf("(") + 1)) {
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (/["'`[]/.test(character)) quote = character === "[" ? "]" : character;
    else if (character === "(") depth++;
    else if (character === ")" && depth-- === 0) break;
    else if (character === "," && depth === 0) {
      parts.push(part);
      part = "";
      continue;
    }
    part += character;
  }
  parts.push(part);
  return parts.flatMap((text) => {
    const found = /^\s*(?:"([^"]*)"|`([^`]*)`|\[([^\]]*)\]|(\w+))\s*([\s\S]*)/.exec(text);
    const bare = found?.[4];
    if (!found || (bare && /^(?:CONSTRAINT|PRIMARY|FOREIGN|UNIQUE|CHECK)$/i.test(bare))) return [];
    return [{ name: found[1] ?? found[2] ?? found[3] ?? bare ?? "", rest: found[5] ?? "" }];
  });
}

interface Row {
  readonly id: number;
  readonly values: readonly Value[];
}

const LEAF = 13;
const INTERIOR = 5;

/** No page tree is deeper; each further level would hold a hundred times as many pages. */
const maxDepth = 20;

function* rowsOf(pages: Pages, root: number, depth = 0): Generator<Row> {
  const page = depth < maxDepth ? pages.take(root) : nothing;
  const start = root === 1 ? 100 : 0;
  if (page.length < start + 12) return;
  const kind = page[start];
  if (kind !== LEAF && kind !== INTERIOR) return;
  const count = page.readUInt16BE(start + 3);
  const cells = start + (kind === LEAF ? 8 : 12);
  // Rows do not overlap, but in a damaged page many pointers may lead to the same bytes.
  let left = page.length;
  for (let index = 0; index < count && cells + index * 2 + 2 <= page.length; index++) {
    const cell = page.readUInt16BE(cells + index * 2);
    if (kind === INTERIOR) {
      if (cell + 4 <= page.length) yield* rowsOf(pages, page.readUInt32BE(cell), depth + 1);
      continue;
    }
    const [size, afterSize] = varint(page, cell);
    const [id, from] = varint(page, afterSize);
    const local = localSize(pages, size);
    left -= from - cell + local;
    if (left < 0) return;
    const payload = payloadAt(pages, page.subarray(from), size, local);
    const values = payload && recordOf(payload, pages.encoding);
    if (values) yield { id, values };
  }
  if (kind === INTERIOR) yield* rowsOf(pages, page.readUInt32BE(start + 8), depth + 1);
}

/** How many bytes of a row are stored in its table's page. */
function localSize({ usable }: Pages, size: number): number {
  const most = usable - 35;
  if (size <= most) return Math.max(0, size);
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const fits = least + ((size - least) % (usable - 4));
  return fits <= most ? fits : least;
}

/** A row's bytes, including overflow pages; `undefined` where some are missing. */
function payloadAt(pages: Pages, cell: Buffer, size: number, local: number): Buffer | undefined {
  if (size <= local) return cell.subarray(0, local);
  if (size > maxRow || local + 4 > cell.length) return undefined;
  const chunks = [cell.subarray(0, local)];
  let next = cell.readUInt32BE(local);
  for (let left = size - local; left > 0; ) {
    const own = pages.take(next);
    if (own.length < 5) return undefined;
    const chunk = own.subarray(4, 4 + Math.min(left, pages.usable - 4));
    chunks.push(chunk);
    left -= chunk.length;
    next = own.readUInt32BE(0);
  }
  return Buffer.concat(chunks);
}

/** A varint: seven bits per byte, eight in the ninth; a signed 64-bit number. */
function varint(bytes: Buffer, from: number): [value: number, next: number] {
  let value = 0;
  for (let index = 0; index < 7; index++) {
    const byte = bytes[from + index] ?? 0;
    value = value * 128 + (byte & 127);
    if (byte < 128) return [value, from + index + 1];
  }
  const eighth = bytes[from + 7] ?? 0;
  const long = (BigInt(value) << 7n) | BigInt(eighth & 127);
  if (eighth < 128) return [Number(long), from + 8];
  return [Number(BigInt.asIntN(64, (long << 8n) | BigInt(bytes[from + 8] ?? 0))), from + 9];
}

function recordOf(payload: Buffer, encoding: Pages["encoding"]): Value[] | undefined {
  const [headerSize, first] = varint(payload, 0);
  if (headerSize > payload.length) return undefined;
  const values: Value[] = [];
  let at = headerSize;
  for (let header = first; header < headerSize; ) {
    const [type, next] = varint(payload, header);
    header = next;
    const size = sizeOf(type);
    if (size < 0 || at + size > payload.length) return undefined;
    values.push(readCell(payload.subarray(at, at + size), type, encoding));
    at += size;
  }
  return values;
}

const integerSizes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0];

function sizeOf(type: number): number {
  return integerSizes[type] ?? Math.floor((type - 12) / 2);
}

function readCell(bytes: Buffer, type: number, encoding: Pages["encoding"]): Value {
  if (type === 0 || type === 10 || type === 11) return null;
  if (type === 8 || type === 9) return type - 8;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type === 6) return Number(bytes.readBigInt64BE(0));
  if (type < 6) return bytes.readIntBE(0, bytes.length);
  if (type % 2 === 0) return bytes;
  return encoding === "utf8"
    ? bytes.toString("utf8")
    : new TextDecoder(encoding === "utf16le" ? "utf-16le" : "utf-16be").decode(bytes);
}

function rowText({ name, columns, idColumn }: Table, id: number, values: readonly Value[]): string {
  // LangGraph says in a column how it wrote another.
  const isPacked = values.includes("msgpack");
  const members = columns.map((column, index) => {
    const value = index === idColumn && values[index] === null ? id : (values[index] ?? null);
    const packed = isPacked && Buffer.isBuffer(value) ? msgpackValue(value) : undefined;
    return `${JSON.stringify(column)}:${packed === undefined ? textOfValue(value) : JSON.stringify(packed)}`;
  });
  return `{${[`"table":${JSON.stringify(name)}`, ...members].join(",")}}`;
}

/** The text of a compressed cell; `undefined` where it is none, or unpacks to more than a row may hold. */
function packedText(value: Buffer): string | undefined {
  if (!isZstd(value)) return undefined;
  try {
    return unzstd(value, maxRow)?.toString("utf8");
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}

/** Text columns with JSON are written as that JSON; binary values become null. */
function textOfValue(value: Value): string {
  if (value === null) return "null";
  if (typeof value === "number") return Number.isFinite(value) ? `${value}` : "null";
  const text = typeof value === "string" ? value : (packedText(value) ?? value.toString("utf8"));
  const inner = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  if (inner !== undefined) return /[\n\r]/.test(text) ? JSON.stringify(inner) : text;
  return typeof value === "string" || !text.includes("\ufffd") ? JSON.stringify(text) : "null";
}
