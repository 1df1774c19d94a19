import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { brokenLog, healthyLog, loopLog, openLog } from "./logs.ts";
import { toollint, type World } from "./program.ts";

interface Case extends World {
  readonly name: string;
  readonly args: readonly string[];
  /** The whole output, or what it must match; nothing when left out. */
  readonly out?: string | RegExp;
  readonly err?: string | RegExp;
  readonly exit: 0 | 1 | 2;
}

let folder: string;

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-cli-"));
  const write = (file: string, content: string | Buffer) => {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), content);
  };
  write("healthy.jsonl", healthyLog);
  write("broken.jsonl", brokenLog);
  write("open.jsonl", openLog);
  write("loop.jsonl", loopLog(3));
  write("1e3", healthyLog);
  write("-dash.jsonl", brokenLog);
  write("packed.jsonl.gz", gzipSync(brokenLog));
  write("empty.log", "");
  write("blank.log", "\n \n");
  write("notes.txt", "Buy milk.\n");
  write("archive.zip", Buffer.from("PK\x03\x04\0\0rest"));
  write("store.db", Buffer.from("SQLite format 3\0rest"));
  write("data.bin", Buffer.from([1, 2, 0, 3]));
  write("wide.log", Buffer.from(`\ufeff${healthyLog}`, "utf16le"));
  write("node-sdk.log", "[log_f04941] sending request {\n  messages: [Array],\n  choices: [ [Object] ]\n}\n");
  write("aider.md", "\n# aider chat started at 2026-01-05 12:00:00\n\n> Add dry-run\n");
  write("bad\u001b[31m.log", "nothing\n");
  write("logs/a.jsonl", healthyLog);
  write("logs/deep/b.jsonl", brokenLog);
  write("logs/readme.txt", "How these were made.\n");
  write("logs/picture.bin", Buffer.from([0, 1, 2]));
  write("logs/node_modules/x/c.jsonl", brokenLog);
  write("logs/.hidden.jsonl", brokenLog);
  write("no-logs/readme.txt", "Nothing here.\n");
  fs.mkdirSync(path.join(folder, "bare"));
});

afterAll(() => fs.rmSync(folder, { recursive: true }));

function run(cases: readonly Case[]): void {
  for (const { name, args, out = "", err = "", exit, ...world } of cases) {
    test(name, async () => {
      const outcome = await toollint(args, { cwd: folder, ...world });
      if (typeof out === "string") expect(outcome.stdout).toBe(out);
      else expect(outcome.stdout).toMatch(out);
      if (typeof err === "string") expect(outcome.stderr).toBe(err);
      else expect(outcome.stderr).toMatch(err);
      expect(outcome.exit).toBe(exit);
    });
  }
}

const clean = /^no findings · 2 exchanges/;
const dropped = /error\[dropped-tool-call\]/;

describe("help and version", () => {
  run([
    { name: "--version prints the version alone", args: ["--version"], out: "0.1.0\n", exit: 0 },
    { name: "--version is heard beside a command", args: ["check", "--version"], out: "0.1.0\n", exit: 0 },
    {
      name: "--help lists the commands",
      args: ["--help"],
      out: /check \[paths\.\.\].*show <log>.*explain/s,
      exit: 0,
    },
    {
      name: "a command has its own help",
      args: ["check", "-h"],
      out: /^Usage: toollint check .*--fail-on/s,
      exit: 0,
    },
    {
      name: "`help check` is `check --help`",
      args: ["help", "check"],
      out: /^Usage: toollint check/,
      exit: 0,
    },
    {
      name: "help wins over a missing path",
      args: ["show", "--help"],
      out: /^Usage: toollint show <log>/,
      exit: 0,
    },
    { name: "without arguments, the help goes to standard error", args: [], err: /Start with:/, exit: 2 },
  ]);

  test("help fits into a narrow terminal", async () => {
    for (const args of [["--help"], ["check", "--help"], ["show", "--help"]]) {
      const { stdout } = await toollint(args, { columns: 60 });
      expect(stdout.split("\n").filter((line) => line.length > 60)).toEqual([]);
    }
  });
});

