import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { brokenLog, healthyLog, openLog } from "../cli/logs.ts";
import { type Outcome, toollint } from "../cli/program.ts";
import { agent, type Folders, key, session, someFolders, stories, writeTree } from "./trees.ts";

let root: string;

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), "toollint-merge-"));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const isReport = new Ajv2020({ allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(path.join(import.meta.dirname, "../../schemas/report.schema.json"), "utf8")),
);

interface Tree {
  readonly folders: Folders;
  readonly shards: number;
  readonly more: readonly string[];
  readonly options: readonly string[];
  readonly order: number;
  readonly formats: readonly string[];
  readonly look: readonly string[];
  readonly columns: number;
}

const trees: fc.Arbitrary<Tree> = fc.record({
  folders: someFolders,
  shards: fc.integer({ min: 1, max: 5 }),
  more: fc.subarray(["gone.log", "plain.txt", "tree/a", "own.jsonl", "tree/*.nothing"]),
  options: fc.subarray(["--keep-going", "--separate", "--complete", "--max-warnings=0", "--profile=groq"]),
  order: fc.nat(1000),
  formats: fc.subarray(["json", "jsonl", "sarif", "junit", "markdown", "github", "gitlab", "lines", "html"], {
    minLength: 2,
    maxLength: 3,
  }),
  look: fc.subarray(["--all", "--quiet", "--statistics", "--color=always"]),
  columns: fc.integer({ min: 60, max: 200 }),
});

let cases = 0;

/** Writes a tree of logs, checks it at once and in shards, and compares the reports. */
async function isMerged(tree: Tree): Promise<void> {
  const { folders, shards, more, options, order, formats, look, columns } = tree;
  const cwd = path.join(root, `${++cases}`);
  writeTree(cwd, folders);
  const asked = ["check", "tree", ...more, ...options];
  const blobs: string[] = [];
  for (let number = 1; number <= shards; number++) {
    const blob = `blob-${number}.jsonl`;
    await toollint([...asked, "--shard", `${number}/${shards}`, "--format", "blob", "-o", blob], { cwd });
    blobs.splice((order * number) % (blobs.length + 1), 0, blob);
  }
  // Sessions that stand in several places cannot be told apart in shards, and are refused.
  const sessions = folders.filter(({ story }) => "5f0c.jsonl" in (stories[story] ?? {}));
  if (new Set(sessions.map(({ name }) => name)).size > 1 && !options.includes("--separate")) return;
  for (const shown of [look, ...formats.map((format) => ["--format", format])]) {
    const once = await toollint([...asked, ...shown], { cwd, columns });
    const merged = await toollint(["merge", ...blobs, ...shown], { cwd, columns });
    expect({ exit: merged.exit, stdout: merged.stdout }).toEqual({ exit: once.exit, stdout: once.stdout });
  }
  rmSync(cwd, { recursive: true });
}

test("the merged report of any shards of any tree is that of one check, byte for byte", async () => {
  await fc.assert(fc.asyncProperty(trees, isMerged), { numRuns: Number(process.env["RUNS"] ?? 15) });
}, 120_000);

