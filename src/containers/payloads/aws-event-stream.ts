import { parseJson } from "../../reading/parse.ts";
/** One message of an AWS event stream. */
export interface StreamMessage {
  /** `contentBlockDelta`, `throttlingException` …; absent where the data is the model's own event. */
  readonly event: string | undefined;
  readonly data: string;
}

/** Length of the message, length of its headers, checksum of both. */
const preludeSize = 12;
/** The checksum at the end of a message. */
const trailerSize = 4;
/** The longest message that AWS allows. */
const maxSize = 24 << 20;

/**
 * Decodes `application/vnd.amazon.eventstream` up to the first truncated or broken message; `undefined` if
 * the bytes are no such stream. Checksums are ignored, because recorders edit bodies without updating them.
 * @see https://smithy.io/2.0/aws/amazon-eventstream.html
 */
export function decodeEventStream(bytes: Buffer): StreamMessage[] | undefined {
  const messages: StreamMessage[] = [];
  let at = 0;
  while (at + preludeSize <= bytes.length) {
    const size = bytes.readUInt32BE(at);
    const headersSize = bytes.readUInt32BE(at + 4);
    if (size > maxSize || headersSize > size - preludeSize - trailerSize) break;
    const from = at + preludeSize;
    const headers = headersOf(bytes.subarray(from, from + headersSize));
    if (!headers?.has(":message-type")) break;
    // Even a truncated first message identifies the stream; it is then empty.
    if (at + size > bytes.length) return messages;
    messages.push(messageOf(headers, bytes.toString("utf8", from + headersSize, at + size - trailerSize)));
    at += size;
  }
  return messages.length > 0 ? messages : undefined;
}

/** The stream as server-sent events, the form that everything after the containers reads. */
export function eventStreamText(bytes: Buffer): Buffer | undefined {
  const messages = decodeEventStream(bytes);
  if (!messages) return undefined;
  const events = messages.map(({ event, data }) => {
    const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
    return `${event === undefined ? "" : `event: ${event}\n`}${lines.join("")}\n`;
  });
  return Buffer.from(events.join(""), "utf8");
}

function messageOf(headers: ReadonlyMap<string, string>, payload: string): StreamMessage {
  if (headers.get(":message-type") === "error") {
    // An error has no payload, only headers.
    const message = headers.get(":error-message") ?? "";
    return {
      event: headers.get(":error-code"),
      data: payload === "" ? JSON.stringify({ message }) : payload,
    };
  }
  const wrapped = chunkOf(payload);
  if (wrapped !== undefined) return { event: undefined, data: wrapped };
  return { event: headers.get(":exception-type") ?? headers.get(":event-type"), data: payload };
}

/** InvokeModel wraps each of the model's own events: `{"bytes": "<base64>", "p": "<padding>"}`. */
function chunkOf(payload: string): string | undefined {
  if (!payload.includes('"bytes"')) return undefined;
  const value = parseJson(payload);
  if (typeof value !== "object" || value === null || !("bytes" in value)) return undefined;
  return typeof value.bytes === "string" ? Buffer.from(value.bytes, "base64").toString("utf8") : undefined;
}

/** Sizes of header values by type; text and bytes (6, 7) carry their own size. */
const valueSizes = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const textType = 7;

/** The text headers; `undefined` if the bytes are not headers. */
function headersOf(bytes: Buffer): Map<string, string> | undefined {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const type = bytes[nameEnd];
    if (nameEnd === at + 1 || type === undefined || type >= valueSizes.length) return undefined;
    const name = bytes.toString("utf8", at + 1, nameEnd);
    const fixed = valueSizes[type];
    if (fixed === undefined && nameEnd + 3 > bytes.length) return undefined;
    const start = nameEnd + (fixed === undefined ? 3 : 1);
    const end = start + (fixed ?? bytes.readUInt16BE(nameEnd + 1));
    if (end > bytes.length) return undefined;
    if (type === textType) headers.set(name, bytes.toString("utf8", start, end));
    at = end;
  }
  return headers;
}