describe("usage errors", () => {
  run([
    {
      name: "a misspelt command is recognised",
      args: ["chek", "run.log"],
      err: "toollint: there is no command `chek`; did you mean `check`?\n",
      exit: 2,
    },
    {
      name: "a path in place of a command is told apart",
      args: ["run.log"],
      err: "toollint: there is no command `run.log`; to check a log, type `toollint check run.log`\n",
      exit: 2,
    },
    {
      name: "a misspelt option is recognised",
      args: ["check", "--formt", "json", "healthy.jsonl"],
      err: "toollint: `toollint check` has no option `--formt`; did you mean `--format`?\n",
      exit: 2,
    },
    {
      name: "the camel-case spelling of an option is no option",
      args: ["check", "--maxWarnings", "1", "healthy.jsonl"],
      err: "toollint: `toollint check` has no option `--maxWarnings`; did you mean `--max-warnings`?\n",
      exit: 2,
    },
    {
      name: "a misspelt option before the command is recognised",
      args: ["--quite", "check", "healthy.jsonl"],
      err: "toollint: there is no option `--quite`; did you mean `--quiet`?\n",
      exit: 2,
    },
    {
      name: "an option of another command is refused",
      args: ["explain", "--complete"],
      err: "toollint: `toollint explain` has no option `--complete`; see `toollint explain --help`\n",
      exit: 2,
    },
    { name: "an unknown letter is refused", args: ["check", "-x"], err: /has no option `-x`/, exit: 2 },
    {
      name: "a name of the prototype is no option",
      args: ["check", "--__proto__", "x"],
      err: /no option/,
      exit: 2,
    },
    {
      name: "an option alone asks for a command",
      args: ["--quiet"],
      err: /^toollint: which command\?/,
      exit: 2,
    },
    {
      name: "an option without its value at the end",
      args: ["check", "healthy.jsonl", "--format"],
      err: "toollint: `--format` needs a value: text|json\n",
      exit: 2,
    },
    {
      name: "an option does not take another option for its value",
      args: ["check", "--format", "--quiet", "healthy.jsonl"],
      err: "toollint: `--format` needs a value: text|json\n",
      exit: 2,
    },
    { name: "an empty value is no value", args: ["check", "--format=", "a"], err: /needs a value/, exit: 2 },
    {
      name: "a value that is none of the choices",
      args: ["check", "--format", "jsn", "healthy.jsonl"],
      err: "toollint: `--format` cannot be `jsn`; did you mean `json`?\n",
      exit: 2,
    },
    {
      name: "--max-warnings must be a number",
      args: ["check", "--max-warnings", "abc", "healthy.jsonl"],
      err: "toollint: `--max-warnings` needs a whole number from 0, not `abc`\n",
      exit: 2,
    },
    {
      name: "--max-warnings cannot be negative",
      args: ["check", "--max-warnings", "-1", "a"],
      err: /from 0, not `-1`/,
      exit: 2,
    },
    {
      name: "a switch takes no value",
      args: ["check", "--quiet=maybe", "a"],
      err: /`--quiet` takes no value/,
      exit: 2,
    },
    { name: "explain takes one rule", args: ["explain", "a", "b"], err: /does not expect `b`/, exit: 2 },
    {
      name: "show needs a log",
      args: ["show"],
      err: "toollint: `toollint show` needs a log: `toollint show run.log`\n",
      exit: 2,
    },
    {
      name: "a misspelt rule is recognised",
      args: ["check", "--rule", "dropped-tool-cal:off", "healthy.jsonl"],
      err: "toollint: there is no rule `dropped-tool-cal`; did you mean `dropped-tool-call`?\n",
      exit: 2,
    },
    {
      name: "a rule needs a level",
      args: ["check", "--rule", "repeated-call", "a"],
      err: /--rule repeated-call:off/,
      exit: 2,
    },
    {
      name: "a level of another linter is recognised",
      args: ["check", "--rule", "repeated-call:warn", "a"],
      err: "toollint: there is no level `warn`; did you mean `warning`?\n",
      exit: 2,
    },
    {
      name: "an unknown container lists the known ones",
      args: ["check", "--container", "jsonk", "healthy.jsonl"],
      err: /^toollint: there is no container `jsonk`; did you mean `json.?`\?\n {2}There are .*toollint formats/,
      exit: 2,
    },
    {
      name: "an unknown protocol lists the known ones",
      args: ["check", "--protocol", "openai", "healthy.jsonl"],
      err: /^toollint: there is no protocol `openai`; did you mean `openai-chat`\?\n/,
      exit: 2,
    },
    { name: "a range runs forwards", args: ["check", "--exchange", "6-4", "a"], err: /not `6-4`/, exit: 2 },
    {
      name: "a range has numbers",
      args: ["check", "--exchange", "x", "a"],
      err: /a range such as `40-60`/,
      exit: 2,
    },
    {
      name: "a conversation has a name",
      args: ["check", "--conversation", "two", "a"],
      err: /such as `c2`/,
      exit: 2,
    },
  ]);
});

