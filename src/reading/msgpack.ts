/**
 * Reads MessagePack, in which LangGraph keeps the states of its graphs, as the values of JSON. Its extensions
 * wrap objects of Python: `[module, class, members, method]`, of which the members count.
 * @see https://github.com/msgpack/msgpack/blob/master/spec.md
 * @see https://github.com/langchain-ai/langgraph/blob/main/libs/checkpoint/langgraph/checkpoint/serde/jsonplus.py
 */

/** No state is nested deeper. */
const maxDepth = 200;

/** The one value in the bytes; `undefined` where they are anything else. */
export function msgpackValue(bytes: Buffer): unknown {
  const cursor: Cursor = { bytes, at: 0 };
  try {
    const value = valueAt(cursor, 0);
    return cursor.at === bytes.length ? value : undefined;
  } catch (error) {
    // The bytes end early.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

function valueAt(cursor: Cursor, depth: number): unknown {
  if (depth > maxDepth) throw new RangeError("The value is nested too deeply.");
  const kind = take(cursor, 1).readUInt8();
  if (kind < 0x80) return kind;
  if (kind < 0x90) return mapAt(cursor, kind & 15, depth);
  if (kind < 0xa0) return listAt(cursor, kind & 15, depth);
  if (kind < 0xc0) return textAt(cursor, kind & 31);
  if (kind >= 0xe0) return kind - 0x100;
  const read = readers[kind - 0xc0];
  if (!read) throw new RangeError("The byte begins no value.");
  return read(cursor, depth);
}

type Reader = (cursor: Cursor, depth: number) => unknown;

/** How each value from 0xc0 on is read. Binary data is no text. */
const readers: readonly (Reader | undefined)[] = [
  () => null,
  undefined,
  () => false,
  () => true,
  ...[1, 2, 4].map(
    (size): Reader =>
      (cursor) =>
        take(cursor, lengthAt(cursor, size)) && null,
  ),
  ...[1, 2, 4].map(
    (size): Reader =>
      (cursor, depth) =>
        wrappedAt(cursor, lengthAt(cursor, size), depth),
  ),
  (cursor) => take(cursor, 4).readFloatBE(),
  (cursor) => take(cursor, 8).readDoubleBE(),
  ...[1, 2, 4].map(
    (size): Reader =>
      (cursor) =>
        take(cursor, size).readUIntBE(0, size),
  ),
  (cursor) => Number(take(cursor, 8).readBigUInt64BE()),
  ...[1, 2, 4].map(
    (size): Reader =>
      (cursor) =>
        take(cursor, size).readIntBE(0, size),
  ),
  (cursor) => Number(take(cursor, 8).readBigInt64BE()),
  ...[1, 2, 4, 8, 16].map(
    (size): Reader =>
      (cursor, depth) =>
        wrappedAt(cursor, size, depth),
  ),
  ...[1, 2, 4].map(
    (size): Reader =>
      (cursor) =>
        textAt(cursor, lengthAt(cursor, size)),
  ),
  ...[2, 4].map(
    (size): Reader =>
      (cursor, depth) =>
        listAt(cursor, lengthAt(cursor, size), depth),
  ),
  ...[2, 4].map(
    (size): Reader =>
      (cursor, depth) =>
        mapAt(cursor, lengthAt(cursor, size), depth),
  ),
];

function take(cursor: Cursor, length: number): Buffer {
  const end = cursor.at + length;
  if (end > cursor.bytes.length) throw new RangeError("The bytes end within a value.");
  const found = cursor.bytes.subarray(cursor.at, end);
  cursor.at = end;
  return found;
}

function lengthAt(cursor: Cursor, size: number): number {
  return take(cursor, size).readUIntBE(0, size);
}

function textAt(cursor: Cursor, length: number): string {
  return take(cursor, length).toString("utf8");
}

function listAt(cursor: Cursor, length: number, depth: number): unknown[] {
  const list: unknown[] = [];
  while (list.length < length) list.push(valueAt(cursor, depth + 1));
  return list;
}

function mapAt(cursor: Cursor, length: number, depth: number): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  while (entries.length < length)
    entries.push([String(valueAt(cursor, depth + 1)), valueAt(cursor, depth + 1)]);
  return Object.fromEntries(entries);
}

/** An extension: its type, and the object in it. */
function wrappedAt(cursor: Cursor, length: number, depth: number): unknown {
  take(cursor, 1);
  const inner: Cursor = { bytes: take(cursor, length), at: 0 };
  const [module, name, members] = [valueAt(inner, depth + 1)].flat();
  return typeof module === "string" && typeof name === "string" ? members : null;
}
