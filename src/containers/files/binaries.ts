import { level } from "../../traffic/certainty.ts";
import { wholeFile } from "../../traffic/container.ts";

/** Recognizes archives and dumps by their first bytes; their readers are loaded only when needed. */

export const entryMark = Buffer.from("PK\x03\x04", "latin1");

/** What the zip container states without loading its reader. */
export const archive = {
  name: "zip",
  summary:
    "zip archives of JSON and JSON lines, such as Inspect's `.eval` logs and Fiddler's `.saz` archives",
  signs: "starts with PK",
  maxSize: wholeFile,
  recognize: (head: Buffer): number => (head.subarray(0, 4).equals(entryMark) ? level.certain : 0),
};

/** What the mitmproxy container states without loading its reader. */
export const flows = {
  name: "mitmproxy",
  summary: "flows saved by mitmproxy and mitmdump (`-w`, `mitmdump -w flows.mitm`)",
  signs: "tnetstrings: a length, a colon and a flow",
  maxSize: wholeFile,
  recognize: (head: Buffer): number =>
    /^\d{2,9}:\d{1,2}:(?:type|version|websocket|response|request|backup|client_conn|id|error)[,;]/.test(
      head.toString("latin1", 0, 64),
    )
      ? level.certain
      : 0,
};

const columns = Buffer.from("PAR1", "latin1");

/** What the Parquet container states without loading its reader. */
export const parquetData = {
  name: "parquet",
  summary:
    "Parquet tables of requests and replies, such as exports of Langfuse and LangSmith; a row is a record",
  signs: "starts with PAR1",
  // Columns unpack to many times their size, and a table is read whole.
  maxSize: 512 << 20,
  recognize: (head: Buffer): number => (head.subarray(0, 4).equals(columns) ? level.certain : 0),
};

interface BinaryKind {
  readonly magic: Buffer;
  readonly what: string;
  /** How to get at a log that may be inside. */
  readonly advice: string;
}

const exportIt = "export the conversations as JSON lines first";

/** Magic numbers of files that are often taken for logs or that hold logs. */
const binaryKinds: readonly BinaryKind[] = [
  { magic: Buffer.from("PK\x03\x04"), what: "a zip archive", advice: "unpack it first" },
  { magic: Buffer.from("SQLite format 3\0"), what: "an SQLite database", advice: exportIt },
  { magic: columns, what: "a Parquet file", advice: exportIt },
  { magic: Buffer.from("ARROW1"), what: "an Arrow file", advice: exportIt },
  {
    magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
    what: "damaged Zstandard",
    advice: "copy it again, or unpack it first: `zstd -d`, with its dictionary if it has one",
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

/** The kind of binary file by its first bytes; `undefined` if unknown. */
export function binaryKind(head: Buffer): { readonly what: string; readonly advice: string } | undefined {
  return binaryKinds.find(({ magic }) => head.subarray(0, magic.length).equals(magic));
}
