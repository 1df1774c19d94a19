import { isCrowd } from "./crowds.ts";
import { type EscapeLevel, plainText } from "./escapes.ts";
import type { JsonNode, Member } from "./json-node.ts";
import { stringValue } from "./json-values.ts";
import { isJson } from "./parse.ts";
import type { RunPool } from "./shared-run.ts";

export interface ScanHints {
  /** Keys whose arrays are histories. */
  readonly historyKeys: ReadonlySet<string>;
  /** Keys whose values repeat, and are compared as bytes first. */
  readonly stableKeys: ReadonlySet<string>;
  readonly pool: RunPool;
  /** Called when no value can be read: the offset of the first wrong byte, and what is expected there. */
  readonly onDefect?: (at: number, expected: string) => void;
  /** Added to an offset in the scanned bytes, gives the offset in the view. */
  readonly shift: number;
}

/** What few keys have, and what is left of those that are no JSON strings. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for
const uncommon = /[\u0000-\u001f\\]/;

const BYTE_ORDER_MARK = Buffer.from("\ufeff");

/** The offset after a byte order mark, which some servers send before their JSON. */
function afterMark(bytes: Buffer, at: number): number {
  const end = at + BYTE_ORDER_MARK.length;
  return bytes.subarray(at, end).equals(BYTE_ORDER_MARK) ? end : at;
}

/** Objects and arrays below this depth are skipped, not scanned. Real logs stay under 30. */
const maxDepth = 64;

/** How many levels of strings are read as JSON: a body in a record in a log line. */
const maxEmbedding = 3;

const QUOTE = 34;
const COMMA = 44;
const DOT = 46;
const COLON = 58;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/**
 * Scans the JSON value that begins at `start`, after white space. Tolerates sloppy writers (trailing commas,
 * bare words) but not prose: a key must be a string followed by a colon. Returns `undefined` when no value
 * begins there or it is malformed; a value that only lacks its end comes back `open`.
 */
export function scanJson(
  bytes: Buffer,
  start: number,
  end: number,
  level: EscapeLevel = 0,
  hints?: ScanHints,
): JsonNode | undefined {
  return new JsonScanner(bytes, end, level, hints).value(start, 0, undefined);
}

/** The scan of one stretch of bytes, with a method for each kind of value. */
class JsonScanner {
  private readonly bytes: Buffer;
  private readonly end: number;
  private readonly level: EscapeLevel;
  private readonly hints: ScanHints | undefined;
  /** How many backslashes come before a quote of this level. */
  private readonly slashes: number;

  constructor(bytes: Buffer, end: number, level: EscapeLevel, hints: ScanHints | undefined) {
    this.bytes = bytes;
    this.end = end;
    this.level = level;
    this.hints = hints;
    this.slashes = 2 ** level - 1;
  }

  private fail(at: number, expected: string): undefined {
    this.hints?.onDefect?.(at, expected);
    return undefined;
  }

  private space(at: number): number {
    const { bytes, end, level } = this;
    let i = at;
    while (i < end) {
      const byte = bytes[i] as number;
      if (byte === 32 || byte === 10 || byte === 13 || byte === 9) i++;
      else if (byte === BACKSLASH && level > 0) {
        const next = this.escapedSpace(i);
        if (next === i) return i;
        i = next;
      } else return i;
    }
    return i;
  }

  /** In embedded text, line feeds between tokens are escaped. */
  private escapedSpace(at: number): number {
    const { bytes, end, level } = this;
    let i = at;
    while (i < end && bytes[i] === BACKSLASH) i++;
    const letter = bytes[i];
    const isSpace = letter === 110 || letter === 114 || letter === 116;
    return isSpace && i - at === 2 ** (level - 1) ? i + 1 : at;
  }

  private isQuote(at: number): boolean {
    const { bytes, level, slashes } = this;
    if (level === 0) return bytes[at] === QUOTE;
    for (let i = 0; i < slashes; i++) if (bytes[at + i] !== BACKSLASH) return false;
    return bytes[at + slashes] === QUOTE;
  }

  /** The end of the string that opens at `at`; -1 when the bytes end first, -2 when the outer string does. */
  private stringEnd(at: number): number {
    return endOfString(this.bytes, at + this.slashes + 1, this.end, this.level);
  }

