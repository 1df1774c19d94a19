import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { constants, gunzipSync, gzipSync } from "node:zlib";
import { beyondSmall, Density, mostOfSmall, smallPacked } from "./density.ts";
import { maxInMemory, TooLarge } from "./limit.ts";
import { isSqlite, sqliteLines } from "./sqlite.ts";
import { isZstd, storedZstd, unzstd } from "./zstd.ts";

/** Bytes that can be read at any offset, as often as needed. */
export interface ByteSource {
  /** The name that reports show: a path as the user typed it, or `-`. */
  readonly name: string;
  readonly size: number;
  /** The file was compressed, in UTF-16, a database or in lines of CR: offsets count in what it became. */
  readonly isUnpacked?: boolean;
  /** The files that are read as one, in order; absent for a single file. See {@link joinedSource}. */
  readonly segments?: readonly SourceSegment[];
  /** @internal The original bytes of a converted file: see {@link packedAgain}. */
  readonly packed?: Buffer;
  /** @internal The bytes from `start` up to but not including `end`; the caller must not write into them. */
  read(start: number, end: number): Buffer;
  /** @internal Copies bytes from `start` on into `target` at `at`, as many as fit; returns how many. */
  copy(target: Buffer, at: number, start: number): number;
  close(): void;
}

/** One file of a joined source: the bytes of the whole from `start` up to but not including `end`. */
export interface SourceSegment {
  readonly source: ByteSource;
  readonly start: number;
  readonly end: number;
}

/** Joins files into one source, each beginning on a line of its own. Origins point into the single files. */
export function joinedSource(name: string, sources: readonly ByteSource[]): ByteSource {
  const chunks: Buffer[] = [];
  const segments: SourceSegment[] = [];
  let length = 0;
  for (const source of sources) {
    const bytes = source.read(0, source.size);
    segments.push({ source, start: length, end: length + bytes.length });
    chunks.push(bytes, Buffer.from("\n"));
    length += bytes.length + 1;
  }
  return { ...memorySource(name, Buffer.concat(chunks, length)), segments };
}

/** Bytes in memory. `packed` is what they were unpacked from, if they were. */
export function memorySource(name: string, bytes: Buffer, packed?: Buffer): ByteSource {
  return {
    name,
    size: bytes.length,
    isUnpacked: packed !== undefined,
    ...(packed && { packed }),
    read: (start, end) => bytes.subarray(start, end),
    copy: (target, at, start) => bytes.copy(target, at, start),
    close: () => {},
  };
}

/** The size of the file itself, in bytes: compressed, where it is. */
export function storedSize({ packed, size }: ByteSource): number {
  return packed?.length ?? size;
}

/** Whether a source is the rows of a database, each a line of JSON. */
export function isDatabase({ packed }: ByteSource): boolean {
  return packed !== undefined && isSqlite(packed);
}

/** Smaller files are kept in memory; larger ones are read in parts. */
const keepWhole = 8 << 20;

/**
 * A file on disk. Throws the file system's error when it cannot be opened or read, and {@link TooLarge} when
 * it unpacks to more than fits in memory.
 */
export function fileSource(path: string, name = path): ByteSource {
  const fd = openSync(path, "r");
  const { size } = fstatSync(fd);
  // A file that grows while it is read ends where it ended at the start.
  const fill = (target: Buffer, at: number, start: number): number => {
    const most = Math.min(target.length - at, size - start);
    let done = 0;
    while (done < most) {
      const count = readSync(fd, target, at + done, most - done, start + done);
      if (count === 0) break;
      done += count;
    }
    return done;
  };
  const head = Buffer.alloc(Math.min(size, 4096));
  fill(head, 0, 0);
  const isDatabase = isSqlite(head) && size <= maxInMemory;
  const hasReturns = size <= maxInMemory && feedsFor(head) !== undefined;
  if (size <= keepWhole || isPacked(head) || utf16Order(head) || isDatabase || hasReturns) {
    const whole = Buffer.allocUnsafe(size);
    const bytes = whole.subarray(0, fill(whole, 0, 0));
    closeSync(fd);
    return bytesSource(name, bytes, isDatabase ? logBeside(path) : undefined);
  }
  return {
    name,
    size,
    read(start, end) {
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(end, size) - start));
      return bytes.subarray(0, fill(bytes, 0, start));
    },
    copy: fill,
    close: () => closeSync(fd),
  };
}

/** The write-ahead log next to a database: a running program's writes that the database file lacks. */
function logBeside(path: string): Buffer | undefined {
  const log = `${path}-wal`;
  return existsSync(log) ? readFileSync(log) : undefined;
}

/**
 * A source for bytes from a pipe or a caller: decompressed, UTF-16 converted to UTF-8, rows of a database
 * converted to JSON lines, line ends of CR to LF. `log` is a database's write-ahead log.
 */
export function bytesSource(name: string, bytes: Buffer, log?: Buffer): ByteSource {
  const rows = isSqlite(bytes) ? sqliteLines(bytes, log) : undefined;
  if (rows) return memorySource(name, rows, bytes);
  const unpacked = isPacked(bytes) ? unpack(bytes) : undefined;
  const order = utf16Order(unpacked ?? bytes);
  const text = (order && utf8Of(unpacked ?? bytes, order)) ?? unpacked;
  const lines = feedsFor(text ?? bytes) ?? text;
  return memorySource(name, lines ?? bytes, lines && bytes);
}