describe("shards of one check", () => {
  let cwd: string;

  beforeEach(() => {
    cwd = mkdtempSync(path.join(root, "check-"));
    for (const [folder, log] of Object.entries({ a: brokenLog, b: healthyLog, c: openLog })) {
      mkdirSync(path.join(cwd, "logs", folder), { recursive: true });
      writeFileSync(path.join(cwd, "logs", folder, "run.jsonl"), log);
    }
  });

  async function blobs(...options: string[]): Promise<void> {
    for (const number of [1, 2, 3])
      await toollint(
        [
          "check",
          "logs",
          "--shard",
          `${number}/3`,
          "--format",
          "blob",
          "-o",
          `blobs-${number}.jsonl`,
          ...options,
        ],
        { cwd },
      );
    mkdirSync(path.join(cwd, "blobs", "deep"), { recursive: true });
    writeFileSync(path.join(cwd, "blobs", "log.jsonl"), healthyLog);
    for (const number of [1, 2, 3])
      cpSync(
        path.join(cwd, `blobs-${number}.jsonl`),
        path.join(cwd, "blobs", number === 3 ? "deep" : "", `${number}.jsonl`),
      );
  }

  const merge = (...args: string[]): Promise<Outcome> => toollint(["merge", ...args], { cwd });

  test("a directory is searched for them", async () => {
    await blobs();
    const { exit, stdout, stderr } = await merge("blobs");
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: "" });
    expect(stdout).toMatch(/\n1 error, 1 info · fails \(--fail-on error\)\n$/);
  });

  test("the policy is that of the shards, unless options say another", async () => {
    await blobs("--fail-on", "never");
    expect((await merge("blobs")).exit).toBe(0);
    expect((await merge("blobs", "--fail-on", "info")).exit).toBe(1);
  });

  test("a missing one is refused by its number", async () => {
    await blobs();
    expect(await merge("blobs-1.jsonl", "blobs-3.jsonl")).toEqual({
      exit: 2,
      stdout: "",
      stderr:
        "toollint: shard 2/3 is missing: there are only 1/3, 3/3\n  `--partial` reports on the available shards and names the missing ones.\n",
    });
  });

  test("a missing one is named in a partial report of any format", async () => {
    await blobs();
    const partial = ["blobs-1.jsonl", "blobs-3.jsonl", "--partial"];
    expect((await merge(...partial)).stdout).toContain("\nmissing: shard 2/3\n");
    const report = JSON.parse((await merge(...partial, "--format", "json")).stdout);
    expect(report.missingShards).toEqual(["2/3"]);
    expect(isReport(report)).toBe(true);
    expect((await merge(...partial, "--format", "markdown")).stdout).toContain("missing: shard 2/3");
    expect((await merge(...partial, "--format", "junit")).stdout).toContain(
      '<testsuite name="shard 2/3" tests="1" failures="0" errors="0" skipped="1" time="0">',
    );
    expect((await merge(...partial, "--format", "sarif")).stdout).toContain("shard 2/3 is missing");
    for (const format of ["lines", "github", "gitlab", "jsonl"])
      expect((await merge(...partial, "--format", format)).stderr).toContain("shard 2/3 is missing");
    expect((await merge(...partial, "--format", "github")).stdout).toContain(
      "::warning title=toollint::missing: shard 2/3\n",
    );
  });

  test("one that is there twice is refused, also in a partial report", async () => {
    await blobs();
    cpSync(path.join(cwd, "blobs-1.jsonl"), path.join(cwd, "copy.jsonl"));
    const { exit, stderr } = await merge("blobs", "copy.jsonl", "--partial");
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: "toollint: shard 1/3 is there twice: blobs/1.jsonl and copy.jsonl; leave one out\n",
    });
  });

  test("different lists of files are refused", async () => {
    await blobs();
    writeFileSync(path.join(cwd, "logs", "a", "more.jsonl"), healthyLog);
    await toollint(["check", "logs", "--shard", "2/3", "--format", "blob", "-o", "blobs/2.jsonl"], { cwd });
    const { exit, stderr } = await merge("blobs");
    expect(exit).toBe(2);
    expect(stderr).toMatch(
      /blobs\/1.jsonl and blobs\/2.jsonl are shards of different lists of files: 3 files of \d+ bytes and 4 files of \d+ bytes; paths and sizes have to be the same/,
    );
  });

  test("different options are refused", async () => {
    await blobs();
    await toollint(
      ["check", "logs", "--shard", "2/3", "--complete", "--format", "blob", "-o", "blobs/2.jsonl"],
      { cwd },
    );
    expect(await merge("blobs")).toMatchObject({
      exit: 2,
      stderr:
        "toollint: blobs/1.jsonl and blobs/2.jsonl were checked with different options or config files: use the same for all shards\n",
    });
  });

  test.each([
    [
      "another schema",
      (text: string) => text.replace('"schemaVersion":"1.0"', '"schemaVersion":"2.0"'),
      "has the schema 2.0, and this toollint reads 1.0: use the toollint that wrote it",
    ],
    [
      "a lost end",
      (text: string) => text.replace(/\{"type":"end".*\n$/, ""),
      "is cut: its end is missing, so check that shard again",
    ],
    [
      "half a line at the end",
      (text: string) => text.slice(0, -10),
      "is cut: its end is missing, so check that shard again",
    ],
    [
      "a broken line",
      (text: string) => text.replace('"place":', '"plaice":'),
      "is damaged in line 2: check that shard again",
    ],
    [
      "another file",
      () => healthyLog,
      "is not the report of a shard: `toollint check --format blob` writes one",
    ],
  ])("%s is refused", async (_, change, sentence) => {
    await blobs();
    const file = path.join(cwd, "blobs-1.jsonl");
    writeFileSync(file, change(readFileSync(file, "utf8")));
    expect(await merge("blobs-1.jsonl", "blobs-2.jsonl", "blobs-3.jsonl")).toMatchObject({
      exit: 2,
      stderr: `toollint: blobs-1.jsonl ${sentence}\n`,
    });
  });

  test("a session and its sub-agents in different shards are refused: one check would join them", async () => {
    for (const [folder, log] of Object.entries({ main: session, side: agent })) {
      mkdirSync(path.join(cwd, "work", folder), { recursive: true });
      writeFileSync(path.join(cwd, "work", folder, "5f0c.jsonl"), log);
    }
    const shards = async (...options: string[]): Promise<Outcome> => {
      for (const number of [1, 2])
        await toollint(
          [
            "check",
            "work",
            "--shard",
            `${number}/2`,
            "--format",
            "blob",
            "-o",
            `${number}.jsonl`,
            ...options,
          ],
          { cwd },
        );
      return merge("1.jsonl", "2.jsonl");
    };
    const { exit, stderr } = await shards();
    expect(exit).toBe(2);
    expect(stderr).toMatch(
      /^toollint: work\/side\/5f0c.jsonl and work\/main\/5f0c.jsonl are of one session, and in different shards \(\d\/2 and \d\/2\): put them into one folder, or check all shards with `--separate`\n$/,
    );
    expect((await shards("--separate")).stderr).toBe("");
  });

  test("a page shows the logs, which it reads again", async () => {
    await toollint(["check", "logs/a", "--baseline", "known.json", "--update-baseline"], { cwd });
    await blobs("--complete", "--baseline", "known.json");
    const once = await toollint(
      ["check", "logs", "--complete", "--baseline", "known.json", "--format", "html"],
      { cwd },
    );
    expect(once.stdout).toContain("<article data-finding=");
    expect(await merge("blobs", "--format", "html")).toEqual(once);
  });

  test("where the logs are not, a page is refused with what to type instead", async () => {
    await blobs("--complete");
    rmSync(path.join(cwd, "logs", "c"), { recursive: true });
    expect(await merge("blobs", "--format", "html=page.html")).toMatchObject({
      exit: 2,
      stderr:
        "toollint: a page shows the conversations of the logs, and the 3 files that the shards checked (logs) are not here with the same names and sizes: run `merge` where the logs are, or `toollint check logs --complete --format html -o report.html`; with `--trends`, a page needs no logs\n",
    });
    expect((await merge("blobs", "--trends", "--format", "html=page.html")).exit).toBe(1);
  });

  test("a page is refused where logs of the same sizes say something else, or the config does", async () => {
    await blobs();
    const log = path.join(cwd, "logs", "a", "run.jsonl");
    writeFileSync(log, readFileSync(log, "utf8").replaceAll('"tool_calls"', '"tool_cells"'));
    expect((await merge("blobs", "--format", "html")).stderr).toContain(
      "and these have changed since the shards were checked",
    );
    writeFileSync(log, brokenLog);
    writeFileSync(path.join(cwd, "toollint.config.json"), '{"rules":{"dropped-tool-call":"warning"}}');
    expect((await merge("blobs", "--format", "html")).stderr).toContain("and here is another config file");
  });

  test("known findings are suppressed as in one check", async () => {
    await toollint(["check", "logs/a", "--baseline", "known.json", "--update-baseline"], { cwd });
    await blobs("--baseline", "known.json");
    const once = await toollint(["check", "logs", "--baseline", "known.json", "--format", "json"], { cwd });
    const merged = await merge("blobs", "--format", "json");
    expect(merged.stdout).toBe(once.stdout);
    expect(JSON.parse(merged.stdout).suppressed).toHaveLength(2);
  });

  test("no credential of a log is in a blob", async () => {
    writeFileSync(
      path.join(cwd, "logs", "a", "run.jsonl"),
      brokenLog.replaceAll("How warm is it in Paris?", `Use ${key}.`),
    );
    await blobs();
    const all = [1, 2, 3]
      .map((number) => readFileSync(path.join(cwd, `blobs-${number}.jsonl`), "utf8"))
      .join("");
    expect(all).toContain("orphaned-tool-result");
    expect(all).not.toContain(key.slice(10, 30));
  });
});

