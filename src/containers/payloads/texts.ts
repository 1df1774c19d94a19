import { plainText } from "../../reading/escapes.ts";
import { pastSpace } from "../../reading/json-bytes.ts";
import { jsonDefect } from "../../reading/json-defect.ts";
import type { JsonNode } from "../../reading/json-node.ts";
import { looksPrinted } from "../../reading/literal.ts";
import { copyDecoded, encodedJson, percentEncoded } from "../../reading/percent-encoding.ts";
import { originOf, plainSpan, type Span } from "../../reading/place.ts";
import { scanJson } from "../../reading/scan.ts";
import { Segments } from "../../reading/segments.ts";
import { unescapedView } from "../../reading/unescaped.ts";
import { packedView, segmentedView } from "../../reading/view.ts";
import { wireLine } from "../../reading/wire-lines.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { type TextStream, textStream } from "./adjacent-streams.ts";
import type { Search } from "./candidates.ts";
import { chunkedBody, unchunked } from "./chunked.ts";
import { looksCoded, looksLikeEvents } from "./frames.ts";
import { packedInverse, repackedText, unpackedText } from "./packed.ts";
import { printedSlice } from "./printed-slice.ts";
import type { Slice } from "./slice.ts";
import { isCertain } from "./unread.ts";
import { unreadDeepEvent, unreadDots, unreadEvents } from "./unread-events.ts";
import {
  brokenAt,
  unreadBehind,
  unreadBytes,
  unreadPrinted,
  unreadRest,
  unreadValue,
} from "./unread-json.ts";
import { unreadAround } from "./unread-slips.ts";
import { unreadStrings } from "./unread-strings.ts";

/** The deepest level of strings inside strings that is searched. */
const maxLevel = 3;
/** The longest text in bytes before the JSON of a log line. */
const maxWords = 300;

/** The longest closing fence with the line ends around it, escaped at each level. */
const maxFence = 128;

/** The longest byte order mark: `\\ufeff`, escaped again at each level. */
const maxMark = 2 ** maxLevel + 5;

const BACKSLASH = 92;
const OPEN_ARRAY = 91;
const OPEN_OBJECT = 123;
const SINGLE_QUOTE = 39;

/** Searches a JSON string for payloads: JSON in it, a stream, a log line, or an encoded body. */
export function searchString(
  search: Search,
  at: Slice,
  node: JsonNode,
  record: RecordContext,
): PayloadCandidate[] {
  const slashes = 2 ** at.level - 1;
  const opened = node.start + slashes + 1;
  const end = node.state === "open" ? node.end : node.end - slashes - 1;
  const start = afterMark(at.bytes, opened, end);
  if (end - start < 12) return [];
  if (at.level >= maxLevel)
    return beginsAsJson(at, start, end) ? searchEscaped(search, at, start, end, record) : [];
  if (node.inner) return searchBody(search, { ...at, level: at.level + 1 }, node.inner, record);
  const isCut = node.state === "open";
  const head = plainText(at.bytes, start, Math.min(end, start + 512), at.level + 1).trimStart();
  if (quotedBody.test(head)) {
    // A body that was quoted twice or more.
    const quoted = scanJson(at.bytes, start, end, at.level + 1);
    return quoted?.kind === "string"
      ? searchString(search, { ...at, level: at.level + 1 }, quoted, record)
      : [];
  }
  if (head.startsWith("{") || head.startsWith("[")) {
    const inner: Slice = { ...at, level: at.level + 1 };
    const scanned = scanJson(at.bytes, start, end, inner.level, search.hints(at.shift));
    if (scanned && isWholeText(inner, scanned, end)) {
      const found = searchBody(search, inner, scanned, record);
      if (scanned.state === "open" && !isCut) unreadRest(search.unread, inner, scanned, end, record, found);
      return found;
    }
    const lines = textStream(search.recognizer, inner, start, end, "ndjson", record, isCut);
    if (lines) return streamOf(search, inner, start, end, lines, record);
    return scanned && isCut
      ? search.searchNode(inner, scanned, record)
      : searchEscaped(search, at, start, end, record);
  }
  if (looksLikeEvents(head) || looksCoded(head)) {
    const inner: Slice = { ...at, level: at.level + 1 };
    const stream = textStream(search.recognizer, inner, start, end, "sse", record, isCut);
    if (stream) return streamOf(search, inner, start, end, stream, record);
    unreadEvents(search.unread, inner, start, end, record);
    return [];
  }
  if (messageHead.test(head) || printedObject.test(head) || chunkedBody.test(head))
    return searchEscaped(search, at, start, end, record);
  const behind = searchBehindWords(
    search,
    at,
    start,
    head.startsWith("```") ? fenceEnd(at, end) : end,
    record,
  );
  if (behind.length > 0) return behind;
  if (beginsAsForm.test(head)) return searchEscaped(search, at, start, end, record);
  return searchPacked(search, { ...at, level: at.level + 1 }, start, end, record);
}