/**
 * Converts changed bytes back to the form of the original file `packed`: compressed, UTF-16, its line ends.
 * `undefined` for databases, which are read-only, and for UTF-16 with broken parts, which would be lost.
 */
export function packedAgain(packed: Buffer, before: Buffer, after: Buffer): Buffer | undefined {
  if (isSqlite(packed)) return undefined;
  const unpacked = isPacked(packed) ? unpack(packed) : undefined;
  const order = utf16Order(unpacked ?? packed);
  const plain = order ? utf8Of(unpacked ?? packed, order) : (unpacked ?? packed);
  const inLines = (bytes: Buffer): Buffer => (feedsFor(plain) ? replacedBytes(bytes, 10, 13) : bytes);
  if (order && !utf16Of(inLines(before), order).equals(unpacked ?? packed)) return undefined;
  const text = order ? utf16Of(inLines(after), order) : inLines(after);
  if (!unpacked) return text;
  return isZstd(packed) ? storedZstd(text) : gzipLike(packed, text);
}

/** Compresses bytes with the gzip header (name, time) of another file. */
export function gzipLike(packed: Buffer, bytes: Buffer): Buffer {
  const flags = packed[3] ?? 0;
  let end = 10;
  if (flags & 4) end += 2 + packed.readUInt16LE(end);
  for (const flag of [8, 16]) if (flags & flag) end = packed.indexOf(0, end) + 1;
  if (flags & 2) end += 2;
  return Buffer.concat([packed.subarray(0, end), gzipSync(bytes).subarray(10)]);
}

/** Compressed with gzip or Zstandard, judged by the first bytes. */
function isPacked(bytes: Buffer): boolean {
  return (bytes.length >= 2 && bytes[0] === 0x1f && bytes[1] === 0x8b) || isZstd(bytes);
}

/**
 * Unpacks as far as the bytes go; `undefined` when they are damaged or not compressed after all. A log that
 * unpacks to more than {@link maxInMemory}, or a small one to more than it may hold, is a decompression bomb,
 * or too large to be read this way.
 */
function unpack(packed: Buffer): Buffer | undefined {
  const isSmall = packed.length < smallPacked;
  const most = isSmall ? mostOfSmall : maxInMemory;
  let bytes: Buffer | undefined;
  try {
    bytes = isZstd(packed)
      ? unzstd(packed, most)
      : gunzipSync(packed, { maxOutputLength: most, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    const isTooLarge = error instanceof TooLarge || codeOf(error) === "ERR_BUFFER_TOO_LARGE";
    if (!isTooLarge) return undefined;
    throw tooMuch(packed, isSmall ? beyondSmall.bytes : "more than 1 GiB");
  }
  if (bytes && isSmall && !new Density().take(bytes)) throw tooMuch(packed, beyondSmall.values);
  return bytes;
}

function tooMuch(packed: Buffer, what: string): TooLarge {
  const how = isZstd(packed) ? "zstd -d" : "gunzip -k";
  return new TooLarge(`it unpacks to ${what}; unpack it first (\`${how}\`): a plain file is read in parts`);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** Where text begins: at `at`, or after a UTF-8 byte order mark there. */
export function textStart(bytes: Buffer, at = 0): number {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf ? at + 3 : at;
}

/** PowerShell's `>` and Windows editors write UTF-16 with a byte order mark, which gives the byte order. */
function utf16Order(bytes: Buffer): "little" | "big" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "little";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "big" : undefined;
}

/** A text whose lines end with CR alone, with LF instead: offsets stay. `undefined` for any other. */
function feedsFor(bytes: Buffer): Buffer | undefined {
  const first = bytes.indexOf(13);
  const isOfLines =
    first >= 0 && bytes.indexOf(13, first + 1) >= 0 && !bytes.includes(10) && !bytes.includes(0);
  return isOfLines ? replacedBytes(bytes, 13, 10) : undefined;
}

function replacedBytes(bytes: Buffer, old: number, by: number): Buffer {
  const out = Buffer.from(bytes);
  for (let at = out.indexOf(old); at >= 0; at = out.indexOf(old, at + 1)) out[at] = by;
  return out;
}

/** UTF-16 is decoded in blocks of this many bytes, because a string has a maximum length. */
const block = 1 << 24;

function utf8Of(bytes: Buffer, order: "little" | "big"): Buffer {
  const text = new TextDecoder(order === "little" ? "utf-16le" : "utf-16be");
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += block) {
    const isLast = at + block >= bytes.length;
    parts.push(Buffer.from(text.decode(bytes.subarray(at, at + block), { stream: !isLast })));
  }
  return Buffer.concat(parts);
}

/** UTF-8 bytes as UTF-16 with its byte order mark. */
function utf16Of(bytes: Buffer, order: "little" | "big"): Buffer {
  const units = Buffer.from(`\ufeff${bytes.toString("utf8")}`, "utf16le");
  return order === "little" ? units : units.swap16();
}
