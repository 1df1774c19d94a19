import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { eventStreamText } from "./eventstream.ts";

/** A body never unpacks to more than this; what claims to is a trap. */
const maxUnpacked = 256 << 20;

/** Shorter strings are ids and words, not packed bodies. */
const shortest = 64;

/** The text behind base64 or hex, unpacked if it is compressed; `undefined` when it is none of these or no text. */
export function unpackedText(text: string, head: string): Buffer | undefined {
  const body = text.startsWith("base64:") ? text.slice(7) : text;
  const start = (head.startsWith("base64:") ? head.slice(7) : head).slice(0, shortest);
  if (body.length < shortest) return undefined;
  // Hex is how nock keeps compressed bodies; brotli has no magic number, so it is only tried there.
  if (/^[0-9a-f]+$/i.test(start) && /^[0-9a-f\s]+$/i.test(body))
    return unpackedBytes(Buffer.from(body.replace(/\s/g, ""), "hex"));
  // White space in base64 is a line end now and then, never a space between words.
  if (!/^[A-Za-z0-9+/=\r\n]+$/.test(start) || !/^[A-Za-z0-9+/=\r\n]+$/.test(body)) return undefined;
  const bytes = Buffer.from(body, "base64");
  return unframed(bytes) ?? (looksLikeBody(bytes) ? bytes : undefined);
}

/** Bytes with their compression undone, told by magic numbers, never by a header; `undefined` when they are no body of JSON or events. */
export function unpackedBytes(bytes: Buffer): Buffer | undefined {
  const unpacked = unframed(bytes);
  if (unpacked) return unpacked;
  if (looksLikeBody(bytes)) return bytes;
  try {
    const plain = brotliDecompressSync(bytes, { maxOutputLength: maxUnpacked });
    return looksLikeBody(plain) ? plain : undefined;
  } catch {
    // No compression that is known: these bytes are no body.
    return undefined;
  }
}

/** The events of an AWS event stream as server-sent events; else what only had to be unpacked. */
function unframed(bytes: Buffer): Buffer | undefined {
  const unpacked = unzipped(bytes);
  return eventStreamText(unpacked ?? bytes) ?? unpacked;
}

function unzipped(bytes: Buffer): Buffer | undefined {
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes, { maxOutputLength: maxUnpacked });
    if (bytes[0] === 0x78 && (bytes[1] === 0x9c || bytes[1] === 0xda || bytes[1] === 0x01))
      return inflateSync(bytes, { maxOutputLength: maxUnpacked });
  } catch {
    // The magic number lied, or the bytes are damaged.
  }
  return undefined;
}

function looksLikeBody(bytes: Buffer): boolean {
  return /^\s*(?:[{[]|data:|event:|:)/.test(bytes.subarray(0, 64).toString("latin1"));
}