/** Searches a text that is a body in base64 or hex, perhaps compressed. */
function searchPacked(
  search: Search,
  at: Slice,
  start: number,
  end: number,
  record: RecordContext,
): PayloadCandidate[] {
  const written = plainText(at.bytes, start, end, at.level);
  const packed = unpackedText(written, written.slice(0, 512).trimStart(), at.view.source);
  if (!packed) return [];
  const text: Span = { view: at.view, start: at.shift + start, end: at.shift + end, level: at.level };
  const view = packedView(at.view.source, packed, originOf(text), () => {
    const plain = plainSpan(text);
    return packedInverse(plain.view, plain.start, plain.end, packed, (old, own) =>
      repackedText(`${old}`, own),
    );
  });
  const unpacked = { view, bytes: packed, shift: 0, level: 0, isEmbedded: true };
  const found = searchText(search, unpacked, 0, packed.length, record);
  unreadBytes(search.unread, unpacked, 0, packed.length, record, found);
  return found;
}

/** JSON in percent-encoding, alone or as a field of a form, behind other fields. */
const beginsAsForm = /^(?:[\w.[\]-]{1,60}=[^&\s"]{0,200}&){0,5}(?:[\w.[\]-]{1,60}=)?%(?:7B|5B)/i;

/** Searches a form, or a text in percent-encoding, for the body in it. */
function searchForm(
  search: Search,
  at: Slice,
  start: number,
  end: number,
  record: RecordContext,
): PayloadCandidate[] {
  const own = at.bytes.subarray(start, end);
  const [json] = encodedJson(own.toString("latin1"));
  if (!json) return [];
  const plain = new Segments(own);
  copyDecoded(plain, own, json);
  const { bytes } = plain;
  const segments = plain.segments.map((segment) => ({ ...segment, from: segment.from + start + at.shift }));
  const write = (patch: { readonly bytes: Buffer }): Buffer => percentEncoded(patch.bytes, json.isForm);
  const view = segmentedView(at.view, bytes, segments, () => write);
  const decoded = { view, bytes, shift: 0, level: 0, isEmbedded: true };
  return searchText(search, decoded, 0, bytes.length, record);
}

/** A stream. An event that nests too deep is noted, and what was cut out of it. */
function streamOf(
  search: Search,
  at: Slice,
  start: number,
  end: number,
  stream: TextStream,
  record: RecordContext,
): PayloadCandidate[] {
  unreadDeepEvent(search.unread, stream, record);
  unreadDots(search.unread, at, start, end, stream, record);
  return [stream];
}

/** Where the text before the last fence ends, in a string that is fenced as in Markdown. */
function fenceEnd({ bytes }: Slice, end: number): number {
  const tail = bytes.toString("latin1", Math.max(0, end - maxFence), end);
  return end - (/(?:\\{1,15}[nr]){0,2}```(?:\\{1,15}[nrt]| ){0,4}$/.exec(tail)?.[0].length ?? 0);
}

/** Searches a log line that its collector put into a record: JSON after a few words, or between some. */
function searchBehindWords(
  search: Search,
  at: Slice,
  start: number,
  end: number,
  record: RecordContext,
): PayloadCandidate[] {
  const inner: Slice = { ...at, level: at.level + 1 };
  const words = at.bytes.subarray(start, Math.min(end, start + maxWords));
  for (let from = 0, tries = 0; tries < 3; tries++) {
    const brace = words.indexOf(OPEN_OBJECT, from);
    if (brace < 0) return [];
    from = brace + 1;
    // In a list, or after words: `[{…}]`, `body={…}`, `request: {…}`.
    const begin = words[brace - 1] === OPEN_ARRAY ? brace - 1 : brace;
    const scanned = scanJson(at.bytes, start + begin, end, inner.level, search.hints(at.shift));
    if (scanned?.state === "complete") {
      if (isWholeText(inner, scanned, end)) return search.searchNode(inner, scanned, record);
      const found = isBetweenWords(inner, start, scanned, end)
        ? search.searchNode(inner, scanned, record)
        : [];
      if (found.some(isCertain)) return found;
    }
    if (scanned?.state === "open" && scanned.end >= end)
      return searchCut(search, inner, scanned, end, record);
    const isPrinted = tries === 0 && printedMember.test(words.toString("latin1", begin));
    const printed = isPrinted ? searchEscaped(search, at, start + begin, end, record) : [];
    if (printed.length > 0) return printed;
  }
  return [];
}

/** Searches JSON that a text breaks off in. */
function searchCut(
  search: Search,
  at: Slice,
  node: JsonNode,
  end: number,
  record: RecordContext,
): PayloadCandidate[] {
  const found = search.searchNode(at, node, record);
  unreadRest(search.unread, at, node, end, record, found);
  return found;
}

/** How an object begins that a program printed with single quotes; code in a text has other objects. */
const printedMember = /^\[?\{\s?'[\w.-]+':/;

/** Escape levels cannot follow quotes written as `\u0022`, so the text is unescaped first. */
function searchEscaped(
  search: Search,
  at: Slice,
  start: number,
  end: number,
  record: RecordContext,
): PayloadCandidate[] {
  const view = unescapedView(at.view, at.bytes.subarray(start, end), start + at.shift);
  const bytes = view.read(0, view.size);
  if (at.level > 0)
    return searchEscaped(search, { view, bytes, shift: 0, level: at.level - 1 }, 0, bytes.length, record);
  const plain = { view, bytes, shift: 0, level: 0, isEmbedded: true };
  return searchText(search, plain, 0, bytes.length, record);
}

/** Searches an unquoted text for payloads. What of it cannot be read is noted. */
export function searchText(
  search: Search,
  at: Slice,
  from: number,
  end: number,
  record: RecordContext,
): PayloadCandidate[] {
  const start = afterMark(at.bytes, from, end);
  const text = at.bytes.toString("utf8", start, Math.min(end, start + 4096));
  const head = text.trimStart();
  if (looksLikeEvents(head) || looksCoded(head)) {
    const stream = textStream(search.recognizer, at, start, end, "sse", record, false);
    if (stream) return streamOf(search, at, start, end, stream, record);
    unreadEvents(search.unread, at, start, end, record);
    return [];
  }
  if (quotedBody.test(head)) {
    const quoted = scanJson(at.bytes, start, end, at.level);
    return quoted?.kind === "string" ? searchString(search, at, quoted, record) : [];
  }
  const body = chunkedBody.test(head) ? unchunked(at, start, end) : undefined;
  if (body) return searchText(search, body, 0, body.bytes.length, record);
  const message = bodyBehindHead(text, record);
  if (message) return searchText(search, at, start + message.length, end, message.record);
  const printed = printedText(at, start, end, head);
  const inPrinted = printed && searchPrinted(search, at, printed, start, end, record);
  if (inPrinted) return inPrinted;
  if (!head.startsWith("{") && !head.startsWith("[")) {
    if (at.level > 0) return [];
    const searchEncoded = beginsAsForm.test(head) ? searchForm : searchPacked;
    return searchEncoded(search, at, start, end, record);
  }
  const node = scanJson(at.bytes, start, end, at.level, search.hints(at.shift));
  if (node?.state === "complete" && isWholeText(at, node, end)) return searchBody(search, at, node, record);
  const lines = textStream(search.recognizer, at, start, end, "ndjson", record, false);
  if (lines) return streamOf(search, at, start, end, lines, record);
  const mixed = mixedQuotes(at, start, end);
  const inMixed = (mixed && searchPrinted(search, at, mixed, start, end, record)) ?? [];
  if (inMixed.length > 0 || (mixed && !record.half)) return inMixed;
  if (node) {
    const found = search.searchNode(at, node, record);
    unreadRest(search.unread, at, node, end, record, found);
    return found;
  }
  const broken = brokenAt(at, start, end);
  const before = broken && scanJson(at.bytes, start, broken.at, at.level, search.hints(at.shift));
  const found = before ? search.searchNode(at, before, record) : [];
  if (broken) unreadBehind(search.unread, at, broken, start, end, record, found);
  return found;
}

/** Searches a printed text; `undefined` if it is none: a quote that nothing closes takes in all of it. */
function searchPrinted(
  search: Search,
  at: Slice,
  printed: Slice,
  start: number,
  end: number,
  record: RecordContext,
): PayloadCandidate[] | undefined {
  const node = scanJson(printed.bytes, 0, printed.bytes.length, 0, search.hints(0));
  if (node?.state === "open" && (node.members ?? node.items)?.length === 0) return undefined;
  const found = node ? searchBody(search, printed, node, record) : [];
  if (found.length > 0) unreadPrinted(search.unread, at, start, end, record);
  return found;
}

/** An object of a class, as Python prints it: `ChatCompletion(id='chatcmpl-1', …)`. */
const printedObject = /^(?:[a-z_]\w*\.)*[A-Z]\w*\(\w+=/;

/** A text that Python, Node or Ruby printed, as JSON; `undefined` for any other. */
function printedText(at: Slice, from: number, end: number, head: string): Slice | undefined {
  const start = pastSpace(at.bytes, from, end);
  if (at.level > 0 || !/^[{[]/.test(head) !== printedObject.test(head)) return undefined;
  return looksPrinted(at.bytes, start, end) ? wholePrinted(at, start, end) : undefined;
}

function wholePrinted(at: Slice, start: number, end: number): Slice | undefined {
  const printed = printedSlice(at, start, end);
  return printed && at.bytes.toString("utf8", printed.end, end).trim() === "" ? printed.slice : undefined;
}

/** A text that is JSON up to a single quote: Python prints texts that hold single quotes in double ones. */
function mixedQuotes(at: Slice, from: number, end: number): Slice | undefined {
  if (at.level > 0) return undefined;
  const start = pastSpace(at.bytes, from, end);
  const slip = jsonDefect(at.bytes, start, end);
  return slip && at.bytes[slip.at] === SINGLE_QUOTE ? wholePrinted(at, start, end) : undefined;
}

/** How JSON or a stream begins in a text that is a string itself, perhaps of a string. */
const quotedBody = /^"(?:\\+")*\s*(?:[[{]|(?:data|event): ?\w|data: ?[[{])/;

function beginsAsJson(at: Slice, start: number, end: number): boolean {
  const head = plainText(at.bytes, start, Math.min(end, start + 64), at.level + 1).trimStart();
  return /^[[{]\s*["{[]/.test(head) || quotedBody.test(head);
}

/** The first line of an HTTP message. */
const messageHead = /^(?:\w[\w ]{0,30}:?\r?\n)?(?:HTTP\/[\d.]+ (\d{3})\b|[A-Z]{3,7} \S+ HTTP\/[\d.]+\s*?\n)/;

/** Where the body of a message begins that a text holds with its headers, and what its first line says. */
function bodyBehindHead(
  text: string,
  record: RecordContext,
): { readonly length: number; readonly record: RecordContext } | undefined {
  const first = messageHead.exec(text);
  const head = first && /^(?:\w[\w ]{0,30}:?\r?\n)?[^\n]*\n(?:[\w-]+:[^\n]*\n)*\r?\n/.exec(text);
  if (!head) return undefined;
  const status = first[1] === undefined ? undefined : Number(first[1]);
  const own = status === undefined ? { half: "request" as const } : { half: "reply" as const, status };
  return { length: Buffer.byteLength(head[0]), record: { ...record, ...own } };
}

/**
 * Searches the JSON of a whole text. A body in which nothing is found is noted, but no reply in a string of a
 * record: the search of the record names those.
 */
function searchBody(search: Search, at: Slice, node: JsonNode, record: RecordContext): PayloadCandidate[] {
  const found = search.searchNode(at, node, record);
  if (!record.half && (at.level > 0 || at.isEmbedded)) unreadAround(search.unread, at, node, record, found);
  const isNamed = record.half === "reply" && (at.level > 0 || at.isEmbedded === true);
  const { half } = record;
  // A list in a damaged reply looks like a history.
  const isOther = half && found.every(({ part }) => (part === "request") !== (half === "request"));
  if ((found.length > 0 && !isOther) || unreadStrings(search.unread, at, node, record)) return found;
  if (found.length === 0 && !isNamed) unreadValue(search.unread, at, node, record);
  return found;
}

/** Skips the byte order mark that some clients keep with a body, as it is or escaped. */
function afterMark(bytes: Buffer, start: number, end: number): number {
  const first = bytes[start];
  if (first !== 0xef && first !== BACKSLASH) return start;
  const head = bytes.toString("latin1", start, Math.min(end, start + maxMark));
  return start + (/^(?:\xef\xbb\xbf|\\+ufeff)/i.exec(head)?.[0].length ?? 0);
}

/** Whether no more than words stand around a value, such as how long it took: no other parts of a body. */
function isBetweenWords(at: Slice, from: number, node: JsonNode, end: number): boolean {
  if (end - node.end > maxWords) return false;
  const around = [
    plainText(at.bytes, from, node.start, at.level),
    plainText(at.bytes, node.end, end, at.level),
  ];
  return around.every((words) => !/[{[]["'{[]|["'][:,]/.test(words) && !wireLine.test(words));
}

function isWholeText(at: Slice, node: JsonNode, end: number): boolean {
  return plainText(at.bytes, node.end, Math.min(end, node.end + 64), at.level).trim() === "";
}
