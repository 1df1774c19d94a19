import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { type CheckSettings, checkFiles } from "../src/check/check.ts";
import { exitCode } from "../src/findings/gate.ts";
import type { CheckReport } from "../src/findings/report.ts";
import { fixLogs } from "../src/fix/fix.ts";
import { memorySource } from "../src/reading/source.ts";
import { reportGithub } from "../src/reporters/github.ts";
import { reportMarkdown } from "../src/reporters/markdown.ts";
import { reportText } from "../src/reporters/text.ts";

const schemaFile = path.join(import.meta.dirname, "../schemas/report.schema.json");
const isReport = new Ajv2020({ strictTypes: false }).compile(JSON.parse(readFileSync(schemaFile, "utf8")));

/** A request of Anthropic's API with results that answer no call. */
function orphans(count: number, first = 0): string {
  const results = Array.from({ length: count }, (_, index) => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: `toolu_${first + index}`, content: "sunny" }],
  }));
  return JSON.stringify({
    request: {
      model: "claude-sonnet-4-5",
      max_tokens: 9,
      messages: [{ role: "user", content: `weather ${first}` }, ...results],
    },
  });
}

function input(...lines: readonly string[]) {
  return { path: "run.jsonl", source: memorySource("run.jsonl", Buffer.from(`${lines.join("\n")}\n`)) };
}

async function checked(lines: readonly string[], settings: CheckSettings = {}): Promise<CheckReport> {
  return (await checkFiles([input(...lines)], settings)).report;
}

const few = { perExchange: 3, perLog: 5 };

describe("findings beyond the limit", () => {
  test("of an exchange are one finding that says how many they are and where they begin", async () => {
    const { findings, summary } = await checked([orphans(10)], { limits: few });
    expect(
      findings.map(({ location, data, fix }) => [location.pointer, data["unlisted"], fix === null]),
    ).toEqual([
      ["/messages/1/content/0", undefined, false],
      ["/messages/2/content/0", undefined, false],
      ["/messages/3/content/0", undefined, false],
      ["/messages/4/content/0", 7, true],
    ]);
    expect(findings.at(-1)?.message).toBe("7 more findings of this kind in the same exchange are not listed");
    expect(summary).toEqual({
      error: 3,
      warning: 0,
      info: 0,
      consequences: 0,
      fixable: 3,
      unlisted: { error: 7, warning: 0, info: 0, consequences: 0 },
    });
  });

  test("of a log are one finding, too", async () => {
    const report = await checked([orphans(2), orphans(2, 100), orphans(2, 200), orphans(2, 300)], {
      limits: few,
    });
    expect(report.findings.map(({ location, data }) => [location.exchange, data["unlisted"]])).toEqual([
      [1, undefined],
      [1, undefined],
      [2, undefined],
      [2, undefined],
      [3, undefined],
      [3, 3],
    ]);
    expect(report.findings.at(-1)).toMatchObject({
      message: "3 more findings of this kind from here on are not listed",
      alsoIn: [4],
    });
  });

  test("do not show in a log that stays below it", async () => {
    const { findings, summary } = await checked([orphans(1000)]);
    expect(findings).toHaveLength(1000);
    expect(summary).not.toHaveProperty("unlisted");
  });

  test("begin with the thousand and first of a kind", async () => {
    const report = await checked([orphans(1002)]);
    expect(report.findings).toHaveLength(1001);
    expect(report.findings.at(-1)?.data).toEqual({ unlisted: 2 });
    expect(isReport(report)).toBe(true);
  });

  test("count in every report and for exit codes", async () => {
    const report = await checked([orphans(10)], {
      limits: few,
      levels: { "orphaned-tool-result": "warning" },
    });
    const text = reportText(report, {
      sources: new Map(),
      color: false,
      width: 100,
      showValues: false,
      quiet: false,
      pageSummary: () => undefined,
    });
    expect([...text].join("\n")).toContain("10 warnings");
    expect([...reportMarkdown(report)].join("")).toContain("toollint: 10 warnings");
    expect([...reportGithub(report)].join("")).toContain("toollint: 10 warnings (1 file checked)");
    const gate = { failOn: "error", maxWarnings: 9 } as const;
    expect(exitCode(report, gate, false)).toBe(1);
    expect(exitCode(report, { ...gate, maxWarnings: 10 }, false)).toBe(0);
  });

  test("have a fingerprint that does not depend on their number", async () => {
    const [one, other] = await Promise.all(
      [8, 9].map(
        async (count) => (await checked([orphans(count)], { limits: few })).findings.at(-1)?.fingerprint,
      ),
    );
    expect(one).toBe(other);
  });

  test("are too many for a repair, which says so", async () => {
    const { runs } = await fixLogs([input(orphans(2501))], { classes: ["safe", "lossy"] });
    expect(runs[0]?.requests).toEqual([]);
    expect(runs[0]?.left[0]?.why).toBe(
      "the log has too many defects to repair: 1 more finding of this kind in the same exchange is not listed",
    );
  });
});

describe("a list of hardly anything but brackets", () => {
  const request = (messages: string): string =>
    `{"request":{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},${messages}]}}`;
  const crowd = Array(30_000).fill("{}").join(",");
  const told = {
    rule: "unreadable-record",
    message:
      "the list has more than 20,000 entries, most of them empty: the rest was not read; this part was not checked",
  };

  test("of messages is read up to its limit, which is told", async () => {
    const { findings, notChecked } = await checked([request(crowd)]);
    expect(findings.map(({ rule, kind }) => `${rule} ${kind}`)).toEqual([
      "invalid-request missing",
      "unreadable-record broken",
    ]);
    expect(findings).toContainEqual(expect.objectContaining(told));
    expect(notChecked.map(({ why }) => why)).toContain(
      "parts of requests are missing from the log or unreadable",
    );
  });

  test("of calls or parts is read up to its limit, which is told", async () => {
    for (const message of [
      `{"role":"assistant","tool_calls":[${crowd}]}`,
      `{"role":"user","content":[${crowd}]}`,
    ])
      expect((await checked([request(message)])).findings).toContainEqual(expect.objectContaining(told));
  });

  test("of calls in a reply is read up to its limit, which is told", async () => {
    const reply = `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","tool_calls":[${crowd}]}}]}`;
    const line = `{"request":{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]},"response":${reply}}`;
    expect((await checked([line])).findings).toContainEqual(expect.objectContaining(told));
  });

  test("may hold numbers: a result is no list of messages", async () => {
    const numbers = Array(30_000).fill("1").join(",");
    const { findings } = await checked([request(`{"role":"user","content":"hi","data":[${numbers}]}`)]);
    expect(findings.map(({ rule }) => rule)).not.toContain("unreadable-record");
  });
});
