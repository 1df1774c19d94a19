import type { ColumnMetaData, SchemaElement, SchemaTree } from "hyparquet";
import { crc32 } from "../../reading/checksum.ts";
import { numberIn, type Struct, structIn, ThriftReader } from "./parquet-thrift.ts";

/**
 * The library that reads tables believes what a page states: a wrong number makes it loop, fill the memory,
 * or leave cells empty. So the pages of a column are measured before they are read.
 */

/** The pages of a column in a row group, as the table describes them. */
export interface ColumnPages {
  readonly bytes: Buffer;
  readonly meta: Pick<ColumnMetaData, "type" | "num_values">;
  readonly leaf: Leaf;
  /** The rows of its row group. */
  readonly rows: number;
  /** The bytes of a page, as they were before they were compressed. Throws if they are damaged. */
  unpack(bytes: Buffer, length: number): Uint8Array;
}

/** A column of cells in the schema. */
export interface Leaf {
  readonly path: readonly string[];
  readonly element: SchemaElement;
  /** How many of the elements above it may be absent, and how many may be repeated. */
  readonly definitions: number;
  readonly repetitions: number;
}

export function leavesOf(tree: SchemaTree): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = ({ element, children, path }: SchemaTree, definitions: number, repetitions: number): void => {
    if (children.length === 0) leaves.push({ path, element, definitions, repetitions });
    for (const child of children) {
      const { repetition_type: kind } = child.element;
      visit(child, definitions + (kind === "REQUIRED" ? 0 : 1), repetitions + (kind === "REPEATED" ? 1 : 0));
    }
  };
  if (tree.children.length > 0) visit(tree, 0, tree.element.repetition_type === "REPEATED" ? 1 : 0);
  return leaves;
}

/**
 * Measures the pages of a column, and returns how many bytes they have when unpacked. Throws with the reason
 * where they are not what the table states.
 */
export function measurePages(chunk: ColumnPages): number {
  const { bytes, meta, rows } = chunk;
  const values = Number(meta.num_values);
  const measured = { size: 0, values: 0, rows: 0, words: undefined as number | undefined };
  for (let at = 0; at < bytes.length && measured.values < values; ) {
    const reader = new ThriftReader(bytes, at);
    const header = reader.struct();
    const packed = numberIn(header, 3) ?? -1;
    const size = numberIn(header, 2) ?? -1;
    const body = bytes.subarray(reader.at, reader.at + packed);
    if (packed < 0 || size < 0 || body.length < packed) throw new Error("a page is cut off");
    const checksum = numberIn(header, 4);
    if (checksum !== undefined && crc32(body) !== checksum >>> 0)
      throw new Error("the checksum of a page does not match");
    measured.size += size;
    const page = { header, body, size, chunk, words: measured.words };
    const type = numberIn(header, 1);
    if (type === 2) measured.words = wordsIn(page);
    else {
      const own = type === 0 ? measureFirst(page) : type === 3 ? measureSecond(page) : undefined;
      if (!own) throw new Error("a page is of an unknown kind");
      measured.values += own.values;
      measured.rows += own.rows;
    }
    at = reader.at + packed;
  }
  if (measured.values !== values)
    throw new Error(`its pages have ${measured.values} values, the table states ${values}`);
  if (measured.rows !== rows)
    throw new Error(`its pages have ${measured.rows} rows, the table states ${rows}`);
  return measured.size;
}

interface Page {
  readonly header: Struct;
  readonly body: Buffer;
  readonly size: number;
  readonly chunk: ColumnPages;
  /** How many words the dictionary has. */
  readonly words: number | undefined;
}

function plainOf({ body, size, chunk }: Page): Buffer {
  if (size === 0) return Buffer.alloc(0);
  const plain = chunk.unpack(body, size);
  if (plain.length !== size) throw new Error("a page has another length than it states");
  return Buffer.from(plain.buffer, plain.byteOffset, plain.length);
}

