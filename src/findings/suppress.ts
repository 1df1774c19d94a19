import type {
  CheckReport,
  FindingCounts,
  FindingReport,
  Summary,
  SuppressedFinding,
  Suppression,
} from "./report.ts";
import { unlistedBy } from "./unlisted.ts";

/** Moves what `judge` suppresses, with its consequences, to `suppressed`. Asks once per finding, in order. */
export function suppress(
  report: CheckReport,
  judge: (finding: FindingReport) => Suppression | undefined,
): CheckReport {
  const judged = new Map<string, Suppression | undefined>();
  for (const finding of report.findings) judged.set(finding.id, judge(finding));
  const causes = new Map(report.findings.map(({ id, cause }) => [id, cause]));
  const suppressed: SuppressedFinding[] = [];
  for (const finding of report.findings) {
    const seen = new Set<string>();
    let suppression: Suppression | undefined;
    for (let id: string | null = finding.id; id !== null && !seen.has(id); id = causes.get(id) ?? null) {
      seen.add(id);
      suppression ??= judged.get(id);
    }
    if (suppression) suppressed.push({ ...finding, suppression });
  }
  const gone = new Set(suppressed.map(({ id }) => id));
  return { ...narrowed(report, ({ id }) => !gone.has(id)), suppressed };
}

/** The report with only some of its findings; diagnoses and sums follow. */
export function narrowed(report: CheckReport, isKept: (finding: FindingReport) => boolean): CheckReport {
  const findings = report.findings.filter(isKept);
  const kept = new Set(findings.map(({ id }) => id));
  const diagnoses = report.diagnoses
    .map((diagnosis) => ({ ...diagnosis, findings: diagnosis.findings.filter((id) => kept.has(id)) }))
    .filter((diagnosis) => diagnosis.findings.length > 0);
  return { ...report, findings, diagnoses, summary: summaryOf(findings) };
}

/** The sums of these findings: only roots count by severity. */
export function summaryOf(findings: readonly FindingReport[]): Summary {
  const listed = findings.filter((finding) => unlistedBy(finding) === 0);
  const isAllListed = listed.length === findings.length;
  return {
    ...counts(listed, () => 1),
    fixable: listed.filter(({ fix }) => fix !== null).length,
    ...(!isAllListed && { unlisted: counts(findings, unlistedBy) }),
  };
}

function counts(
  findings: readonly FindingReport[],
  numberOf: (finding: FindingReport) => number,
): FindingCounts {
  const sums = { error: 0, warning: 0, info: 0, consequences: 0 };
  for (const finding of findings)
    sums[finding.cause === null ? finding.severity : "consequences"] += numberOf(finding);
  return sums;
}
