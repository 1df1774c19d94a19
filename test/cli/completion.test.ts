import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commands } from "../../src/cli/usage/commands.ts";
import { toollint } from "./program.ts";

const folder = mkdtempSync(path.join(tmpdir(), "toollint-completion-"));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(async () => {
  writeFileSync(path.join(folder, "run.jsonl"), "");
  for (const shell of ["bash", "zsh", "fish"])
    writeFileSync(path.join(folder, `complete.${shell}`), (await toollint(["completion", shell])).stdout);
});

/** What bash offers for the last of these words. */
function offered(...words: string[]): string[] {
  const typed = words.map((word) => `'${word}'`).join(" ");
  const script = `set -u
source complete.bash
COMP_WORDS=(toollint ${typed})
COMP_CWORD=${words.length}
_toollint
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const printed = execFileSync("bash", ["--norc", "-c", script], { cwd: folder, encoding: "utf8" });
  return printed.split("\n").filter((line) => line !== "");
}

describe("bash completes", () => {
  test("commands", () => {
    expect(offered("ch")).toEqual(["check"]);
    expect(offered("")).toEqual([...commands.map(({ name }) => name), "--help", "--version"]);
  });

  test("every option of every command", () => {
    for (const { name, options } of commands)
      expect(offered(name, "--")).toEqual(options.map((option) => `--${option.name}`));
  });

  test("values of options", () => {
    expect(offered("check", "--fail-on", "")).toEqual(["error", "warning", "info", "never"]);
    expect(offered("check", "--format", "js")).toEqual(["json", "jsonl"]);
    expect(offered("check", "--profile", "mis")).toEqual(["mistral"]);
    expect(offered("check", "--rule", "dropped-turns:e")).toEqual(["dropped-turns:error"]);
    expect(offered("check", "--conversation", "")).toEqual([]);
  });

  test("rules, files and shells", () => {
    expect(offered("explain", "dropped-t")).toEqual(["dropped-tool-call", "dropped-turns", "dropped-tools"]);
    expect(offered("check", "ru")).toEqual(["run.jsonl"]);
    expect(offered("fix", "-o", "ru")).toEqual(["run.jsonl"]);
    expect(offered("completion", "f")).toEqual(["fish"]);
  });
});

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ["--version"]).status === 0;
}

/** Says why tests are skipped. */
function without(shell: string): string {
  return isInstalled(shell) ? "" : ` (skipped: ${shell} is not installed)`;
}

describe.runIf(isInstalled("fish"))(`fish completes${without("fish")}`, () => {
  /** What fish offers for the last word of a line. */
  const offeredByFish = (line: string): string[] =>
    execFileSync("fish", ["--no-config", "-c", `source complete.fish; complete -C ${JSON.stringify(line)}`], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, HOME: folder },
    })
      .split("\n")
      .flatMap((each) => each.split("\t")[0] || [])
      .sort();

  test("commands, values, rules and files", () => {
    expect(offeredByFish("toollint ch")).toEqual(["check"]);
    expect(offeredByFish("toollint check --fail-on ")).toEqual(["error", "info", "never", "warning"]);
    expect(offeredByFish("toollint check --rule dropped-turns:e")).toEqual(["dropped-turns:error"]);
    expect(offeredByFish("toollint explain dropped-t")).toEqual([
      "dropped-tool-call",
      "dropped-tools",
      "dropped-turns",
    ]);
    expect(offeredByFish("toollint check ru")).toEqual(["run.jsonl"]);
  });
});

describe.runIf(isInstalled("zsh"))(`zsh completes${without("zsh")}`, () => {
  /** What the script hands to zsh's own functions for these words. */
  const asked = (...words: string[]): string[] =>
    execFileSync(
      "zsh",
      [
        "-f",
        "-c",
        `compdef() { }
_describe() { print -rl -- $commands }
_arguments() { print -rl -- "$@" }
source ./complete.zsh
words=(toollint ${words.map((word) => `'${word}'`).join(" ")})
CURRENT=\${#words}
_toollint`,
      ],
      { cwd: folder, encoding: "utf8" },
    )
      .trimEnd()
      .split("\n");

  test("commands, each with what it does", () => {
    const offers = asked("");
    expect(offers.map((line) => line.split(":")[0])).toEqual(commands.map(({ name }) => name));
    expect(offers[1]).toBe(
      "show:print the conversations of a log step by step\\: what was sent, answered and lost",
    );
  });

  test("options with their values", () => {
    const specifications = asked("check", "--fail-on");
    expect(specifications).toContainEqual(
      expect.stringMatching(/^\*--fail-on\[.*\]:.*:\(error warning info never\)$/),
    );
    expect(specifications.join("\n")).toContain(" dropped-turns\\:error ");
    expect(specifications.at(-1)).toMatch(/:_files$/);
  });
});

describe.each(["bash", "zsh", "fish"])("the script for %s", (shell) => {
  test.runIf(isInstalled(shell))(`is one that the shell can read${without(shell)}`, () => {
    const { status, stderr } = spawnSync(shell, ["-n", `complete.${shell}`], {
      cwd: folder,
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("names every command and option", async () => {
    const { exit, stdout } = await toollint(["completion", shell]);
    expect(exit).toBe(0);
    for (const { name, options } of commands) {
      expect(stdout).toContain(name);
      for (const option of options) expect(stdout).toMatch(new RegExp(`(?:--|-l )${option.name}\\b`));
    }
  });
});

test("another shell is refused with those that there are", async () => {
  expect((await toollint(["completion", "fisch"])).stderr).toContain("did you mean `fish`?");
  expect((await toollint(["completion"])).stderr).toContain("choose from bash, zsh, fish");
});
