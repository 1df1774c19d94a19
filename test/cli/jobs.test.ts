import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { someFolders, writeTree } from "../fleet/trees.ts";
import { toollint } from "./program.ts";

const root = path.join(import.meta.dirname, "..", "..");

/** The logs of the samples, and names that lead nowhere before, between and after them. */
const paths = ["missing-1.log", "samples/rag-read-loop", "missing-2.log", "samples/order-lookup", "gone/"];

function program(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["bin/toollint.js", "check", ...args], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  return { status, stdout, stderr };
}

describe("--jobs", () => {
  test.each(["text", "json", "sarif", "junit", "markdown"])(
    "says in %s what one thread says",
    async (format) => {
      const say = (jobs: string) =>
        toollint(["check", ...paths, "--format", format, "--jobs", jobs, "--statistics"], { cwd: root });
      const [one, several] = [await say("1"), await say("3")];
      expect(several).toEqual(one);
      expect(one.exit).toBe(2);
      expect(one.stderr).toContain("missing-2.log");
    },
  );

  test("says it in threads", () => {
    const args = [...paths, "--format", "jsonl", "--max-warnings", "0"];
    const one = program(...args, "--jobs", "1");
    expect(program(...args, "--jobs", "2")).toEqual(one);
    expect(one.stdout).toContain('"rule":"dropped-turns"');
  });

  test("changes no byte and no exit code, whatever the files, options and formats are", async () => {
    const root = mkdtempSync(path.join(tmpdir(), "toollint-jobs-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    let cases = 0;
    const options = fc.subarray([
      ...["--keep-going", "--separate", "--complete", "--max-warnings=0", "--fail-on=info", "--quiet"],
      ...["--profile=groq", "--baseline=known.json", "--config=overrides.json", "--statistics", "--all"],
    ]);
    const more = fc.subarray(["gone.log", "plain.txt", "tree/a", "own.jsonl", "tree/*.nothing", "tree/**"]);
    const format = fc.constantFrom(
      ...["text", "lines", "json", "jsonl", "sarif", "junit", "github", "gitlab", "markdown", "blob"],
    );
    const threads = fc.integer({ min: 2, max: 5 });
    await fc.assert(
      fc.asyncProperty(
        someFolders,
        options,
        more,
        format,
        threads,
        async (folders, asked, paths, shown, n) => {
          const cwd = path.join(root, `${++cases}`);
          writeTree(cwd, folders);
          const overrides = { overrides: [{ files: ["tree/a/**"], rules: { "dropped-tool-call": "info" } }] };
          writeFileSync(path.join(cwd, "overrides.json"), JSON.stringify(overrides));
          await toollint(["check", "own.jsonl", "--baseline=known.json", "--update-baseline"], { cwd });
          const say = (jobs: number) =>
            toollint(["check", "tree", ...paths, ...asked, `--format=${shown}`, `--jobs=${jobs}`], { cwd });
          expect(await say(n)).toEqual(await say(1));
        },
      ),
      { numRuns: Number(process.env["RUNS"] ?? 15) },
    );
  }, 120_000);

  test("tells which files a thread was at that ended, and checks the others", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "toollint-jobs-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const name of ["a.jsonl", "b.jsonl", "c.jsonl"])
      copyFileSync(path.join(root, "samples/order-lookup/failing.jsonl"), path.join(folder, name));
    const trap = path.join(folder, "trap.cjs");
    writeFileSync(
      trap,
      `const { parentPort } = require("node:worker_threads");
parentPort?.on("message", ({ paths }) => paths.includes("b.jsonl") && process.exit(9));`,
    );
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [path.join(root, "bin/toollint.js"), "check", "*.jsonl", "--jobs=2", "--separate", "--format=json"],
      { cwd: folder, encoding: "utf8", env: { ...process.env, NODE_OPTIONS: `--require ${trap}` } },
    );
    expect(stderr).toBe(
      "toollint: cannot check b.jsonl: the thread that checked it ended; `--jobs 1` may say why\n",
    );
    expect(JSON.parse(stdout).files.map((file: { path: string }) => file.path)).toEqual([
      "a.jsonl",
      "c.jsonl",
    ]);
    expect(status).toBe(2);
  });

  test("tells which file takes more memory than there is, and checks the others", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "toollint-jobs-"));
    const text = (at: number) => `{"model":"gpt-5","messages":[{"role":"user","content":"Look ${at}."}]}\n`;
    writeFileSync(
      path.join(folder, "large.jsonl"),
      Array.from({ length: 40_000 }, (_, at) => text(at)).join(""),
    );
    copyFileSync(path.join(root, "samples/order-lookup/failing.jsonl"), path.join(folder, "small.jsonl"));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        "--max-old-space-size=40",
        path.join(root, "bin/toollint.js"),
        "check",
        ".",
        "--jobs=2",
        "--format=json",
      ],
      { cwd: folder, encoding: "utf8" },
    );
    rmSync(folder, { recursive: true });
    expect(stderr).toMatch(/^toollint: cannot check large\.jsonl: that takes more memory than the \d+ MB /);
    expect(JSON.parse(stdout).files.map((file: { path: string }) => file.path)).toEqual(["small.jsonl"]);
    expect(status).toBe(2);
  });

  test("needs a number of threads", async () => {
    const { exit, stderr } = await toollint(["check", "--jobs", "0", "samples"], { cwd: root });
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: "toollint: `--jobs` needs a whole number of at least 1, not `0`\n",
    });
  });
});
