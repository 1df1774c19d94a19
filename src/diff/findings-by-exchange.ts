import type { CheckReport, FindingReport } from "../findings/report.ts";

/** The findings of each exchange by its number, also those that come back in it, in the report's order. */
export function findingsByExchange({
  findings,
}: Pick<CheckReport, "findings">): ReadonlyMap<number, readonly FindingReport[]> {
  const found = new Map<number, FindingReport[]>();
  for (const finding of findings) {
    const { exchange } = finding.location;
    if (exchange === undefined) continue;
    for (const number of new Set([exchange, ...finding.alsoIn])) {
      const list = found.get(number);
      if (list) list.push(finding);
      else found.set(number, [finding]);
    }
  }
  return found;
}
