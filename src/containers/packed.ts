import { gunzipSync, inflateSync, brotliDecompressSync } from "node:zlib";

/** A body never unpacks to more than this; what claims to is a trap. */
const maxUnpacked = 256 << 20;

/** The text behind base64 or hex, unpacked if it is compressed; `undefined` when it is none of these or no text. */
export function unpackedText(text: string, head: string): Buffer | undefined {
  const body = text.startsWith("base64:") ? text.slice(7) : text;
  const start = head.startsWith("base64:") ? head.slice(7, 71) : head.slice(0, 64);
  if (start.length < 16) return undefined;
  if (/^(?:[0-9a-f]{2})+$/i.test(start) && /^1f8b|^7b|^5b|^6461|^6576/i.test(start) && /^[0-9a-f\s]+$/i.test(body)) {
    return unpackedBytes(Buffer.from(body.replace(/\s/g, ""), "hex"));
  }
  if (!/^[A-Za-z0-9+/=\s]+$/.test(start) || !/^[A-Za-z0-9+/=\s]+$/.test(body)) return undefined;
  return unpackedBytes(Buffer.from(body, "base64"));
}

/** Bytes with their compression undone, told by magic numbers, never by a header; `undefined` when they are no text. */
export function unpackedBytes(bytes: Buffer): Buffer | undefined {
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes, { maxOutputLength: maxUnpacked });
    if (bytes[0] === 0x78 && (bytes[1] === 0x9c || bytes[1] === 0xda || bytes[1] === 0x01)) return inflateSync(bytes, { maxOutputLength: maxUnpacked });
  } catch {
    return undefined;
  }
  const first = bytes.subarray(0, 64).toString("latin1").trimStart()[0];
  if (first === "{" || first === "[" || bytes.subarray(0, 6).toString("latin1").match(/^(data|event|: )/)) return bytes;
  try {
    const plain = brotliDecompressSync(bytes, { maxOutputLength: maxUnpacked });
    const start = plain.subarray(0, 64).toString("latin1").trimStart()[0];
    return start === "{" || start === "[" || start === "d" || start === "e" ? plain : undefined;
  } catch {
    return undefined;
  }
}
