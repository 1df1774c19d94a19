import type { LiteralCursor } from "./literal-cursor.ts";

/** How much of a value is looked at to recognise it. */
const headLength = 200;

/**
 * Values of Node that JSON lacks, with the JSON that stands for each.
 * @see https://nodejs.org/api/util.html#utilinspectobject-options
 */
const values: readonly (readonly [RegExp, (text: string) => string])[] = [
  // `2026-11-27T13:51:44.000Z`; Ruby's `Time` and Python's text of a date have a space in it.
  [
    /^[+-]?\d{4,6}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z| ?[+-]\d\d:?\d\d| UTC)?(?=[\s,\]})])/,
    (text) => JSON.stringify(text),
  ],
  [/^Invalid Date\b/, () => "null"],
  [/^-?\d{1,400}n\b/, (text) => text.slice(0, -1).replace(/^(-?)0+(?=\d)/, "$1")],
  [
    /^\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]{0,8}(?=[\s,\]})])/,
    (text) => JSON.stringify(text),
  ],
  [/^Symbol\([^()\n]{0,100}\)/, () => "null"],
];

/** `[Number: 3]`, `[String: 'a']`: an object around a simple value. */
const boxed = /^\[(?:Number|Boolean|BigInt|String)(?: \([^()\n]{1,60}\))?: /;

/**
 * A function, a class, a symbol or an accessor is no data, and `JSON.stringify` leaves it out. A reference to
 * an object around it adds nothing either.
 */
const noData =
  /^\[(?:(?:Async)?(?:Generator)?Function(?:: [\w$.# ]{1,80}| \(anonymous\))(?: [\w$.() ]{1,80})?|class [^\]\n]{1,120}|Getter(?:\/Setter)?|Setter|Circular(?: \*\d+)?|Symbol: Symbol\([^()\n]{0,100}\))\](?=\s*[,\]}]|\s*$)/;

/** `[Array]`, `[Object]`, `[Message]`: an object that is nested too deep to be printed. */
const stub =
  /^\[(?!True|False|None|NaN|Infinity|Ellipsis)[A-Z]\w{0,80}(?: <[^<>\n]{1,60}>)?\](?=\s*[,\]}]|\s*$)/;

/** How Node prints the names of symbols and of hidden properties: `[Symbol(a)]`, `[cause]`. */
const hiddenKey = /^(?:\[?Symbol\([^()\n]{0,100}\)\]?|\[[\w$]{1,80}\])(?=:\s)/;

/** What Node prints before the bracket of an object: a reference, a class, a size, a tag, a prototype. */
const head =
  /^(?:<ref \*\d+> )?(?:(?:[A-Za-z_$][\w$.]{0,80}|\[[A-Z][^[\]\n]{0,100}\]|\[class [^[\]\n]{1,120}\])(?:\(\d+\))?(?: \(null prototype\))?(?: \[[^[\]\n]{1,80}\])?(?: <[^<>\n]{1,60}>)? )?(?=[[{])/;

/** `Reply {`: the class alone is read with the class's members, since other languages print it as well. */
const plainHead = /^(?:[A-Za-z_$][\w$]* )?\{/;

/** Whether the first entry of braces has a name, or there is none; else they hold items. */
const isNamed = /^\{\s*(?:\}|\[?Symbol\(|(?:[\w$]+|'[^'\n]{0,200}'|"[^"\n]{0,200}"|\[[\w$]+\]): )/;

/** The class of an object whose entries have any value as their key: `Map(1)`, `Cache(1) [Map]`. */
const ofMap = /\bMap(?:\(\d+\)|\]) $/;

/** `'key' =>`: an entry of a map whose keys are texts. */
const hasTextKeys = /^\{\s*(?:'[^'\n]{0,200}'|"[^"\n]{0,200}"|`[^`\n]{0,200}`) => /;

/** The name of a property of a list. An error in a list begins with its name, too. */
const propertyName =
  /^(?![\w$]{0,80}(?:Error|Exception): )(?:[A-Za-z_$][\w$]{0,80}|'[^'\n]{0,120}'|\[[\w$]{1,80}\]|\[?Symbol\([^()\n]{0,100}\)\]?): (?=\S)/;

/** The bytes of what Node prints in place of an object that is nested too deep; 0 for anything else. */
export function stubLength(reader: LiteralCursor): number {
  if (!isNameAhead(reader)) return 0;
  return stub.exec(reader.ahead(reader.at, headLength))?.[0].length ?? noDataLength(reader);
}

/** The bytes of a function or the like, which no request can hold; 0 for anything else. */
export function noDataLength(reader: LiteralCursor): number {
  if (!isNameAhead(reader)) return 0;
  return noData.exec(reader.ahead(reader.at, headLength))?.[0].length ?? 0;
}

/** Whether a name may stand behind the bracket, as it does in few lists. */
function isNameAhead(reader: LiteralCursor): boolean {
  return /[A-Za-z]/.test(reader.ahead(reader.at + 1, 1));
}

/** The name of a hidden property or a symbol; empty for any other. */
export function hiddenName(reader: LiteralCursor): string {
  if (!/[[S]/.test(reader.byte())) return "";
  return hiddenKey.exec(reader.ahead(reader.at, headLength))?.[0] ?? "";
}

/** Reads a value that only Node prints; `undefined` for any other. */
export function nodeValue(reader: LiteralCursor, depth: number): boolean | undefined {
  const from = reader.at;
  // Most values are plain lists and texts, which need no closer look.
  if (!/^(?:\[[A-Za-z]|[\w$+/<-])/.test(reader.ahead(from, 2))) return undefined;
  const ahead = reader.ahead(from, headLength);
  for (const [pattern, toJson] of values) {
    const found = pattern.exec(ahead);
    if (!found) continue;
    reader.at += found[0].length;
    reader.write(toJson(found[0]), from, reader.at);
    return true;
  }
  const box = boxed.exec(ahead);
  if (box) return inBox(reader, depth, box[0].length);
  if (plainHead.test(ahead)) return undefined;
  const before = head.exec(ahead);
  if (!before?.[0]) return undefined;
  reader.dialect = "javascript";
  reader.at += before[0].length;
  return objectOf(reader, depth, from, before[0]);
}

function inBox(reader: LiteralCursor, depth: number, length: number): boolean {
  reader.at += length;
  if (!reader.value(depth + 1) || reader.isCut) return reader.isCut;
  reader.space();
  if (reader.at >= reader.end) return reader.cut();
  // Its own properties may follow.
  if (reader.byte() !== "]") return false;
  reader.at++;
  return true;
}

/** Whether braces behind the name of a class hold items, as those of a promise do. */
export function holdsItems(reader: LiteralCursor): boolean {
  return !isNamed.test(reader.ahead(reader.at, 2 * headLength));
}

/** The bytes of the name of a property behind the items: `[ 1, 2, index: 0 ]`; 0 for an item. */
export function propertyLength(reader: LiteralCursor): number {
  if (reader.dialect !== "javascript" || !/[\w$'[]/.test(reader.byte())) return 0;
  return propertyName.exec(reader.ahead(reader.at, headLength))?.[0].length ?? 0;
}

/** Reads the members, entries or items of an object; its class, from `from` on, is not told. */
export function objectOf(reader: LiteralCursor, depth: number, from: number, name: string): boolean {
  const item = (): boolean => reader.value(depth + 1);
  if (reader.byte() === "[") return reader.items("]", from, item);
  const ahead = reader.ahead(reader.at, 2 * headLength);
  if (isNamed.test(ahead)) return reader.members(depth, from, undefined);
  if (hasTextKeys.test(ahead)) {
    const isRead = reader.members(depth, from, undefined);
    reader.dialect = "javascript";
    return isRead;
  }
  if (ofMap.test(name)) return reader.items("}", from, () => pair(reader, depth));
  const state = /^\{\s*<rejected> /.exec(ahead);
  if (!state) return reader.items("}", from, item);
  reader.at += state[0].length - 1;
  return reader.items("}", from, item);
}

/** An entry of a map: `key => value`. */
function pair(reader: LiteralCursor, depth: number): boolean {
  reader.write("[", reader.at, reader.at);
  if (!reader.value(depth + 1) || reader.isCut) return reader.isCut;
  const arrow = /^\s*=>\s*/.exec(reader.ahead(reader.at, headLength));
  if (!arrow) return reader.at >= reader.end && reader.cut();
  reader.write(",", reader.at, reader.at + arrow[0].length);
  reader.at += arrow[0].length;
  if (!reader.value(depth + 1) || reader.isCut) return reader.isCut;
  reader.write("]", reader.at, reader.at);
  return true;
}