describe("--keep-going", () => {
  test("lists what cannot be read, and decides by the rest", async () => {
    const cwd = mkdtempSync(path.join(root, "keep-"));
    writeFileSync(path.join(cwd, "good.jsonl"), healthyLog);
    writeFileSync(path.join(cwd, "notes.txt"), "a file without a conversation\n");
    const asked = ["check", "good.jsonl", "gone.log", "notes.txt"];
    expect((await toollint(asked, { cwd })).exit).toBe(2);
    const { exit, stdout, stderr } = await toollint([...asked, "--keep-going"], { cwd });
    expect(exit).toBe(0);
    expect(stdout).toContain(
      "not read: gone.log (there is no such file), notes.txt (no conversation was understood in it)\n",
    );
    expect(stdout).toMatch(/\nno findings · passes\n$/);
    expect(stderr).toContain("toollint: cannot read gone.log: there is no such file\n");
    const json = JSON.parse((await toollint([...asked, "--keep-going", "--format", "json"], { cwd })).stdout);
    expect(isReport(json)).toBe(true);
    expect(json.unread).toEqual([
      { path: "gone.log", kind: "unreadable", reason: "there is no such file" },
      { path: "notes.txt", kind: "not-understood", reason: "no conversation was understood in it" },
    ]);
  });

  test("nothing that can be read is no clean report", async () => {
    const cwd = mkdtempSync(path.join(root, "keep-"));
    const { exit, stdout } = await toollint(["check", "gone.log", "--keep-going"], { cwd });
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
  });
});