describe("arguments", () => {
  run([
    { name: "`-` is standard input", args: ["check", "-"], stdin: healthyLog, out: clean, exit: 0 },
    {
      name: "`-` does not swallow the path before it",
      args: ["check", "broken.jsonl", "-"],
      stdin: healthyLog,
      out: dropped,
      exit: 1,
    },
    { name: "what follows `--` is a path", args: ["check", "--", "-dash.jsonl"], out: dropped, exit: 1 },
    {
      name: "`-` after `--` is still standard input",
      args: ["check", "--", "-"],
      stdin: healthyLog,
      out: clean,
      exit: 0,
    },
    { name: "a path that looks like a number stays as typed", args: ["check", "1e3"], out: clean, exit: 0 },
    {
      name: "of several formats the last counts",
      args: ["check", "--format", "json", "--format", "text", "healthy.jsonl"],
      out: clean,
      exit: 0,
    },
    {
      name: "--rule takes one value and leaves the path",
      args: ["check", "--rule", "repeated-call:off", "healthy.jsonl"],
      out: clean,
      exit: 0,
    },
    {
      name: "options may stand before the command",
      args: ["--format", "json", "--quiet", "check", "healthy.jsonl"],
      out: /^\{/,
      exit: 0,
    },
    {
      name: "a switch before the command does not swallow it",
      args: ["--complete", "check", "healthy.jsonl"],
      out: clean,
      exit: 0,
    },
    {
      name: "--color does not swallow the path",
      args: ["check", "--color", "healthy.jsonl"],
      out: /no findings/,
      exit: 0,
    },
    { name: "--no-config is accepted", args: ["check", "--no-config", "healthy.jsonl"], out: clean, exit: 0 },
    {
      name: "several paths, options between them",
      args: ["check", "1e3", "--quiet", "healthy.jsonl"],
      out: /2 files/,
      exit: 0,
    },
    {
      name: "an empty path is a missing file, not the folder",
      args: ["check", ""],
      err: /there is no such file/,
      exit: 2,
    },
    {
      name: "text in the user's language does not matter",
      args: ["chek"],
      env: { LC_ALL: "de_DE.UTF-8" },
      err: /there is no command/,
      exit: 2,
    },
  ]);
});

describe("files", () => {
  run([
    { name: "a compressed log is read", args: ["check", "packed.jsonl.gz"], out: dropped, exit: 1 },
    {
      name: "the same file twice is one file",
      args: ["check", "healthy.jsonl", "./healthy.jsonl"],
      out: clean,
      exit: 0,
    },
    {
      name: "a directory is searched, without hidden files, packages and binaries",
      args: ["check", "logs"],
      out: /logs\/deep\/b\.jsonl(?!.*(?:node_modules|hidden)).*1 of 2 files/s,
      exit: 1,
    },
    { name: "a glob is matched", args: ["check", "logs/**/*.jsonl"], out: /1 of 2 files/, exit: 1 },
    {
      name: "a glob that matches nothing is said",
      args: ["check", "logs/*.har"],
      err: "toollint: no file matches logs/*.har\n",
      exit: 2,
    },
    {
      name: "a missing file suggests a near name",
      args: ["check", "healty.jsonl"],
      err: "toollint: cannot read healty.jsonl: there is no such file; did you mean `healthy.jsonl`?\n",
      exit: 2,
    },
    {
      name: "a near name in another directory keeps the directory",
      args: ["check", "logs/aa.jsonl"],
      err: /did you mean `logs\/a.jsonl`/,
      exit: 2,
    },
    {
      name: "a missing directory is named",
      args: ["check", "nowhere/a.log"],
      err: /and no directory nowhere\n/,
      exit: 2,
    },
    {
      name: "findings beside a missing file: 2, and both are told",
      args: ["check", "broken.jsonl", "gone.log"],
      out: dropped,
      err: /cannot read gone.log/,
      exit: 2,
    },
    {
      name: "a healthy file beside one that was not understood: 2",
      args: ["check", "healthy.jsonl", "notes.txt"],
      out: clean,
      err: /^toollint: notes.txt: no conversation was understood in it/,
      exit: 2,
    },
    {
      name: "what to type next is said",
      args: ["check", "notes.txt"],
      err: /toollint check --container NAME notes.txt/,
      exit: 2,
    },
    {
      name: "an empty file",
      args: ["check", "empty.log"],
      err: "toollint: empty.log is empty: there is nothing to check\n",
      exit: 2,
    },
    {
      name: "an empty standard input",
      args: ["check", "-"],
      err: "toollint: standard input is empty: there is nothing to check\n",
      exit: 2,
    },
    { name: "a blank file", args: ["check", "blank.log"], err: /nothing but blank lines/, exit: 2 },
    {
      name: "a zip archive",
      args: ["check", "archive.zip"],
      err: "toollint: archive.zip is no log but a zip archive: unpack it first\n",
      exit: 2,
    },
    { name: "an SQLite database", args: ["check", "store.db"], err: /an SQLite database: export/, exit: 2 },
    { name: "a binary file", args: ["check", "data.bin"], err: /data.bin is a binary file/, exit: 2 },
    {
      name: "a log in UTF-16",
      args: ["check", "wide.log"],
      err: /is no log but UTF-16 text: save it as UTF-8/,
      exit: 2,
    },
    {
      name: "a debug log of an SDK that leaves the messages out",
      args: ["check", "node-sdk.log"],
      err: /prints `\[Array\]`.*\n.*HAR/,
      exit: 2,
    },
    {
      name: "a chat history of aider",
      args: ["check", "aider.md"],
      err: /aider makes no tool calls/,
      exit: 2,
    },
    {
      name: "a directory without logs",
      args: ["check", "no-logs"],
      err: /^toollint: no conversation was understood in no-logs \(1 file read\)/,
      exit: 2,
    },
    {
      name: "a directory without files",
      args: ["check", "bare"],
      err: "toollint: bare has no files that could be logs\n",
      exit: 2,
    },
    {
      name: "a container named in vain fails aloud",
      args: ["check", "--container", "har", "notes.txt"],
      err: /nothing was understood in it as container har\n.*Leave out `--container`/,
      exit: 2,
    },
    {
      name: "a protocol named in vain fails aloud",
      args: ["check", "--protocol", "gemini", "healthy.jsonl"],
      err: /as protocol gemini\n.*Leave out `--protocol`/,
      exit: 2,
    },
    {
      name: "a conversation that is not there is no clean log",
      args: ["check", "--conversation", "c7", "healthy.jsonl"],
      out: /./,
      err: "toollint: there is no conversation c7: the only one is c1\n",
      exit: 2,
    },
    {
      name: "exchanges that are not there are no clean log",
      args: ["check", "--exchange", "40-60", "healthy.jsonl"],
      out: /./,
      err: "toollint: there is no exchange 40: the last one is 2\n",
      exit: 2,
    },
    {
      name: "names cannot act on the terminal",
      args: ["check", "bad\u001b[31m.log"],
      err: /^toollint: bad\\u\{1b\}\[31m\.log/,
      exit: 2,
    },
  ]);

  test("a file that may not be read is named", async () => {
    const outcome = await toollint(["check", "healthy.jsonl/x"], { cwd: folder });
    expect(outcome).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("cannot read healthy.jsonl/x"),
    });
  });
});

