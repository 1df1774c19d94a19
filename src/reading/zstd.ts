import { Decompress, decompress } from "fzstd";
import { TooLarge } from "./limit.ts";

/**
 * Zstandard, RFC 8878. Agents compress sessions with it, and Node can decompress it only since 22.15.
 * @see https://www.rfc-editor.org/rfc/rfc8878
 */

const frameMark = 0xfd2fb528;

export function isZstd(bytes: Buffer): boolean {
  return bytes.length >= 4 && bytes.readUInt32LE(0) === frameMark;
}

/**
 * Decompresses all frames, up to a cut; `undefined` when damaged or with a dictionary. Throws
 * {@link TooLarge} above `limit` bytes.
 */
export function unzstd(bytes: Buffer, limit: number): Buffer | undefined {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    const stream = new Decompress((part) => {
      length += part.length;
      if (length > limit) throw new TooLarge(`it unpacks to more than ${limit} bytes`);
      parts.push(Buffer.from(part));
    });
    for (let at = 0; at < bytes.length; at += chunkSize) stream.push(bytes.subarray(at, at + chunkSize));
    if (length > 0) return Buffer.concat(parts, length);
    // The stream is silent on an empty frame; only a decompression of the whole distinguishes it from a cut
    // one.
    return bytes.length <= emptyFrame ? Buffer.from(decompress(bytes)) : undefined;
  } catch (error) {
    if (error instanceof TooLarge) throw error;
    return undefined;
  }
}

/** Longer input is not an empty frame. */
const emptyFrame = 64;

/** Bytes fed at once: the output size is checked before the next chunk. */
const chunkSize = 1 << 16;

/** Stores bytes uncompressed in Zstandard frames, to write files back that were compressed. */
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
