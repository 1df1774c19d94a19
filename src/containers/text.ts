import { type JsonNode, scanJson } from "../reading/scan.ts";
import { createPool } from "../reading/shared.ts";
import type { ByteSource } from "../reading/source.ts";
import { type Piece, piecedView, wholeView } from "../reading/view.ts";
import type { Container, Defect, Recognizer, Recording, Sighting, Skipped } from "./container.ts";
import { type Context, noContext } from "./envelope.ts";
import { sseFrames } from "./frames.ts";
import { payloadSearch, type Stretch, streamPlace } from "./payloads.ts";
import { cutStreams } from "./streams.ts";

/**
 * A log that people read: JSON (on one line or over many) and server-sent events stand between arbitrary lines, behind prefixes,
 * under headings, in fences or prose. Lines that hold neither are stepped over and only counted.
 */
export const text: Container = {
  name: "text",
  summary: "a text log with JSON or server-sent events anywhere between its lines",
  recognize: (head) => (head.length > 0 && !head.includes(0) ? 0.2 : 0),
  read: readText,
};

/** Values that run to the end of the file are tried this often; a log full of lone braces must not cost its square. */
const maxOpenScans = 16;
/** So many braces of one line are tried. */
const maxTries = 8;
const headLength = 512;

interface Line {
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** Lines of server-sent events, gathered until something else shows that the stream is over. */
interface EventBlock {
  readonly pieces: Piece[];
  readonly parts: Buffer[];
  length: number;
  readonly prefix: string;
  readonly context: Context;
}

function readText(source: ByteSource, recognizer: Recognizer): Recording {
  const defects: Defect[] = [];
  const skipped: Skipped[] = [];
  return { container: "text", kind: "requests", sightings: sightings(), defects, skipped };

  function* sightings(): Generator<Sighting> {
    const bytes = source.read(0, source.size);
    const view = wholeView(source);
    const search = payloadSearch(recognizer, createPool());
    const stretch: Stretch = { view, bytes, shift: 0, level: 0 };
    let index = 0;
    let context: Context = noContext;
    let block: EventBlock | undefined;
    let openScans = 0;

    const endBlock = function* (): Generator<Sighting> {
      if (!block) return;
      const { parts, pieces, context: around } = block;
      block = undefined;
      const own = Buffer.concat(parts);
      const place = streamPlace({ view: piecedView(view, own, pieces), start: 0, end: own.length, level: 0 });
      yield* cutStreams(sseFrames(own.toString("utf8")), recognizer, place, () => ({ ...around, index: ++index }));
    };

    let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    while (at < bytes.length) {
      const line = lineAt(bytes, at);
      const head = bytes.toString("utf8", line.start, Math.min(line.end, line.start + headLength));
      const field = eventField(head, block?.prefix);
      if (field !== undefined) {
        block ??= { pieces: [], parts: [], length: 0, prefix: field, context };
        addLine(block, bytes, line.start + Buffer.byteLength(field), line);
        at = line.next;
        continue;
      }
      if (block && isBlank(head, block.prefix)) {
        addLine(block, bytes, line.end, line);
        at = line.next;
        continue;
      }
      context = contextOfLine(context, head);
      let next = line.next;
      for (const [tries, brace] of braces(bytes, line).entries()) {
        if (tries >= maxTries) break;
        const scanned = scanAt(brace, line);
        if (!scanned) continue;
        const { node, at: where } = scanned;
        const found = node.kind === "object" || node.items?.[0]?.kind === "object" ? search.searchNode(where, node, context, ++index) : [];
        if (found.length > 0) {
          if (found.some((sighting) => sighting.part !== "event")) yield* endBlock();
          yield* found;
          context = { ...noContext, ...(context.time !== undefined && { time: context.time }), ...(context.url !== undefined && { url: context.url }) };
        }
        if (node.state === "open") {
          if (found.length > 0) defects.push({ kind: "unfinished", origin: { source, start: brace, end: bytes.length }, message: "the record ends in the middle" });
          else continue;
        }
        next = Math.max(next, lineAt(bytes, scanned.fileEnd).next);
        if (found.length > 0 || scanned.fileEnd > line.end) break;
      }
      at = next;
    }
    yield* endBlock();

    /** The value at a brace: as it stands, or, when every line stands behind a prefix, with the prefixes taken off. */
    function scanAt(brace: number, line: Line): { node: JsonNode; at: Stretch; fileEnd: number } | undefined {
      const limit = openScans < maxOpenScans ? bytes.length : line.end;
      const node = scanJson(bytes, brace, limit, 0, search.hints(0));
      if (node?.state === "open" && limit === bytes.length) openScans++;
      if (node?.state === "complete") return { node, at: stretch, fileEnd: node.end };
      const prefixed = brace > line.start ? withoutPrefixes(brace, line) : undefined;
      return prefixed ?? (node && limit === bytes.length ? { node, at: stretch, fileEnd: node.end } : undefined);
    }

    function withoutPrefixes(brace: number, line: Line): { node: JsonNode; at: Stretch; fileEnd: number } | undefined {
      const prefix = bytes.toString("utf8", line.start, brace);
      const pieces: Piece[] = [{ at: 0, from: brace, length: line.next - brace }];
      const parts: Buffer[] = [bytes.subarray(brace, line.next)];
      let length = line.next - brace;
      let current = line;
      while (current.next < bytes.length) {
        current = lineAt(bytes, current.next);
        const head = bytes.toString("utf8", current.start, Math.min(current.end, current.start + headLength));
        const size = matchingPrefix(head, prefix);
        if (size === undefined) break;
        const from = current.start + Buffer.byteLength(head.slice(0, size));
        pieces.push({ at: length, from, length: current.next - from });
        parts.push(bytes.subarray(from, current.next));
        length += current.next - from;
      }
      if (parts.length < 2) return undefined;
      const own = Buffer.concat(parts);
      const node = scanJson(own, 0, own.length, 0, search.hints(0));
      if (node?.state !== "complete") return undefined;
      const inner = piecedView(view, own, pieces);
      return { node, at: { view: inner, bytes: own, shift: 0, level: 0 }, fileEnd: inner.origin(node.end - 1, node.end).end };
    }
  }
}

function lineAt(bytes: Buffer, start: number): Line {
  const feed = bytes.indexOf(10, start);
  const stop = feed < 0 ? bytes.length : feed;
  return { start, end: stop > start && bytes[stop - 1] === 13 ? stop - 1 : stop, next: feed < 0 ? bytes.length : feed + 1 };
}

function addLine(block: EventBlock, bytes: Buffer, from: number, line: Line): void {
  const part = bytes.subarray(from, line.next);
  block.pieces.push({ at: block.length, from, length: part.length });
  block.parts.push(part);
  block.length += part.length;
}

/** The prefix before a field of server-sent events on this line (often empty); `undefined` when there is no such field. */
function eventField(head: string, known: string | undefined): string | undefined {
  const match = /^([^{}"]{0,200}?)(?:(data):\s?(?=[{[]|$)|(event):\s?[\w.-]+\s*$|(id|retry):\s?[\w.-]+\s*$)/.exec(head);
  if (!match) return undefined;
  const prefix = match[1] ?? "";
  if (known !== undefined && matchingPrefix(head, known) === prefix.length) return prefix;
  if (prefix.trim() === "") return prefix;
  // "id:" and "event:" behind words are prose; "data: {" hardly ever is.
  const isField = match[2] !== undefined || (match[3] !== undefined && /[<>|\]:-]\s$/.test(prefix));
  return isField && /[\s<>|\]:=-]$/.test(prefix) ? prefix : undefined;
}

function isBlank(head: string, prefix: string): boolean {
  if (head.trim() === "") return true;
  const size = matchingPrefix(head, prefix.trimEnd());
  return prefix.trim() !== "" && size !== undefined && head.slice(size).trim() === "";
}

/** The length of a prefix like `prefix` at the beginning of `head`: the same but for digits, as time stamps differ. */
function matchingPrefix(head: string, prefix: string): number | undefined {
  if (head.startsWith(prefix)) return prefix.length;
  const want = digitless(prefix);
  for (const size of [prefix.length, prefix.length - 1, prefix.length + 1]) {
    if (size > 0 && digitless(head.slice(0, size)) === want) return size;
  }
  return undefined;
}

function digitless(textWithDigits: string): string {
  return textWithDigits.replace(/\d+/g, "0");
}

/** Where values may begin on a line: a brace or bracket that does not continue a word. */
function braces(bytes: Buffer, line: Line): number[] {
  const found: number[] = [];
  for (let at = line.start; at < line.end && found.length < maxTries; at++) {
    const byte = bytes[at];
    if (byte !== 123 && byte !== 91) continue;
    let after = at + 1;
    while (after < bytes.length && (bytes[after] === 32 || bytes[after] === 9 || bytes[after] === 10 || bytes[after] === 13)) after++;
    const next = bytes[after];
    const isLikely = byte === 123 ? next === 34 : next === 123;
    if (isLikely) found.push(at);
  }
  return found;
}

/** What a line says about the payload after it: where it went, how it was answered, when. */
function contextOfLine(context: Context, head: string): Context {
  if (head.trim() === "") return context;
  const change: { -readonly [K in keyof Context]?: Context[K] } = {};
  const plain = head.replace(/[{[]".*$/s, "");
  const url = /\bhttps?:\/\/[^\s"'<>{}]+|(?<=\b(?:POST|GET)\s)\/[^\s"'<>{}]*/.exec(plain)?.[0];
  if (url !== undefined) change.url = url;
  const status = /(?:HTTP\/[\d.]+|\bstatus(?:_?code)?|\bresponse|\bRESPONSE \d+|<-+)\W{0,4}(\d{3})\b/i.exec(plain)?.[1];
  if (status !== undefined) change.status = Number(status);
  const stamp = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/.exec(plain)?.[0];
  if (stamp !== undefined) {
    const time = Date.parse(stamp.replace(",", ".").replace(" ", "T"));
    if (Number.isFinite(time)) change.time = time;
  }
  const id = /\b(request[_-]?id|req[_-]?id|correlation[_-]?id)\W{1,3}([\w.-]{2,80})/i.exec(plain);
  if (id?.[1] && id[2]) change.ids = new Map([[id[1].toLowerCase(), id[2]]]);
  return Object.keys(change).length > 0 ? { ...context, ...change } : context;
}
