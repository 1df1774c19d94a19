import { beginsWithClass } from "../../../reading/literal-classes.ts";
import { beginsAsElixir, beginsAsRubyObject, beginsAsRust } from "../../../reading/literal-objects.ts";
import { beginsAsMap } from "../../../reading/map-notation.ts";
import { beginsAsPhp } from "../../../reading/php-notation.ts";
import { beginsAsRecord } from "../../../reading/record-notation.ts";
import type { Line } from "./lines.ts";

/** Finds possible starts of values in a text log. It is cheap and misses none; the reader rejects others. */

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const QUOTE = 34;
const NUMBER_SIGN = 35;
const DOLLAR = 36;
const PERCENT = 37;
const APOSTROPHE = 39;
const OPEN_CALL = 40;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const EQUALS = 61;
const LETTER_N = 78;
const LETTER_B = 98;
const OPEN_OBJECT = 123;

/**
 * Offset of the next possible value in the line, or -1: a brace or bracket that does not continue a word, a
 * quote before escaped JSON or bytes, or the name of an object that Python printed or a program makes.
 */
export function nextValue(bytes: Buffer, from: number, { start, end }: Line): number {
  const printed = startOfPrint(bytes, from, end);
  let opened: number | undefined;
  for (let at = from; at < end; at++) {
    if (at === printed) return at;
    const byte = bytes[at];
    if (byte === QUOTE && bytes[at - 1] !== BACKSLASH) opened = opensField(bytes, at, start) ? at : undefined;
    else if (opened !== undefined && isEscapedJson(bytes, at) && at - opened < longestWords) return opened;
    if (isQuotedText(bytes, at)) return at;
    if ((byte === PERCENT || byte === NUMBER_SIGN || byte === OPEN_ARRAY) && isStruct(bytes, at)) return at;
    if (byte === QUOTE) {
      const inner = bytes[at + 1] === OPEN_ARRAY ? at + 2 : at + 1;
      if (bytes[inner] === OPEN_OBJECT && bytes[inner + 1] === BACKSLASH) return at;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (byte === OPEN_ARRAY && opensSection(bytes, at)) continue;
      const after = stepSpace(bytes, at + 1);
      const map = startOfMap(bytes, at, start);
      if (map !== undefined && map >= from) return map;
      const struct = byte === OPEN_OBJECT ? startOfStruct(bytes, at, start) : undefined;
      if (struct !== undefined && struct >= from) return struct;
      const known = byte === OPEN_OBJECT ? startOfClass(bytes, at, start) : at;
      if (known < at && known >= from) return known;
      if (bytes[after] === (byte === OPEN_OBJECT ? QUOTE : OPEN_OBJECT)) return at;
      if (byte === OPEN_ARRAY && isConstructor(bytes, after)) return at;
      if (byte === OPEN_OBJECT && (bytes[after] === APOSTROPHE || isBareName(bytes, after))) return at;
      if (byte === OPEN_ARRAY && beginsWithClass(bytes.toString("latin1", after, after + 80))) return at;
      if (isRecordOrList(bytes, at)) return at;
      const name = startOfRecord(bytes, at, start) ?? startOfPhp(bytes, at, start);
      if (name !== undefined && name >= from) return name;
      // After a prefix, the value may continue after the next line's prefix.
      if (after >= end && at > start) return at;
    } else if (byte === EQUALS && isPrintedModel(bytes, at, start)) {
      return startOfWord(bytes, at, start);
    } else if (byte === OPEN_CALL) {
      const array = startOfPhp(bytes, at, start) ?? startOfMap(bytes, at, start);
      if (array !== undefined && array >= from) return array;
      if (!isNamedArgument(bytes, at) && !isVariantOfStruct(bytes, at, start)) continue;
      let name = at;
      while (name > start && isWordByte(bytes[name - 1])) name--;
      if (name < at && name >= from) return name;
    }
  }
  return -1;
}

