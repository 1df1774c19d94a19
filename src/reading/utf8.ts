import { isUtf8 } from "node:buffer";

/** The offset of the first byte that is not UTF-8, or the length. */
export function invalidByte(bytes: Buffer): number {
  let at = 0;
  for (let size = 1 << 20; at < bytes.length && size > 0; ) {
    // A block that ends within a character is shortened by it.
    let stop = Math.min(bytes.length, at + size);
    while (stop < bytes.length && stop > at && ((bytes[stop] ?? 0) & 0xc0) === 0x80) stop--;
    if (stop > at && isUtf8(bytes.subarray(at, stop))) at = stop;
    else size >>= 1;
  }
  return at;
}