describe("gates and exit codes", () => {
  run([
    { name: "nothing wrong: 0", args: ["check", "healthy.jsonl"], out: clean, exit: 0 },
    { name: "an error: 1", args: ["check", "broken.jsonl"], out: dropped, exit: 1 },
    { name: "warnings alone: 0", args: ["check", "loop.jsonl"], out: /warning\[repeated-call\]/, exit: 0 },
    { name: "--fail-on warning", args: ["check", "--fail-on", "warning", "loop.jsonl"], out: /./, exit: 1 },
    { name: "--fail-on never", args: ["check", "--fail-on=never", "broken.jsonl"], out: dropped, exit: 0 },
    {
      name: "more warnings than allowed",
      args: ["check", "--max-warnings", "0", "loop.jsonl"],
      out: /./,
      err: /`--max-warnings` allows 0/,
      exit: 1,
    },
    {
      name: "as many warnings as allowed",
      args: ["check", "--max-warnings", "1", "loop.jsonl"],
      out: /./,
      exit: 0,
    },
    {
      name: "a rule raised to an error",
      args: ["check", "--rule", "repeated-call:error", "loop.jsonl"],
      out: /error\[repeated-call\]/,
      exit: 1,
    },
    {
      name: "a rule switched off",
      args: ["check", "--rule=repeated-call:off", "loop.jsonl"],
      out: /^no findings/,
      exit: 0,
    },
    {
      name: "of two levels for a rule the last counts",
      args: ["check", "--rule=repeated-call:off", "--rule=repeated-call:error", "loop.jsonl"],
      out: /./,
      exit: 1,
    },
    {
      name: "--quiet shows no warnings, but they still count",
      args: ["check", "--quiet", "--fail-on", "warning", "loop.jsonl"],
      out: /^(?!.*warning\[)/s,
      exit: 1,
    },
    {
      name: "the format changes no exit code",
      args: ["check", "--format", "json", "broken.jsonl"],
      out: /^\{/,
      exit: 1,
    },
  ]);

  test("--complete makes an error of a log that ends on a call", async () => {
    const growing = await toollint(["check", "open.jsonl"], { cwd: folder });
    const finished = await toollint(["check", "--complete", "open.jsonl"], { cwd: folder });
    expect([growing.exit, finished.exit]).toEqual([0, 1]);
  });
});

describe("output", () => {
  test("JSON for programs goes to a file, and the text to the screen", async () => {
    const { stdout, exit } = await toollint(["check", "broken.jsonl", "--format", "json", "-o", "out.json"], {
      cwd: folder,
    });
    expect(exit).toBe(1);
    expect(stdout).toMatch(dropped);
    expect(JSON.parse(fs.readFileSync(path.join(folder, "out.json"), "utf8"))).toMatchObject({
      schemaVersion: "1.0",
      summary: { error: 1 },
    });
  });

  test("text in a file has no colours, whatever the terminal has", async () => {
    const { stdout } = await toollint(["check", "broken.jsonl", "--color", "-oout.txt"], { cwd: folder });
    expect(stdout).toBe("");
    expect(fs.readFileSync(path.join(folder, "out.txt"), "utf8")).toMatch(
      /^[^\u001b]*dropped-tool-call[^\u001b]*$/,
    );
  });

  test("a log is not overwritten by its report", async () => {
    const { exit, stderr } = await toollint(["check", "broken.jsonl", "--output", "./broken.jsonl"], {
      cwd: folder,
    });
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: "toollint: `--output` would overwrite the log broken.jsonl: name another file\n",
    });
    expect(fs.readFileSync(path.join(folder, "broken.jsonl"), "utf8")).toBe(brokenLog);
  });

  test("programs get JSON even when nothing was understood", async () => {
    const { exit, stdout } = await toollint(["check", "notes.txt", "--format", "json"], { cwd: folder });
    expect(exit).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ files: [], findings: [] });
  });

  test("--quiet leaves warnings out of the JSON, too", async () => {
    const { stdout } = await toollint(["check", "loop.jsonl", "--quiet", "--format", "json"], {
      cwd: folder,
    });
    expect(JSON.parse(stdout)).toMatchObject({ findings: [], diagnoses: [], summary: { warning: 0 } });
  });

  run([
    { name: "`-o -` is standard output", args: ["check", "-o", "-", "healthy.jsonl"], out: clean, exit: 0 },
    {
      name: "an output that cannot be written",
      args: ["check", "-o", "nowhere/r.txt", "healthy.jsonl"],
      err: "toollint: cannot write nowhere/r.txt: there is no such file\n",
      exit: 2,
    },
    {
      name: "a reader that has gone away is no trouble",
      args: ["check", "broken.jsonl"],
      stdoutFails: "EPIPE",
      out: /./,
      exit: 1,
    },
    {
      name: "a full disk is",
      args: ["check", "healthy.jsonl"],
      stdoutFails: "ENOSPC",
      out: /./,
      err: "toollint: cannot write the output: no space is left\n",
      exit: 2,
    },
    {
      name: "--show-values into a file is warned of",
      args: ["check", "healthy.jsonl", "--show-values", "-o", "v.txt"],
      err: /v.txt holds credentials as they are/,
      exit: 0,
    },
    {
      name: "--show-values does nothing to data",
      args: ["check", "healthy.jsonl", "--show-values", "--format", "json"],
      out: /^\{/,
      err: /has no effect on data/,
      exit: 0,
    },
  ]);
});

