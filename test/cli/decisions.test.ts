import { describe, expect, test } from "vitest";
import { wantsColor } from "../../src/cli/terminal/color.ts";
import { nearest } from "../../src/cli/usage/nearest.ts";
import { exitCode, type Gate } from "../../src/findings/gate.ts";

describe("colour", () => {
  const cases: readonly [
    name: string,
    flag: "auto" | "always" | "never" | undefined,
    env: Record<string, string>,
    isTTY: boolean,
    wanted: boolean,
  ][] = [
    ["a terminal has colours", undefined, {}, true, true],
    ["a pipe has none", undefined, {}, false, false],
    ["CI alone changes nothing", undefined, { CI: "true", GITHUB_ACTIONS: "true" }, false, false],
    ["NO_COLOR", undefined, { NO_COLOR: "1" }, true, false],
    ["an empty NO_COLOR counts as unset", undefined, { NO_COLOR: "" }, true, true],
    ["FORCE_COLOR", undefined, { FORCE_COLOR: "1" }, false, true],
    ["FORCE_COLOR=0 is off", undefined, { FORCE_COLOR: "0" }, true, false],
    ["FORCE_COLOR=false is off", undefined, { FORCE_COLOR: "false" }, true, false],
    ["an empty FORCE_COLOR counts as unset", undefined, { FORCE_COLOR: "" }, false, false],
    ["FORCE_COLOR wins over NO_COLOR", undefined, { FORCE_COLOR: "1", NO_COLOR: "1" }, false, true],
    ["a dumb terminal has none", undefined, { TERM: "dumb" }, true, false],
    ["FORCE_COLOR wins over a dumb terminal", undefined, { TERM: "dumb", FORCE_COLOR: "3" }, true, true],
    ["CLICOLOR_FORCE is not heard", undefined, { CLICOLOR_FORCE: "1" }, false, false],
    ["always wins over everything", "always", { NO_COLOR: "1", FORCE_COLOR: "0" }, false, true],
    ["never wins over everything", "never", { FORCE_COLOR: "1" }, true, false],
    ["auto leaves it to the environment", "auto", { NO_COLOR: "1" }, true, false],
  ];
  test.each(cases)("%s", (_, flag, env, isTTY, wanted) => {
    expect(wantsColor(flag, env, isTTY)).toBe(wanted);
  });
});

describe("exit codes", () => {
  const summary = { error: 0, warning: 0, info: 0, consequences: 0, fixable: 0 };
  const cases: readonly [
    name: string,
    counts: Partial<typeof summary>,
    gate: Gate,
    hadTrouble: boolean,
    code: number,
  ][] = [
    ["nothing found", {}, { failOn: "error" }, false, 0],
    ["an error", { error: 1 }, { failOn: "error" }, false, 1],
    ["a warning passes by default", { warning: 3 }, { failOn: "error" }, false, 0],
    ["a warning fails when asked", { warning: 1 }, { failOn: "warning" }, false, 1],
    ["an error fails a gate for warnings", { error: 1 }, { failOn: "warning" }, false, 1],
    ["info fails when asked", { info: 1 }, { failOn: "info" }, false, 1],
    ["never", { error: 9, warning: 9 }, { failOn: "never", maxWarnings: 0 }, false, 0],
    ["too many warnings", { warning: 2 }, { failOn: "error", maxWarnings: 1 }, false, 1],
    ["consequences count for nothing", { consequences: 5 }, { failOn: "info" }, false, 0],
    ["trouble wins over findings", { error: 1 }, { failOn: "error" }, true, 2],
    ["trouble wins over never", {}, { failOn: "never" }, true, 2],
  ];
  test.each(cases)("%s", (_, counts, gate, hadTrouble, code) => {
    expect(exitCode({ summary: { ...summary, ...counts } }, gate, hadTrouble)).toBe(code);
  });
});

describe("the nearest name", () => {
  const rules = ["orphaned-tool-result", "repeated-call", "cyclic-calls", "dropped-turns", "dropped-tools"];
  const cases: readonly [typed: string, meant: string | undefined][] = [
    ["repeated-call", "repeated-call"],
    ["repeted-call", "repeated-call"],
    ["repeated_call", "repeated-call"],
    ["Repeated-Call", "repeated-call"],
    ["reapeted-call", "repeated-call"],
    ["dropped-trun", "dropped-turns"],
    ["orphaned", "orphaned-tool-result"],
    ["tool-result", "orphaned-tool-result"],
    ["dropped-t", "dropped-turns"],
    ["xyz", undefined],
    ["", undefined],
  ];
  test.each(cases)("%s is taken for %s", (typed, meant) => {
    expect(nearest(typed, rules)).toBe(meant);
  });
});
