import { answers, asks, goesOn, wantsTool } from "./stories.ts";

export const exchanges = [
  { request: asks, response: wantsTool },
  { request: goesOn, response: answers },
];
/** The same run in three forms. */
export const logs = {
  "one document": JSON.stringify(exchanges, undefined, 2),
  lines: exchanges.map((each) => JSON.stringify(each)).join("\n"),
  "a text log": exchanges
    .map(
      ({ request, response }) => `got ${JSON.stringify(request, undefined, 1)}\n${JSON.stringify(response)}`,
    )
    .join("\ndone\n"),
};

const withNumbers =
  (before: (number: number) => string) =>
  (log: string): string =>
    log
      .split("\n")
      .map((line, index) => before(index + 1) + line)
      .join("\n");

/** Programs that show a log, and what a copy of it then is. */
export const viewers: Record<string, (log: string) => string> = {
  "cat -n": withNumbers((number) => `${String(number).padStart(6)}\t`),
  "grep -n": withNumbers((number) => `${number}:`),
  "less -N": withNumbers((number) => `${String(number).padStart(7)} `),
  "an agent's tool": withNumbers((number) => `${String(number).padStart(6)}→`),
  "sed and awk": (log) => withNumbers((number) => `${number + 40}: `)(log),
  bat: (log) =>
    `───────┬──────\n       │ File: run.log\n───────┼──────\n${withNumbers((number) => `${String(number).padStart(4)}   │ `)(log)}\n───────┴──────\n`,
  "a command before": (log) => `$ cat -n run.log\n${withNumbers((number) => `${number}\t`)(log)}\n`,
  "a patch": (log) =>
    `diff --git a/run.log b/run.log\nnew file mode 100644\nindex 0000000..1d2c3b4\n--- /dev/null\n+++ b/run.log\n@@ -0,0 +1,${log.split("\n").length} @@\n${log.replace(/^/gm, "+")}\n\\ No newline at end of file\n`,
  "the lines that a patch adds": (log) => `${log.replace(/^/gm, "+")}\n+\n+\n`,
  "a patch of a log": (log) => {
    const [first = "", ...others] = log.split("\n");
    const gone = JSON.stringify({ ...asks, messages: [{ role: "user", content: "Before?" }] });
    const kept = others.map((line) => ` ${line}`).join("\n");
    return `--- a/run.log\n+++ b/run.log\n@@ -1,${others.length + 1} +1,${others.length + 1} @@\n-${gone}\n+${first}\n${kept}\n`;
  },
  "a frame of rich": (log) => {
    const lines = log.split("\n").map((line) => `│ ${line.padEnd(60)} │`);
    return `╭${"─".repeat(25)} request ${"─".repeat(28)}╮\n${lines.join("\n")}\n╰${"─".repeat(62)}╯\n`;
  },
  psql: (log) =>
    `-[ RECORD 1 ]------\nid  | 1\nlog | ${log.split("\n").join("   +\n    | ")}\n-[ RECORD 2 ]------\nid  | 2\nlog | \n`,
  "a browser": (log) =>
    log.replace(/^ +/gm, (blanks) => "\u00a0".repeat(blanks.length)).replace(/(?<!\\)":/g, '":\u00a0'),
  "a chat program": (log) => log.replace(/^( *)([^ ])/gm, "$1\u200b$2").replace(/(?<!\\)":/g, '":\u202f'),
  "the source of a page": (log) =>
    `<html><pre>${log.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")}</pre></html>`,
  "a template's escapes": (log) =>
    log.replaceAll("&", "&amp;").replaceAll('"', "&#34;").replaceAll("'", "&#39;").replaceAll("<", "&lt;"),
  "a word processor": (log) => log.replace(/"([^"]*)"/g, "“$1”"),
  "a Markdown editor": (log) => log.replace(/[_[{}\]]/g, "\\$&"),
};
