import { createPool } from "../reading/shared.ts";
import type { ByteSource } from "../reading/source.ts";
import {
  type Patch,
  type Piece,
  packedView,
  patched,
  piecedView,
  type View,
  type Way,
  wholeView,
} from "../reading/view.ts";
import {
  type Container,
  type Defect,
  type Recognizer,
  type Recording,
  type Sighting,
  type Skipped,
  wholeFile,
} from "./container.ts";
import { type Context, contextWithin, noContext } from "./envelope.ts";
import { packedWay, repackedBytes, unpackedBytes } from "./packed.ts";
import { type PayloadSearch, payloadSearch } from "./payloads.ts";

/** Traces of Go's httprr: the raw bytes of requests and responses, each pair behind a line with their lengths. */
export const httprr: Container = {
  name: "httprr",
  summary: "httprr traces of Go programs: raw HTTP requests and responses",
  signs: "a first line `httprr trace v1`",
  maxSize: wholeFile,
  recognize: (head) => (/^httprr trace v\d+\r?\n/.test(head.toString("latin1", 0, 64)) ? 1 : 0),
  read: readTrace,
};

const LF = 10;

function readTrace(source: ByteSource, recognizer: Recognizer): Recording {
  const defects: Defect[] = [];
  const skipped: Skipped[] = [];
  return { container: "httprr", kind: "requests", sightings: sightings(), defects, skipped };

  function* sightings(): Generator<Sighting> {
    const bytes = source.read(0, source.size);
    const search = payloadSearch(recognizer, createPool());
    let index = 0;
    for (const { request, reply } of entriesOf(bytes, report)) {
      const asked = messageOf(bytes, request.start, request.end);
      const answered = messageOf(bytes, reply.start, reply.end);
      const contexts = contextsOf(asked, answered);
      const found = [
        ...searchMessage(source, bytes, asked, search, contexts.request, index),
        ...searchMessage(source, bytes, answered, search, contexts.reply, index),
      ];
      if (found.length === 0) {
        const { method = "request to", url = "an unnamed path" } = contexts.request;
        skipped.push({
          origin: { source, start: request.start, end: reply.end },
          reason: `${method} ${url} is no model traffic`,
        });
      }
      yield* found;
      index++;
    }
  }

  function report(kind: Defect["kind"], start: number, end: number, message: string): void {
    defects.push({ kind, origin: { source, start, end }, message });
  }
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** What the trace states about the lengths of the messages that these patches change, set right. */
export function traceLengths(source: ByteSource, patches: readonly Patch[]): Patch[] {
  const bytes = source.read(0, source.size);
  const stated: Patch[] = [];
  for (const { head, request, reply } of entriesOf(bytes, () => {})) {
    const growth = growthWithin(request, patches);
    if (growth === undefined) continue;
    const { body } = messageOf(bytes, request.start, request.end);
    const length = contentLength(bytes, request.start, body, growth);
    const own = growth + (length ? growthOf(length) : 0);
    const lengths = lengthsAt(bytes, head);
    if (length) stated.push(length);
    if (lengths?.request !== request.end - request.start || lengths.start !== request.start) continue;
    if (lengths.reply === reply.end - reply.start) stated.push(numberPatch(head, lengths.request, own));
  }
  return stated;
}

/** By how many bytes a stretch grows; `undefined` when nothing in it changes. */
function growthWithin({ start, end }: Stretch, patches: readonly Patch[]): number | undefined {
  const inside = patches.filter((patch) => patch.start >= start && patch.end <= end);
  return inside.length === 0 ? undefined : inside.reduce((sum, patch) => sum + growthOf(patch), 0);
}

function growthOf({ start, end, bytes }: Patch): number {
  return bytes.length - (end - start);
}

function numberPatch(start: number, before: number, growth: number): Patch {
  return { start, end: start + `${before}`.length, bytes: Buffer.from(`${before + growth}`) };
}

/** The header that states the length of a body, where it was right before. */
function contentLength(bytes: Buffer, start: number, body: Stretch, growth: number): Patch | undefined {
  const match = /(\r?\ncontent-length:[ \t]*)(\d{1,12})[ \t]*\r?\n/i.exec(
    bytes.toString("latin1", start, body.start),
  );
  if (!match || Number(match[2]) !== body.end - body.start || `${Number(match[2])}` !== match[2])
    return undefined;
  return numberPatch(start + match.index + (match[1]?.length ?? 0), Number(match[2]), growth);
}

type Report = (kind: Defect["kind"], start: number, end: number, message: string) => void;

interface Entry {
  /** Where the line with the lengths begins. */
  readonly head: number;
  readonly request: Stretch;
  readonly reply: Stretch;
}

/** Request and response of each entry. Where the stated lengths do not fit the bytes, the beginnings of messages tell. */
function* entriesOf(bytes: Buffer, report: Report): Generator<Entry> {
  let at = bytes.indexOf(LF) + 1;
  while (at > 0 && at < bytes.length) {
    const lengths = lengthsAt(bytes, at);
    if (!lengths) {
      const next = nextEntry(bytes, at);
      if (bytes.toString("latin1", at, next).trim() !== "")
        report("broken", at, next, "the lengths of a request and a response are expected here");
      at = next;
      continue;
    }
    const { start } = lengths;
    let middle = start + lengths.request;
    let end = middle + lengths.reply;
    if (end > bytes.length || !isReply(bytes, middle) || (end < bytes.length && !lengthsAt(bytes, end))) {
      const next = nextEntry(bytes, start);
      const isCut =
        next === bytes.length && end > bytes.length && (middle >= bytes.length || isReply(bytes, middle));
      report(
        isCut ? "cut" : "broken",
        at,
        start,
        isCut
          ? "the trace ends before the lengths that are stated here"
          : "the lengths stated here are not those of the messages",
      );
      end = next;
      if (!isReply(bytes, middle)) middle = replyBetween(bytes, start, end);
    }
    yield { head: at, request: { start, end: middle }, reply: { start: middle, end } };
    at = end;
  }
}

function lengthsAt(bytes: Buffer, at: number): { request: number; reply: number; start: number } | undefined {
  const line = /^(\d{1,12}) (\d{1,12})\r?\n/.exec(bytes.toString("latin1", at, at + 32));
  return line ? { request: Number(line[1]), reply: Number(line[2]), start: at + line[0].length } : undefined;
}

function isReply(bytes: Buffer, at: number): boolean {
  return /^HTTP\/[\d.]+ \d{3}/.test(bytes.toString("latin1", at, at + 16));
}

/** Where the next line of lengths begins, before a request; the end of the bytes when there is none. */
function nextEntry(bytes: Buffer, from: number): number {
  const lengths = /\d{1,12} \d{1,12}\r?\n(?=[A-Z]{3,7} \S{1,2000} HTTP\/)/g;
  const found = lengths.exec(bytes.toString("latin1", from));
  return found ? from + found.index : bytes.length;
}

function replyBetween(bytes: Buffer, start: number, end: number): number {
  const found = bytes
    .toString("latin1", start, end)
    .search(/HTTP\/[\d.]{1,3} \d{3}[^\n]{0,100}\n[A-Za-z-]+:/);
  return found < 0 ? end : start + found;
}

interface Message {
  /** The request line or the status line. */
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Stretch;
}

function messageOf(bytes: Buffer, start: number, end: number): Message {
  let line: string | undefined;
  const headers: [string, string][] = [];
  let at = start;
  while (at < end) {
    const feed = bytes.indexOf(LF, at);
    const stop = feed < 0 || feed >= end ? end : feed;
    const text = bytes.toString("utf8", at, stop).replace(/\r$/, "");
    at = Math.min(end, stop + 1);
    if (line === undefined) line = text;
    else if (text === "") break;
    else {
      const colon = text.indexOf(":");
      if (colon > 0) headers.push([text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim()]);
    }
  }
  return { line: line ?? "", headers: Object.fromEntries(headers), body: { start: at, end } };
}

function contextsOf(asked: Message, answered: Message): { request: Context; reply: Context } {
  const [method, target = ""] = asked.line.split(" ");
  const url =
    target.startsWith("/") && asked.headers["host"] ? `https://${asked.headers["host"]}${target}` : target;
  const status = /^HTTP\/[\d.]+ (\d{3})/.exec(answered.line)?.[1];
  const both = contextWithin(noContext, [
    ["url", url],
    ["method", method],
    ["status", status],
  ]);
  return { request: { ...both, headers: asked.headers }, reply: { ...both, headers: answered.headers } };
}

function searchMessage(
  source: ByteSource,
  bytes: Buffer,
  message: Message,
  search: PayloadSearch,
  context: Context,
  index: number,
): Sighting[] {
  const { start, end } = message.body;
  if (start >= end) return [];
  const chunks = /\bchunked\b/i.test(message.headers["transfer-encoding"] ?? "")
    ? chunksOf(bytes, start, end)
    : undefined;
  const whole = wholeView(source);
  if (!chunks && isPlain(bytes, start))
    return search.searchText({ view: whole, bytes, shift: 0, level: 0 }, start, end, context, index);
  const joined = chunks
    ? Buffer.concat(chunks.map(({ from, length }) => bytes.subarray(from, from + length)))
    : bytes.subarray(start, end);
  let view: View = chunks
    ? { ...piecedView(whole, joined, chunks), way: chunkedWay(source, chunks, joined) }
    : piecedView(
        whole,
        joined,
        [{ at: 0, from: start, length: end - start }],
        () =>
          ({ bytes: own }) =>
            own,
      );
  let text = joined;
  if (!isPlain(joined, 0)) {
    const plain = unpackedBytes(joined);
    if (!plain) return [];
    const packed = view;
    view = packedView(source, plain, { start, end }, () =>
      packedWay(packed, 0, packed.size, plain, repackedBytes),
    );
    text = plain;
  }
  return search.searchText({ view, bytes: text, shift: 0, level: 0 }, 0, text.length, context, index);
}

/** JSON or events, after white space, as opposed to compressed bytes. */
function isPlain(bytes: Buffer, start: number): boolean {
  return /^\s*(?:[{[]|data:|event:|id:|retry:|:)/.test(bytes.toString("latin1", start, start + 256));
}

/** Into a body in chunks: what changes is written as one chunk, from the first to the last chunk that it touches. */
function chunkedWay(source: ByteSource, chunks: readonly Chunk[], joined: Buffer): Way {
  return {
    base: wholeView(source),
    lift(patches) {
      const touched = chunks.filter(({ at, length }) =>
        patches.some(({ start, end }) => start < at + length && end >= at),
      );
      const spread = (some: readonly Chunk[]): { first: Chunk; last: Chunk; bytes: Buffer } | undefined => {
        const [first, last] = [some[0], some.at(-1)];
        if (!first || !last) return undefined;
        const own = patches.map((patch) => ({
          ...patch,
          start: patch.start - first.at,
          end: patch.end - first.at,
        }));
        return { first, last, bytes: patched(joined.subarray(first.at, last.at + last.length), own) };
      };
      const own = spread(touched);
      // An empty chunk would be the last one.
      const found = own && own.bytes.length === 0 ? spread(chunks) : own;
      if (!found) return { why: "the change lies in none of the chunks that the body was sent in" };
      const { first, last, bytes } = found;
      const size = Buffer.from(bytes.length.toString(16));
      return {
        patches: [
          { start: first.head, end: first.head + first.digits, bytes: size },
          { start: first.from, end: last.from + last.length, bytes },
        ],
      };
    },
  };
}

interface Chunk extends Piece {
  /** Where the line with its length begins, and how many digits it has. */
  readonly head: number;
  readonly digits: number;
}

/** The pieces of a chunked body; `undefined` when it is not chunked, whatever its header says. */
function chunksOf(bytes: Buffer, start: number, end: number): Chunk[] | undefined {
  const pieces: Chunk[] = [];
  let at = 0;
  let from = start;
  while (from < end) {
    const head = /^([0-9a-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n/i.exec(
      bytes.toString("latin1", from, Math.min(end, from + 128)),
    );
    if (!head) return pieces.length > 0 ? pieces : undefined;
    const size = Number.parseInt(head[1] ?? "0", 16);
    if (size === 0) break;
    const line = from;
    from += head[0].length;
    const length = Math.min(size, end - from);
    pieces.push({ at, from, length, head: line, digits: head[1]?.length ?? 0 });
    at += length;
    from += length;
    if (bytes[from] === 13) from++;
    if (bytes[from] === LF) from++;
  }
  return pieces;
}
