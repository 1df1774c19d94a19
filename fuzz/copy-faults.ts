import type { Fault, Roll } from "./faults.ts";

/**
 * What copying, version control, terminals and two writers at once do to a file: nothing of it is damaged by
 * intent, and most of it stays. Texts are bytes as latin1.
 */

type Change = (text: string, roll: Roll) => string | undefined;

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
const ended = (line: string): string => (line.endsWith("\n") ? line : `${line}\n`);
const halves = (text: string, at: number): [string, string] => [text.slice(0, at), text.slice(at)];

/** Changes one line, or one and the next. */
function atLine(change: (line: string, next: string, roll: Roll) => string | undefined): Change {
  return (text, roll) => {
    const lines = linesOf(text);
    for (let tries = 0; tries < 8; tries++) {
      const index = roll(lines.length);
      const put = change(lines[index] ?? "", lines[index + 1] ?? "", roll);
      if (put !== undefined) return lines.toSpliced(index, 2, put).join("");
    }
    return undefined;
  };
}

/** Changes a place that fits, of all that do. */
function atPlace(pattern: RegExp, change: (found: string, roll: Roll) => string): Change {
  return (text, roll) => {
    const places = [...text.matchAll(pattern)];
    const place = places[roll(Math.max(1, places.length))];
    if (!place) return undefined;
    const [before, rest] = halves(text, place.index);
    return before + change(place[0], roll) + rest.slice(place[0].length);
  };
}

const elisions = ["...", "\xe2\x80\xa6", "<snip>", "[truncated]", " ... 1,204 more characters", "(...)"];
const mark = "\xef\xbb\xbf";

export const copyFaults: readonly Fault[] = Object.entries<Change>({
  "a character loses its last byte": atPlace(/[\xc2-\xf4][\x80-\xbf]+/g, (found) => found.slice(0, -1)),
  "half of a surrogate pair as an escape": atPlace(
    // Keys hold no spaces: a key with another name is another legal one.
    /(?<=[a-z]) (?=[a-z])/g,
    (_, roll) => ["\\ud83d ", "\\udc00 "][roll(2)] ?? "",
  ),
  "a byte order mark before a line": atLine((line, next) => mark + line + next),
  "a byte order mark within a line": atPlace(/[,:{[](?=["{[])/g, (found) => found + mark),
  "a line stands twice": atLine((line, next) => ended(line) + line + next),
  "a line is broken in two": atLine((line, next, roll) => {
    if (line.length < 12) return undefined;
    const [one, two] = halves(line, 4 + roll(line.length - 8));
    return `${one}\n${two}${next}`;
  }),
  "a line is wrapped": atLine((line, next) =>
    line.length < 100 ? undefined : line.replace(/.{80}(?=.)/g, "$&\n") + next,
  ),
  "lines end with CR LF from here on": (text, roll) => {
    const [before, rest] = halves(text, roll(text.length));
    return before + rest.replaceAll("\n", "\r\n");
  },
  "some lines end with CR LF": (text, roll) => text.replaceAll("\n", () => (roll(2) === 0 ? "\n" : "\r\n")),
  "lines end with CR": (text) => text.replaceAll("\n", "\r"),
  "a line within another one": atLine((line, next, roll) => {
    if (next === "") return undefined;
    const [one, two] = halves(line, roll(line.length));
    return one + next.trimEnd() + two;
  }),
  "a record takes in the next": atLine((line, next) =>
    /\}\n$/.test(line) && /^\s*\{.*\}\n?$/.test(next)
      ? `${line.slice(0, -2)},"next":${next.trimEnd()}}\n`
      : undefined,
  ),
  "a record takes in the next without a comma": atLine((line, next) =>
    /\}\n$/.test(line) && /^\s*\{.*\}\n?$/.test(next)
      ? `${line.slice(0, -2)}${next.trimEnd()}}\n`
      : undefined,
  ),
  "two lines in one with a comma": atLine((line, next) =>
    next === "" ? undefined : `${line.trimEnd()},${next}`,
  ),
  "a part gives way to dots": (text, roll) => {
    const from = roll(text.length);
    const to = Math.min(text.length, from + 20 + roll(400));
    return text.slice(0, from) + (elisions[roll(elisions.length)] ?? "") + text.slice(to);
  },
  "lines give way to dots": (text, roll) => {
    const lines = linesOf(text);
    return lines.length < 4
      ? undefined
      : lines.toSpliced(roll(lines.length), 1 + roll(3), `${elisions[roll(elisions.length)]}\n`).join("");
  },
  "a conflict of Git": atLine(
    (line, next) => `<<<<<<< HEAD\n${ended(line)}=======\n${ended(next)}>>>>>>> feature/agent\n`,
  ),
  "a conflict of Git with the line in both": atLine(
    (line, next) => `<<<<<<< HEAD\n${ended(line)}=======\n${ended(line)}>>>>>>> feature/agent\n${next}`,
  ),
  "a diff's lines": (text, roll) => {
    const lines = linesOf(text);
    const at = roll(lines.length);
    return lines
      .map((line, index) => (index === at ? `-${line}` : index === at + 1 ? `+${line}` : ` ${line}`))
      .join("");
  },
  "a hunk's head between lines": atLine((line, next) => `${ended(line)}@@ -12,7 +12,7 @@\n${next}`),
  "a colour within a line": atPlace(/"[^"\n]{1,60}"/g, (found) => `\x1b[32m${found}\x1b[0m`),
  "a colour that does not end": atPlace(/[,:{[](?=["{[])/g, (found) => `\x1b[1;31m${found}`),
  "a progress bar within a line": atPlace(
    /[,:{[](?=["{[])/g,
    (found) => `${found}\r 42%|####      | 42/100 [00:01<00:02]\r`,
  ),
  "a pager's prompt between lines": atLine((line, next) => `${ended(line)}--More--(42%)\n${next}`),
  "a head of tail between lines": atLine((line, next) => `${ended(line)}\n==> other.log <==\n${next}`),
  "a line of another program within a line": atLine((line, next, roll) => {
    const [one, two] = halves(line, roll(line.length));
    return `${one}2026-01-05 12:00:00,001 WARNING urllib3: Retrying (1 left)\n${two}${next}`;
  }),
  "a prompt before a line": atLine((line, next) => `$ ${line}${next}`),
  "a list mark before a line": atLine((line, next) => `- ${line}${next}`),
  "a quote mark before a line": atLine((line, next) => `> ${line}${next}`),
  "a comma behind each line": (text) => text.replaceAll(/([^\n,])(?=\n)/g, "$1,"),
  "a backtick fence around a line": atLine((line, next) => `\`\`\`json\n${ended(line)}\`\`\`\n${next}`),
  "spaces that do not break": (text) => text.replaceAll(/(?<=[:,]) /g, "\xc2\xa0"),
  "quotes as entities": (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;"),
  "quotes as typographic ones": (text) => text.replaceAll(/"([^"\n]*)"/g, "\xe2\x80\x9c$1\xe2\x80\x9d"),
  "backslashes are gone": (text) => text.replaceAll('\\"', '"'),
  "backslashes are doubled": (text) => text.replaceAll("\\", "\\\\"),
}).map(([name, change]) => ({
  name,
  apply(text, roll) {
    const broken = change(text, roll);
    return broken === text ? undefined : broken;
  },
}));