  value(from: number, depth: number, key: string | undefined): JsonNode | undefined {
    const { bytes, end, level, hints } = this;
    const at = this.space(from);
    const byte = bytes[at];
    if (at >= end || byte === undefined) return this.fail(at, "a value");
    if (byte === OPEN_OBJECT) {
      return this.known(at, key) ?? (depth >= maxDepth ? this.skipped(at, "object") : this.object(at, depth));
    }
    if (byte === OPEN_ARRAY) {
      if (hints && key !== undefined && hints.historyKeys.has(key)) {
        const run = hints.pool.scanRun(bytes, at, end, level, hints.shift);
        if (run) return { kind: "array", start: at, end: run.end, state: run.run.state, run: run.run };
      }
      return this.known(at, key) ?? (depth >= maxDepth ? this.skipped(at, "array") : this.array(at, depth));
    }
    if (this.isQuote(at)) {
      const embedded = this.embeddedJson(at);
      if (embedded) return embedded;
      const close = this.stringEnd(at);
      if (close === -2) return this.fail(at, "the end of this string");
      return close < 0
        ? { kind: "string", start: at, end, state: "open" }
        : { kind: "string", start: at, end: close, state: "complete" };
    }
    const stop = wordEnd(bytes, at, end);
    if (stop === at || byte === DOT || isNodeStub(bytes, at, stop)) return this.fail(at, "a value");
    const kind = byte === 45 || (byte >= 48 && byte <= 57) ? "number" : "literal";
    return { kind, start: at, end: stop, state: stop >= end ? "open" : "complete" };
  }

  /**
   * A string that is one JSON object, as bodies often are. Scanning the object finds the end of the string
   * without a search for quotes through histories that are already known.
   */
  private embeddedJson(at: number): JsonNode | undefined {
    const { bytes, end, level, hints, slashes } = this;
    const first = at + slashes + 1;
    const from = bytes[first] === BYTE_ORDER_MARK[0] ? afterMark(bytes, first) : first;
    if (!hints || level >= maxEmbedding || bytes[from] !== OPEN_OBJECT) return undefined;
    // A failed attempt proves nothing: the string may hold any text.
    const { onDefect: _, ...quiet } = hints;
    const inner = scanJson(bytes, from, end, level + 1, quiet);
    if (inner?.state !== "complete" || !this.isQuote(inner.end)) return undefined;
    return { kind: "string", start: at, end: inner.end + slashes + 1, state: "complete", inner };
  }

  private known(at: number, key: string | undefined): JsonNode | undefined {
    const { bytes, end, level, hints } = this;
    if (!hints || key === undefined || !hints.stableKeys.has(key)) return undefined;
    const found = hints.pool.findStable(key, bytes, at, end, level);
    if (found)
      return {
        kind: bytes[at] === OPEN_OBJECT ? "object" : "array",
        start: at,
        end: found.end,
        state: "complete",
        known: found,
      };
    const stop = skipValue(bytes, at, end, level);
    if (stop < 0) return undefined;
    const kept = hints.pool.keepStable(key, bytes, at, stop, level);
    return (
      kept && {
        kind: bytes[at] === OPEN_OBJECT ? "object" : "array",
        start: at,
        end: stop,
        state: "complete",
        known: kept,
      }
    );
  }

  private skipped(at: number, kind: "object" | "array"): JsonNode {
    const { bytes, end, level } = this;
    const stop = skipValue(bytes, at, end, level);
    return stop < 0
      ? { kind, start: at, end, state: "open" }
      : { kind, start: at, end: stop, state: "complete" };
  }

  private object(start: number, depth: number): JsonNode | undefined {
    const { bytes, end, level } = this;
    const members: Member[] = [];
    let at = this.space(start + 1);
    let isBehindComma = false;
    let hasLaxKey = false;
    const open = (): JsonNode => ({ kind: "object", start, end, state: "open", members });
    for (;;) {
      if (at >= end) return open();
      if (bytes[at] === CLOSE_OBJECT)
        return {
          kind: "object",
          start,
          end: at + 1,
          state: "complete",
          members,
          ...(isBehindComma && { hasTrailingComma: true }),
          ...(hasLaxKey && { hasLaxKey }),
        };
      if (!this.isQuote(at)) return this.fail(at, "a key in quotes");
      const keyEnd = this.stringEnd(at);
      if (keyEnd === -1) return open();
      if (keyEnd < 0) return this.fail(at, "the end of this string");
      const key = stringValue(bytes, at, keyEnd, level);
      hasLaxKey ||= uncommon.test(key) && !isJson(plainText(bytes, at, keyEnd, level));
      at = this.space(keyEnd);
      if (at >= end) return open();
      if (bytes[at] !== COLON) return this.fail(at, "a colon");
      at = this.space(at + 1);
      if (at >= end) return open();
      const node = this.value(at, depth + 1, key);
      if (!node) return undefined;
      members.push({ key, node });
      if (node.state === "open") return open();
      at = this.space(node.end);
      if (at >= end) return open();
      isBehindComma = bytes[at] === COMMA;
      if (isBehindComma) at = this.space(at + 1);
      else if (bytes[at] !== CLOSE_OBJECT) return this.fail(at, "a comma or `}`");
    }
  }

