import type { Dice } from "../dice.ts";
import { lineStart, type Operator, onText } from "./operator.ts";

/** What masks, build servers, terminals, spreadsheets and other tools do to a log that people pass on. */

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Replaces one of the places that a pattern finds. */
const atOne =
  (pattern: RegExp, change: (found: string, dice: Dice) => string) =>
  (text: string, { dice }: { readonly dice: Dice }): string | undefined => {
    const places = [...text.matchAll(pattern)];
    if (places.length === 0) return undefined;
    const { index, 0: found } = dice.pick(places);
    return text.slice(0, index) + change(found, dice) + text.slice(index + found.length);
  };

/** Changes each line, without its end. */
const onLines = (change: (line: string, index: number) => string) => (text: string) =>
  linesOf(text)
    .map((line, index) => change(line.replace(/\n$/, ""), index) + (line.endsWith("\n") ? "\n" : ""))
    .join("");

const wrapped = (text: string, width: number): string[] =>
  text.match(new RegExp(`[^]{1,${width}}`, "g")) ?? [];

/** A long text in base64, as bodies are kept in some recordings. */
const base64 = /(?<![\w+/])[\w+/]{100,}={0,2}/g;

/** The log holds what it held. */
const kept = onText(
  "delivery/broken",
  {
    "base64 over several lines": atOne(base64, (found) => wrapped(found, 76).join("\n")),
    "base64 with escaped line ends": atOne(base64, (found) => wrapped(found, 76).join("\\n")),
    "wrapped lines filled up with spaces": onLines((line) =>
      line.length <= 80
        ? line
        : wrapped(line, 80)
            .map((part) => part.padEnd(80))
            .join("\n"),
    ),
    "what script records": (text) =>
      `Script started on 2026-01-05 12:00:00+00:00 [TERM="xterm"]\r\n${text.replaceAll("\n", "\r\n")}Script done on 2026-01-05 12:01:00+00:00\r\n`,
    "grep with context": onLines((line, index) =>
      index % 3 === 0 ? `${index}:${line}` : `${index}-${line}`,
    ),
    "a build server's prefix": (text) =>
      text.replace(lineStart, "2026-01-05T12:00:00.1234567Z ").replace(/^/, "##[group]Run the agent\n"),
    "a pod's prefix": (text) => text.replace(lineStart, "[pod/agent-7d9f/app] "),
    "a thread between lines": (text, { dice }) => {
      const lines = linesOf(text);
      return lines
        .toSpliced(dice.below(lines.length), 0, "[tokio-worker-3] 42 callbacks suppressed\n")
        .join("");
    },
    "an indent of tabs": (text) => text.replaceAll(/^( {2})+/gm, (indent) => "\t".repeat(indent.length / 2)),
    "angle brackets as escapes": (text) => text.replaceAll("<", "\\u003c").replaceAll(">", "\\u003e"),
  },
  { breaksOnly: true },
);

const char = (code: number): string => String.fromCharCode(code);

/** A byte beyond ASCII, with marks for its first bits. */
const shownByCat = (byte: number): string => (byte < 160 ? `M-^${char(byte - 64)}` : `M-${char(byte - 128)}`);

const mask = (dice: Dice): string => dice.pick(["***", "[REDACTED]", "<redacted>", "xxxxx", "█████"]);

/** Something is gone, or reads in another way. */
const changed = onText("delivery", {
  "a mask for a value": atOne(/(?<=:\s?)"(?:[^"\\\n]|\\.)*"/g, (_, dice) => mask(dice)),
  "a mask within a text": atOne(
    /(?<=:\s?")(?:[^"\\\n]|\\.)+(?=")/g,
    (text, dice) => mask(dice) + text.slice(-2),
  ),
  "a mask that takes the quote": atOne(/(?<=:\s?")(?:[^"\\\n]|\\.)*"/g, (_, dice) => mask(dice)),
  "a mask for an object": atOne(/\{[^{}\n]*\}/g, (_, dice) => mask(dice)),
  "a mask for each long word": (text) => text.replaceAll(/\b[\w-]{20,}\b/g, "****"),
  "the first column is cut": onLines((line) => line.slice(1)),
  "the last column is cut": onLines((line) => line.slice(0, -1)),
  "a line that journalctl does not show": (text, { dice }) => {
    const lines = linesOf(text);
    const at = dice.below(lines.length);
    const size = ((lines[at]?.length ?? 0) / 1000).toFixed(1);
    return lines.with(at, `Jan 05 12:00:00 host app[41]: [${size}K blob data]\n`).join("");
  },
  "as cat -v shows it": (text) =>
    text
      .replaceAll(/\p{Cc}/gu, (unit) => (/[\t\n]/.test(unit) ? unit : `^${char(unit.charCodeAt(0) ^ 64)}`))
      .replaceAll(/\P{ASCII}+/gu, (own) => Array.from(Buffer.from(own), shownByCat).join("")),
  "question marks for other alphabets": (text) => text.replaceAll(/\P{ASCII}/gu, "?"),
  "tabs as spaces": (text) => text.replaceAll("\t", "    "),
  "two columns change places": atOne(/^([^",\t\n]*)([,\t])("(?:[^"]|"")*")/gm, (row) =>
    row.replace(/^([^",\t\n]*)([,\t])("[\s\S]*")$/, "$3$2$1"),
  ),
  "a column too many": atOne(/^[^",\t\n]*[,\t](?=")/gm, (start) => start + start),
  "a line in percent signs": (text, { dice }) => {
    const lines = linesOf(text);
    const at = dice.below(lines.length);
    return lines.with(at, `payload=${encodeURIComponent((lines[at] ?? "").trimEnd())}\n`).join("");
  },
  "texts cut with a mark": (text, { dice }) => {
    const longest = dice.pick([20, 60, 200]);
    const mark = dice.pick([
      " …[truncated]",
      "...<truncated 123 chars>",
      "...[truncated 123 chars]",
      "…(+123)",
    ]);
    return text.replaceAll(/"((?:[^"\\\n]|\\.)*)"/g, (quoted, inner: string) =>
      inner.length <= longest || inner.includes("\\") ? quoted : `"${inner.slice(0, longest)}${mark}"`,
    );
  },
});

export const sharingOperators: readonly Operator[] = [...kept, ...changed];