/** How far a field may go before the JSON in it, in bytes: words, or the headers of a message. */
const longestWords = 4096;

/** The second bracket of `<![CDATA[`, which what stands in XML begins behind. */
function opensSection(bytes: Buffer, at: number): boolean {
  return bytes.toString("latin1", Math.max(0, at - 8), at) === "<![CDATA";
}

/** Whether a quote begins the text of a field: `msg="request: {\"model\": …}"`, as programs in Go log. */
function opensField(bytes: Buffer, at: number, start: number): boolean {
  return at === start || /[\s=:([|\x60]/.test(String.fromCharCode(bytes[at - 1] ?? 0));
}

function isEscapedJson(bytes: Buffer, at: number): boolean {
  const inner = bytes[at] === OPEN_ARRAY ? at + 1 : at;
  return bytes[inner] === OPEN_OBJECT && bytes[inner + 1] === BACKSLASH && bytes[inner + 2] === QUOTE;
}

/** Quoted text with other escapes than JSON's: Python prints bytes as `b'{…}'`, shells quote as `$'{…}'`. */
export function isQuotedText(bytes: Buffer, at: number): boolean {
  const [before, quote] = [bytes[at - 1], bytes[at]];
  if (quote !== APOSTROPHE && (quote !== QUOTE || before === DOLLAR)) return false;
  if (before !== DOLLAR && before !== LETTER_B) return false;
  const next = bytes[at + 1];
  return (next === OPEN_OBJECT || next === OPEN_ARRAY) && !isWordByte(bytes[at - 2]);
}

/** A struct of Elixir or an object of Ruby, or a list of such, or of variants of Rust. */
function isStruct(bytes: Buffer, at: number): boolean {
  const isList = bytes[at] === OPEN_ARRAY;
  const from = isList ? stepSpace(bytes, at + 1) : at;
  const first = bytes[from] ?? 0;
  const isCapital = first >= 65 && first <= 90;
  if (first !== PERCENT && first !== NUMBER_SIGN && !isCapital) return false;
  const text = bytes.toString("latin1", from, from + 200);
  return beginsAsElixir(text) || beginsAsRubyObject(text) || (isList && beginsAsRust(text));
}

/** How much of a printed object is looked at for words of a conversation. */
const objectHead = 600;

/** Programs print objects of all kinds; those without any of these words hold no message, call or reply. */
const ofConversation =
  /message|content|role|tool|call|function|argument|prompt|chat|complet|choice|candidate|generat/i;

function speaksOfModels(bytes: Buffer, at: number): boolean {
  return ofConversation.test(bytes.toString("latin1", at, at + objectHead));
}

/** A list of objects that Java or Go printed. */
function isRecordOrList(bytes: Buffer, at: number): boolean {
  const head = bytes.toString("latin1", at, at + 200);
  const isList = /^\[(?:\s*(?:[a-z_][\w.]*\.)?[A-Z]\w* ?[[{(]|\][\w.]+\{)/.test(head);
  return isList && speaksOfModels(bytes, at) && beginsAsRecord(head);
}

/** Where the name of a known class begins that Node prints: `AIMessageChunk {`; else the brace. */
function startOfClass(bytes: Buffer, at: number, start: number): number {
  if (bytes[at - 1] !== SPACE) return at;
  const name = startOfWord(bytes, at - 1, start);
  const first = bytes[name] ?? 0;
  if (name >= at - 1 || first < 65 || first > 90) return at;
  return beginsWithClass(bytes.toString("latin1", name, at + 1)) ? name : at;
}

/** Where the type begins that Go prints before the members of a struct: `openai.ToolCall{Index:`. */
function startOfStruct(bytes: Buffer, at: number, start: number): number | undefined {
  if (!isWordByte(bytes[at - 1])) return undefined;
  const before = bytes.toString("latin1", Math.max(start, at - 80), at);
  const type = /(?<![\w.])&?[a-z]\w*\.[A-Z]\w*$/.exec(before)?.[0];
  const name = at - (type?.length ?? 0);
  if (name === at || !speaksOfModels(bytes, name)) return undefined;
  return beginsAsRecord(bytes.toString("latin1", name, name + 200)) ? name : undefined;
}

/** Where the class begins whose members a bracket opens: `ToolCall[id=`, `AiMessage { text = `. */
function startOfRecord(bytes: Buffer, at: number, start: number): number | undefined {
  if (!/^[[{]\s*[A-Za-z_]\w* ?=/.test(bytes.toString("latin1", at, at + 80))) return undefined;
  const name = startOfWord(bytes, bytes[at - 1] === 32 ? at - 1 : at, start);
  const first = bytes[name] ?? 0;
  if (name >= at || first < 65 || first > 90 || !speaksOfModels(bytes, name)) return undefined;
  return beginsAsRecord(bytes.toString("latin1", name, name + 200)) ? name : undefined;
}

/** Where an array or an object of PHP begins whose first bracket is there: `array(3) {`, `['role' =>`. */
function startOfPhp(bytes: Buffer, at: number, start: number): number | undefined {
  const [last, byte, next] = [bytes[at - 1], bytes[at], bytes[at + 1]];
  const isDue =
    byte === OPEN_CALL
      ? last === 121 || last === 116 || last === SPACE || last === OPEN_CALL
      : last === SPACE || (byte === OPEN_OBJECT ? next === NUMBER_SIGN : next !== OPEN_OBJECT);
  if (!isDue || !mayFollow(byte, last, next)) return undefined;
  const before = bytes.toString("latin1", Math.max(start, at - 100), at);
  const word = (bytes[at + 1] === NUMBER_SIGN ? /(?<![\w\\])[\w\\]+ $/ : beforeArray).exec(before)?.[0];
  if (word === undefined && bytes[at] !== OPEN_ARRAY) return undefined;
  const name = at - (word?.length ?? 0);
  if (!beginsAsPhp(bytes.toString("latin1", name, name + phpHead)) || !speaksOfModels(bytes, name))
    return undefined;
  return name;
}

/** Where a map begins, or a list of maps, whose first bracket is there: `map[role:`, `Object {"role": `. */
function startOfMap(bytes: Buffer, at: number, start: number): number | undefined {
  const last = at === start ? SPACE : bytes[at - 1];
  const isWord = isWordByte(last) || (last === SPACE && (bytes[at - 2] === 116 || bytes[at - 2] === 121));
  const before = isWord ? beforeMap.exec(bytes.toString("latin1", Math.max(start, at - 20), at)) : null;
  const [byte, next] = [bytes[at], bytes[at + 1]];
  const isLaidOut = next === LINE_FEED || next === CARRIAGE_RETURN;
  if (!before && (isWordByte(last) || (byte === OPEN_CALL && !isLaidOut))) return undefined;
  if (!before && byte === OPEN_OBJECT && next === QUOTE) return undefined;
  const name = at - (before?.[0].length ?? 0);
  if (!beginsAsMap(bytes.toString("latin1", name, name + 200)) || !speaksOfModels(bytes, name))
    return undefined;
  return name;
}

/** What stands before the first bracket of a map. */
const beforeMap = /\b(?:(?:Object|Array) |(?:Hash|Linked|Tree)?Map|List|Vector|ArrayBuffer|map)$/;

/** Whether a byte may stand behind a bracket of PHP: of an object, of `object(Name)`, of an array. */
function mayFollow(byte: number | undefined, last: number | undefined, next = LINE_FEED): boolean {
  if (byte === OPEN_OBJECT) return next <= SPACE || next === NUMBER_SIGN || next === 0xe2;
  if (byte === OPEN_CALL && last === 116) return true;
  return next <= SPACE || (next >= 48 && next <= 57) || inArray.has(next);
}

/** A quote, a bracket or the `a` of `array` before a key; the mark that Symfony puts behind a bracket. */
const inArray = new Set([APOSTROPHE, QUOTE, OPEN_ARRAY, 97, 0xe2]);

/** What stands before the first bracket of an array. */
const beforeArray =
  /(?:\barray(?::\d{1,9})? ?|\bobject|(?:\(object\) ?|(?<![\w\\])[\w\\]+::__set_state\()(?:array ?)?)$/;

/** How much of a text tells that PHP wrote it. */
const phpHead = 400;

/** Where `print_r` begins an array or an object at the end of a line, whose bracket is on the next one. */
function startOfPrint(bytes: Buffer, from: number, end: number): number | undefined {
  const last = bytes[end - 1];
  if (last !== 121 && last !== 116) return undefined;
  const word = /(?:\bArray|(?<![\w\\])[\w\\]+ Object)$/.exec(
    bytes.toString("latin1", Math.max(from, end - 160), end),
  )?.[0];
  const name = word === undefined ? -1 : end - word.length;
  if (name < from || !beginsAsPhp(bytes.toString("latin1", name, name + phpHead))) return undefined;
  return speaksOfModels(bytes, name) ? name : undefined;
}

/** `{ name: `, `{:name=>` or `{Name:<nil>`: the first member of an object printed by Node, Ruby or Go. */
function isBareName(bytes: Buffer, at: number): boolean {
  return /^(?::\w+ ?=>|[A-Za-z_$][\w$]*: ?(?:[['"`{\w-]|<nil>))/.test(bytes.toString("latin1", at, at + 60));
}

/** `Name(` or `module.Name(`: an object printed or written in Python. */
function isConstructor(bytes: Buffer, at: number): boolean {
  return /^(?:[a-z_]\w*\.)*[A-Z]\w*\(/.test(bytes.toString("latin1", at, at + 80));
}

/** `content='…' role='assistant'`: what Python prints for the text of a model object, without its name. */
function isPrintedModel(bytes: Buffer, at: number, start: number): boolean {
  const next = bytes[at + 1];
  const isValue = next === APOSTROPHE || next === QUOTE || next === OPEN_ARRAY || next === LETTER_N;
  if (!isValue) return false;
  const from = startOfWord(bytes, at, start);
  const before = bytes[from - 1];
  if (from > start && before !== 32 && before !== 9) return false;
  return /^(?:content|candidates|role|parts|choices|sdk_http_response)$/.test(
    bytes.toString("latin1", from, at),
  );
}

function startOfWord(bytes: Buffer, at: number, start: number): number {
  let from = at;
  while (from > start && isWordByte(bytes[from - 1])) from--;
  return from;
}

/** `(name=`: the first argument of an object printed by Python, which `rich` puts on a line of its own. */
function isNamedArgument(bytes: Buffer, at: number): boolean {
  const next = bytes[at + 1] ?? 0;
  const isLaidOut = next === LINE_FEED || next === CARRIAGE_RETURN;
  if (!isLaidOut && next !== 95 && (next < 97 || next > 122)) return false;
  return /^\((?:\r?\n[ \t]+)?[a-z_]\w*=[^=]/.test(bytes.toString("latin1", at, at + 80));
}

/** `User(UserMessage { content: `: a variant of Rust that holds a struct. */
function isVariantOfStruct(bytes: Buffer, at: number, start: number): boolean {
  if (!/^\(\s*[A-Z]\w*[ (]/.test(bytes.toString("latin1", at, at + 80))) return false;
  const name = startOfWord(bytes, at, start);
  return name < at && beginsAsRust(bytes.toString("latin1", name, name + 200));
}

function isWordByte(byte: number | undefined): boolean {
  return byte !== undefined && /\w/.test(String.fromCharCode(byte));
}

function stepSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (
    at < bytes.length &&
    (bytes[at] === 32 || bytes[at] === 9 || bytes[at] === 13 || bytes[at] === LINE_FEED)
  )
    at++;
  return at;
}