function countIn(header: Struct | undefined, field: number): number {
  const count = numberIn(header, field);
  if (count === undefined || count < 0) throw new Error("a page does not state how many values it has");
  return count;
}

function wordsIn(page: Page): number {
  const count = countIn(structIn(page.header, 7), 1);
  measurePlain(plainOf(page), 0, count, page.chunk);
  return count;
}

interface Counted {
  readonly values: number;
  readonly rows: number;
}

/** A page whose levels are packed with its values. */
function measureFirst(page: Page): Counted {
  const { chunk } = page;
  const header = structIn(page.header, 5);
  const values = countIn(header, 1);
  const bytes = plainOf(page);
  let at = 0;
  const levels = (most: number, field: number): number[] => {
    if (most === 0) return [];
    if (numberIn(header, field) !== 3) throw new Error("its levels are in an unknown encoding");
    const start = at + 4;
    if (start > bytes.length) throw new Error(short);
    at = start + bytes.readUInt32LE(at);
    if (at > bytes.length) throw new Error(short);
    return countLevels(bytes.subarray(start, at), most, values);
  };
  const repeated = levels(chunk.leaf.repetitions, 4);
  const defined = levels(chunk.leaf.definitions, 3);
  const present = chunk.leaf.definitions === 0 ? values : (defined[chunk.leaf.definitions] ?? 0);
  measureValues(bytes, at, present, numberIn(header, 2), page);
  return { values, rows: chunk.leaf.repetitions === 0 ? values : (repeated[0] ?? 0) };
}

/** A page whose levels stand before its values, and are not packed. */
function measureSecond(page: Page): Counted {
  const { chunk, body, size } = page;
  const header = structIn(page.header, 8);
  const [values, absent, rows] = [1, 2, 3].map((field) => countIn(header, field)) as [number, number, number];
  const [definitionSize, repetitionSize] = [5, 6].map((field) => countIn(header, field)) as [number, number];
  const levelSize = definitionSize + repetitionSize;
  if (levelSize > body.length || levelSize > size) throw new Error(short);
  const { repetitions, definitions } = chunk.leaf;
  const repeated = countLevels(body.subarray(0, repetitionSize), repetitions, values);
  const defined = countLevels(body.subarray(repetitionSize, levelSize), definitions, values);
  if ((repetitions === 0 ? values : repeated[0]) !== rows) throw new Error(otherCounts);
  const present = definitions === 0 ? values : (defined[definitions] ?? 0);
  if (values - absent !== present) throw new Error(otherCounts);
  const packed = { ...page, body: body.subarray(levelSize), size: size - levelSize };
  const bytes = header?.fields.get(7) === false ? packed.body : plainOf(packed);
  measureValues(bytes, 0, present, numberIn(header, 4), page);
  return { values, rows };
}

const short = "a page is shorter than its values";
const otherCounts = "a page has another number of values than it states";

/** How many values are at each level. */
function countLevels(bytes: Buffer, most: number, values: number): number[] {
  const counts = Array.from({ length: most + 1 }, () => 0);
  if (most === 0) return counts;
  eachRun(bytes, 0, 32 - Math.clz32(most), values, (level, count) => {
    if (level > most) throw new Error("a page has a level that its column has not");
    counts[level] = (counts[level] ?? 0) + count;
  });
  return counts;
}

/** Numbers of a width in bits: each run repeats one, or has eight or more of them side by side. */
function eachRun(
  bytes: Buffer,
  start: number,
  width: number,
  values: number,
  use: (value: number, count: number) => void,
): void {
  const reader = new ThriftReader(bytes, start);
  const size = (width + 7) >> 3;
  for (let seen = 0; seen < values; ) {
    const head = reader.number();
    const left = values - seen;
    if (head % 2 === 0) {
      const count = head / 2;
      if (count > left || count === 0 || reader.at + size > bytes.length) throw new Error(otherCounts);
      use(size === 0 ? 0 : bytes.readUIntLE(reader.at, size), count);
      reader.at += size;
      seen += count;
      continue;
    }
    const groups = (head - 1) / 2;
    // DuckDB fills up the last block; the library takes time for what is there, and for what has no bits.
    const isFilled = width > 0 && reader.at + groups * width <= bytes.length;
    if (groups === 0 || (groups > Math.ceil(left / 8) && !isFilled)) throw new Error(otherCounts);
    const count = Math.min(left, groups * 8);
    const end = reader.at + groups * width;
    if (reader.at + Math.ceil((count * width) / 8) > bytes.length) throw new Error(short);
    for (let index = 0; index < count; index++) use(bitsAt(bytes, reader.at * 8 + index * width, width), 1);
    reader.at = end;
    seen += count;
  }
}