  private array(start: number, depth: number): JsonNode | undefined {
    const { bytes, end } = this;
    const items: JsonNode[] = [];
    let at = this.space(start + 1);
    const list = (stop: number, state: JsonNode["state"]): JsonNode => ({
      kind: "array",
      start,
      end: stop,
      state,
      items,
      ...(isCrowd(items.length, stop - start) && items.every(isNoNumber) && { isCrowd: true }),
    });
    const open = (): JsonNode => list(end, "open");
    for (;;) {
      if (at >= end) return open();
      if (bytes[at] === CLOSE_ARRAY) return list(at + 1, "complete");
      const node = this.value(at, depth + 1, undefined);
      if (!node) return undefined;
      items.push(node);
      if (node.state === "open") return open();
      at = this.space(node.end);
      if (at >= end) return open();
      if (bytes[at] === COMMA) at = this.space(at + 1);
      else if (bytes[at] !== CLOSE_ARRAY) return this.fail(at, "a comma or `]`");
    }
  }
}

/**
 * The end of dots that replace a part of a value, with the words behind them (`... 12 more messages`). They
 * have a line of their own or come before a comma or a closing bracket. -1 where there are none: at the very
 * end, dots are a cut.
 */
export function endOfGap(bytes: Buffer, start: number, end: number): number {
  // Asked before each part of a value: few begin as dots do.
  if (bytes[start] !== DOT && bytes[start] !== ELLIPSIS) return -1;
  const around = bytes.toString("latin1", Math.max(0, start - maxIndent), Math.min(end, start + maxGap));
  const from = Math.min(start, maxIndent);
  const found = /^((?:\.{3,}|(?:\xe2\x80\xa6)+)[^\n,[\]{}()"]*)(\s*[,\]})]|\r?\n)/.exec(around.slice(from));
  if (!found?.[1] || !found[2]) return -1;
  const isAlone = /\n[ \t]*$/.test(around.slice(0, from));
  return isAlone || found[2].trim() !== "" ? start + found[1].length : -1;
}

/** The first byte of `…`. */
const ELLIPSIS = 0xe2;

/** Bytes inspected before the dots on their line, and bytes inspected for the words behind them. */
const maxIndent = 80;
const maxGap = 200;

/** `Object` of `[Object]`, or `Array`: what Node prints in place of a value that is nested too deep. */
function isNodeStub(bytes: Buffer, start: number, end: number): boolean {
  const first = bytes[start];
  if (end - start > 6 || (first !== 79 && first !== 65) || bytes[start - 1] !== OPEN_ARRAY) return false;
  return /^(?:Object|Array)$/.test(bytes.toString("latin1", start, end));
}

/** The end of a bare word or number. */
function wordEnd(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const byte = bytes[at] as number;
    const isWord =
      (byte >= 48 && byte <= 57) ||
      (byte >= 97 && byte <= 122) ||
      (byte >= 65 && byte <= 90) ||
      byte === 43 ||
      byte === 45 ||
      byte === 46;
    if (!isWord) return at;
    at++;
  }
  return at;
}

/**
 * The offset behind the closing quote of a string whose content begins at `from`. -1: the bytes end first.
 * -2: the enclosing string ends first.
 */
export function endOfString(bytes: Buffer, from: number, end: number, level: EscapeLevel): number {
  const slashes = 2 ** level - 1;
  const cycle = 2 ** (level + 1);
  let at = from;
  for (;;) {
    const near = Math.min(end, at + 256);
    while (at < near && bytes[at] !== QUOTE) at++;
    if (at >= end) return -1;
    if (bytes[at] !== QUOTE) {
      at = bytes.indexOf(QUOTE, at);
      if (at < 0 || at >= end) return -1;
    }
    let back = at - 1;
    while (back >= from && bytes[back] === BACKSLASH) back--;
    const count = at - 1 - back;
    if (count < slashes) return -2;
    if ((count - slashes) % cycle === 0) return at + 1;
    at++;
  }
}

/** Skips the value at `start` by counting brackets, at any depth; -1 when the bytes end first. */
export function skipValue(bytes: Buffer, start: number, end: number, level: EscapeLevel): number {
  const slashes = 2 ** level - 1;
  let at = start;
  let depth = 0;
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      const close = endOfString(bytes, at + 1, end, level);
      if (close < 0) return -1;
      at = close;
      if (depth === 0) return at;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth++;
      at++;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth--;
      at++;
      if (depth <= 0) return at;
    } else if (depth === 0 && byte !== BACKSLASH) {
      return Math.max(at + 1, wordEnd(bytes, at, end));
    } else if (byte === BACKSLASH && level > 0) {
      // Either the backslashes of a structural quote or an escaped line feed between tokens.
      at += bytes[at + slashes] === QUOTE ? slashes : 1;
    } else {
      at++;
    }
  }
  return -1;
}

/** Lists of numbers may have any length: embeddings, samples. */
function isNoNumber({ kind }: JsonNode): boolean {
  return kind !== "number";
}
