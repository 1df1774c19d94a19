import type { Dice } from "../dice.ts";
import { linesOf, type Operator, onText, type Victim } from "./operator.ts";

/** What file systems, shared handles, shells and second writers do to a log while it is written. */

const blockSizes = [64, 512, 4096];

/** Changes two neighbouring blocks, as disks and buffers cut a file. */
const onBlocks =
  (change: (one: Buffer, other: Buffer) => readonly Buffer[]) =>
  ({ log, dice }: Victim): Buffer | undefined => {
    const sizes = blockSizes.filter((size) => size * 2 <= log.length);
    if (sizes.length === 0) return undefined;
    const size = dice.pick(sizes);
    const at = size * dice.below(Math.floor(log.length / size) - 1);
    const [one, other] = [log.subarray(at, at + size), log.subarray(at + size, at + 2 * size)];
    return Buffer.concat([log.subarray(0, at), ...change(one, other), log.subarray(at + 2 * size)]);
  };

/** Puts something in place of one line. */
const onLine =
  (change: (line: string, dice: Dice) => string) =>
  (text: string, { dice }: Victim): string => {
    const lines = linesOf(text);
    const at = dice.below(lines.length);
    return lines.with(at, change((lines[at] ?? "").replace(/\n$/, ""), dice)).join("");
  };

const time = "2026-01-05T12:00:00.123456789Z";

/** One line as collectors keep it. */
const collected: readonly ((line: string) => string)[] = [
  (line) => JSON.stringify({ log: `${line}\n`, stream: "stdout", time }),
  (line) => JSON.stringify({ MESSAGE: line, PRIORITY: "6", _PID: "41" }),
  (line) => JSON.stringify({ level: 30, time: 1767614400123, msg: line }),
  (line) => `${time} stdout F ${line}`,
  (line) => `time="${time}" level=info msg=${JSON.stringify(line)}`,
];

/** The log holds what it held, in another place or beside something else. */
const kept: Readonly<Record<string, Operator["apply"]>> = {
  "a block twice": onBlocks((one, other) => [one, one, other]),
  "two blocks change places": onBlocks((one, other) => [other, one]),
  "the end of an older file": ({ log, dice, others }) => {
    const longer = others.filter(({ bytes }) => bytes.length > log.length);
    return longer.length === 0
      ? undefined
      : Buffer.concat([log, dice.pick(longer).bytes.subarray(log.length)]);
  },
  "a ring that went round": ({ log, dice }) => {
    const at = dice.below(log.length);
    return Buffer.concat([log.subarray(at), log.subarray(0, at)]);
  },
};

const gone: Readonly<Record<string, Operator["apply"]>> = {
  "a block is lost": onBlocks((one) => [one]),
  "a block of another log": (victim) => {
    const other = victim.dice.pick(victim.others).bytes;
    return onBlocks((one, { length }) => [one, other.subarray(0, length)])(victim);
  },
  "the end is cut, with a line end behind": ({ log, dice }) =>
    Buffer.concat([log.subarray(0, log.length - dice.between(1, 80)), Buffer.from("\n")]),
  "the beginning is cut, with a line end before": ({ log, dice }) =>
    Buffer.concat([Buffer.from("\n"), log.subarray(dice.between(1, 80))]),
};

const bytes = (changes: Readonly<Record<string, Operator["apply"]>>, more: Pick<Operator, "breaksOnly">) =>
  Object.entries(changes).map(([name, apply]) => ({ name: `writes/${name}`, apply, ...more }));

export const writeOperators: readonly Operator[] = [
  ...bytes(kept, { breaksOnly: true }),
  ...bytes(gone, {}),
  ...onText(
    "writes",
    {
      "each line twice": (text) =>
        linesOf(text)
          .map((line) => (line.endsWith("\n") ? line + line : `${line}\n${line}`))
          .join(""),
      "a line of another log": (text, { dice, others }) => {
        const other = linesOf(dice.pick(others).bytes.toString("utf8"));
        const lines = linesOf(text);
        const line = (other.length > 0 ? dice.pick(other) : "").trimEnd();
        return lines.toSpliced(dice.between(1, lines.length), 0, `${line}\n`).join("");
      },
      "a collector's record of one line": onLine((line, dice) => `${dice.pick(collected)(line)}\n`),
      "a line in two records": onLine((line, dice) => {
        const keep = dice.pick(collected);
        const at = dice.below(line.length);
        return `${keep(line.slice(0, at))}\n${keep(line.slice(at))}\n`;
      }),
      "lists of lines": (text, { dice }) => {
        const lines = linesOf(text.trimEnd()).map((line) => line.trimEnd());
        const size = dice.between(2, 4);
        const lists = Array.from({ length: Math.ceil(lines.length / size) }, (_, index) =>
          lines.slice(index * size, (index + 1) * size),
        );
        return lists.map((list) => `[${list.join(",")}]\n`).join("");
      },
    },
    { breaksOnly: true },
  ),
  ...onText("writes", {
    "all lines cut at a length": (text, { dice }) => {
      const longest = dice.pick([120, 255, 1024, 2048]);
      return linesOf(text)
        .map((line) => (line.length <= longest ? line : `${line.slice(0, longest)}\n`))
        .join("");
    },
    "backslashes taken by a shell": (text) => text.replace(/\\(.)/g, "$1"),
    "backslashes doubled": (text) => text.replaceAll("\\", "\\\\"),
    "backslashes doubled in one line": onLine((line) => `${line.replaceAll("\\", "\\\\")}\n`),
    "slashes with a backslash": (text) => text.replaceAll("/", "\\/"),
    "line ends as escapes": (text) => text.replaceAll("\n", "\\n"),
    "quotes doubled": (text) => text.replaceAll('"', '""'),
    "single quotes for a shell": (text) =>
      linesOf(text)
        .map((line) => `'${line.replace(/\n$/, "").replaceAll("'", "'\\''")}'\n`)
        .join(""),
  }),
];
