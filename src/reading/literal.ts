import { beginsWithClass } from "./literal-classes.ts";
import { beginsAsElixir, beginsAsRubyObject, beginsAsRust } from "./literal-objects.ts";
import { LiteralReader } from "./literal-reader.ts";
import { beginsAsMap, mapNotation } from "./map-notation.ts";
import { parseJson } from "./parse.ts";
import { beginsAsPhp, phpNotation } from "./php-notation.ts";
import type { PrintedLiteral } from "./printed-literal.ts";
import { beginsAsRecord, recordNotation } from "./record-notation.ts";

const COMMA = 44;

/** How much of a text tells the notation that it is printed in. */
const recordHead = 200;

/**
 * Reads printed values as JSON, without evaluating anything. Python's `repr` and `print`: dicts and lists,
 * strings in either quotes, tuples, objects as `Name(key=value)`, enumerations as `<Name.KEY: value>`. Node's
 * `console.log` and `util.inspect`, and JSON5: unquoted keys, strings in any quotes, concatenated strings,
 * `Name { … }`. Ruby's `inspect`: `{"key"=>value}`, `{key: value}`, symbols. What PHP prints. Returns
 * `undefined` for anything else; then calls `failed` with the offset that it reached.
 * @see https://docs.python.org/3/reference/lexical_analysis.html#literals
 * @see https://nodejs.org/api/util.html#utilinspectobject-options
 */
export function printedLiteral(
  bytes: Buffer,
  start: number,
  end: number,
  failed?: (at: number) => void,
): PrintedLiteral | undefined {
  const head = bytes.toString("latin1", start, Math.min(end, start + recordHead));
  if (beginsAsPhp(head)) return phpNotation(bytes, start, end, failed);
  if (beginsAsRecord(head)) return recordNotation(bytes, start, end, failed);
  if (beginsAsMap(head)) return mapNotation(bytes, start, end, failed);
  const reader = new LiteralReader(bytes, start, end);
  if (!reader.value(0)) {
    failed?.(reader.at);
    return undefined;
  }
  if (!beginsLine(bytes, start) || nextOfList(bytes, reader.at, end, start) === undefined)
    return reader.literal;
  if (isInNoList(bytes, start, end)) return reader.literal;
  const list = new LiteralReader(bytes, start, end);
  if (readList(list, bytes)) return list.literal;
  noLists.set(bytes, { start, end, to: list.at });
  return reader.literal;
}

/** Objects that stand one behind the other and are no list, nor is any later part of them. */
interface NoList {
  readonly start: number;
  /** How far could be read. */
  readonly end: number;
  /** How far was read. */
  readonly to: number;
}

/** The newest such objects of a text. Each is looked at on its own after that. */
const noLists = new WeakMap<Buffer, NoList>();

function isInNoList(bytes: Buffer, start: number, end: number): boolean {
  const known = noLists.get(bytes);
  return (
    known !== undefined &&
    known.start <= start &&
    start < known.to &&
    known.end === end &&
    isMessage(bytes, known.start) === isMessage(bytes, start)
  );
}

/** Reads the objects of a list without its brackets; `false` if they are not a list. */
function readList(reader: LiteralReader, bytes: Buffer): boolean {
  const first = reader.at;
  reader.write("[", first, first);
  // A program that prints each reply prints no history.
  let isList = false;
  for (;;) {
    const from = reader.at;
    if (!reader.value(0)) return false;
    isList ||= bytes[reader.at] === COMMA || !isOfModel(bytes, from, reader.at);
    if (reader.isCut) return isList;
    const next = nextOfList(bytes, reader.at, reader.end, first);
    if (next === undefined) break;
    reader.write(",", reader.at, next);
    reader.at = next;
  }
  reader.write("]", reader.at, reader.at);
  return isList;
}

/** Whether nothing stands before an offset on its line. */
function beginsLine(bytes: Buffer, start: number): boolean {
  let at = start - 1;
  while (at >= 0 && (bytes[at] === 32 || bytes[at] === 9)) at--;
  return at < 0 || bytes[at] === 10;
}

/**
 * Where the next object begins of a list that people copied without its brackets: on a line of its own, after
 * a comma. Messages may also stand apart by line ends alone, as a program prints them one by one.
 */
function nextOfList(bytes: Buffer, from: number, end: number, first: number): number | undefined {
  const between = /^(,?)[ \t]*\r?\n\s*/.exec(bytes.toString("latin1", from, Math.min(end, from + 200)));
  const next = from + (between?.[0].length ?? 0);
  if (!between || next >= end || !looksPrinted(bytes, next, end)) return undefined;
  if (isMessage(bytes, next) && isMessage(bytes, first)) return next;
  const isAlike = bytes[next] === bytes[first] || (isCapital(bytes[next]) && isCapital(bytes[first]));
  return between[1] === "," && isAlike ? next : undefined;
}

function isCapital(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 65 && byte <= 90;
}

/** A message of a framework, but not a piece of one that arrives. */
function isMessage(bytes: Buffer, at: number): boolean {
  return /^(?:[a-z_]\w*\.)*\w*Message\(/.test(bytes.toString("latin1", at, at + 80));
}

/** The role of a message, as SDKs print it. */
const ofAssistant = /[(\s](?:role|author)=(?:'assistant'|"assistant"|<\w+\.ASSISTANT\b)/;

/** A message that only a model writes, by its class or its role. */
function isOfModel(bytes: Buffer, start: number, end: number): boolean {
  const text = bytes.toString("latin1", start, end);
  return /^(?:[a-z_]\w*\.)*(?:AI|Assistant)Message\(/.test(text) || ofAssistant.test(text);
}

/** The value of a printed literal; `undefined` where the text is not a literal or something was left out. */
export function printedValue(text: string): unknown {
  const bytes = Buffer.from(text);
  const literal = printedLiteral(bytes, 0, bytes.length);
  return literal && parseJson(literal.bytes.toString("utf8"));
}

/**
 * Whether the value that begins here is a printed literal: behind its brackets comes a single quote, a name
 * with arguments, an object of a known class, an unquoted key, a symbol, or an arrow after the first key.
 */
export function looksPrinted(bytes: Buffer, start: number, end: number): boolean {
  const object = bytes.toString("latin1", start, Math.min(end, start + recordHead));
  if (beginsAsPhp(object) || beginsAsRecord(object) || beginsAsMap(object)) return true;
  const head = object.slice(0, 80);
  const inside = head.replace(/^\[\s*/, "");
  if (beginsAsElixir(inside) || beginsAsRubyObject(inside) || beginsAsRust(inside)) return true;
  return (
    beginsWithClass(head.replace(/^[[({\s]*/, "")) ||
    /^[[{(\s]*(?:'|(?:[a-z_]\w*\.)*[A-Z]\w*\(\s*(?:\w+ ?=[^=]|['"])|[a-z_]\w*=(?:['"[]|None\b)|(?<=\{\s*)(?:[A-Za-z_$][\w$]*: ?|:\w+ ?=>|"[^"\\\n]{1,40}" ?=>))/.test(
      head,
    )
  );
}
