import { gunzipSync } from "node:zlib";
import type { Outcome } from "../toollint.ts";
import type { Failure } from "./oracle.ts";

/** What a terminal would obey, or what hides something. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const acting = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

/** What JavaScript prints where a value was forgotten. */
const forgotten = [/\[object Object\]/, /\bundefined\b(?!-tool)/, /\bNaN\b/];

/** Seconds of CPU that a command may take for a log of less than a megabyte. */
const budget = 5;

/** The text of a log, unpacked if it is. */
export function textOfLog(bytes: Buffer): string {
  if (isGzip(bytes))
    try {
      return textOfLog(gunzipSync(bytes));
    } catch {
      return bytes.toString("utf8");
    }
  const [first, second] = bytes;
  if (first === 0xfe && second === 0xff)
    return Buffer.from(bytes.subarray(0, bytes.length & ~1))
      .swap16()
      .toString("utf16le");
  return bytes.toString(first === 0xff && second === 0xfe ? "utf16le" : "utf8");
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** What no command may do, whatever the log holds. */
export function* misbehaviour({ args, exit, stdout, stderr, cpu }: Outcome, log: string): Generator<Failure> {
  const command = args.filter((word) => word.startsWith("-") || /^[a-z]+$/.test(word)).join(" ");
  const mistake = /internal error: (.*)/.exec(stderr);
  if (mistake) yield { kind: `${args[0]}: internal error: ${steady(mistake[1] ?? "")}`, detail: stderr };
  if (![0, 1, 2].includes(exit)) yield { kind: `${args[0]}: exit ${exit}`, detail: stderr };
  if (exit === 2 && stderr === "") yield { kind: `${args[0]}: exit 2 without a word`, detail: command };
  if (cpu > budget)
    yield {
      kind: `${args[0]}: takes more than ${budget} s`,
      detail: `${command}: ${cpu.toFixed(1)} s of CPU time`,
    };
  const wrong = acting.exec(stdout) ?? acting.exec(stderr);
  if (wrong)
    yield {
      kind: `${command}: raw U+${wrong[0].charCodeAt(0).toString(16).padStart(4, "0")}`,
      detail: JSON.stringify(wrong.input.slice(Math.max(0, wrong.index - 80), wrong.index + 40)),
    };
  for (const word of forgotten) {
    const found = word.exec(stdout) ?? word.exec(stderr);
    // The log itself may say so, also behind an escape or in Markdown, and what it says is quoted.
    if (
      !found ||
      word.test(
        log
          .replaceAll(/\\[bfnrt]/g, " ")
          .replaceAll(/\\([[\]])/g, "$1")
          .replaceAll(/%[\da-f]{2}/gi, " "),
      )
    )
      continue;
    const { index, input } = found;
    yield {
      kind: `${command}: prints ${found[0]}`,
      detail: input.slice(Math.max(0, index - 120), index + 60),
    };
  }
}

/** A message without what differs from log to log. */
const steady = (text: string): string =>
  text
    .replace(/\d+/g, "N")
    .replace(/['"`].*?['"`]/g, "…")
    .slice(0, 100);
