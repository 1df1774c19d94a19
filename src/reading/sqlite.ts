import { parseJson } from "./parse.ts";

/**
 * Databases of SQLite as lines of JSON: what tables there are, then a row a line, with JSON in columns as JSON. Only what agents and proxies
 * make of databases is read: tables with row ids, in the order of these.
 * @see https://www.sqlite.org/fileformat2.html
 */

const magic = "SQLite format 3\0";

export function isSqlite(bytes: Buffer): boolean {
  return bytes.toString("latin1", 0, magic.length) === magic;
}

/**
 * The rows of all tables, as far as they are sound; `undefined` where the bytes are no database after all. `log` is the write-ahead log
 * beside it, if there is one.
 */
export function sqliteLines(bytes: Buffer, log?: Buffer): Buffer | undefined {
  if (!isSqlite(bytes) || bytes.length < 512) return undefined;
  const pages = pagesOf(bytes, log);
  const tables = tablesOf(pages);
  const columns = Object.fromEntries(tables.map(({ name, columns: names }) => [name, names]));
  const lines = [`${JSON.stringify({ sqlite: { tables: columns } })}\n`];
  for (const table of tables)
    for (const { id, values } of rowsOf(pages, table.root)) lines.push(`${rowText(table, id, values)}\n`);
  return Buffer.concat(lines.map((line) => Buffer.from(line)));
}

interface Pages {
  /** What of a page may be used. */
  readonly usable: number;
  readonly encoding: "utf8" | "utf16le" | "utf16be";
  /** The bytes of a page counted from 1; none where there is no such page. */
  page(number: number): Buffer;
}

function pagesOf(bytes: Buffer, log: Buffer | undefined): Pages {
  const stated = bytes.readUInt16BE(16);
  const size = stated === 1 ? 65_536 : Math.max(512, stated);
  const newer = log ? newerPages(log, size) : new Map<number, Buffer>();
  const page = (number: number): Buffer =>
    newer.get(number) ?? bytes.subarray((number - 1) * size, number * size);
  const head = bytes.subarray(0, 100);
  const encoding = ({ 2: "utf16le", 3: "utf16be" } as const)[head.readUInt32BE(56)] ?? "utf8";
  return { usable: size - (head[20] ?? 0), encoding, page };
}

/** The pages that a write-ahead log holds, up to the last commit; a later one takes the place of an earlier. */
function newerPages(log: Buffer, size: number): Map<number, Buffer> {
  const pages = new Map<number, Buffer>();
  if (log.length < 32 || (log.readUInt32BE(0) & ~1) !== 0x377f0682) return pages;
  let open = new Map<number, Buffer>();
  for (let at = 32; at + 24 + size <= log.length; at += 24 + size) {
    // Frames of an earlier round, which the log was not yet overwritten with.
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
  /** The column whose value is the row's id. */
  readonly idColumn: number;
  readonly root: number;
}

type Value = string | number | bigint | Buffer | null;

function tablesOf(pages: Pages): Table[] {
  return [...rowsOf(pages, 1)].flatMap(({ values: [type, name, , root, sql] }): Table[] => {
    if (type !== "table" || typeof name !== "string" || typeof sql !== "string") return [];
    if (/^sqlite_/.test(name) || /\bWITHOUT\s+ROWID\s*$/i.test(sql) || Number(root) === 0) return [];
    const definitions = columnDefinitions(sql);
    const idColumn = definitions.findIndex(({ rest }) => /^INTEGER\s+PRIMARY\s+KEY/i.test(rest));
    return [{ name, columns: definitions.map(({ name: own }) => own), idColumn, root: Number(root) }];
  });
}

/** Names and types from a statement that creates a table. */
function columnDefinitions(sql: string): { readonly name: string; readonly rest: string }[] {
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
    const found = /^\s*(?:"([^"]*)"|`([^`]*)`|\[([^\]]*)\]|(\w+))\s*([\s\S]*)$/.exec(text);
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

/** `seen` are the pages of the tree so far: in a damaged file they may lead in a circle. */
function* rowsOf(pages: Pages, root: number, seen = new Set<number>()): Generator<Row> {
  const page = pages.page(root);
  const start = root === 1 ? 100 : 0;
  if (seen.has(root) || page.length < start + 12) return;
  seen.add(root);
  const kind = page[start];
  if (kind !== LEAF && kind !== INTERIOR) return;
  const count = page.readUInt16BE(start + 3);
  const cells = start + (kind === LEAF ? 8 : 12);
  for (let index = 0; index < count && cells + index * 2 + 2 <= page.length; index++) {
    const cell = page.readUInt16BE(cells + index * 2);
    if (kind === INTERIOR) {
      if (cell + 4 <= page.length) yield* rowsOf(pages, page.readUInt32BE(cell), seen);
      continue;
    }
    const [size, afterSize] = varint(page, cell);
    const [id, from] = varint(page, afterSize);
    const payload = payloadAt(pages, page, from, size);
    const values = payload && recordOf(payload, pages.encoding);
    if (values) yield { id, values };
  }
  if (kind === INTERIOR) yield* rowsOf(pages, page.readUInt32BE(start + 8), seen);
}

/** A row's bytes, of which what is too long stands on pages of its own. */
function payloadAt(pages: Pages, page: Buffer, from: number, size: number): Buffer | undefined {
  const most = pages.usable - 35;
  if (size <= most) return page.subarray(from, from + size);
  const least = Math.floor(((pages.usable - 12) * 32) / 255) - 23;
  const fits = least + ((size - least) % (pages.usable - 4));
  const local = fits <= most ? fits : least;
  const chunks = [page.subarray(from, from + local)];
  if (from + local + 4 > page.length) return undefined;
  let next = page.readUInt32BE(from + local);
  for (let left = size - local; left > 0; ) {
    const own = pages.page(next);
    if (next === 0 || own.length < 5) return undefined;
    const chunk = own.subarray(4, 4 + Math.min(left, pages.usable - 4));
    chunks.push(chunk);
    left -= chunk.length;
    next = own.readUInt32BE(0);
  }
  return Buffer.concat(chunks);
}

/** Seven bits a byte, and eight in the ninth: 64 bits, the first of which is the sign. */
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
  const values: Value[] = [];
  let at = headerSize;
  for (let header = first; header < headerSize; ) {
    const [type, next] = varint(payload, header);
    header = next;
    const size = sizeOf(type);
    if (at + size > payload.length) return undefined;
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
  const members = columns.map((column, index) => {
    const value = index === idColumn && values[index] === null ? id : (values[index] ?? null);
    return `${JSON.stringify(column)}:${textOfValue(value)}`;
  });
  return `{${[`"table":${JSON.stringify(name)}`, ...members].join(",")}}`;
}

/** JSON that was kept as text is written as that JSON; bytes that are no text are left out. */
function textOfValue(value: Value): string {
  if (value === null) return "null";
  if (typeof value === "number" || typeof value === "bigint")
    return Number.isFinite(Number(value)) ? `${value}` : "null";
  const text = typeof value === "string" ? value : value.toString("utf8");
  const inner = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  if (inner !== undefined) return /[\n\r]/.test(text) ? JSON.stringify(inner) : text;
  return typeof value === "string" || !text.includes("\ufffd") ? JSON.stringify(text) : "null";
}
