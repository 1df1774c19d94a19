import { describe, expect, test } from "vitest";
import { reorderedArguments, typed, wordName } from "../../src/cli/usage/arguments.ts";
import { parse } from "../../src/cli/usage/parse.ts";
import { strictly } from "../../src/cli/usage/strict.ts";
import { clean, dropped, logFolder, run } from "./cases.ts";
import { healthyLog } from "./logs.ts";
import { toollint } from "./program.ts";

const folder = logFolder();

describe("help and version", () => {
  run(folder, [
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
    for (const args of [["--help"], ["check", "--help"], ["show", "--help"], ["diff", "--help"]]) {
      const { stdout } = await toollint(args, { columns: 60 });
      expect(stdout.split("\n").filter((line) => line.length > 60)).toEqual([]);
    }
  });
});

describe("arguments", () => {
  run(folder, [
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
      name: "an empty path is no file, and not the folder",
      args: ["check", ""],
      err: "toollint: the path is empty\n",
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

describe("what makes sense is read as yargs reads it:", () => {
  test.each([
    ["check"],
    ["check", "a.log", "1e3", "-", "", "--", "-dash.log", "--format"],
    ["--quiet", "check", "a.log", "--format=json", "--format", "sarif=out=1.sarif", "-oout.txt", "--color"],
    ["check", "--rule", "a:off", "--rule=b:error", "--complete=false", "--max-warnings", "-1", "x"],
    ["show", "a.log", "--full", "--no-color"],
    ["explain"],
    ["explain", "repeated-call", "--format", "json"],
    ["formats"],
  ])("%s %s %s %s %s %s %s %s", async (...args) => {
    const given = args.filter((arg): arg is string => arg !== undefined);
    const plain = await parse(given);
    if ("wants" in plain) throw new Error("these arguments ask for work");
    const strict = await strictly(reorderedArguments(given).slice(1), plain.command);
    const list = (value: unknown) => [value].flat().filter((each) => typeof each === "string");
    const word = wordName(plain.command);
    expect(plain.words).toEqual(word === undefined ? [] : list(strict.get(word)).map(typed));
    for (const { name } of plain.command.options) {
      expect([name, plain.all(name)]).toEqual([name, list(strict.get(name))]);
      expect([name, plain.has(name)]).toEqual([name, strict.get(name) === true]);
    }
  });
});
