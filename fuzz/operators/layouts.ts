import type { Dice } from "../dice.ts";
import { isObject, nodesOf, printed, printedAnew, slicesOf } from "../document.ts";
import { lineStart, linesOf, type Operator, onText } from "./operator.ts";

/** How loggers, formatters and configuration files lay JSON out, and what serializers make of plain values. */

const prefixes = ["[agent] ", "12:00:00.123 DEBUG app - ", "agent-1  | ", "I0105 12:00:00 1 main.go:7] "];

const laidOut = (text: string): string | undefined =>
  printedAnew(text, (value) => JSON.stringify(value, null, 2));

/** JSON5: names without quotes, commas behind the last members. */
function json5(value: unknown, margin = ""): string {
  const inner = `${margin}  `;
  if (Array.isArray(value))
    return value.length === 0
      ? "[]"
      : `[\n${value.map((each) => `${inner}${json5(each, inner)},\n`).join("")}${margin}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, each]) => {
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
    return `${inner}${name}: ${json5(each, inner)},\n`;
  });
  return members.length === 0 ? "{}" : `{\n${members.join("")}${margin}}`;
}

const comments: readonly ((line: string) => string)[] = [
  (line) => line.replace(/\n$/, " // as sent\n"),
  (line) => `// the next one is new\n${line}`,
  (line) => line.replace(/(?<=,)\n$/, " /* kept */\n"),
];

/** Parts of two logs by turns, as two processes flush their buffers into one file. */
function byTurns(one: Buffer, other: Buffer, size: number): Buffer {
  const out: Buffer[] = [];
  for (let at = 0; at < Math.max(one.length, other.length); at += size)
    out.push(one.subarray(at, at + size), other.subarray(at, at + size));
  return Buffer.concat(out);
}

const broken = onText(
  "layouts/broken",
  {
    "long lines go on behind a prefix": (text, { dice }) => {
      const [prefix, width] = [dice.pick(prefixes), dice.pick([120, 500, 1000])];
      const parts = (line: string): readonly string[] =>
        line.match(new RegExp(`[^\\n]{1,${width}}\\n?|\\n`, "gu")) ?? [];
      return linesOf(text)
        .flatMap(parts)
        .map((part) => prefix + (part.endsWith("\n") ? part : `${part}\n`))
        .join("");
    },
    "values laid out behind a prefix": (text, { dice }) =>
      laidOut(text)?.replace(lineStart, dice.pick(prefixes)),
    "values laid out, a prefix before the first line": (text, { dice }) => {
      const prefix = dice.pick(prefixes);
      return laidOut(text)?.replace(/^(?=[^\s\]}])/gm, prefix);
    },
    "JSON5 for JSON": (text) => printedAnew(text, json5),
    "comments between members": (text, { dice }) => {
      const lines = linesOf(laidOut(text) ?? "");
      if (lines.length < 3) return undefined;
      const at = dice.below(lines.length);
      return lines.with(at, dice.pick(comments)(lines[at] ?? "")).join("");
    },
  },
  { breaksOnly: true },
);

/** What Node's console prints of values below a depth. */
function stubbed(value: unknown, depth: number): string {
  if (typeof value === "string") return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return depth < 0 ? "[Array]" : `[ ${value.map((each) => stubbed(each, depth - 1)).join(", ")} ]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value);
  if (members.length === 0) return "{}";
  if (depth < 0) return "[Object]";
  const name = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : `'${key}'`);
  return `{ ${members.map(([key, each]) => `${name(key)}: ${stubbed(each, depth - 1)}`).join(", ")} }`;
}

const texts = onText("layouts", {
  "deep values as Node's stubs": (text, { dice }) => {
    const depth = dice.between(2, 6);
    return printedAnew(text, (value) => stubbed(value, depth));
  },
  "one value as Node's stubs": (text, { dice }) => {
    const chosen = dice.below(slicesOf(text).length);
    let index = 0;
    return printedAnew(text, (value) =>
      index++ === chosen ? stubbed(value, dice.between(2, 6)) : JSON.stringify(value),
    );
  },
  "lines that a limiter held back": (text, { dice }) => {
    const lines = linesOf(text);
    const count = dice.between(1, 4);
    return lines
      .toSpliced(dice.below(lines.length), count, `Suppressed ${count} messages from app.service\n`)
      .join("");
  },
});

/** Changes all values of a log's objects in place. */
const onValues =
  (change: (value: unknown, dice: Dice) => unknown) =>
  (text: string, { dice }: { readonly dice: Dice }): string => {
    const slices = slicesOf(text);
    for (const { root } of slices)
      for (const { value: holder } of nodesOf(root.value))
        if (isObject(holder))
          for (const [key, value] of Object.entries(holder)) holder[key] = change(value, dice);
    return printed(text, slices);
  };

const values = onText("protocol", {
  "null for each empty text": onValues((value) => (value === "" ? null : value)),
  "an empty text for each null": onValues((value) => (value === null ? "" : value)),
  "lists of one as their element": onValues((value) =>
    Array.isArray(value) && value.length === 1 && typeof value[0] === "string" ? value[0] : value,
  ),
  "ids that begin again in each turn": (text) => {
    const slices = slicesOf(text);
    for (const { root } of slices)
      for (const { value } of nodesOf(root.value))
        if (Array.isArray(value) && value.some((each) => isObject(each) && "role" in each))
          for (const message of value) numberIds(message);
    return printed(text, slices);
  },
});

const idKey = /^(?:id|(?:tool_)?call_id|tool_use_id)$/;

/** Gives the ids in a message the names of its calls and results in order, as a counter does that starts again. */
function numberIds(message: unknown): void {
  const known = new Map<string, string>();
  for (const { value } of nodesOf(message))
    if (isObject(value))
      for (const [key, id] of Object.entries(value))
        if (idKey.test(key) && typeof id === "string") {
          const own = known.get(id) ?? `call_${known.size}`;
          known.set(id, own);
          value[key] = own;
        }
}

export const layoutOperators: readonly Operator[] = [
  ...broken,
  ...texts,
  ...values,
  {
    name: "layouts/broken/two writers by turns",
    breaksOnly: true,
    apply: ({ log, dice, others }) => byTurns(log, dice.pick(others).bytes, dice.pick([64, 512, 4096])),
  },
];
