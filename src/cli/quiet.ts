import type { CheckReport } from "../findings/report.ts";
import { narrowed } from "../findings/suppress.ts";
import { rootsOf } from "../reporters/roots.ts";

/** A report with only errors and their consequences. Exit codes depend on the whole report. */
export function onlyErrors(report: CheckReport): CheckReport {
  const roots = rootsOf(report).filter(({ finding }) => finding.severity === "error");
  const kept = new Set(roots.flatMap(({ finding, consequences }) => [finding, ...consequences]));
  return narrowed(report, (finding) => kept.has(finding));
}
