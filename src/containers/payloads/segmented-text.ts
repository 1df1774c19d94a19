import { plainText } from "../../reading/escapes.ts";
import type { JsonNode } from "../../reading/json-node.ts";
import { readValue } from "../../reading/json-values.ts";
import { parseJson } from "../../reading/parse.ts";
import { originOf, plainSpan, type Span } from "../../reading/place.ts";
import { joinedView, packedView, type View } from "../../reading/view.ts";
import { looksLikeEvents } from "./frames.ts";
import { unpackedBytes } from "./packed.ts";
import { type Slice, spanOf } from "./slice.ts";
import { halfOfKey } from "./unread-bodies.ts";

/** A body joined from segments. It can be read and located, but not edited. */
export interface SegmentedText {
  readonly view: View;
  readonly bytes: Buffer;
}

/** Keys under which recorders keep a segment of a stream next to its time. */
export const segmentKeys: readonly string[] = [
  "b64",
  "base64",
  "decoded",
  "raw",
  "chunk",
  "data",
  "text",
  "content",
  "body",
  "line",
  "payload",
  "response",
  "sse",
  "frame",
  "value",
];

/**
 * The body that a list holds in segments: lines, events, or chunks as they arrived, plain or encoded;
 * `undefined` if the list is no body.
 */
