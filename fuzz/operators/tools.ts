import { printedAnew } from "../document.ts";
import { lineStart, linesOf, type Operator, onText } from "./operator.ts";

/** What command-line tools print of a log, and how protocols, tables and pages take its lines in. */

/** Each line, without its end. */
const eachLine =
  (write: (line: string, index: number) => string) =>
  (text: string): string =>
    linesOf(text)
      .map((line, index) => write(line.replace(/\n$/, ""), index))
      .join("");

/** A string as C prints it. */
const inC = (line: string): string => JSON.stringify(`${line}\n`);

const hexadecimal = (value: number): string => value.toString(16).padStart(4, "0");

/** Every leaf of a value with its path: `json.messages[0].role = "user";`. */
function* assignments(value: unknown, path: string): Generator<string> {
  if (typeof value !== "object" || value === null) {
    yield `${path} = ${JSON.stringify(value)};\n`;
    return;
  }
  yield `${path} = ${Array.isArray(value) ? "[]" : "{}"};\n`;
  for (const [key, each] of Object.entries(value))
    yield* assignments(
      each,
      Array.isArray(value)
        ? `${path}[${key}]`
        : /^[A-Za-z_]\w*$/.test(key)
          ? `${path}.${key}`
          : `${path}[${JSON.stringify(key)}]`,
    );
}

/** Every leaf of a value with its path as JSON: `[["messages",0,"role"],"user"]`. */
function* paths(value: unknown, path: readonly (string | number)[]): Generator<string> {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) {
    yield `${JSON.stringify([path, value])}\n`;
    return;
  }
  for (const [key, each] of Object.entries(value))
    yield* paths(each, [...path, Array.isArray(value) ? Number(key) : key]);
  if (path.length === 0) yield `${JSON.stringify([[Object.keys(value).at(-1)]])}\n`;
}

const broken = onText(
  "tools/broken",
  {
    "a record separator before each line": (text) => text.replace(lineStart, "\u001e"),
    "a length before each line": eachLine(
      (line) => `Content-Length: ${Buffer.byteLength(line)}\r\n\r\n${line}`,
    ),
    netstrings: eachLine((line) => `${Buffer.byteLength(line)}:${line},`),
    "strace's writes": eachLine(
      (line) => `[pid 41] write(3, ${inC(line)}, ${line.length + 1}) = ${line.length + 1}\n`,
    ),
    "curl --trace-ascii": eachLine((line) => {
      const rows = line.match(/.{1,64}/gsu) ?? [];
      return `=> Send data, ${line.length} bytes (0x${line.length.toString(16)})\n${rows.map((row, index) => `${hexadecimal(index * 64)}: ${row}\n`).join("")}`;
    }),
    "curl -v": (text, { dice }) => text.replace(lineStart, dice.pick(["< ", "> ", "} ", "* "])),
    "psql -x": eachLine(
      (line, index) => `-[ RECORD ${index + 1} ]${"-".repeat(20)}\nid   | ${index}\nbody | ${line}\n`,
    ),
    "psql's table": (text) =>
      ` id | body\n----+------\n${eachLine((line, index) => ` ${String(index).padStart(2)} | ${line}\n`)(text)}(${linesOf(text).length} rows)\n`,
    "a table of Markdown": (text) =>
      `| id | body |\n|---|---|\n${eachLine((line, index) => `| ${index} | ${line.replaceAll("|", "\\|")} |\n`)(text)}`,
    "a row of SQL for each line": eachLine(
      (line, index) => `INSERT INTO log VALUES (${index}, '${line.replaceAll("'", "''")}');\n`,
    ),
    "the output of a test": (text) =>
      `<?xml version="1.0"?>\n<testsuite><testcase name="a"><system-out><![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]></system-out></testcase></testsuite>\n`,
    "a trace of the shell": eachLine((line) => `+ echo '${line.replaceAll("'", "'\\''")}'\n`),
    "a block of a tracker": (text) => `h3. Log\n{code:json|title=run}\n${text}{code}\n`,
    "a block of a page": (text) => `<details><summary>log</summary>\n<pre>\n${text}</pre></details>\n`,
    "cat -e": eachLine((line) => `${line}$\n`),
    "git blame": eachLine(
      (line, index) => `3f2a91c7 (Ann 2026-01-05 12:00:00 +0000 ${String(index + 1).padStart(3)}) ${line}\n`,
    ),
    "kubectl --prefix": (text) => text.replace(lineStart, "[pod/agent-0/agent] "),
    logcli: (text) =>
      text.replace(lineStart, '2026-01-05T12:00:00Z {app="agent", level="info", pod="agent-0"} '),
    "heroku logs": (text) => text.replace(lineStart, "2026-01-05T12:00:00.000000+00:00 app[web.1]: "),
    script: (text) =>
      `Script started on 2026-01-05 12:00:00+00:00 [TERM="xterm" COLUMNS="80"]\n${text.replaceAll("\n", "\r\n")}\nScript done on 2026-01-05 12:00:01+00:00 [COMMAND_EXIT_CODE="0"]\n`,
    "a slash in an escape": (text) => text.replaceAll("/", "\\/"),
  },
  { breaksOnly: true },
);

const texts = onText("tools", {
  gron: (text) => printedAnew(text, (value) => [...assignments(value, "json")].join("")),
  "jq --stream": (text) => printedAnew(text, (value) => [...paths(value, [])].join("")),
  "lines sorted": (text) => linesOf(text).sort().join(""),
  "the last line first": (text) => linesOf(text).reverse().join(""),
  "each line once": (text) => [...new Set(linesOf(text))].join(""),
  "no blank lines": (text) => text.replace(/\n\s*\n/g, "\n"),
  "wrapped at blanks": (text, { dice }) => {
    const width = dice.pick([72, 80, 100]);
    return text.replace(new RegExp(`([^\\n]{1,${width}}) `, "g"), "$1\n");
  },
  "base64 of each line": eachLine((line) => `${Buffer.from(line).toString("base64")}\n`),
  "base64 in lines of 76": (text) => Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\n"),
  xxd: (text) =>
    (
      Buffer.from(text)
        .toString("latin1")
        .match(/[\s\S]{1,16}/g) ?? []
    )
      .map((row, index) => {
        const hex = Buffer.from(row, "latin1").toString("hex").replace(/.{4}/g, "$& ");
        return `${(index * 16).toString(16).padStart(8, "0")}: ${hex.padEnd(41)} ${row.replace(/[^ -~]/g, ".")}\n`;
      })
      .join(""),
});

const utf32: Operator = {
  name: "tools/UTF-32",
  apply: ({ log, dice }) => {
    const marked = [...`\ufeff${log.toString("utf8")}`].slice(dice.below(2));
    const out = Buffer.alloc(marked.length * 4);
    const isLittle = dice.once(2);
    for (const [index, each] of marked.entries())
      out[isLittle ? "writeUInt32LE" : "writeUInt32BE"](each.codePointAt(0) ?? 0, index * 4);
    return out;
  },
};

export const toolOperators: readonly Operator[] = [...broken, ...texts, utf32];
