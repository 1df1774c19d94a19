import { closeSync, openSync, readSync } from "node:fs";
import { binaryKind } from "../../containers/files/binaries.ts";
import { isZstd } from "../../reading/zstd.ts";

const headSize = 8192;

/** The first bytes of a file. Throws the errors of the file system. */
export function firstBytes(full: string): Buffer {
  const fd = openSync(full, "r");
  try {
    const head = Buffer.alloc(headSize);
    return head.subarray(0, readSync(fd, head, 0, headSize, 0));
  } finally {
    closeSync(fd);
  }
}

/** Whether a file is binary. Compressed logs (gzip, Zstandard) are unpacked later, and UTF-16 is decoded. */
export function looksBinary(head: Buffer): boolean {
  return !isPacked(head) && !isWide(head) && (head.includes(0) || binaryKind(head) !== undefined);
}

/** Whether text begins with the byte order mark of UTF-16. */
function isWide(head: Buffer): boolean {
  return (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
}

function isPacked(head: Buffer): boolean {
  return (head[0] === 0x1f && head[1] === 0x8b) || isZstd(head);
}
