import validate from "schema:report";
import type { ValidateFunction } from "ajv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CheckReport } from "../../src/findings/report.ts";
import { reportJson } from "../../src/reporters/json.ts";
import { at, diagnosed, file, finding, report } from "./reports.ts";

const root = finding(
  "missing-output-type",
  at(412, 9, { exchange: 2, part: "request", pointer: "/input/3", conversation: "c1", step: 2 }),
  {
    id: "f1",
    related: [
      {
        message: "the call was made here",
        location: at(233, 1, { exchange: 1, part: "response", pointer: "/output/1" }),
      },
    ],
    data: { callId: "call_1", tool: "read_file_chunk" },
    fix: { safety: "safe", title: "adds the type" },
    alsoIn: [3, 4],
  },
);
const findings = [root, finding("repeated-call", at(500, 1), { id: "f2", severity: "warning", cause: "f1" })];
const sample = report(findings, {
  files: [file("run.log", { skipped: [{ line: 3, reason: "no model traffic" }] })],
  diagnoses: diagnosed(findings),
  notChecked: [{ file: "run.log", rule: "dropped-turns", why: "transcript: requests are not in the log" }],
});

const written = (checked: CheckReport, showValues = false) =>
  [...reportJson(checked, { showValues })].join("");

describe("the JSON report", () => {
  test("is what JSON.stringify writes", () => {
    expect(written(sample)).toBe(`${JSON.stringify(sample, null, 2)}\n`);
    expect(written(report([]))).toBe(`${JSON.stringify(report([]), null, 2)}\n`);
  });

  test("is what its schema says", () => {
    expect(errorsOf(JSON.parse(written(sample)))).toEqual([]);
    expect(errorsOf(JSON.parse(written(report([]))))).toEqual([]);
  });

  const broken: readonly [what: string, value: unknown][] = [
    ["another version", { ...sample, schemaVersion: "2.0" }],
    ["a member that is not known", { ...sample, extra: true }],
    ["a line 0", report([finding("x", at(0, 1))])],
    ["a severity that does not exist", report([{ ...root, severity: "fatal" as "error" }])],
    ["a pointer that is none", report([finding("x", at(1, 1, { pointer: "input/3" }))])],
    [
      "a diagnosis without findings",
      { ...sample, diagnoses: sample.diagnoses.map((each) => ({ ...each, findings: [] })) },
    ],
    ["a finding without a cause member", { ...sample, findings: [{ ...root, cause: undefined }] }],
  ];
  test.each(broken)("is refused by its schema with %s", (_, value) => {
    expect(errorsOf(value)).not.toEqual([]);
  });

  test("masks credentials wherever they stand, unless values are wanted", () => {
    const key = "sk-proj-abcdefghijklmnop1234";
    const leak = report([finding("x", at(1, 1), { message: `sent \`${key}\``, data: { text: [{ key }] } })]);
    expect(written(leak)).not.toContain(key);
    expect(written(leak)).toContain("sent `sk-p***`");
    expect(written(leak, true).split(key)).toHaveLength(3);
  });

  test("holds no character that a terminal would obey, and means the same", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (message) => {
        const text = written(report([finding("x", at(1, 1), { message })]), true);
        expect(text).not.toMatch(/[^\n\P{Cc}]|[\p{Cf}\p{Cs}]/u);
        expect(JSON.parse(text).findings[0].message).toBe(message);
      }),
    );
  });
});

function errorsOf(value: unknown): unknown[] {
  const check: ValidateFunction = validate;
  return check(value) ? [] : (check.errors ?? []);
}
