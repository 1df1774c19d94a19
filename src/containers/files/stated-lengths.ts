import { plainText } from "../../reading/escapes.ts";
import type { JsonNode } from "../../reading/json-node.ts";
import { scanJson } from "../../reading/scan.ts";
import { type ByteSource, textStart } from "../../reading/source.ts";
import type { Patch } from "../../reading/view.ts";
import type { ResizedBody, Resizing } from "../../traffic/container.ts";

/**
 * Logs state lengths of bodies, in sent headers or as HAR's `bodySize`. When a body changes, its length is
 * updated if it was correct. A wrong length (the recorder changed or reformatted the body) stays.
 */

/** Keys of lengths next to a body. */
const lengthKey = /^(?:content[-_]?length|body[-_]?(?:size|length))$/i;
/** Keys of headers, except a reply's. */
const headersKey = /^(?!.*(?:resp|reply|res_)).*headers?$/i;
const lengthNames = [
  "ontent-length",
  "ontent-Length",
  "ONTENT-LENGTH",
  "ontent_length",
  "ontentLength",
  "odySize",
  "ody_size",
  "odyLength",
];

/** Whether a file states any lengths; most do not. */
export function statesLengths(bytes: Buffer): boolean {
  return lengthNames.some((word) => bytes.includes(word));
}

/** JSON that contains bodies: a line, or else the whole file. */
interface Holder {
  readonly bytes: Buffer;
  /** Offset in the file of the first of `bytes`. */
  readonly shift: number;
  readonly root: JsonNode;
  readonly statesLengths: boolean;
}

/** Patches that update the lengths that JSON records state for these bodies. */
export function recordLengths(source: ByteSource, { bodies }: Resizing): Patch[] {
  // Bodies come in the order of the file, so the next one is probably in the same JSON.
  let holder: Holder | undefined;
  return bodies.flatMap((body) => {
    if (!holder || !holds(holder, body.start)) holder = holderAt(source, body.start);
    return holder?.statesLengths ? lengthsAround(holder, body) : [];
  });
}

function holds({ shift, root }: Holder, at: number): boolean {
  return shift + root.start <= at && at < shift + root.end;
}

function holderAt(source: ByteSource, at: number): Holder | undefined {
  const line = lineAround(source, at);
  for (const { start, end } of [line, { start: 0, end: source.size }]) {
    const bytes = source.read(start, end);
    const from = textStart(bytes);
    const root = /^[\s,]*[[{]/.test(bytes.toString("latin1", from, from + 64))
      ? scanJson(
          bytes,
          bytes.findIndex((byte, index) => index >= from && byte !== 44 && byte > 32),
          bytes.length,
        )
      : undefined;
    const holder = root && { bytes, shift: start, root, statesLengths: statesLengths(bytes) };
    if (holder && holds(holder, at)) return holder;
  }
  return undefined;
}

const reach = 1 << 16;

function lineAround(source: ByteSource, at: number): { start: number; end: number } {
  let start = at;
  let end = at;
  for (;;) {
    const from = Math.max(0, start - reach);
    const feed = source.read(from, start).lastIndexOf(10);
    start = feed < 0 ? from : from + feed + 1;
    if (feed >= 0 || from === 0) break;
  }
  for (;;) {
    const to = Math.min(source.size, end + reach);
    const feed = source.read(end, to).indexOf(10);
    end = feed < 0 ? to : end + feed;
    if (feed >= 0 || to === source.size) return { start, end };
  }
}

/** Patches for the lengths in the objects around a body, at any depth. */
function lengthsAround({ bytes, root, shift }: Holder, body: ResizedBody): Patch[] {
  const at = body.start - shift;
  const path: JsonNode[] = [];
  for (let node: JsonNode | undefined = root; node; ) {
    path.push(node);
    const parts: readonly JsonNode[] = node.items ?? node.members?.map((member) => member.node) ?? [];
    node = parts.find((part) => part.start <= at && at < part.end);
  }
  const innermost = path.at(-1) as JsonNode;
  const isText = innermost.kind === "string";
  const lengths = [body.length];
  if (isText) lengths.push(Buffer.byteLength(plainText(bytes, innermost.start + 1, innermost.end - 1, 1)));
  const found: Patch[] = [];
  const check = (node: JsonNode): void => {
    const quotes = node.kind === "string" ? 1 : node.kind === "number" ? 0 : -1;
    if (quotes < 0) return;
    const [start, end] = [node.start + quotes, node.end - quotes];
    const digits = bytes.toString("latin1", start, end);
    if (!lengths.some((length) => `${length}` === digits)) return;
    const own = Buffer.from(`${Number(digits) + body.growth}`);
    found.push({ start: start + shift, end: end + shift, bytes: own });
  };
  // The body itself may be an object, but its members do not describe it.
  for (const node of path.filter((candidate) => isText || candidate.start !== at)) {
    for (const { key, node: value } of node.members ?? []) {
      if (path.includes(value)) continue;
      if (lengthKey.test(key)) check(value);
      else if (headersKey.test(key)) for (const length of headerValues(bytes, value)) check(length);
    }
  }
  return found;
}

/** Values of `content-length` in headers: as a member, as `{name, value}`, or in a flat list. */
function* headerValues(bytes: Buffer, node: JsonNode): Generator<JsonNode> {
  const isName = (candidate: JsonNode | undefined): boolean =>
    candidate?.kind === "string" &&
    /^"content-length"$/i.test(bytes.toString("latin1", candidate.start, candidate.end));
  const only = (value: JsonNode): JsonNode =>
    value.items?.length === 1 ? (value.items[0] as JsonNode) : value;
  if (node.kind === "object") {
    for (const { key, node: value } of node.members ?? [])
      if (/^content-length$/i.test(key)) yield only(value);
  }
  for (const [place, item] of (node.items ?? []).entries()) {
    const member = (key: RegExp): JsonNode | undefined =>
      item.members?.find((candidate) => key.test(candidate.key))?.node;
    const value = isName(item)
      ? node.items?.[place + 1]
      : isName(item.items?.[0])
        ? item.items?.[1]
        : isName(member(/^(?:name|key)$/i))
          ? member(/^value$/i)
          : undefined;
    if (value) yield only(value);
  }
}

/** Patches that update the nearest `Content-Length` header before each body in a text. */
export function headerLengths(source: ByteSource, { bodies }: Resizing): Patch[] {
  return bodies.flatMap((body) => {
    const from = Math.max(0, body.start - 4096);
    const text = source.read(from, body.start).toString("latin1");
    const match = [...text.matchAll(/content-length["']?[ \t]*[:=][ \t]*["']?(\d{1,12})\b/gi)].at(-1);
    if (match?.[1] !== `${body.length}`) return [];
    const start = from + match.index + match[0].length - match[1].length;
    return [{ start, end: start + match[1].length, bytes: Buffer.from(`${body.length + body.growth}`) }];
  });
}
