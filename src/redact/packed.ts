import { brotliCompressSync, brotliDecompressSync, gunzipSync } from "node:zlib";
import { gzipLike } from "../reading/source.ts";
import { eventFrames } from "./event-frames.ts";
import { lacks } from "./spelling.ts";

/** Bytes as a text of one character for each, or of UTF-8 where they are that. */
function textOfBytes(bytes: Buffer): string | undefined {
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : undefined;
}

/** What a run of base64 encodes, as text; `undefined` for other data and for no base64. */
export interface Unpacked {
  readonly text: string;
  /** The new text in the form of the run. */
  packed(text: string): string;
  /** The same in as many characters as the run has; `undefined` if it needs more. */
  fitted(text: string): string | undefined;
}

const maxUnpacked = 256 << 20;

export function unpackedRun(run: string): Unpacked | undefined {
  const unpacked = unpackedText(run);
  if (!unpacked) return undefined;
  const { text, packed, packedIn } = unpacked;
  return {
    text,
    packed,
    fitted: (next) => {
      if (packedIn) return packedIn(next);
      const other = packed(next);
      return other.length === run.length ? other : undefined;
    },
  };
}

interface UnpackedText {
  readonly text: string;
  packed(text: string): string;
  /** As many bytes as it was packed in. */
  packedIn?(text: string): string | undefined;
}

function unpackedText(run: string): UnpackedText | undefined {
  if (run.length < 16) return undefined;
  if (run.length >= 64 && run.length % 2 === 0 && lacks(run, /[^\da-f]/)) return unpackedHex(run);
  const letters = run.replace(/={1,2}$/, "");
  if (letters.length % 4 === 1) return undefined;
  const isUrlSafe = /[-_]/.test(letters);
  if (isUrlSafe && /[+/]/.test(letters)) return undefined;
  const encoding = isUrlSafe ? "base64url" : "base64";
  if (run.length > 64) {
    const head = Buffer.from(run.slice(0, 64), encoding);
    const isPacked = (head[0] === 0x1f && head[1] === 0x8b) || head.includes(":event-type") || head[0] === 0;
    if (!isPacked && !isReadable(head.subarray(0, 40))) return undefined;
  }
  const bytes = Buffer.from(letters, encoding);
  const padding = run.slice(letters.length);
  const write = (written: Buffer): string => {
    const encoded = written.toString(encoding).replace(/={1,2}$/, "");
    const length = encoded.length % 4;
    return (
      encoded +
      (written.length === bytes.length
        ? padding
        : padding === "" || isUrlSafe || length === 0
          ? ""
          : "=".repeat(4 - length))
    );
  };
  const frames = eventFrames(bytes);
  if (frames) return { text: frames.text, packed: (next) => write(frames.written(next)) };
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    const plain = inflated(bytes);
    const text = plain && textOfBytes(plain);
    return text === undefined
      ? undefined
      : {
          text,
          packed: (next) => write(gzipLike(bytes, Buffer.from(next))),
          packedIn: (next) => {
            const made = gzipLike(bytes, Buffer.from(next));
            const exact = write(made);
            if (exact.length === run.length) return exact;
            const longer = stretched(made, bytes.length);
            return longer && write(longer);
          },
        };
  }
  const text = textOfBytes(bytes);
  if (text === undefined || !isReadable(bytes)) return undefined;
  // What is read must be what was written, to the last character.
  if (bytes.toString(encoding).replace(/={1,2}$/, "") !== letters) return undefined;
  return { text, packed: (next) => write(Buffer.from(next)) };
}

/** Gzip in more bytes than it needs: its header may hold a comment, which ends with a zero. */
function stretched(gzip: Buffer, size: number): Buffer | undefined {
  const missing = size - gzip.length;
  if (missing === 0) return gzip;
  const flags = gzip[3] ?? 0;
  // Further fields of the header would have to be passed over; hardly any program writes one.
  if (missing < 0 || flags !== 0) return undefined;
  const head = Buffer.from(gzip.subarray(0, 10));
  head[3] = 16;
  return Buffer.concat([head, Buffer.alloc(missing - 1, " "), Buffer.alloc(1), gzip.subarray(10)]);
}

/** Bodies that recorders keep packed, in hexadecimal digits. */
function unpackedHex(run: string): UnpackedText | undefined {
  const bytes = Buffer.from(run, "hex");
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const plain = isGzip ? inflated(bytes) : unbrotlied(bytes);
  const text = plain && textOfBytes(plain);
  if (text === undefined || text === "") return undefined;
  return {
    text,
    packed: (next) =>
      (isGzip ? gzipLike(bytes, Buffer.from(next)) : brotliCompressSync(next)).toString("hex"),
  };
}

function unbrotlied(bytes: Buffer): Buffer | undefined {
  try {
    return brotliDecompressSync(bytes, { maxOutputLength: maxUnpacked });
  } catch {
    return undefined;
  }
}

function inflated(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxUnpacked });
  } catch {
    return undefined;
  }
}

/** Text has few control characters, and letters. */
function isReadable(bytes: Buffer): boolean {
  let odd = 0;
  for (const byte of bytes) if (byte < 9 || (byte > 13 && byte < 32) || byte === 127 || byte === 0xff) odd++;
  return odd === 0 && (bytes.length < 24 || /[\p{L}\p{N}]{2}/u.test(bytes.toString("utf8")));
}
