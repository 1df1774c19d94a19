import type { CheckReport, Example, Trends } from "../findings/report.ts";
import { narrowed } from "../findings/suppress.ts";
import { rootsOf } from "../reporters/roots.ts";

/** A report with only errors and their consequences. Exit codes depend on the whole report. */
export function onlyErrors(report: CheckReport): CheckReport {
  const roots = rootsOf(report).filter(({ finding }) => finding.severity === "error");
  const kept = new Set(roots.flatMap(({ finding, consequences }) => [finding, ...consequences]));
  const errors = narrowed(report, (finding) => kept.has(finding));
  return report.trends ? { ...errors, trends: ofErrors(report.trends) } : errors;
}

function ofErrors({ habits, mistakes, findings, ...trends }: Trends): Trends {
  const isError = ({ severity }: Example): boolean => severity === "error";
  return {
    ...trends,
    habits: habits.filter(isError),
    mistakes: mistakes.filter(isError),
    findings: findings.filter(isError),
  };
}