function bitsAt(bytes: Buffer, at: number, width: number): number {
  let value = 0;
  for (let index = 0, byte = at >> 3; index * 8 < width + 7; index++, byte++)
    value += (bytes[byte] ?? 0) * 2 ** (8 * index);
  return Math.floor(value / 2 ** (at & 7)) % 2 ** width;
}

function measureValues(
  bytes: Buffer,
  start: number,
  values: number,
  encoding: number | undefined,
  { chunk, words }: Page,
): void {
  if (values === 0) return;
  if (encoding === 0) measurePlain(bytes, start, values, chunk);
  else if (encoding === 2 || encoding === 8) {
    const width = bytes[start] ?? 255;
    if (words === undefined || width > 32)
      throw new Error("a page refers to a dictionary that its column does not have");
    eachRun(bytes, start + 1, width, values, (word) => {
      if (word >= words) throw new Error("a page refers to an entry that its dictionary does not have");
    });
  } else if (encoding === 3) eachRun(bytes, start + 4, 1, values, () => {});
  else if (encoding === 5 || encoding === 6) measureDeltas(bytes, start, values);
  else if (encoding === 7) measureDeltas(bytes, measureDeltas(bytes, start, values), values);
  else if (encoding !== 9) throw new Error("a page is in an unknown encoding");
  else if (values > bytes.length) throw new Error(short);
}

const widths: Readonly<Record<string, number>> = {
  INT32: 4,
  INT64: 8,
  INT96: 12,
  FLOAT: 4,
  DOUBLE: 8,
};

function measurePlain(
  bytes: Buffer,
  start: number,
  values: number,
  { leaf: { element } }: ColumnPages,
): void {
  const { type = "", type_length: length = 0 } = element;
  if (type !== "BYTE_ARRAY") {
    const size = type === "BOOLEAN" ? 1 / 8 : type === "FIXED_LEN_BYTE_ARRAY" ? length : (widths[type] ?? 0);
    if (start + Math.ceil(values * size) > bytes.length || size <= 0) throw new Error(short);
    return;
  }
  let at = start;
  for (let index = 0; index < values; index++) {
    if (at + 4 > bytes.length) throw new Error(short);
    at += 4 + bytes.readUInt32LE(at);
  }
  if (at > bytes.length) throw new Error(short);
  // Fastparquet fills up its pages.
  if (bytes.subarray(at).some((byte) => byte !== 0)) throw new Error("a page is longer than its values");
}

/** Numbers as differences from the one before; returns where they end. */
function measureDeltas(bytes: Buffer, start: number, values: number): number {
  const reader = new ThriftReader(bytes, start);
  const [blockSize, parts, count] = [reader.number(), reader.number(), reader.number()];
  const each = blockSize / parts;
  if (!Number.isInteger(each / 32) || each === 0 || blockSize > 1 << 20 || count !== values)
    throw new Error(otherCounts);
  reader.number();
  for (let seen = 1; seen < values; ) {
    reader.number();
    const list = bytes.subarray(reader.at, reader.at + parts);
    if (list.length < parts) throw new Error(short);
    reader.at += parts;
    for (const width of list) {
      if (seen >= values) break;
      if (width > 64) throw new Error(otherCounts);
      reader.at += (width * each) / 8;
      seen += each;
    }
    if (reader.at > bytes.length) throw new Error(short);
  }
  return reader.at;
}
