import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { brokenLog, healthyLog, openLog } from "../cli/logs.ts";
import { toollint } from "../cli/program.ts";
import { awsBatchJob, githubWorkflow, kubernetesJob } from "./manifests.ts";
import { hasSlurm, startCluster } from "./slurm.ts";

const root = path.join(import.meta.dirname, "..", "..");
const recipe = (name: string): string => path.join(root, "docs", "fleet", name);
const program = path.join(root, "bin", "toollint.js");

let cwd: string;

/** Twelve folders of logs, and a place for the blobs. */
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "toollint-engines-"));
  for (let number = 1; number <= 12; number++) {
    mkdirSync(path.join(cwd, "logs", `${number}`), { recursive: true });
    const log = number % 3 === 0 ? brokenLog : number % 4 === 0 ? openLog : healthyLog;
    writeFileSync(path.join(cwd, "logs", `${number}`, "run.jsonl"), log);
  }
});

afterAll(() => rmSync(cwd, { recursive: true, force: true }));

interface Step {
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the commands of an engine as it would, and compares the report with that of one check. */
async function isWhole(checks: readonly Step[], merge: readonly string[]): Promise<void> {
  rmSync(path.join(cwd, "blobs"), { recursive: true, force: true });
  mkdirSync(path.join(cwd, "blobs"));
  for (const { words, env } of checks) {
    const { exit, stderr } = await toollint(argumentsIn(words), { cwd, ...(env && { env }) });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  }
  const format = ["--format", "json", "--fail-on", "error"];
  const once = await toollint(["check", "logs", "--keep-going", ...format], { cwd });
  const merged = await toollint(
    [
      ...argumentsIn(merge).filter((word) => !/^--format|^json=|^sarif=|^github$/.test(word)),
      "--format",
      "json",
    ],
    { cwd },
  );
  const { unread: _, ...report } = JSON.parse(once.stdout);
  const { unread: __, ...mergedReport } = JSON.parse(merged.stdout);
  expect(mergedReport).toEqual(report);
  expect(merged.exit).toBe(1);
  expect((await toollint(argumentsIn(merge), { cwd })).exit).toBe(1);
}

/** What follows the program's name. */
function argumentsIn(words: readonly string[]): string[] {
  const at = words.indexOf("toollint");
  expect(at).toBeGreaterThanOrEqual(0);
  return words.slice(at + 1);
}

function replaced(words: readonly string[], name: string, value: string): string[] {
  return words.map((word) => word.replaceAll(name, value));
}

test("the manifests have the form that their engines take", () => {
  const ajv = new Ajv2020({ allowUnionTypes: true, strictRequired: false });
  const wrong = (schema: object, manifest: unknown) => (ajv.validate(schema, manifest) ? [] : ajv.errors);
  for (const document of parseAllDocuments(readFileSync(recipe("kubernetes.yaml"), "utf8")))
    expect(wrong(kubernetesJob, document.toJS())).toEqual([]);
  for (const name of ["aws-batch-check.json", "aws-batch-merge.json"])
    expect(wrong(awsBatchJob, JSON.parse(readFileSync(recipe(name), "utf8")))).toEqual([]);
  const [workflow] = parseAllDocuments(readFileSync(recipe("github.yml"), "utf8"));
  expect(wrong(githubWorkflow, workflow?.toJS())).toEqual([]);
  const misspelt = JSON.parse(readFileSync(recipe("aws-batch-check.json"), "utf8").replace("size", "sise"));
  expect(wrong(awsBatchJob, misspelt)).toMatchObject([{ params: { additionalProperty: "sise" } }]);
});

test("Kubernetes: an Indexed Job has as many pods as its command says shards", async () => {
  const [check, merge] = parseAllDocuments(readFileSync(recipe("kubernetes.yaml"), "utf8")).map(
    (document) => {
      expect(document.errors).toEqual([]);
      return document.toJS();
    },
  );
  expect(check).toMatchObject({ apiVersion: "batch/v1", kind: "Job", spec: { completionMode: "Indexed" } });
  const { completions, template } = check.spec;
  const [container] = template.spec.containers;
  const words: string[] = [...container.command, ...container.args];
  expect(words[words.indexOf("--shard") + 1]).toBe(`auto/${completions}`);
  await isWhole(
    Array.from({ length: completions }, (_, index) => ({
      words: replaced(words, "$(JOB_COMPLETION_INDEX)", `${index}`),
      env: { JOB_COMPLETION_INDEX: `${index}` },
    })),
    merge.spec.template.spec.containers[0].command,
  );
});

test("AWS Batch: an array job and the job that waits for it", async () => {
  const check = JSON.parse(readFileSync(recipe("aws-batch-check.json"), "utf8"));
  const merge = JSON.parse(readFileSync(recipe("aws-batch-merge.json"), "utf8"));
  const { size } = check.arrayProperties;
  const line = (job: typeof check): string[] => job.containerOverrides.command[2].split(" ");
  await isWhole(
    Array.from({ length: size }, (_, index) => ({
      words: replaced(line(check), "$AWS_BATCH_JOB_ARRAY_INDEX", `${index}`),
      env: { AWS_BATCH_JOB_ARRAY_INDEX: `${index}`, AWS_BATCH_JOB_ARRAY_SIZE: `${size}` },
    })),
    line(merge),
  );
});

test("GitHub Actions: a matrix of as many jobs as its command says shards", async () => {
  const [document] = parseAllDocuments(readFileSync(recipe("github.yml"), "utf8"));
  const { check, report } = document?.toJS().jobs ?? {};
  const runs = (job: { steps: { run?: string }[] }): string => job.steps.find(({ run }) => run)?.run ?? "";
  const { shard }: { shard: number[] } = check.strategy.matrix;
  expect(runs(check)).toContain(`--shard \${{ matrix.shard }}/${shard.length} `);
  await isWhole(
    shard.map((number) => ({
      words: runs(check)
        .replaceAll(`\${{ matrix.shard }}`, `${number}`)
        .replace("--output ", "--output blobs/")
        .split(" "),
    })),
    runs(report).split(" "),
  );
});

/** `toollint` on the path of a shell. */
function shellPath(): string {
  const bin = path.join(cwd, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(path.join(bin, "toollint"), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
    mode: 0o755,
  });
  return `${bin}:${process.env["PATH"]}`;
}

async function isMergedInto(folder: string): Promise<void> {
  const merged = await toollint(["merge", folder, "--fail-on", "error"], { cwd });
  const once = await toollint(["check", "logs"], { cwd });
  expect(merged).toEqual({ exit: 1, stdout: once.stdout, stderr: "" });
}

const isBuilt = existsSync(path.join(root, "dist", "cli.cjs"));
const hasParallel =
  spawnSync("parallel", ["--version"], { encoding: "utf8" }).stdout?.startsWith("GNU") ?? false;

test.skipIf(!isBuilt || !hasParallel)(
  `GNU parallel: the line of docs/fleet.md${hasParallel ? "" : " (skipped: GNU parallel is not installed)"}`,
  async () => {
    const [, line = ""] =
      /^\| GNU parallel \| `(.*)` \|$/m.exec(readFileSync(path.join(root, "docs/fleet.md"), "utf8")) ?? [];
    rmSync(path.join(cwd, "blobs"), { recursive: true, force: true });
    const { status, stderr } = spawnSync("sh", ["-c", line], {
      cwd,
      env: { ...process.env, PATH: shellPath() },
      encoding: "utf8",
    });
    expect({ status, stderr: stderr.replace(/^Academic tradition[\s\S]*/m, "") }).toEqual({
      status: 0,
      stderr: "",
    });
    await isMergedInto("blobs");
  },
  60_000,
);

test.skipIf(!isBuilt || !hasSlurm())(
  `Slurm: the array of docs/fleet/slurm.sh${hasSlurm() ? "" : " (skipped: Slurm and Munge are not installed, or this user is not root)"}`,
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "toollint-slurm-"));
    const cluster = await startCluster(folder);
    onTestFinished(() => {
      cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    rmSync(path.join(cwd, "blobs"), { recursive: true, force: true });
    copyFileSync(recipe("slurm.sh"), path.join(cwd, "slurm.sh"));
    const { status, stderr } = spawnSync("sbatch", ["--wait", "--output", "/dev/null", "slurm.sh"], {
      cwd,
      env: { ...cluster.env, PATH: shellPath() },
      encoding: "utf8",
      timeout: 60_000,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    await isMergedInto("blobs");
  },
  90_000,
);
