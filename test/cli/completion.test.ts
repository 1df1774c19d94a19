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

describe.each(["bash", "zsh", "fish"])("the script for %s", (shell) => {
  const isThere = spawnSync(shell, ["--version"]).status === 0;

  test.runIf(isThere)("is one that the shell can read", () => {
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
  expect((await toollint(["completion"])).stderr).toContain("there are bash, zsh, fish");
});
