import type { Dice } from "../dice.ts";
import { lineStart, linesOf, type Operator, onText } from "./operator.ts";

/** What rotation, shippers, other writers, terminals and chat programs do to a log on its way to us. */

/** Changes the lines from one of them on. */
const fromLineOn =
  (change: (line: string) => string) =>
  (text: string, { dice }: { readonly dice: Dice }): string => {
    const lines = linesOf(text);
    const from = dice.below(lines.length);
    return lines.map((line, index) => (index < from ? line : change(line.replace(/\n$/, "")))).join("");
  };

/** A place within a line, not at its ends. */
function withinLine(text: string, dice: Dice): number | undefined {
  const places = [...text.matchAll(/[^\n]{8,}/g)];
  if (places.length === 0) return undefined;
  const { index, 0: line } = dice.pick(places);
  return index + dice.between(1, line.length - 2);
}

const put = (text: string, at: number, what: string): string => text.slice(0, at) + what + text.slice(at);

/** Puts something at a place within a line. */
const putsWithin =
  (what: (dice: Dice) => string) =>
  (text: string, { dice }: { readonly dice: Dice }): string | undefined => {
    const at = withinLine(text, dice);
    return at === undefined ? undefined : put(text, at, what(dice));
  };

/** Puts something between two tokens of JSON. */
const putsBetweenTokens =
  (what: readonly string[]) =>
  (text: string, { dice }: { readonly dice: Dice }): string | undefined => {
    const places = [...text.matchAll(/[:,](?= ?["[{])/g)];
    return places.length === 0 ? undefined : put(text, dice.pick(places).index + 1, dice.pick(what));
  };

/** Two lines by turns, as writers leave them that share a file without a lock. */
function takingTurns(text: string, dice: Dice): string | undefined {
  const lines = linesOf(text);
  if (lines.length < 2) return undefined;
  const at = dice.below(lines.length - 1);
  const size = dice.pick([16, 64, 512]);
  const [a = [], b = []] = lines
    .slice(at, at + 2)
    .map((line) => line.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []);
  const mixed = Array.from({ length: Math.max(a.length, b.length) }, (_, place) => [
    a[place] ?? "",
    b[place] ?? "",
  ]).flat();
  return lines.toSpliced(at, 2, ...mixed).join("");
}

const broken = onText(
  "delivery/broken",
  {
    "rotated within a record": putsWithin((dice) =>
      dice.pick(["\n==> run.log.1 <==\n", "\n==> run.log <==\n", "\n--- log rotated ---\n"]),
    ),
    "a line of another process within a line": putsWithin((dice) =>
      dice.pick([
        "[WARN] disk is slow\n",
        "Traceback (most recent call last):\n",
        '{"level":"info","msg":"tick"}\n',
        "2026-01-05 12:00:00 INFO tick\n",
      ]),
    ),
    "half a line, and the whole one again": (text, { dice }) => {
      const at = withinLine(text, dice);
      if (at === undefined) return undefined;
      const start = text.lastIndexOf("\n", at - 1) + 1;
      return `${text.slice(0, at)}\n${text.slice(start)}`;
    },
    "two lines by turns": (text, { dice }) => takingTurns(text, dice),
    "a mark of the byte order between tokens": putsBetweenTokens(["\ufeff"]),
    "a space without width between tokens": putsBetweenTokens(["\u200b", "\u2060", "\u00ad"]),
    "a pager's prompt within a line": putsWithin((dice) => dice.pick(["\n--More--\n", "\n:\n", "\r(END)\n"])),
    "a bell or a backspace within a line": putsWithin((dice) => dice.pick(["\u0007", "\b", "\f", "\u000b"])),
    "a progress bar within a line": putsWithin(() => "\r 42%|####      | 42/100\r"),
  },
  { breaksOnly: true },
);

const escapes = { colour: "\u001b[1;31m", end: "\u001b[0m", link: "\u001b]8;;", stop: "\u0007" };

const texts = onText("delivery", {
  "a syslog prefix from a line on": fromLineOn((line) => `Jan  5 12:00:00 host app[123]: ${line}\n`),
  "a prefix of RFC 5424 from a line on": fromLineOn(
    (line) => `<14>1 2026-01-05T12:00:00Z host app 123 - - ${line}\n`,
  ),
  "a collector's record from a line on": fromLineOn(
    (line) => `${JSON.stringify({ ts: 1767614400, level: "info", message: line })}\n`,
  ),
  "logfmt from a line on": fromLineOn((line) => `time=12:00:00 level=info msg=${JSON.stringify(line)}\n`),
  "a cell of CSV for each line": (text) =>
    `time,message\n${linesOf(text)
      .map((line) => `12:00,"${line.replace(/\n$/, "").replaceAll('"', '""')}"\n`)
      .join("")}`,
  "Python's bytes for each line": (text) =>
    linesOf(text)
      .map((line) => {
        const own = line.replace(/\n$/, "").replaceAll("\\", "\\\\").replaceAll("'", "\\'");
        return `INFO:root:b'${own.replace(/[^\x20-\x7e]/gu, (each) => [...Buffer.from(each)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join(""))}'\n`;
      })
      .join(""),
  "a block of YAML": (text) => `kind: log\ndata: |\n${text.replace(lineStart, "    ")}\n`,
  "tabs expanded": (text) => text.replaceAll("\t", "        "),
  "tabs for an indent": (text) =>
    text.replace(/^ +/gm, (indent) => "\t".repeat(Math.ceil(indent.length / 4))),
  "wrapped with a hanging indent": (text, { dice }) => {
    const width = dice.pick([80, 100, 120]);
    return text.replace(new RegExp(`(.{${width}})(?=.)`, "gu"), "$1\n           ");
  },
  "colours within lines": (text, { dice }) =>
    text.replace(/"(?:[^"\\\n]|\\.)*"/g, (quoted) =>
      dice.once(2) ? `${escapes.colour}${quoted}${escapes.end}` : quoted,
    ),
  "erased ends of lines": (text) => text.replace(/.{80}(?=.)/gu, "$&\u001b[K"),
  "links of a terminal": (text) =>
    text.replace(
      /https?:\/\/[\w.:/-]+/g,
      (url) => `${escapes.link}${url}${escapes.stop}${url}${escapes.link}${escapes.stop}`,
    ),
  "links of Markdown": (text) => text.replace(/https?:\/\/[\w.:/-]+/g, "[$&]($&)"),
  "addresses in angle brackets": (text) => text.replace(/https?:\/\/[\w.:/-]+/g, "<$&>"),
  "a mark of the byte order before a line": (text, { dice }) => {
    const lines = linesOf(text);
    const at = dice.below(lines.length);
    return lines.with(at, `\ufeff${lines[at]}`).join("");
  },
  "numbered entities for quotes": (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&#34;"),
  "entities twice": (text) => text.replaceAll('"', "&amp;quot;"),
  "breaks of HTML": (text) => text.replaceAll("\n", "<br>\n"),
  "quotes as code points": (text) => text.replaceAll('\\"', "\\u0022").replaceAll("<", "\\u003c"),
  "all but ASCII as code points": (text) =>
    text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  "JSON in JSON twice": (text) =>
    linesOf(text)
      .map((line) => `${JSON.stringify({ m: JSON.stringify({ m: line.replace(/\n$/, "") }) })}\n`)
      .join(""),
  "strings cut with a count": (text, { dice }) => {
    const longest = dice.pick([40, 120, 400]);
    return text.replace(/"((?:[^"\\\n]|\\.)*)"/g, (quoted, inner: string) =>
      inner.length <= longest || inner.includes("\\")
        ? quoted
        : `"${inner.slice(0, longest)}... [${inner.length - longest} more chars]"`,
    );
  },
  "lines cut with a count": (text, { dice }) => {
    const longest = dice.pick([200, 500, 1000]);
    return linesOf(text)
      .map((line) =>
        line.length <= longest
          ? line
          : `${line.slice(0, longest)}... (${line.length - longest} more characters)\n`,
      )
      .join("");
  },
  "a reply's beginning is cut": (text, { dice }) => {
    const replies = [...text.matchAll(/\{[^{}\n]{0,40}?\\?"id\\?"/g)];
    if (replies.length === 0) return undefined;
    const { index } = dice.pick(replies);
    return text.slice(0, index) + text.slice(index + dice.between(8, 160));
  },
  "dashes and dots of a word processor": (text) => text.replaceAll("--", "—").replaceAll("...", "…"),
  "a heading before each line": (text) => text.replace(lineStart, "[12:00:00] [app/worker-1] "),
  "repeated lines counted": (text, { dice }) => {
    const lines = linesOf(text);
    return lines.toSpliced(dice.below(lines.length) + 1, 0, "last message repeated 3 times\n").join("");
  },
});

export const deliveryOperators: readonly Operator[] = [...broken, ...texts];