describe("explain, formats, show", () => {
  run([
    {
      name: "explain lists the rules",
      args: ["explain"],
      out: /dropped-tool-call +error +\S.*\n.*--rule ID:LEVEL/s,
      exit: 0,
    },
    {
      name: "explain knows its rules",
      args: ["explain", "dropped-tool-call"],
      out: /dropped-tool-call/,
      exit: 0,
    },
    {
      name: "explain recognises a misspelt rule",
      args: ["explain", "droped-tool-call"],
      err: /did you mean `dropped-tool-call`/,
      exit: 2,
    },
    {
      name: "explain for programs",
      args: ["explain", "--format", "json"],
      out: /^\[\n {2}\{\n {4}"name"/,
      exit: 0,
    },
    {
      name: "formats lists containers and protocols",
      args: ["formats"],
      out: /Containers.* {2}jsonl +\S.*Protocols.* {2}openai-chat +\S/s,
      exit: 0,
    },
    { name: "formats for programs", args: ["formats", "--format=json"], out: /"protocols": \[/, exit: 0 },
    {
      name: "show prints the conversation",
      args: ["show", "broken.jsonl"],
      out: /▸ call +get_weather .*− gone +call get_weather/s,
      exit: 0,
    },
    { name: "show reads standard input", args: ["show", "-"], stdin: healthyLog, out: /^- · jsonl/, exit: 0 },
    {
      name: "show takes one log",
      args: ["show", "logs"],
      err: /^toollint: logs is not one log but 3 files: name one, such as `toollint show logs\/a.jsonl`/,
      exit: 2,
    },
    {
      name: "show says what it cannot read",
      args: ["show", "notes.txt"],
      err: /toollint show --container NAME notes.txt/,
      exit: 2,
    },
    {
      name: "show of exchanges that are not there",
      args: ["show", "healthy.jsonl", "--exchange", "9"],
      err: "toollint: there is no exchange 9: the last one is 2\n",
      exit: 2,
    },
    {
      name: "show of one exchange",
      args: ["show", "healthy.jsonl", "--exchange", "2"],
      out: /^2 {2}request/m,
      exit: 0,
    },
  ]);
});

describe("trouble of the program itself", () => {
  test("is one sentence, without a stack", async () => {
    const { exit, stderr } = await toollint(["check", "-"], { cwd: folder, stdinFails: "boom" });
    expect(exit).toBe(2);
    expect(stderr).toMatch(/^toollint: internal error: boom\n.*please report it.*\n$/);
  });

  test("has a stack for whoever asks", async () => {
    const { stderr } = await toollint(["check", "-"], {
      cwd: folder,
      stdinFails: "boom",
      env: { TOOLLINT_DEBUG: "1" },
    });
    expect(stderr).toMatch(/boom\n +at /);
  });
});
