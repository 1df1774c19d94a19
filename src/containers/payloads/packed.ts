import { brotliCompressSync, brotliDecompressSync, deflateSync, gunzipSync, inflateSync } from "node:zlib";
import { Density, smallPacked } from "../../reading/density.ts";
import { TooLarge } from "../../reading/limit.ts";
import { linesOf } from "../../reading/origin.ts";
import { type ByteSource, gzipLike } from "../../reading/source.ts";
import { invalidByte } from "../../reading/utf8.ts";
import { type Inverse, type MappedPatches, patched, type View } from "../../reading/view.ts";
import { isZstd, storedZstd, unzstd } from "../../reading/zstd.ts";
import { eventStreamText } from "./aws-event-stream.ts";

/** The largest unpacked body in bytes; a larger one is a decompression bomb. */
const maxUnpacked = 256 << 20;

/** Shorter strings are ids and words, not packed bodies. */
const shortest = 64;

/** No body packs into fewer bytes, and it takes long to try each short word of base64. */
const shortestBrotli = 12;

/** The most bytes that the bodies of a source may hold, of a short one and for each byte of a long one. */
const mostOfAll = { short: 16 << 20, perByte: 16 } as const;

interface Allowance {
  left: number;
  /** What there is to look at in the bodies of a small log. */
  readonly density: Density | undefined;
}

/** How bodies go beyond their bounds, for messages. */
const beyond = {
  ownBytes: "it holds more than 256 MiB",
  allBytes: "together, the bodies of this log hold more than 16 MiB, and more than 16 times its size",
  values: "together, the bodies of this log hold more records and values than those of a log below 1 MiB may",
} as const;

const allowances = new WeakMap<ByteSource, Allowance>();

/** What the bodies of a source may still hold: a megabyte of small bombs would unpack to a gigabyte. */
function allowanceOf(source: ByteSource): Allowance {
  const known = allowances.get(source) ?? {
    left: Math.max(mostOfAll.short, mostOfAll.perByte * source.size),
    // A body without payloads is unpacked again to see what it is.
    density: source.size < smallPacked ? new Density(2) : undefined,
  };
  allowances.set(source, known);
  return known;
}

/** Why a packed body is not read: it holds more than a body may, or than is left for its log. */
export class BeyondBounds {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

type Unpacked = Buffer | BeyondBounds | undefined;

/**
 * Decodes base64 or hex and decompresses; `undefined` if the text is neither or holds no text, or if the
 * bodies of its source held too much before.
 */
export function unpackedText(text: string, head: string, source: ByteSource): Buffer | undefined {
  return bytesOf(triedText(text, head, source));
}

/**
 * Decompresses bytes, judged by magic numbers, never by a header; `undefined` if the result is not a body of
 * JSON or events.
 */
export function unpackedBytes(bytes: Buffer, source: ByteSource): Buffer | undefined {
  return bytesOf(triedBytes(bytes, source));
}

function bytesOf(unpacked: Unpacked): Buffer | undefined {
  return unpacked instanceof BeyondBounds ? undefined : unpacked;
}

/** {@link unpackedText}, or why it is not read. */
export function triedText(text: string, head: string, source: ByteSource): Unpacked {
  const prefix = prefixOf(head);
  const body = text.slice(prefix.length);
  const start = head.slice(prefix.length, prefix.length + shortest);
  if (body.length < shortest) return undefined;
  // nock stores compressed bodies as hex. Brotli has no magic number, so it is tried only there.
  if (/^[0-9a-f]+$/i.test(start) && /^[0-9a-f\s]+$/i.test(body))
    return triedBytes(Buffer.from(body.replace(/\s/g, ""), "hex"), source);
  // Base64 may contain line ends, but no spaces; that of addresses has `-` and `_`.
  if (!/^[\w+/=\r\n-]+$/.test(start) || !/^[\w+/=\r\n-]+$/.test(body)) return undefined;
  const bytes = Buffer.from(body, "base64");
  return unframed(bytes, source) ?? (looksLikeBody(bytes) ? bytes : undefined);
}

/** What may stand before base64 and says what it is. */
function prefixOf(text: string): string {
  return /^(?:base64:|data:[\w.+/-]{0,80};base64,)/.exec(text)?.[0] ?? "";
}

/** {@link unpackedBytes}, or why they are not read. */
export function triedBytes(bytes: Buffer, source: ByteSource): Unpacked {
  const unpacked = unframed(bytes, source);
  if (unpacked) return unpacked;
  if (looksLikeBody(bytes)) return bytes;
  if (bytes.length < shortestBrotli) return undefined;
  try {
    const plain = within(source, (most) => brotliDecompressSync(bytes, { maxOutputLength: most }));
    // Bytes that Brotli did not write may unpack to very much, so a bound that they break says nothing.
    return Buffer.isBuffer(plain) && looksLikeBody(plain) ? plain : undefined;
  } catch {
    // No known compression, so these bytes are not a body.
    return undefined;
  }
}

/** An AWS event stream as server-sent events; otherwise only decompressed. */
function unframed(bytes: Buffer, source: ByteSource): Unpacked {
  const unpacked = unzipped(bytes, source);
  if (unpacked instanceof BeyondBounds) return unpacked;
  return eventStreamText(unpacked ?? bytes) ?? unpacked;
}

/** Unpacks a body of a source, of which no more may be left than it holds. */
function within(source: ByteSource | undefined, unpack: (most: number) => Buffer | undefined): Unpacked {
  const allowance = source && allowanceOf(source);
  const left = Math.max(1, allowance?.left ?? maxUnpacked);
  let unpacked: Buffer | undefined;
  try {
    unpacked = unpack(Math.min(maxUnpacked, left));
  } catch (error) {
    const isTooLarge =
      error instanceof TooLarge || (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    if (isTooLarge) return new BeyondBounds(left < maxUnpacked ? beyond.allBytes : beyond.ownBytes);
    throw error;
  }
  if (!allowance || !unpacked) return unpacked;
  allowance.left -= unpacked.length;
  return allowance.density?.take(unpacked) === false ? new BeyondBounds(beyond.values) : unpacked;
}

function unzipped(bytes: Buffer, source?: ByteSource): Unpacked {
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b)
      return within(source, (most) => gunzipSync(bytes, { maxOutputLength: most }));
    if (isZstd(bytes)) return within(source, (most) => unzstd(bytes, most));
    if (bytes[0] === 0x78 && (bytes[1] === 0x9c || bytes[1] === 0xda || bytes[1] === 0x01))
      return within(source, (most) => inflateSync(bytes, { maxOutputLength: most }));
  } catch {
    // The magic number lied, or the bytes are damaged.
  }
  return undefined;
}

