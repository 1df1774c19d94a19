import type { CheckReport } from "../findings/report.ts";
import { rootsOf } from "../reporters/roots.ts";

/** A report of errors, with what follows from them, and nothing else. Gates judge the whole report, not this one. */
export function onlyErrors(report: CheckReport): CheckReport {
  const roots = rootsOf(report).filter(({ finding }) => finding.severity === "error");
  const kept = new Set(
    roots.flatMap(({ finding, consequences }) => [finding.id, ...consequences.map(({ id }) => id)]),
  );
  const findings = report.findings.filter(({ id }) => kept.has(id));
  const diagnoses = report.diagnoses
    .map((diagnosis) => ({ ...diagnosis, findings: diagnosis.findings.filter((id) => kept.has(id)) }))
    .filter((diagnosis) => diagnosis.findings.length > 0);
  const summary = {
    error: roots.length,
    warning: 0,
    info: 0,
    consequences: findings.length - roots.length,
    fixable: findings.filter(({ fix }) => fix !== null).length,
  };
  return { ...report, findings, diagnoses, summary };
}
