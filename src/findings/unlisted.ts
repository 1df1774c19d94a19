import type { FindingReport } from "./report.ts";

/** How many findings one finding stands for because they are not listed; 0 for a finding of its own. */
export function unlistedBy({ data }: Pick<FindingReport, "data">): number {
  const { unlisted } = data;
  return typeof unlisted === "number" ? unlisted : 0;
}

/** Whether a finding says only how much of a log is read or listed: no smaller log shows it. */
export function isOfLimit(finding: Pick<FindingReport, "data">): boolean {
  return finding.data["overLimit"] === true || unlistedBy(finding) > 0;
}

/** How many findings there are, counting those that are not listed. */
export function numberOf(findings: readonly Pick<FindingReport, "data">[]): number {
  return findings.reduce((sum, finding) => sum + (unlistedBy(finding) || 1), 0);
}

/** How many places were not read, according to the findings. */
export function unreadPlaces(findings: readonly Pick<FindingReport, "data">[]): number {
  return findings.reduce((sum, { data }) => sum + Number(data["unchecked"] ?? 0), 0);
}
