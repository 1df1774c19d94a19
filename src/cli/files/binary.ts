import { closeSync, openSync, readSync } from "node:fs";
import { isZstd } from "../../reading/zstd.ts";

const headSize = 8192;

/** The first bytes of a file. Throws what the file system throws. */
export function headOf(full: string): Buffer {
  const fd = openSync(full, "r");
  try {
    const head = Buffer.alloc(headSize);
    return head.subarray(0, readSync(fd, head, 0, headSize, 0));
  } finally {
    closeSync(fd);
  }
}

/** No log is kept so. Compressed logs (gzip, Zstandard) are unpacked when read, and UTF-16 is decoded. */
export function looksBinary(head: Buffer): boolean {
  return !isPacked(head) && !isWide(head) && (head.includes(0) || binaryKind(head) !== undefined);
}

/** Text in UTF-16 tells so by its first two bytes. */
function isWide(head: Buffer): boolean {
  return (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
}

function isPacked(head: Buffer): boolean {
  return (head[0] === 0x1f && head[1] === 0x8b) || isZstd(head);
}

interface Kind {
  readonly magic: Buffer;
  readonly what: string;
  /** What to do to get at a log that may be inside. */
  readonly advice: string;
}

const exportIt = "export the conversations as JSON lines first";

/** First bytes of files that people take for logs, or that hold logs. */
const kinds: readonly Kind[] = [
  { magic: Buffer.from("PK\x03\x04"), what: "a zip archive", advice: "unpack it first" },
  { magic: Buffer.from("SQLite format 3\0"), what: "an SQLite database", advice: exportIt },
  { magic: Buffer.from("PAR1"), what: "a Parquet file", advice: exportIt },
  { magic: Buffer.from("ARROW1"), what: "an Arrow file", advice: exportIt },
  {
    magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
    what: "damaged Zstandard",
    advice: "copy it again, or unpack it first: `zstd -d`, with the dictionary where it was packed with one",
  },
  { magic: Buffer.from("BZh"), what: "compressed with bzip2", advice: "unpack it first: `bunzip2 -k`" },
  {
    magic: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]),
    what: "compressed with xz",
    advice: "unpack it first: `unxz -k`",
  },
  {
    magic: Buffer.from([0x1f, 0x8b]),
    what: "damaged gzip",
    advice: "copy it again: its end or its checksum is wrong",
  },
  { magic: Buffer.from("%PDF-"), what: "a PDF", advice: "" },
  { magic: Buffer.from([0x89, 0x50, 0x4e, 0x47]), what: "a PNG image", advice: "" },
];

/** What the first bytes say a binary file is; `undefined` when they say nothing. */
export function binaryKind(head: Buffer): { readonly what: string; readonly advice: string } | undefined {
  return kinds.find(({ magic }) => head.subarray(0, magic.length).equals(magic));
}
