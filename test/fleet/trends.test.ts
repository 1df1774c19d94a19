import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { brokenLog, healthyLog, loopLog, openLog } from "../cli/logs.ts";
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
  const example = {
    rule: "dropped-tool-call",
    severity: "error",
    message:
      "the assistant message with the call to `get_weather` (`call_paris`) was dropped; only the result is sent",
    location: { file: "mon/logs/a.jsonl", line: 2 },
  };
  const title = "The client drops the model's tool calls from the history";
  expect(found).toMatchObject({
    files: { count: 3 },
    habits: [{ title, count: 2, files: 2, ...example, ...span }],
    mistakes: [{ habit: title, count: 2, files: 2, data: { tools: ["get_weather"] }, ...example, ...span }],
    findings: [{ count: 2, files: 2, ...example, ...span }],
    rules: [{ rule: "dropped-tool-call", count: 2, files: 2, ...span }],
  });
  expect(found.since).toBeUndefined();
});

test("no time is invented for a log that has none", async () => {
  await day("mon", { "a.jsonl": brokenLog.replaceAll(/"created":\d+,/g, "") });
  const { findings } = await trends("mon", "--trends");
  expect(Object.keys(findings[0])).toEqual([
    ...["fingerprint", "rule", "severity", "message", "location", "count", "files"],
  ]);
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

test("a mistake is known though the users ask something else every day", async () => {
  const asks = (question: string, log: string): string =>
    log.replaceAll("How warm is it in Paris?", question);
  await day("mon", { "a.jsonl": asks("Is it cold in Oslo?", brokenLog) });
  await day("tue", {
    "a.jsonl": asks("Does it rain in Lima?", brokenLog),
    "b.jsonl": asks("Any wind in Kiel?", brokenLog.replaceAll("get_weather", "get_wind")),
  });
  const { habits, mistakes, findings } = await trends("tue", "--since", "mon");
  const statuses = (all: { status: string; data?: object }[]) =>
    all.map(({ status, data }) => [status, data]);
  expect(statuses(habits)).toEqual([["known", undefined]]);
  expect(statuses(mistakes)).toEqual([
    ["new", { tools: ["get_wind"] }],
    ["known", { tools: ["get_weather"] }],
  ]);
  expect(new Set(findings.map(({ status }: { status: string }) => status))).toEqual(new Set(["new", "gone"]));
});

test("of what is known, what has spread most comes first, by its part of the files", async () => {
  const calm = { "c.jsonl": healthyLog, "d.jsonl": healthyLog };
  await day("mon", { "a.jsonl": brokenLog, "b.jsonl": brokenLog, "l.jsonl": loopLog(6), ...calm });
  await day("tue", { "a.jsonl": brokenLog, "l.jsonl": loopLog(6), "m.jsonl": loopLog(6) });
  const { habits, files } = await trends("tue", "--since", "mon");
  expect(files).toEqual({ count: 3, before: 5 });
  expect(
    habits.map(({ rule, files, filesBefore }: Record<string, unknown>) => [rule, files, filesBefore]),
  ).toEqual([
    ["repeated-call", 2, 1],
    ["dropped-tool-call", 1, 2],
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

test("people read what is new with what to change, what is known, what is gone, and the verdict", async () => {
  await day("mon", {
    "a.jsonl": at("2026-01-05T10:00:00Z", brokenLog),
    "l.jsonl": at("2026-01-05T11:00:00Z", loopLog(6)),
  });
  await day("tue", {
    "a.jsonl": at("2026-01-06T10:00:00Z", brokenLog),
    "b.jsonl": at("2026-01-06T11:00:00Z", brokenLog.replaceAll("get_weather", "get_wind")),
    "o.jsonl": at("2026-01-06T12:00:00Z", openLog),
  });
  const { stdout, exit } = await merge("tue", "--since", "mon");
  expect(stdout).toBe(`since mon: 1 new, 1 known, 1 gone

new   info[unclosed-loop] in 1 of 3 files · 2026-01-06
  tue/logs/o.jsonl:1:555: the reply asks for \`get_weather\`, and no later request carries a result

known error[dropped-tool-call] in 2 of 3 files, before in 1 of 2 · 2026-01-05 to 2026-01-06
  The client drops the model's tool calls from the history.
  tue/logs/a.jsonl:2:131: the assistant message with the call to \`get_weather\` (\`call_paris\`) was
    dropped; only the result is sent
  new in it, in 1 of 3 files · 2026-01-06: tue/logs/b.jsonl:2:131: the assistant message with the
    call to \`get_wind\` (\`call_paris\`) was dropped; only the result is sent

gone  error[repeated-call] before in 1 of 2 · 2026-01-05
  The model makes the same call again and again.
  mon/logs/l.jsonl:2:778: \`get_weather\` is called 6 times in one turn, with the same arguments and
    the same result

findings: 2 errors, 1 info (--all prints them)
checked: 3 files (3 with findings), 5 exchanges, 3 conversations, openai-chat
2 errors, 1 info · fails (--fail-on error)
`);
  expect(exit).toBe(1);
});

test("`--all` adds the findings, and `--quiet` leaves errors", async () => {
  await day("mon", { "a.jsonl": brokenLog, "o.jsonl": openLog });
  const all = (await merge("mon", "--trends", "--all")).stdout;
  expect(all).toMatch(
    /^mon\/logs\/a\.jsonl\n[\s\S]*┌─ mon\/logs\/a\.jsonl[\s\S]*\n2 kinds of mistake in 2 files\n/,
  );
  const quiet = await merge("mon", "--trends", "--quiet");
  expect(quiet.stdout).toMatch(/^1 kind of mistake in 2 files\n/);
  expect(quiet.stdout).not.toContain("info[");
});

test("a comment on a pull request says the same in a table", async () => {
  await day("mon", { "l.jsonl": loopLog(6) });
  await day("tue", { "a.jsonl": brokenLog });
  const { stdout } = await merge("tue", "--since", "mon", "--format", "markdown");
  expect(stdout).toBe(`### toollint fails: 1 error

**since mon: 1 new, 0 known, 1 gone**

| | What | For example | Files | Rule |
| --- | --- | --- | --- | --- |
| **new** error | The client drops the model's tool calls from the history.<br>Change in the client: keep the whole reply in the history, before its results: \`messages.push(reply.message, ...results)\` | \`tue/logs/a.jsonl:2:96\` the assistant message with the call to \`get_weather\` (\`call_paris\`) was dropped; only the result is sent | in 1 of 1 file | \`dropped-tool-call\` |
| **gone** error | The model makes the same call again and again. | \`mon/logs/l.jsonl:2:743\` \`get_weather\` is called 6 times in one turn, with the same arguments and the same result | before in 1 of 1 | \`repeated-call\` |

fails (--fail-on error) · 1 more finding follows from these · checked: 1 file, 2 exchanges, 1 conversation
`);
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
