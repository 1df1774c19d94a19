import { crc32 } from "../reading/checksum.ts";

/** Lengths of the message and of its headers, with their checksum. */
const preludeSize = 12;
const trailerSize = 4;

interface Frame {
  readonly start: number;
  readonly payload: number;
  readonly end: number;
}

/**
 * The payloads of an AWS event stream, a line each, and how others of the same length are written in their
 * place; `undefined` for other bytes.
 *
 * @see https://smithy.io/2.0/aws/amazon-eventstream.html
 */
export function eventFrames(
  bytes: Buffer,
): { readonly text: string; written(text: string): Buffer } | undefined {
  const frames: Frame[] = [];
  for (let start = 0; start < bytes.length; ) {
    if (start + preludeSize > bytes.length) break;
    const size = bytes.readUInt32BE(start);
    const payload = start + preludeSize + bytes.readUInt32BE(start + 4);
    const end = start + size;
    if (size < preludeSize + trailerSize || end > bytes.length || payload > end - trailerSize) break;
    if (!bytes.subarray(start + preludeSize, payload).includes(":message-type")) break;
    frames.push({ start, payload, end });
    start = end;
  }
  const last = frames.at(-1);
  if (!last || last.end < bytes.length) return undefined;
  const payloads = frames.map(({ payload, end }) => bytes.toString("utf8", payload, end - trailerSize));
  return {
    text: payloads.join("\n"),
    written(text) {
      const made = Buffer.from(bytes);
      let at = 0;
      for (const [index, { start, payload, end }] of frames.entries()) {
        const length = payloads[index]?.length ?? 0;
        const other = Buffer.from(text.slice(at, at + length));
        at += length + 1;
        other.copy(made, payload, 0, end - trailerSize - payload);
        made.writeUInt32BE(crc32(made.subarray(start, end - trailerSize)), end - trailerSize);
      }
      return made;
    },
  };
}
