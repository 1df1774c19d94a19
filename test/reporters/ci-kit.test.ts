import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { lines } from "../../src/reporters/lines.ts";
import { hostile } from "./hostile.ts";
import { at, finding, report } from "./reports.ts";

const root = path.join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

describe("the problem matcher", () => {
  const { problemMatcher } = JSON.parse(read(".github/toollint-matcher.json"));
  const matched = (line: string) => {
    for (const { severity, pattern } of problemMatcher) {
      const [{ regexp, ...groups }] = pattern;
      const match = new RegExp(regexp).exec(line);
      if (!match) continue;
      const names = Object.entries<number>(groups);
      return { severity, ...Object.fromEntries(names.map(([name, group]) => [name, match[group]])) };
    }
    return undefined;
  };

  test("reads findings on one line, and not what is indented below them", () => {
    const findings = [
      finding("orphaned-tool-result", at(41, 18), {
        id: "f1",
        message: "result [2]: none",
        related: [{ message: "here", location: at(12, 9) }],
      }),
      finding("eager-tool-prompt", at(42, 1, { file: "a b.log" }), { severity: "info" }),
      finding("repeated-call", at(50, 1), { severity: "warning", cause: "f1" }),
      finding("unclosed-loop", at(60, 2, { file: "C:\\x.log" }), { severity: "warning" }),
    ];
    expect([...lines(report(findings))].map(matched)).toEqual([
      {
        file: "run.log",
        line: "41",
        column: "18",
        severity: "error",
        message: "result [2]: none",
        code: "orphaned-tool-result",
      },
      undefined,
      undefined,
      {
        file: "a b.log",
        line: "42",
        column: "1",
        severity: "notice",
        message: "something about eager-tool-prompt",
        code: "eager-tool-prompt",
      },
      {
        file: "C:\\x.log",
        line: "60",
        column: "2",
        severity: "warning",
        message: "something about unclosed-loop",
        code: "unclosed-loop",
      },
    ]);
  });
});

describe("the hook for pre-commit", () => {
  const hooks: readonly Readonly<Record<string, unknown>>[] = parse(read(".pre-commit-hooks.yaml"));

  test("runs the program of the package on recordings", () => {
    expect(hooks).toHaveLength(1);
    const [hook] = hooks;
    expect(hook).toMatchObject({ id: "toollint", language: "node", entry: "toollint check" });
    const files = new RegExp(String(hook?.["files"]));
    expect(["a/run.log", "x.har", "x.jsonl", "x.sse"].filter((file) => !files.test(file))).toEqual([]);
    expect(["x.ts", "catalog", "x.log.ts"].filter((file) => files.test(file))).toEqual([]);
  });
});

describe.skipIf(process.platform === "win32")("the action", () => {
  const action = parse(read("action.yml"));
  const [step] = action.runs.steps;
  const folder = mkdtempSync(path.join(os.tmpdir(), "toollint-action-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs the step with a program in the place of npx that writes down how it was called. */
  function run(inputs: Readonly<Record<string, string>>, exit = 0, says = "") {
    const npx = path.join(folder, "npx");
    writeFileSync(
      npx,
      '#!/usr/bin/env bash\nprintf "%s\\0" "$#" "$@" >> "$CALLS"\nprintf "%s\\n" "$SAYS"\nexit "$EXIT"\n',
    );
    chmodSync(npx, 0o755);
    const script = path.join(folder, "step.sh");
    writeFileSync(script, step.run);
    const files = { CALLS: path.join(folder, "calls"), GITHUB_OUTPUT: path.join(folder, "output") };
    for (const file of Object.values(files)) writeFileSync(file, "");
    const env = Object.fromEntries(
      Object.entries<string>(step.env).map(([name, value]) => {
        const [, input = ""] = /^\$\{\{ inputs\.([a-z-]+) \}\}$/.exec(value) ?? [];
        return [name, inputs[input] ?? String(action.inputs[input].default)];
      }),
    );
    const { status, stdout } = spawnSync("bash", ["--noprofile", "--norc", "-e", "-o", "pipefail", script], {
      cwd: folder,
      encoding: "utf8",
      env: { ...env, ...files, EXIT: String(exit), SAYS: says, PATH: `${folder}:${process.env["PATH"]}` },
    });
    const words = readFileSync(files.CALLS, "utf8").split("\0").slice(0, -1);
    const calls: string[][] = [];
    while (words.length > 0) calls.push(words.splice(0, Number(words.shift())));
    return { status, stdout, calls, output: readFileSync(files.GITHUB_OUTPUT, "utf8") };
  }

  test("is a composite action whose version is that of the package", () => {
    expect(action.runs.using).toBe("composite");
    expect(Object.keys(action.inputs)).toEqual(["paths", "fail-on", "sarif-file", "args", "version"]);
    expect(action.inputs.version.default).toBe(JSON.parse(read("package.json")).version);
    // An expression within a script would be code that whoever writes the input chooses.
    expect(step.run).not.toContain("${{");
    execFileSync("bash", ["-n", "-c", step.run]);
  });

  test("checks, and passes paths and options on as they are", () => {
    const hostilePaths = ["a b.log", "$(touch owned)", "--output=x", "*"];
    const { status, calls, output } = run({
      paths: `${hostilePaths.join("\r\n")}\n`,
      args: "--rule\nrepeated-call:off\n\n--complete",
      "fail-on": "warning",
      version: "1.2.3",
    });
    expect(status).toBe(0);
    expect(output).toBe("exit-code=0\n");
    const head = ["--yes", "toollint@1.2.3", "check", "--fail-on", "warning"];
    const options = [...head, "--rule", "repeated-call:off", "--complete"];
    expect(calls).toEqual([
      [...options, "--format", "text", "--", ...hostilePaths],
      [...options, "--format", "github", "--", ...hostilePaths],
    ]);
  });

  test.each([1, 2])("ends as the check did, with %i, and writes the SARIF report", (exit) => {
    const { status, calls, output } = run({ "sarif-file": "out dir/x.sarif" }, exit);
    expect(status).toBe(exit);
    expect(output).toBe(`exit-code=${exit}\n`);
    expect(calls).toHaveLength(2);
    expect(calls[1]?.slice(-6)).toEqual([
      "--format",
      "github",
      "--format",
      "sarif=out dir/x.sarif",
      "--",
      ".",
    ]);
  });

  test("lets no line of the text report command the runner", () => {
    const { stdout } = run({}, 1, hostile.filter((text) => !text.includes("\0")).join("\n"));
    const [first = "", ...rest] = stdout.split("\n");
    const [, token = ""] = /^::stop-commands::(toollint-\d+)$/.exec(first) ?? [];
    expect(token).not.toBe("");
    expect(rest).toContain(`::${token}::`);
  });
});
