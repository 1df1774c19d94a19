import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { brokenLog, healthyLog } from "../cli/logs.ts";
import { type Outcome, toollint } from "../cli/program.ts";

let cwd: string;

/** Six folders: one large, five small. */
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "toollint-shards-"));
  for (const [folder, times] of Object.entries({ a: 1, b: 6, c: 1, d: 1, e: 2, f: 1 })) {
    mkdirSync(path.join(cwd, "logs", folder), { recursive: true });
    for (let at = 1; at <= times; at++)
      writeFileSync(path.join(cwd, "logs", folder, `run-${at}.jsonl`), at === 1 ? brokenLog : healthyLog);
  }
});

afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function shard(value: string, env: Record<string, string> = {}, ...more: string[]): Promise<Outcome> {
  return toollint(["check", "logs", "--format", "json", "--shard", value, ...more], { cwd, env });
}

async function paths(value: string, env: Record<string, string> = {}, ...more: string[]): Promise<string[]> {
  const { stdout } = await shard(value, env, ...more);
  const { files } = JSON.parse(stdout) as { files: { path: string }[] };
  return files.map((file) => file.path);
}

test("shards hold whole folders, the largest alone, and each file once", async () => {
  expect(await paths("1/3")).toEqual([1, 2, 3, 4, 5, 6].map((at) => `logs/b/run-${at}.jsonl`));
  const others = [...(await paths("2/3")), ...(await paths("3/3"))];
  expect(
    others
      .map((file) => file.slice(5, 6))
      .sort()
      .join(""),
  ).toBe("acdeef");
});

test("files that are read separately are shared out one by one", async () => {
  const [left, right] = [await paths("1/2", {}, "--separate"), await paths("2/2", {}, "--separate")];
  expect([left.length, right.length]).toEqual([6, 6]);
  expect(new Set([...left, ...right]).size).toBe(12);
});

test.each([
  ["Kubernetes", "auto/3", { JOB_COMPLETION_INDEX: "1" }],
  ["AWS Batch", "auto", { AWS_BATCH_JOB_ARRAY_INDEX: "1", AWS_BATCH_JOB_ARRAY_SIZE: "3" }],
  [
    "Slurm",
    "auto",
    {
      SLURM_ARRAY_TASK_ID: "1",
      SLURM_ARRAY_TASK_COUNT: "3",
      SLURM_ARRAY_TASK_MIN: "0",
      SLURM_ARRAY_TASK_MAX: "2",
    },
  ],
  [
    "Slurm from 10 in steps",
    "auto",
    {
      SLURM_ARRAY_TASK_ID: "20",
      SLURM_ARRAY_TASK_COUNT: "3",
      SLURM_ARRAY_TASK_MIN: "10",
      SLURM_ARRAY_TASK_MAX: "30",
    },
  ],
  ["Bazel", "auto", { TEST_SHARD_INDEX: "1", TEST_TOTAL_SHARDS: "3" }],
  ["GitLab, which counts from 1", "auto", { CI_NODE_INDEX: "2", CI_NODE_TOTAL: "3" }],
])("the variables of %s name shard 2 of 3", async (_, value, env) => {
  expect(await paths(value, env)).toEqual(await paths("2/3"));
});

test("a job of GitLab that is not parallel checks everything", async () => {
  expect(await paths("auto", { CI_NODE_TOTAL: "1" })).toHaveLength(12);
});

test("Bazel learns that shards are supported", async () => {
  const status = path.join(cwd, "status");
  await shard("auto", { TEST_SHARD_INDEX: "0", TEST_TOTAL_SHARDS: "2", TEST_SHARD_STATUS_FILE: status });
  expect(readFileSync(status, "utf8")).toBe("");
});

test.each<[string, Record<string, string>, string]>([
  [
    "3",
    {},
    "`--shard` needs a number and how many there are, counted from 1: `--shard 2/8`, or `auto`; not `3`",
  ],
  ["0/4", {}, "`--shard 0/4`: there is no such shard: they count from 1 to 4"],
  [
    "auto",
    {},
    "`--shard auto` finds no variable that says which shard this is (TEST_SHARD_INDEX, SLURM_ARRAY_TASK_ID, AWS_BATCH_JOB_ARRAY_INDEX, JOB_COMPLETION_INDEX, CI_NODE_INDEX): name it, as in `--shard 1/4`",
  ],
  [
    "auto",
    { JOB_COMPLETION_INDEX: "1" },
    "JOB_COMPLETION_INDEX says which shard this is, and Kubernetes does not say of how many: add it, as in `--shard auto/8`",
  ],
  [
    "auto",
    { AWS_BATCH_JOB_ARRAY_INDEX: "1" },
    "AWS_BATCH_JOB_ARRAY_INDEX says which shard this is, and AWS_BATCH_JOB_ARRAY_SIZE is not set: add it, as in `--shard auto/8`",
  ],
  [
    "auto",
    { TEST_TOTAL_SHARDS: "4" },
    "TEST_TOTAL_SHARDS says how many shards there are, and TEST_SHARD_INDEX, the number of this one, is not set: add it, as in `--shard 1/4`",
  ],
  [
    "auto/3",
    { JOB_COMPLETION_INDEX: "3" },
    "JOB_COMPLETION_INDEX=3 of 3: there is no such shard: they count from 0 to 2",
  ],
  [
    "auto",
    {
      SLURM_ARRAY_TASK_ID: "4",
      SLURM_ARRAY_TASK_COUNT: "3",
      SLURM_ARRAY_TASK_MIN: "1",
      SLURM_ARRAY_TASK_MAX: "9",
    },
    "the ids of this Slurm array are not evenly spaced",
  ],
])("`--shard %s` with %o is refused in a sentence", async (value, env, sentence) => {
  const { exit, stderr } = await shard(value, env);
  expect(stderr).toContain(sentence);
  expect(exit).toBe(2);
});

test("a shard without files passes, and says why it has none", async () => {
  const { exit, stdout, stderr } = await toollint(["check", "logs/b", "--shard", "2/2"], { cwd });
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
  expect(stderr).toBe(
    "toollint: shard 2/2 has no files: those of a folder stay together, as they may continue each other, so 1 shard has all 6\n  If each file is a log of its own, add `--separate`.\n",
  );
});

test("what is about all files does not go with a shard", async () => {
  const { exit, stderr } = await shard("1/2", {}, "--conversation", "c1");
  expect(exit).toBe(2);
  expect(stderr).toBe(
    "toollint: `--shard` checks a part of the files, and `--conversation` is about all of them\n",
  );
});

test("standard input cannot be shared out", async () => {
  const { exit, stderr } = await toollint(["check", "-", "--shard", "1/2"], { cwd, stdin: healthyLog });
  expect(exit).toBe(2);
  expect(stderr).toBe("toollint: `--shard` divides files among jobs: save standard input to a file first\n");
});
