import fc from "fast-check";
import { expect, test } from "vitest";
import type { CheckReport } from "../../src/findings/report.ts";
import { reportJsonl } from "../../src/reporters/jsonl.ts";
import { maskSecrets } from "../../src/secrets/masks.ts";
import { anything, findingWith, key } from "./hostile.ts";
import { at, finding, report } from "./reports.ts";

const written = (checked: CheckReport) => [...reportJsonl(checked)].join("");

test("writes a finding a line, then one line with all the rest", () => {
  const findings = [finding("a", at(1, 1)), finding("b", at(2, 1), { severity: "info" })];
  const checked = report(findings);
  const lines = written(checked).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([...findings, { ...checked, findings: undefined }]);
  expect(lines.at(-1)).toMatch(/^\{"summary":\{"error":1,.*"files":\[/);
});

test("writes the last line alone when nothing was found", () => {
  const text = written(report([]));
  expect(text.split("\n")).toHaveLength(2);
  expect(JSON.parse(text).summary.error).toBe(0);
});

test("keeps each finding on its line, whatever the log holds, and means the same but for credentials", () => {
  fc.assert(
    fc.property(anything, (text) => {
      const checked = report([findingWith(text), findingWith("plain")]);
      const output = written(checked);
      expect(output).not.toMatch(/[^\n\P{Cc}]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      const lines = output.trimEnd().split("\n");
      expect(lines).toHaveLength(3);
      expect(JSON.parse(lines[0] ?? "").message).toBe(maskSecrets(checked.findings[0]?.message ?? ""));
      expect(output).not.toContain(key);
    }),
  );
});
