import { isUtf8 } from "node:buffer";

/**
 * The offset of the first byte that is not UTF-8, or the length. To check a block takes all of it, so blocks
 * begin small and grow: a file may have thousands of such bytes.
 */
export function invalidByte(bytes: Buffer): number {
  let at = 0;
  let size = firstBlock;
  for (let isValid = true; at < bytes.length && size >= characterLengths.length; ) {
    // A block that ends within a character is shortened by it.
    let stop = Math.min(bytes.length, at + size);
    while (stop < bytes.length && stop > at && ((bytes[stop] ?? 0) & 0xc0) === 0x80) stop--;
    const isBlock = stop > at && isUtf8(bytes.subarray(at, stop));
    if (isBlock) at = stop;
    isValid &&= isBlock;
    if (isValid) size *= 2;
    else if (!isBlock) size >>= 1;
  }
  while (at < bytes.length) {
    const length = characterLengths.find((count) => isUtf8(bytes.subarray(at, at + count)));
    if (length === undefined) break;
    at += length;
  }
  return at;
}

const firstBlock = 64;
const characterLengths = [1, 2, 3, 4];

/** The text of bytes, with a question mark for each that is not UTF-8, so that it takes as many bytes. */
export function textOfLength(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const from = at;
    at += invalidByte(bytes.subarray(at));
    parts.push(bytes.toString("utf8", from, at));
    const wrong = at;
    if (at < bytes.length) at++;
    // A file may hold nothing else, and each search takes many steps.
    while (at < bytes.length && beginsNothing(bytes, at)) at++;
    parts.push("?".repeat(at - wrong));
  }
  return parts.join("");
}

/** Whether no character of UTF-8 begins at a byte that is not ASCII. */
function beginsNothing(bytes: Buffer, at: number): boolean {
  const byte = bytes[at] ?? 0;
  return byte >= 0x80 && (byte < 0xc2 || byte > 0xf4 || ((bytes[at + 1] ?? 0) & 0xc0) !== 0x80);
}
