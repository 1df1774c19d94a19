import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CheckReport, FindingReport } from "../../src/findings/report.ts";
import { reportSarif, type SarifContext } from "../../src/reporters/sarif.ts";
import { rules } from "../../src/rules/index.ts";
import { pages } from "../../src/rules/pages.ts";
import { anything, findingWith, key } from "./hostile.ts";
import { at, file, finding, report } from "./reports.ts";

const schema = path.join(import.meta.dirname, "../fixtures/sarif-2.1.0-rtm.5.schema.json");
const { $schema: _, id: __, ...draft7 } = JSON.parse(readFileSync(schema, "utf8"));
const validate = new Ajv({
  allErrors: true,
  strict: false,
  unicodeRegExp: false,
  formats: {
    uri: (text: string) => URL.canParse(text),
    "uri-reference": (text: string) =>
      /^[!#$&-;=?-Z_a-z~%]*$/.test(text) && URL.canParse(text, "https://base"),
    "date-time": true,
  },
}).compile(draft7);

const context: SarifContext = { rules, page: (rule) => pages[rule] };

interface Result {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations: readonly unknown[];
  readonly relatedLocations?: readonly unknown[];
  readonly partialFingerprints: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
}

interface Run {
  readonly tool: {
    readonly driver: { readonly rules: readonly Readonly<Record<string, unknown>>[] };
  };
  readonly columnKind: string;
  readonly invocations: readonly { readonly executionSuccessful: boolean }[];
  readonly artifacts: readonly { readonly location: unknown }[];
  readonly results: readonly Result[];
}

function runOf(checked: CheckReport, more: Partial<SarifContext> = {}): Run {
  const log = JSON.parse([...reportSarif(checked, { ...context, ...more })].join(""));
  expect(validate(log) ? [] : validate.errors).toEqual([]);
  const [run] = log.runs;
  return run;
}

const uriOf = (typed: string, folders?: SarifContext["folders"]) =>
  runOf(report([], { files: [file(typed)] }), { folders }).artifacts[0]?.location;

describe("the SARIF report", () => {
  const findings: readonly FindingReport[] = [
    finding(
      "missing-output-type",
      at(412, 9, { exchange: 2, part: "request", pointer: "/input/3", conversation: "c1", step: 2 }),
      {
        id: "f1",
        related: [{ message: "the call was made here", location: at(233, 1, { exchange: 1 }) }],
        data: { callId: "call_1" },
        alsoIn: [3, 4],
        fix: { safety: "safe", title: "adds the type" },
      },
    ),
    finding("repeated-call", at(500, 1), { id: "f2", severity: "warning", cause: "f1" }),
    finding("eager-tool-prompt", at(1, 1), { id: "f3", severity: "info" }),
    finding("my-own-rule", at(600, 1), { id: "f4", severity: "warning" }),
  ];

  test("is what the schema of SARIF 2.1.0 says", () => {
    const notChecked = [
      { file: "run.log", rule: "dropped-turns", why: "transcript" },
      { file: "run.log", rule: "dropped-tools", why: "transcript" },
    ];
    const run = runOf(report(findings, { notChecked }));
    expect(run.tool.driver).toMatchObject({ name: "toollint", version: "1.2.3" });
    expect(run.columnKind).toBe("utf16CodeUnits");
    expect(run.invocations[0]).toMatchObject({
      executionSuccessful: true,
      toolExecutionNotifications: [
        { level: "note", message: { text: "not checked: dropped-turns, dropped-tools (transcript)" } },
      ],
    });
    expect(runOf(report([])).results).toEqual([]);
  });

  test("has a schema that refuses what is no SARIF", () => {
    for (const broken of [
      { version: "2.1.0" },
      { version: "2.1.0", runs: [{ tool: { driver: {} } }] },
      {
        version: "2.1.0",
        runs: [{ tool: { driver: { name: "x" } }, results: [{ message: {}, level: "info" }] }],
      },
    ])
      expect(validate(broken)).toBe(false);
  });

  test("tells where a finding is, what explains it and what it is known by", () => {
    const [first] = runOf(report(findings)).results;
    expect(first).toEqual({
      ruleId: "missing-output-type",
      ruleIndex: rules.findIndex(({ name }) => name === "missing-output-type"),
      level: "error",
      message: { text: "something about missing-output-type" },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "run.log", uriBaseId: "%SRCROOT%" },
            region: { startLine: 412, startColumn: 9, endLine: 412, endColumn: 10 },
          },
          properties: { exchange: 2, part: "request", pointer: "/input/3", conversation: "c1", step: 2 },
        },
      ],
      relatedLocations: [
        {
          id: 1,
          physicalLocation: {
            artifactLocation: { uri: "run.log", uriBaseId: "%SRCROOT%" },
            region: { startLine: 233, startColumn: 1, endLine: 233, endColumn: 2 },
          },
          properties: { exchange: 1 },
          message: { text: "the call was made here" },
        },
      ],
      partialFingerprints: { "toollint/v1": "0123456789abcdef" },
      properties: {
        id: "f1",
        kind: "any",
        severity: "error",
        cause: null,
        alsoIn: [3, 4],
        data: { callId: "call_1" },
        fix: { safety: "safe", title: "adds the type" },
      },
    });
  });

  test("makes notes of infos and of what follows from another finding", () => {
    const { results } = runOf(report(findings));
    expect(results.map(({ level, properties }) => [level, properties["cause"]])).toEqual([
      ["error", null],
      ["note", "f1"],
      ["note", null],
      ["warning", null],
    ]);
  });

  test("describes every rule, at length those that were broken, with tags that GitHub shows", () => {
    const run = runOf(report(findings), { helpUri: (rule) => `https://toollint.example/rules/${rule}` });
    const described = run.tool.driver.rules;
    expect(described.map(({ id }) => id)).toEqual([...rules.map(({ name }) => name), "my-own-rule"]);
    for (const { ruleId, ruleIndex } of run.results) expect(described[ruleIndex]?.["id"]).toBe(ruleId);
    const broken = described.find(({ id }) => id === "missing-output-type");
    expect(broken).toMatchObject({
      helpUri: "https://toollint.example/rules/missing-output-type",
      defaultConfiguration: { level: "error" },
      help: { markdown: pages["missing-output-type"] },
      shortDescription: { text: rules.find(({ name }) => name === "missing-output-type")?.summary },
    });
    expect(described.filter((rule) => rule["help"])).toHaveLength(3);
    for (const { properties } of described)
      expect((properties as { tags: string[] }).tags.length).toBeLessThanOrEqual(10);
  });

  test("names files from the checkout, percent-encoded", () => {
    const src = "%SRCROOT%";
    expect(uriOf("./a//b c#1?.log")).toEqual({ uri: "a/b%20c%231%3F.log", uriBaseId: src });
    expect(uriOf("c:d/%41é\ud800.log")).toEqual({ uri: "c%3Ad/%2541%C3%A9%EF%BF%BD.log", uriBaseId: src });
    expect(uriOf("-")).toEqual({ uri: "-" });
    expect(uriOf("../x.log")).toEqual({ uri: "../x.log" });
    expect(uriOf("/var/a b.log")).toEqual({ uri: "file:///var/a%20b.log" });
    const folders = { cwd: "/home/ci/repo/sub", root: "/home/ci/repo" };
    expect(uriOf("run.log", folders)).toEqual({ uri: "sub/run.log", uriBaseId: src });
    expect(uriOf("../x.log", folders)).toEqual({ uri: "x.log", uriBaseId: src });
    expect(uriOf("..x.log", folders)).toEqual({ uri: "sub/..x.log", uriBaseId: src });
    expect(uriOf("/home/ci/repo/y.log", folders)).toEqual({ uri: "y.log", uriBaseId: src });
    expect(uriOf("../../z.log", folders)).toEqual({ uri: "file:///home/ci/z.log" });
  });

  test("says when some of the work could not be done", () => {
    expect(runOf(report([]), { hadTrouble: true }).invocations[0]?.executionSuccessful).toBe(false);
  });

  test("keeps what GitHub takes, the most severe first, and says what it left out", () => {
    const many = Array.from({ length: 26_000 }, (_, index) =>
      finding("x", at(index + 1, 1), { id: `f${index}`, severity: index < 25_500 ? "info" : "error" }),
    );
    const log = JSON.parse([...reportSarif(report(many), context)].join(""));
    const { results, invocations } = log.runs[0];
    expect(results).toHaveLength(25_000);
    expect(results.slice(0, 501).map(({ level }: Result) => level)).toEqual([
      ...Array<string>(500).fill("error"),
      "note",
    ]);
    expect(invocations[0].toolExecutionNotifications[0].message.text).toMatch(/^26000 findings, .* 25000 /);
  });

  test("never has more places in a result than GitHub takes", () => {
    const related = Array.from({ length: 1_200 }, () => ({ message: "again", location: at(1, 1) }));
    const [result] = runOf(report([finding("x", at(1, 1), { related })])).results;
    expect((result?.relatedLocations?.length ?? 0) + (result?.locations.length ?? 0)).toBe(1_000);
  });

  test("is valid, shows no credential and makes no link of what a log holds", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const checked = report([findingWith(text)], {
          files: [file(`logs/${text}.log`)],
          notChecked: [{ file: text, rule: "x", why: text }],
        });
        const output = [...reportSarif(checked, context)].join("");
        expect(output).not.toContain(key);
        expect(output).not.toMatch(/[^\n\P{Cc}]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        const [result] = runOf(checked).results;
        expect(result?.message.text).not.toMatch(/\]\(/);
        expect(result?.message.text).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      }),
      { numRuns: 60 },
    );
  });
});
