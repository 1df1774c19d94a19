import type { Dice } from "../dice.ts";
import { linesOf, type Operator, onText, type Victim } from "./operator.ts";

/** What a log becomes where a person copies it out of a program, a service exports it, or a program prints it. */

type Form = (text: string, dice: Dice) => string | undefined;

const numbered =
  (before: (number: number) => string): Form =>
  (text, dice) => {
    const first = dice.pick([1, 1, 1, 40]);
    return linesOf(text)
      .map((line, at) => before(first + at) + line)
      .join("");
  };

const views: Readonly<Record<string, Form>> = {
  "cat -n": numbered((number) => `${String(number).padStart(6)}\t`),
  "grep -n": numbered((number) => `${number}:`),
  "less -N": numbered((number) => `${String(number).padStart(7)} `),
  bat: numbered((number) => `${String(number).padStart(4)}   │ `),
  "a tool of an agent": numbered((number) => `${String(number).padStart(6)}→`),
  "a browser": (text) =>
    text.replace(/^ +/gm, (blanks) => "\u00a0".repeat(blanks.length)).replace(/(?<!\\)":/g, '":\u00a0'),
  "a chat program": (text) => text.replace(/^( *)([^ ])/gm, "$1\u200b$2").replace(/(?<!\\)":/g, '":\u202f'),
  "the source of a page": (text) =>
    text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;"),
  "a template": (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&#34;").replaceAll("'", "&#39;"),
  "a word processor": (text) => text.replace(/"([^"\n]*)"/g, "“$1”"),
  "a Markdown editor": (text) => text.replace(/[_[{}\]]/g, "\\$&"),
  "a terminal": (text) => text.replace(/.{100}(?=.)/g, "$&\n"),
};

const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const tables: Readonly<Record<string, Form>> = {
  "CloudWatch's table": (text) =>
    `@timestamp,@message\n${linesOf(text)
      .map((line, at) => `2026-01-05 12:00:${String(at % 60).padStart(2, "0")}.000,${cell(line.trimEnd())}\n`)
      .join("")}`,
  "a table with the newest first": (text) =>
    `Date,Host,Message\n${linesOf(text)
      .map(
        (line, at) => `${new Date(1767614400000 + at * 1000).toISOString()},web-1,${cell(line.trimEnd())}\n`,
      )
      .toReversed()
      .join("")}`,
};

/** How a language prints maps, lists and texts. */
interface Print {
  readonly map: (members: readonly string[]) => string;
  readonly member: (key: string, value: string) => string;
  readonly list: (items: readonly string[]) => string;
  readonly text: (text: string) => string;
  readonly none: string;
}

const around =
  (open: string, close: string, between = ", ") =>
  (parts: readonly string[]): string =>
    open + parts.join(between) + close;
const bare = (text: string): string => text;

const prints: Readonly<Record<string, Print>> = {
  Java: {
    map: around("{", "}"),
    member: (key, value) => `${key}=${value}`,
    list: around("[", "]"),
    text: bare,
    none: "null",
  },
  Dart: {
    map: around("{", "}"),
    member: (key, value) => `${key}: ${value}`,
    list: around("[", "]"),
    text: bare,
    none: "null",
  },
  Go: {
    map: around("map[", "]", " "),
    member: (key, value) => `${key}:${value}`,
    list: around("[", "]", " "),
    text: bare,
    none: "<nil>",
  },
  Scala: {
    map: around("Map(", ")"),
    member: (key, value) => `${key} -> ${value}`,
    list: around("List(", ")"),
    text: bare,
    none: "null",
  },
  Swift: {
    map: (members) => (members.length === 0 ? "[:]" : around("[", "]")(members)),
    member: (key, value) => `${JSON.stringify(key)}: ${value}`,
    list: around("[", "]"),
    text: (text) => JSON.stringify(text),
    none: "nil",
  },
  Rust: {
    map: around("Object {", "}"),
    member: (key, value) => `${JSON.stringify(key)}: ${value}`,
    list: around("Array [", "]"),
    text: (text) => `String(${JSON.stringify(text)})`,
    none: "Null",
  },
  Clojure: {
    map: around("{", "}"),
    member: (key, value) => `:${key} ${value}`,
    list: around("[", "]", " "),
    text: (text) => JSON.stringify(text),
    none: "nil",
  },
};

function printedAs(print: Print, value: unknown): string {
  if (Array.isArray(value)) return print.list(value.map((item) => printedAs(print, item)));
  if (typeof value === "string") return print.text(value);
  if (value === null) return print.none;
  if (typeof value !== "object") return String(value);
  return print.map(Object.entries(value).map(([key, each]) => print.member(key, printedAs(print, each))));
}

/** The object that a line ends with, and the words before it. */
function objectIn(line: string): readonly [string, object] | undefined {
  const at = line.indexOf("{");
  try {
    return at < 0 ? undefined : [line.slice(0, at), JSON.parse(line.slice(at)) as object];
  } catch {
    return undefined;
  }
}

/** A log of bodies, one on a line, as a program of another language prints it. */
const printing =
  (print: Print): Form =>
  (text) => {
    const found = linesOf(text).map((line) => [line, objectIn(line)] as const);
    if (!found.some(([, object]) => object)) return undefined;
    return found
      .map(([line, object]) => {
        if (!object) return line;
        const isHalf = ([key]: readonly [string, unknown]): boolean => /^(?:request|response)/.test(key);
        const members = Object.entries(object[1]);
        const bodies = members.filter(([, value]) => typeof value === "object");
        // A body that is a text would be taken out.
        const areAll = members.filter(isHalf).length === bodies.length && bodies.every(isHalf);
        return bodies.length > 0 && areAll
          ? bodies.map(([key, body]) => `${key}: ${printedAs(print, body)}\n`).join("")
          : `${object[0]}${printedAs(print, object[1])}\n`;
      })
      .join("");
  };

const forms: Readonly<Record<string, Form>> = {
  ...views,
  ...tables,
  ...Object.fromEntries(Object.entries(prints).map(([name, print]) => [`${name}'s maps`, printing(print)])),
};

/** Breaks a text in one place, and takes nothing else away. */
const breaks: readonly ((text: string, dice: Dice) => string)[] = [
  (text, dice) => {
    const words = dice.pick(['"', "}", "{", ",", "nul ", "\n", "=", "“"]);
    const at = dice.below(text.length);
    // Within quotes, what is no quote and no line end makes another text or name, which is legal.
    return put(text, /["\n]/.test(words) ? at : behindQuotes(text, at), words);
  },
  (text, dice) => {
    const marks = [...text.matchAll(/[[\]{}":,=]/g)];
    if (marks.length === 0) return text;
    const { index } = dice.pick(marks);
    return text.slice(0, index) + text.slice(index + 1);
  },
  (text, dice) => {
    const lines = linesOf(text);
    return lines
      .toSpliced(dice.below(lines.length), 0, dice.pick(["...\n", "\n", "> \n", "7: x\n"]))
      .join("");
  },
];

/** Behind the text in quotes that a position of a line stands in. */
function behindQuotes(text: string, at: number): number {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  const quotes = line.match(/(?<!\\)"/g)?.length ?? 0;
  const end = quotes % 2 === 0 ? -1 : text.slice(at).search(/(?<!\\)["\n]/);
  return end < 0 ? at : at + end + 1;
}

const put = (text: string, at: number, words: string): string => text.slice(0, at) + words + text.slice(at);

const broken = Object.entries(forms).map(([name, form]) => [
  name,
  (text: string, { dice }: Victim): string | undefined => {
    const copy = form(text, dice);
    return copy && dice.pick(breaks)(copy, dice);
  },
]);

/** Another log may stand before or behind what somebody copied. */
const beside = Object.entries(forms).map(([name, form]) => [
  name,
  (text: string, { dice }: Victim): string | undefined => {
    const lines = linesOf(text);
    if (lines.length < 2) return undefined;
    const at = dice.between(1, lines.length - 1);
    const [one, other] = [lines.slice(0, at).join(""), lines.slice(at).join("")];
    const copy = form(one, dice);
    return copy && copy.replace(/\n?$/, "\n") + other;
  },
]);

const whole = Object.entries(forms).map(([name, form]) => [
  name,
  (text: string, { dice }: Victim): string | undefined => form(text, dice),
]);

export const copyOperators: readonly Operator[] = [
  ...onText("copies", Object.fromEntries(whole)),
  ...onText("copies/broken", Object.fromEntries(broken), { breaksOnly: true }),
  ...onText("copies/beside", Object.fromEntries(beside), { breaksOnly: true }),
];
