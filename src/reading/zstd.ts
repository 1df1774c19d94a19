import { Decompress, decompress } from "fzstd";

/**
 * Zstandard, as RFC 8878 has it: agents keep sessions so, and Node can undo it only since 22.15.
 * @see https://www.rfc-editor.org/rfc/rfc8878
 */

const frameMark = 0xfd2fb528;

export function isZstd(bytes: Buffer): boolean {
  return bytes.length >= 4 && bytes.readUInt32LE(0) === frameMark;
}

/** What all frames hold, as far as they go when the end is missing; `undefined` when they are damaged, need a dictionary or hold more than `limit`. */
export function unzstd(bytes: Buffer, limit: number): Buffer | undefined {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    const stream = new Decompress((part) => {
      length += part.length;
      if (length > limit) throw new RangeError("holds more than it may");
      parts.push(Buffer.from(part));
    });
    for (let at = 0; at < bytes.length; at += piece) stream.push(bytes.subarray(at, at + piece));
    if (length > 0) return Buffer.concat(parts, length);
    // Of what ends before anything came, only the whole tells that there is nothing in it.
    return bytes.length <= emptyFrame ? Buffer.from(decompress(bytes)) : undefined;
  } catch {
    return undefined;
  }
}

/** Longer frames hold something. */
const emptyFrame = 64;

/** So many bytes are handed over at once: what they unpack to is looked at before the next. */
const piece = 1 << 16;

/** Bytes in frames that hold them as they are: for files that were compressed, and are to be written again. */
export function storedZstd(bytes: Buffer): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32LE(frameMark, 0);
  // One segment, with its size in eight bytes, without a checksum.
  head[4] = 0xe0;
  head.writeBigUInt64LE(BigInt(bytes.length), 5);
  const parts: Buffer[] = [head];
  for (let at = 0; at === 0 || at < bytes.length; at += maxBlock) {
    const block = bytes.subarray(at, at + maxBlock);
    const mark = Buffer.alloc(3);
    mark.writeUIntLE(block.length * 8 + (at + maxBlock >= bytes.length ? 1 : 0), 0, 3);
    parts.push(mark, block);
  }
  return Buffer.concat(parts);
}

const maxBlock = 1 << 17;
