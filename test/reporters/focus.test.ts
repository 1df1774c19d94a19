import { expect, test } from "vitest";
import type { FindingReport } from "../../src/findings/report.ts";
import { focusOf, focusTerms } from "../../src/reporters/focus.ts";

test("a shortened text of backticks is nothing to look for", () => {
  const finding = {
    message: `the arguments of \`weather\` are no JSON: \`${"`".repeat(60)}…\``,
    location: { part: "request" },
    data: {},
  } as unknown as FindingReport;
  const terms = focusTerms(finding);
  expect(terms.values[0]).toEqual(["weather"]);
  expect(focusOf('{"name":"weather"}', terms)).toEqual({ start: 9, end: 16 });
});
