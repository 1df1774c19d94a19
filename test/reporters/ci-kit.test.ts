import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
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

  const runnersBash = ["--noprofile", "--norc", "-e", "-o", "pipefail"];

  /** The environment of the step for these inputs. */
  const envOf = (inputs: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries<string>(step.env).map(([name, value]) => {
        const [, input = ""] = /^\$\{\{ inputs\.([a-z-]+) \}\}$/.exec(value) ?? [];
        return [name, inputs[input] ?? String(action.inputs[input].default)];
      }),
    );

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
    const env = { ...envOf(inputs), ...files, EXIT: String(exit), SAYS: says };
    const { status, stdout } = spawnSync("bash", [...runnersBash, script], {
      cwd: folder,
      encoding: "utf8",
      env: { ...env, RUNNER_TEMP: folder, PATH: `${folder}:${process.env["PATH"]}` },
    });
    const words = readFileSync(files.CALLS, "utf8").split("\0").slice(0, -1);
    const calls: string[][] = [];
    while (words.length > 0) calls.push(words.splice(0, Number(words.shift())));
    return { status, stdout, calls, output: readFileSync(files.GITHUB_OUTPUT, "utf8") };
  }

  test("is a composite action whose version is that of the package", () => {
    expect(action.runs.using).toBe("composite");
    expect(Object.keys(action.inputs)).toEqual([
      "paths",
      "run",
      "script",
      "log",
      "profile",
      "fail-on",
      "sarif-file",
      "args",
      "version",
    ]);
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

  test("serves a command, and checks what it said in place of the paths", () => {
    const { status, calls, output } = run({
      run: "npm test && echo $(date)\nnpm run more",
      script: "--port=1 $(touch owned).yaml",
      log: "-run.jsonl",
      profile: "vllm/gemma",
      version: "1.2.3",
      paths: "other.log",
    });
    expect(status).toBe(0);
    const [, journal = ""] = /^journal=(.*)\nexit-code=0\n$/.exec(output) ?? [];
    expect(path.dirname(path.dirname(journal))).toBe(folder);
    const [served, ...checks] = calls;
    expect(served).toEqual([
      ...["--yes", "toollint@1.2.3", "serve", `--journal=${journal}`],
      ...["--script=--port=1 $(touch owned).yaml", "--profile=vllm/gemma", "./-run.jsonl", "--"],
      ...["bash", "-e", "-o", "pipefail", "-c", "npm test && echo $(date)\nnpm run more"],
    ]);
    const head = ["--yes", "toollint@1.2.3", "check", "--fail-on", "error", "--format"];
    expect(checks).toEqual(["text", "github"].map((format) => [...head, format, "--", journal]));
  });

  test("ends as the command did where it asked no model", () => {
    const { status, calls, output } = run({ run: "exit 3" }, 3);
    expect(status).toBe(3);
    expect(calls).toHaveLength(1);
    expect(output).toMatch(/^exit-code=3$/m);
  });

  /** Runs the step with the program that is built here, on the sample of an agent with a test. */
  async function runBuilt(inputs: Readonly<Record<string, string>>, agent: string) {
    const place = mkdtempSync(path.join(folder, "built-"));
    const program = JSON.stringify(path.join(root, "bin/toollint.js"));
    const npx = path.join(place, "npx");
    writeFileSync(npx, `#!/usr/bin/env bash\nshift 2\nexec "$NODE" ${program} "$@"\n`);
    chmodSync(npx, 0o755);
    const script = path.join(place, "step.sh");
    writeFileSync(script, step.run);
    const GITHUB_OUTPUT = path.join(place, "output");
    const env = { ...envOf(inputs), GITHUB_OUTPUT, NODE: process.execPath, RUNNER_TEMP: place, AGENT: agent };
    const child = spawn("bash", [...runnersBash, script], {
      cwd: path.join(root, "samples/tested-agent"),
      env: { ...env, PATH: `${place}:${path.dirname(process.execPath)}:${process.env["PATH"]}` },
    });
    const [stdout, status] = await Promise.all([
      text(child.stdout),
      once(child, "close").then(([code]) => code),
    ]);
    return { status, stdout, output: readFileSync(GITHUB_OUTPUT, "utf8") };
  }
  const inputs = { run: "node --test --test-reporter=tap", script: "replies.yaml" };

  test("passes with an agent that keeps its history", async () => {
    const { status, stdout, output } = await runBuilt(inputs, "./agent.mjs");
    expect(stdout).toMatch(/^toollint: 2 requests, all answered · passes$/m);
    expect(stdout).toMatch(/^checked: 2 exchanges.*\nno findings · passes$/m);
    expect(output).toMatch(/^journal=.*\nexit-code=0\n$/);
    expect(status).toBe(0);
  });

  test("fails with one that forgets a call, and annotates the log", async () => {
    const { status, stdout, output } = await runBuilt(
      { ...inputs, profile: "mistral" },
      "./forgetful-agent.mjs",
    );
    // Quoted, between the reports, quoted, and what the runner reads.
    const [, served, , checked, annotations] = stdout.split(/^::(?:stop-commands::)?toollint-\d+(?:::)?\n/m);
    expect(served).toContain("rejected[orphaned-tool-result]  request 2");
    expect(checked).toContain("error[dropped-tool-call]");
    expect(annotations).toMatch(/^::error file=.*run\.jsonl,.*dropped-tool-call/m);
    expect(output).toMatch(/^exit-code=1$/m);
    expect(status).toBe(1);
  });
});
