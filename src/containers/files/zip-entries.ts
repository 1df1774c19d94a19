import { inflateRawSync } from "node:zlib";
import { crc32 } from "../../reading/checksum.ts";
import { beyondSmall, Density, mostOfSmall, smallPacked } from "../../reading/density.ts";
import { unzstd } from "../../reading/zstd.ts";
import { entryMark } from "./binaries.ts";

const listMark = Buffer.from("PK\x01\x02", "latin1");
/** Begins the end of the archive, which says where its list stands. */
const endMark = Buffer.from("PK\x05\x06", "latin1");

/** The most bytes that all entries together may unpack to, as a guard against zip bombs. */
const maxUnpacked = 1 << 30;

/** A file as the list of a zip archive names it. */
export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  /** Range of the packed bytes. */
  readonly start: number;
  readonly end: number;
  readonly size: number;
  /** The CRC-32 of the file; 0 where the archive states none. */
  readonly checksum: number;
}

/** Unpacks the files of one archive, up to what an archive of its size holds. */
export class Unzipper {
  readonly #bytes: Buffer;
  readonly #density: Density | undefined;
  readonly #starts = new Set<number>();
  #packed = 0;
  #unpacked = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#density = bytes.length < smallPacked ? new Density() : undefined;
  }

  /**
   * The content of a file; `plain` is absent if it is damaged or packed in another way. `tooMuch` says why
   * neither this file nor later ones are unpacked.
   */
  unpack(entry: ZipEntry): { readonly plain?: Buffer; readonly tooMuch?: string } {
    const tooMuch = this.#bomb(entry);
    if (tooMuch !== undefined) return { tooMuch };
    const plain = unpack(this.#bytes, entry);
    if (!plain) return {};
    return this.#density?.take(plain) === false ? { tooMuch: `files hold ${beyondSmall.values}` } : { plain };
  }

  #bomb({ start, end, size }: ZipEntry): string | undefined {
    this.#unpacked += size;
    this.#packed += end - start;
    const isShared = this.#packed > this.#bytes.length || this.#starts.has(start);
    this.#starts.add(start);
    if (this.#unpacked > (this.#density ? mostOfSmall : maxUnpacked))
      return `files unpack to ${this.#density ? beyondSmall.bytes : "more than a gigabyte"}`;
    return isShared ? "files share their bytes, as in a zip bomb" : undefined;
  }
}

/** Whether a file is not the one that the archive states the checksum of. */
export function differs({ checksum }: ZipEntry, plain: Buffer): boolean {
  return checksum !== 0 && crc32(plain) !== checksum;
}

/** How many files the archive states at its end; more than 65,534 are not stated there. */
function statedEntries(bytes: Buffer): number {
  const end = bytes.lastIndexOf(endMark);
  const stated = end < 0 || end + 20 > bytes.length ? 0 : bytes.readUInt16LE(end + 10);
  return stated === 0xffff ? 0 : stated;
}

/** Where an archive states more files than its list names, and how many. */
export function missingEntries(bytes: Buffer): { readonly count: number; readonly start: number } {
  const count = statedEntries(bytes) - [...entriesOf(bytes)].length;
  return { count, start: bytes.lastIndexOf(endMark) };
}

/** In place of a packing: the file does not stand where the list of the archive says. */
const lost = -1;

/** The files in the central directory at the archive's end. */
export function* entriesOf(bytes: Buffer): Generator<ZipEntry> {
  const end = bytes.lastIndexOf(endMark);
  if (end < 0 || end + 20 > bytes.length) return;
  let at = bytes.readUInt32LE(end + 16);
  while (at + 46 <= bytes.length && bytes.subarray(at, at + 4).equals(listMark)) {
    const [packed, size] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)];
    const [nameSize, moreSize, noteSize] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const local = bytes.readUInt32LE(at + 42);
    const name = bytes.toString("utf8", at + 46, at + 46 + (nameSize ?? 0));
    const method = bytes.readUInt16LE(at + 10);
    const checksum = bytes.readUInt32LE(at + 16);
    at += 46 + (nameSize ?? 0) + (moreSize ?? 0) + (noteSize ?? 0);
    if (local + 30 > bytes.length || !bytes.subarray(local, local + 4).equals(entryMark)) {
      yield {
        name,
        method: lost,
        start: Math.min(local, bytes.length),
        end: bytes.length,
        size: 0,
        checksum: 0,
      };
      continue;
    }
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    yield { name, method, start, end: Math.min(bytes.length, start + packed), size, checksum };
  }
}

function unpack(bytes: Buffer, { method, start, end, size }: ZipEntry): Buffer | undefined {
  const packed = bytes.subarray(start, end);
  // Entries may share bytes, so the total counts the sizes that entries state.
  if (method === 0) return packed.length === size ? packed : undefined;
  const limit = Math.min(maxUnpacked, Math.max(1024, size));
  if (method !== 93 && method !== 8) return undefined;
  try {
    if (method === 93) return unzstd(packed, limit);
    return inflateRawSync(packed, { maxOutputLength: limit });
  } catch {
    // Damaged, or longer than stated.
    return undefined;
  }
}
