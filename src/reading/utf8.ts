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