/** `plain` compressed as `bytes` is; `undefined` for an event stream, which only replies use. */
export function repackedBytes(bytes: Buffer, plain: Buffer): Buffer | undefined {
  const unpacked = bytesOf(unzipped(bytes));
  if (eventStreamText(unpacked ?? bytes)) return undefined;
  if (unpacked && isZstd(bytes)) return storedZstd(plain);
  if (unpacked) return bytes[0] === 0x1f ? gzipLike(bytes, plain) : deflateSync(plain);
  return looksLikeBody(bytes) ? plain : brotliCompressSync(plain);
}

/** `plain` encoded as `text` is: base64 or hex, same line length, same compression. */
export function repackedText(text: string, plain: Buffer): string | undefined {
  const prefix = prefixOf(text);
  const body = text.slice(prefix.length);
  const isHex = /^[0-9a-f\s]+$/i.test(body);
  const bytes = isHex ? Buffer.from(body.replace(/\s/g, ""), "hex") : Buffer.from(body, "base64");
  const packed = repackedBytes(bytes, plain);
  if (!packed) return undefined;
  if (isHex) {
    const digits = packed.toString("hex");
    return prefix + (/[A-F]/.test(body) ? digits.toUpperCase() : digits);
  }
  const isOfAddress = /[-_]/.test(body);
  const isPadded = body.includes("=") || (!isOfAddress && (body.length % 4 === 0 || /\s/.test(body)));
  const plainBase64 = packed.toString("base64");
  const padded = isOfAddress ? plainBase64.replaceAll("+", "-").replaceAll("/", "_") : plainBase64;
  const written = isPadded ? padded : padded.replaceAll("=", "");
  const [, line, feed] = /^([^\r\n]+)(\r?\n)/.exec(body) ?? [];
  if (line === undefined || feed === undefined) return prefix + written;
  const lines = written.match(new RegExp(`.{1,${line.length}}`, "g")) ?? [];
  return prefix + lines.join(feed) + (body.endsWith("\n") ? feed : "");
}

/**
 * Maps changes of the unpacked bytes `plain` to the packed bytes, `base` from `start` to `end`, which are
 * packed again as a whole.
 */
export function packedInverse(
  base: View,
  start: number,
  end: number,
  plain: Buffer,
  repack: (packed: Buffer, plain: Buffer) => Buffer | string | undefined,
): Inverse {
  return {
    base,
    mapPatches(patches): MappedPatches {
      const packed = repack(base.read(start, end), patched(plain, patches));
      if (packed === undefined) return { why: "the events of an AWS event stream cannot be written" };
      const origin = base.origin(start, end);
      const { line } = linesOf(origin.source).at(origin.start);
      return {
        patches: [{ start, end, bytes: Buffer.from(packed) }],
        notes: [`line ${line}: the body is encoded or compressed; it was re-encoded as a whole`],
      };
    },
  };
}

/** Text that begins as a body. The bytes of a digest or a key may begin with a bracket by chance. */
function looksLikeBody(bytes: Buffer): boolean {
  const head = bytes.subarray(0, 64);
  if (!/^(?:\xef\xbb\xbf)?\s*(?:[{[]|data:|event:|:)/.test(head.toString("latin1"))) return false;
  const isText = head.every((byte) => byte >= 32 || (byte >= 9 && byte <= 13));
  // A character of several bytes may be cut at the end of the head.
  return isText && invalidByte(head) > head.length - 4;
}
