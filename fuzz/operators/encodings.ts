import type { Dice } from "../dice.ts";
import { jsonValue } from "../document.ts";
import { lineStart, linesOf, type Operator, onText, type Victim } from "./operator.ts";

/** What editors, terminals, collectors and copying do to a whole file, or to all of it from some line on. */

/** Changes one line of a log, as bytes. */
const onLine =
  (change: (line: Buffer, dice: Dice) => Buffer) =>
  ({ log, dice }: Victim): Buffer => {
    const feeds = [...log.entries()].flatMap(([at, byte]) => (byte === 10 ? [at + 1] : []));
    const starts = [0, ...feeds.filter((at) => at < log.length)];
    const index = dice.below(starts.length);
    const [from, to] = [starts[index] ?? 0, starts[index + 1] ?? log.length];
    return Buffer.concat([log.subarray(0, from), change(log.subarray(from, to), dice), log.subarray(to)]);
  };

const utf16 = (log: Buffer): Buffer => Buffer.from(log.toString("utf8"), "utf16le");
const windows = (log: Buffer): Buffer => Buffer.from(log.toString("utf8"), "latin1");
/** UTF-8 that was taken for Latin-1 and encoded again. */
const mojibake = (log: Buffer): Buffer => Buffer.from(log.toString("latin1"), "utf8");

const onBytes: Readonly<Record<string, Operator["apply"]>> = {
  "UTF-16 with its bytes swapped": ({ log }) =>
    Buffer.concat([Buffer.from([0xfe, 0xff]), utf16(log).swap16()]),
  "UTF-16 without a mark": ({ log }) => utf16(log),
  "UTF-16 from a line on": ({ log, dice }) => {
    const at = log.indexOf(10, dice.below(log.length)) + 1;
    return Buffer.concat([log.subarray(0, at), utf16(log.subarray(at))]);
  },
  "a line in UTF-16": onLine(utf16),
  "a line in Latin-1": onLine(windows),
  "a line encoded twice": onLine(mojibake),
  "all encoded twice": ({ log }) => mojibake(log),
  "NULs up to a whole block": ({ log }) => Buffer.concat([log, Buffer.alloc(4096 - (log.length % 4096))]),
  "NULs before the end": ({ log, dice }) => {
    const at = log.lastIndexOf(10, log.length - 2) + 1;
    return Buffer.concat([log.subarray(0, at), Buffer.alloc(dice.between(1, 600)), log.subarray(at)]);
  },
  "NULs between lines": ({ log, dice }) => {
    const at = log.indexOf(10, dice.below(log.length)) + 1;
    return Buffer.concat([log.subarray(0, at), Buffer.alloc(dice.between(1, 40)), log.subarray(at)]);
  },
  "a mark before each line": ({ log }) => Buffer.from(log.toString("utf8").replace(/^(?=.)/gm, "\ufeff")),
};

const wrapped = (text: string, width: number, put: string): string =>
  linesOf(text)
    .map((line) => line.replace(new RegExp(`.{${width}}(?=.)`, "gu"), `$&${put}`))
    .join("");

const texts = onText("encodings", {
  "wrapped lines": (text, { dice }) => wrapped(text, dice.pick([72, 80, 120, 200]), "\n"),
  "wrapped as a terminal does": (text) => wrapped(text, 80, "\\\n"),
  "soft line ends of mail": (text) => wrapped(text.replaceAll("=", "=3D"), 75, "=\n"),
  "HTML entities": (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;"),
  "percent signs": (text) => encodeURIComponent(text),
  "each line as a string": (text) =>
    linesOf(text)
      .map((line) => `${JSON.stringify(line.replace(/\n$/, ""))}\n`)
      .join(""),
  "a collector's record for each line": (text) =>
    linesOf(text)
      .map((line) => `${JSON.stringify({ log: line, stream: "stdout" })}\n`)
      .join(""),
  "a container's prefix": (text) => text.replace(lineStart, "2026-01-05T12:00:00.123456789Z stdout F "),
  "a prefix with a brace": (text) => text.replace(lineStart, "[INFO] {app} "),
  "a task's prefix": (text) => text.replace(lineStart, "agent-1  | "),
  "line numbers": (text) =>
    linesOf(text)
      .map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
      .join(""),
  "quoted lines": (text) => text.replace(lineStart, "> "),
  "a diff's added lines": (text) => text.replace(lineStart, "+"),
  "colours around lines": (text) => text.replace(/^(.+)$/gm, "\u001b[32m$1\u001b[0m"),
  "hard spaces": (text) => text.replace(/^ +/gm, (indent) => "\u00a0".repeat(indent.length)),
  "line separators": (text) => text.replaceAll("\n", "\u2028"),
  "CR LF from the middle on": (text) => {
    const half = text.indexOf("\n", text.length >> 1);
    return half < 0 ? undefined : text.slice(0, half) + text.slice(half).replaceAll("\n", "\r\n");
  },
  "an ellipsis in the middle": (text, { dice }) => {
    const [one, two] = [dice.below(text.length), dice.below(text.length)];
    return `${text.slice(0, Math.min(one, two))}${dice.pick(["…", "...", " [truncated] ", "<snip>"])}${text.slice(Math.max(one, two))}`;
  },
  "typographic quotes everywhere": (text) => text.replace(/"([^"\n]*)"/g, "“$1”"),
  "an apostrophe for each quote": (text) => text.replaceAll('"', "'"),
});

const typographic = onText(
  "encodings/broken",
  {
    "a typographic quote": (text, { dice }) => {
      const quotes = [...text.matchAll(/"/g)];
      if (quotes.length === 0) return undefined;
      const { index } = dice.pick(quotes);
      return text.slice(0, index) + dice.pick(["“", "”", "„", "″", "''", "`"]) + text.slice(index + 1);
    },
    "a hard space": (text, { dice }) => {
      const spaces = [...text.matchAll(/[:,](?= ?["[{])/g)];
      if (spaces.length === 0) return undefined;
      const { index } = dice.pick(spaces);
      return `${text.slice(0, index + 1)}\u00a0${text.slice(index + 1)}`;
    },
    "a cut within an escape": (text, { dice }) => {
      const escapes = [...text.matchAll(/\\+(?:["n\\]|u[\da-f]{4})/g)];
      if (escapes.length === 0) return undefined;
      const { index, 0: whole } = dice.pick(escapes);
      return text.slice(0, index + dice.between(1, whole.length - 1)) + text.slice(index + whole.length);
    },
    "a line within another one": (text, { dice }) => {
      const lines = linesOf(text);
      if (lines.length < 2) return undefined;
      const at = dice.below(lines.length - 1);
      const [one, two] = [lines[at] ?? "", lines[at + 1] ?? ""];
      const cut = dice.below(one.length);
      const mixed = one.slice(0, cut) + two.trimEnd() + one.slice(cut);
      // Words within a string leave legal JSON that says something else.
      return jsonValue(mixed) === undefined ? lines.toSpliced(at, 2, mixed).join("") : undefined;
    },
  },
  { breaksOnly: true },
);

export const encodingOperators: readonly Operator[] = [
  ...Object.entries(onBytes).map(([name, apply]) => ({ name: `encodings/${name}`, apply })),
  ...texts,
  ...typographic,
];
