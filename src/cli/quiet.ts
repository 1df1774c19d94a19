import type { CheckReport } from "../findings/report.ts";
import { narrowed } from "../findings/suppress.ts";
import { rootsOf } from "../reporters/roots.ts";

/** A report of errors, with what follows from them, and nothing else. Gates judge the whole report, not this one. */
export function onlyErrors(report: CheckReport): CheckReport {
  const roots = rootsOf(report).filter(({ finding }) => finding.severity === "error");
  const kept = new Set(roots.flatMap(({ finding, consequences }) => [finding, ...consequences]));
  return narrowed(report, (finding) => kept.has(finding));
}
