import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { brokenLog, healthyLog, loopLog } from "../cli/logs.ts";
import { type Outcome, toollint } from "../cli/program.ts";

const isReport = new Ajv2020({ allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(path.join(import.meta.dirname, "../../schemas/report.schema.json"), "utf8")),
);

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "toollint-trends-"));
});

afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** Checks logs of one day, and keeps the blob and the report. */
async function day(name: string, logs: Readonly<Record<string, string>>): Promise<void> {
  mkdirSync(path.join(cwd, name, "logs"), { recursive: true });
  for (const [file, text] of Object.entries(logs)) writeFileSync(path.join(cwd, name, "logs", file), text);
  const outputs = [`blob=${name}/blob.jsonl`, `json=${name}/report.json`].flatMap((each) => [
    "--format",
    each,
  ]);
  await toollint(["check", `${name}/logs`, "--separate", ...outputs], { cwd });
}

const merge = (...args: string[]): Promise<Outcome> => toollint(["merge", ...args], { cwd });

async function trends(...args: string[]) {
  const { stdout } = await merge(...args, "--format", "json");
  const report = JSON.parse(stdout);
  expect(isReport(report), JSON.stringify(isReport.errors)).toBe(true);
  return report.trends;
}

/** The log a day later: `created` says when its replies were made. */
function at(time: string, log: string): string {
  return log.replaceAll(/"request":/g, `"timestamp":"${time}","request":`);
}

test("findings are grouped by fingerprint, habit and rule, with files and times", async () => {
  await day("mon", {
    "a.jsonl": at("2026-01-05T10:00:00Z", brokenLog),
    "b.jsonl": at("2026-01-07T10:00:00Z", brokenLog),
    "c.jsonl": healthyLog,
  });
  const span = { first: "2026-01-05T10:00:00.000Z", last: "2026-01-07T10:00:00.000Z" };
  const found = await trends("mon", "--trends");
  expect(found).toMatchObject({
    findings: [{ rule: "dropped-tool-call", severity: "error", count: 2, files: 2, ...span }],
    habits: [
      { title: "The client drops the model's tool calls from the history", count: 2, files: 2, ...span },
    ],
    rules: [{ rule: "dropped-tool-call", count: 2, files: 2, ...span }],
  });
  expect(found.since).toBeUndefined();
});

test("no time is invented for a log that has none", async () => {
  await day("mon", { "a.jsonl": brokenLog.replaceAll(/"created":\d+,/g, "") });
  const { findings } = await trends("mon", "--trends");
  expect(Object.keys(findings[0])).toEqual(["fingerprint", "rule", "severity", "message", "count", "files"]);
});

test.each([
  ["a report in JSON", "mon/report.json"],
  ["a directory of blobs", "mon"],
  ["a blob", "mon/blob.jsonl"],
])("what is new, known and gone since %s", async (_, since) => {
  await day("mon", { "a.jsonl": brokenLog, "b.jsonl": brokenLog });
  await day("tue", { "a.jsonl": brokenLog, "l.jsonl": loopLog(6) });
  const { findings, rules } = await trends("tue", "--since", since);
  expect(
    findings.map(({ status, rule, count, before }: Record<string, unknown>) => [status, rule, count, before]),
  ).toEqual([
    ["new", "repeated-call", 1, 0],
    ["known", "dropped-tool-call", 1, 2],
  ]);
  expect(rules).toHaveLength(2);
  const back = await trends("mon", "--since", "tue");
  expect(back.findings.map(({ status, rule }: Record<string, unknown>) => [status, rule])).toEqual([
    ["known", "dropped-tool-call"],
    ["gone", "repeated-call"],
  ]);
});

test("the first time is handed on from report to report", async () => {
  await day("mon", { "a.jsonl": at("2026-01-05T10:00:00Z", brokenLog) });
  await merge("mon", "--trends", "--format", "json=mon.json");
  await day("tue", { "a.jsonl": at("2026-01-06T10:00:00Z", brokenLog) });
  await merge("tue", "--since", "mon.json", "--format", "json=tue.json");
  await day("wed", { "a.jsonl": at("2026-01-07T10:00:00Z", brokenLog) });
  const { findings } = await trends("wed", "--since", "tue.json");
  expect(findings).toMatchObject([
    { status: "known", first: "2026-01-05T10:00:00.000Z", last: "2026-01-07T10:00:00.000Z" },
  ]);
});

test("nothing is called gone where shards are missing", async () => {
  await day("mon", { "l.jsonl": loopLog(6) });
  await day("tue", { "a.jsonl": brokenLog, "b.jsonl": healthyLog });
  const half = ["check", "tue/logs", "--separate", "--shard", "1/2", "--format", "blob", "-o", "half.jsonl"];
  await toollint(half, { cwd });
  const found = await trends("half.jsonl", "--partial", "--since", "mon");
  expect(found.since).toEqual({ path: "mon", saysGone: false });
  expect(found.findings.filter(({ status }: { status: string }) => status === "gone")).toEqual([]);
});

test("people read the trends before the report, whose last line is the verdict", async () => {
  await day("mon", { "a.jsonl": at("2026-01-05T10:00:00Z", brokenLog) });
  await day("tue", {
    "a.jsonl": at("2026-01-06T10:00:00Z", brokenLog),
    "l.jsonl": at("2026-01-06T11:00:00Z", loopLog(6)),
  });
  const { stdout, exit } = await merge("tue", "--since", "mon");
  const [title, first] = stdout.split("\n");
  expect(title).toBe("since mon: 1 new, 1 known, 0 gone");
  expect(first).toMatch(
    /^new {3}(?:error|warning)\[repeated-call\] once in 1 file · 2026-01-06 · `get_weather` is/,
  );
  expect(stdout).toContain(
    "The client drops the model's tool calls from the history: once in 1 file, 1 before · 2026-01-05 to\n  2026-01-06\n",
  );
  expect(stdout).toMatch(/ · fails \(--fail-on error\)\n$/);
  expect(exit).toBe(1);
  expect((await merge("tue", "--since", "mon", "--format", "markdown")).stdout).toContain(
    "### since mon: 1 new, 1 known, 0 gone\n",
  );
});

test("the page holds no markup of a log, no script, and loads nothing", async () => {
  await day("mon", { "a.jsonl": brokenLog.replaceAll("get_weather", "<img src=x onerror=alert(1)>") });
  await merge("mon", "--trends", "--format", "html=page.html");
  const page = readFileSync(path.join(cwd, "page.html"), "utf8");
  expect(page).toContain("&lt;img src=x onerror=alert(1)&gt;");
  expect(page).not.toMatch(/<(?:img|script|link|iframe)\b/);
  expect(page).toContain('content="default-src &#39;none&#39;; style-src &#39;sha256-');
  expect(page).toContain('data-outcome="fails"');
});

test("a file that is no report is refused", async () => {
  await day("mon", { "a.jsonl": brokenLog });
  expect(await merge("mon", "--since", "mon/logs/a.jsonl")).toMatchObject({
    exit: 2,
    stderr:
      "toollint: mon/logs/a.jsonl is neither a report (`--format json`) nor one of a shard (`--format blob`)\n",
  });
});