export function textInSegments(at: Slice, list: JsonNode): SegmentedText | undefined {
  const parts = partsOf(list);
  const [first] = parts ?? [];
  if (!parts || !first) return undefined;
  const head = textOf(at, first);
  if (looksLikeEvents(head) || /^(?:event|data|id|retry|):/.test(head)) return joinedText(spansOf(at, parts));
  if (/^\s*[{[]/.test(head)) return isOneBody(at, head, parts) ? joinedText(spansOf(at, parts)) : undefined;
  return decodedText(at, list, parts);
}

/** The text in a buffer as Node prints it in JSON: `{"type":"Buffer","data":[123,…]}`. */
export function textInBuffer(at: Slice, node: JsonNode): SegmentedText | undefined {
  const [type, data] = ["type", "data"].map((key) => node.members?.find((each) => each.key === key)?.node);
  if (node.members?.length !== 2 || type?.kind !== "string" || data?.kind !== "array") return undefined;
  if (readValue(at.bytes, type, at.level) !== "Buffer") return undefined;
  const codes = readValue(at.bytes, data, at.level) as unknown[];
  if (!codes.every((code) => Number.isInteger(code))) return undefined;
  return packed(at, node, Buffer.from(codes as number[]));
}

/** The strings of a list, or the strings that all its elements keep under the same segment key. */
function partsOf(list: JsonNode): readonly JsonNode[] | undefined {
  const items = list.items ?? [];
  if (items.every(({ kind }) => kind === "string")) return items.length > 1 ? items : undefined;
  const [first] = items;
  const wanted = segmentKeys.find((name) => first?.members?.some(({ key }) => key === name));
  if (wanted === undefined) return undefined;
  const strings: JsonNode[] = [];
  for (const { members } of items) {
    const node = members?.find(({ key }) => key === wanted)?.node;
    // A record with a request holds the whole body of its reply.
    const isExchange = members?.some(({ key }) => key !== wanted && halfOfKey(key) === "request");
    if (node?.kind !== "string" || isExchange) return undefined;
    strings.push(node);
  }
  return strings;
}

/** One document across several segments, or the lines of one body with their ends, not a document in each. */
function isOneBody(at: Slice, head: string, parts: readonly JsonNode[]): boolean {
  if (parseJson(head) !== undefined) return head.endsWith("\n");
  return parseJson(parts.map((part) => textOf(at, part)).join("")) !== undefined;
}

function spansOf(at: Slice, parts: readonly JsonNode[]): Span[] {
  return parts.map((part) => {
    const [start, end] = inside(at, part);
    return { view: at.view, start: at.shift + start, end: at.shift + end, level: at.level + 1 };
  });
}

/** Joins texts. If they have no line ends, the separators that the recorder dropped are restored. */
export function joinedText(spans: readonly Span[]): SegmentedText {
  const owns = spans.map(plainSpan);
  const parts = owns.map(({ view, start, end }) => view.read(start, end));
  const texts = parts.map((part) => part.toString("utf8"));
  const ending = endingAmong(texts);
  const bytes: Buffer[] = [];
  const views: View[] = [];
  for (const [index, own] of owns.entries()) {
    views.push(own.view);
    bytes.push(parts[index] as Buffer);
    const line = index === owns.length - 1 ? "" : ending(texts[index] ?? "");
    if (line === "") continue;
    // A separator has no place in the log, so it is located after its segment.
    const stop = originOf(own).end;
    views.push(packedView(own.view.source, Buffer.from(line), { start: stop, end: stop }));
    bytes.push(Buffer.from(line));
  }
  const whole = Buffer.concat(bytes);
  return { bytes: whole, view: joinedView(whole, views) };
}

/** The separator between segments: none if they have line ends, else the end of a line or an event. */
function endingAmong(all: readonly string[]): (text: string) => string {
  if (all.some((each) => each.endsWith("\n"))) return () => "";
  if (all.includes("")) return () => "\n";
  return (text) => (/^(?:event|id|retry):[^\n]*$|^:/.test(text) ? "\n" : "\n\n");
}

/** Chunks of bytes in base64 or hex. */
function decodedText(at: Slice, list: JsonNode, parts: readonly JsonNode[]): SegmentedText | undefined {
  const texts = parts.map((part) => textOf(at, part));
  const encoding = texts.every((text) => text.length % 2 === 0 && /^[0-9a-f]*$/i.test(text))
    ? "hex"
    : texts.every((text) => /^[A-Za-z0-9+/\r\n]*={0,2}$/.test(text))
      ? "base64"
      : undefined;
  return encoding && packed(at, list, Buffer.concat(texts.map((text) => Buffer.from(text, encoding))));
}

function packed(at: Slice, node: JsonNode, bytes: Buffer): SegmentedText | undefined {
  const plain = unpackedBytes(bytes, at.view.source);
  return plain && { bytes: plain, view: packedView(at.view.source, plain, originOf(spanOf(at, node))) };
}

/** The segment of a stream that one record holds, and its place. */
export interface StreamSegment {
  readonly span: Span;
  readonly text: string;
  readonly isEncoded: boolean;
}

/** Reads a stream segment. Base64 is decoded if the others are (`isEncoded`) or it decodes to events. */
export function streamSegment(at: Slice, part: JsonNode, isEncoded: boolean | undefined): StreamSegment {
  const [start, end] = inside(at, part);
  const span = { view: at.view, start: at.shift + start, end: at.shift + end, level: at.level + 1 };
  const text = textOf(at, part);
  if (isEncoded !== false && /^[A-Za-z0-9+/\r\n]+={0,2}$/.test(text)) {
    const bytes = Buffer.from(text, "base64");
    const plain = bytes.toString("utf8");
    if (isEncoded || looksLikeEvents(plain.slice(0, 4096))) {
      const view = packedView(at.view.source, bytes, originOf(span));
      return { span: { view, start: 0, end: bytes.length, level: 0 }, text: plain, isEncoded: true };
    }
  }
  return { span, text, isEncoded: false };
}

function textOf(at: Slice, part: JsonNode): string {
  return plainText(at.bytes, ...inside(at, part), at.level + 1);
}

/** The text of a string, between its quotes. */
function inside({ level }: Slice, { start, end, state }: JsonNode): [start: number, end: number] {
  return [start + 2 ** level, state === "open" ? end : end - 2 ** level];
}

/** Whether a record is marked as a part: it is numbered or named so. */
export function isChunk(at: Slice, node: JsonNode): boolean {
  return (node.members ?? []).some(
    ({ key, node: child }) =>
      /chunk|part|seq|index|offset|^n$/i.test(key) ||
      (child.kind === "string" &&
        child.end - child.start < 64 &&
        /^\W*(?:\w*[._-])?(?:chunk|delta|stream|sse|data|part)/i.test(
          String(readValue(at.bytes, child, at.level)),
        )),
  );
}
