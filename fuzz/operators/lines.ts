import type { Dice } from "../dice.ts";
import { lineStart, linesOf, type Operator, onText } from "./operator.ts";

/** Changes the lines of a text that has some. */
const onLines =
  (change: (lines: string[], dice: Dice) => readonly string[]) =>
  (text: string, { dice }: { readonly dice: Dice }): string | undefined => {
    const lines = linesOf(text);
    return lines.length < 2 ? undefined : change(lines, dice).join("");
  };

export const lineOperators: readonly Operator[] = onText("lines", {
  drop: onLines((lines, dice) => lines.toSpliced(dice.below(lines.length), dice.between(1, 3))),
  duplicate: onLines((lines, dice) => {
    const at = dice.below(lines.length);
    return lines.toSpliced(at, 0, lines[at] as string);
  }),
  "duplicate a block": onLines((lines, dice) => {
    const from = dice.below(lines.length);
    const block = lines.slice(from, from + dice.between(2, 12));
    return lines.toSpliced(dice.once(2) ? from : dice.below(lines.length), 0, ...block);
  }),
  "move a block": onLines((lines, dice) => {
    const from = dice.below(lines.length);
    const size = dice.between(2, 12);
    const rest = lines.toSpliced(from, size);
    return rest.toSpliced(dice.below(rest.length + 1), 0, ...lines.slice(from, from + size));
  }),
  "two halves take turns": onLines((lines) => {
    const half = lines.length >> 1;
    return lines.slice(half).flatMap((line, index) => [line, ...(index < half ? [lines[index] ?? ""] : [])]);
  }),
  swap: onLines((lines, dice) => {
    const [a, b] = [dice.below(lines.length), dice.below(lines.length)];
    return lines.with(a, lines[b] as string).with(b, lines[a] as string);
  }),
  shuffle: onLines((lines, dice) => dice.shuffled(lines)),
  reverse: onLines((lines) => lines.toReversed()),
  join: onLines((lines, dice) => {
    const at = dice.below(lines.length - 1);
    return lines.with(at, (lines[at] as string).replace(/\r?\n$/, ""));
  }),
  "join all": (text) => text.replaceAll("\n", " "),
  split: (text, { dice }) => {
    const at = dice.below(text.length);
    return `${text.slice(0, at)}\n${text.slice(at)}`;
  },
  "mixed line ends": (text, { dice }) => text.replace(/\n/g, () => dice.pick(["\n", "\r\n", "\r"])),
  "CR LF": (text) => text.replaceAll("\n", "\r\n"),
  "blank lines": onLines((lines, dice) =>
    lines.toSpliced(dice.below(lines.length), 0, "\n", " \n", "\t\r\n"),
  ),
  "trailing space": onLines((lines, dice) => {
    const at = dice.below(lines.length);
    return lines.with(at, (lines[at] as string).replace(/\n$/, " \t \n"));
  }),
  indent: onLines((lines, dice) => {
    const [at, by] = [dice.below(lines.length), dice.pick([" ", "  ", "    ", "\t"])];
    const until = dice.once(2) ? at + 1 : lines.length;
    return lines.map((line, index) => (index >= at && index < until ? by + line : line));
  }),
  outdent: onLines((lines, dice) => {
    const at = dice.below(lines.length);
    return lines.map((line, index) => (index >= at && index < at + 3 ? line.replace(/^ {1,2}/, "") : line));
  }),
  prefix: (text) => text.replace(lineStart, "2026-01-05 12:00:00,123 - root - INFO - "),
  "interleave another log": (text, { dice, others }) => {
    const [one, two] = [linesOf(text), linesOf(dice.pick(others).bytes.toString("utf8"))];
    const out: string[] = [];
    while (one.length + two.length > 0)
      out.push((one.length > 0 && (two.length === 0 || dice.once(2)) ? one : two).shift() as string);
    return out.map((line) => (line.endsWith("\n") ? line : `${line}\n`)).join("");
  },
  "a fence around": (text) => `# Log\n\n\`\`\`json\n${text}\n\`\`\`\n`,
  "noise between": onLines((lines, dice) =>
    lines.toSpliced(
      dice.below(lines.length),
      0,
      dice.pick([
        "Traceback (most recent call last):\n",
        "{\n",
        "}\n",
        "---\n",
        "data:\n",
        "null\n",
        '# note: {"a":\n',
      ]),
    ),
  ),
});
