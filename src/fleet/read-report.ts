import validate from "schema:report";
import type { TimeSpan } from "../check/run-report.ts";
import type { CheckReport } from "../findings/report.ts";
import type { Period } from "./trends.ts";

/** A report of `check` or `merge` in JSON, or the sentence, which goes on after its name, why it is none. */
export function readReport(text: string): Period | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!validate(value)) return "is neither a report (`--format json`) nor one of a shard (`--format blob`)";
  const report = value as CheckReport;
  const times = timesIn(report);
  return { report, timeOf: (id) => times.get(id) };
}

/** A merged report with trends says when its findings occurred; no other does. */
function timesIn({ findings, trends }: CheckReport): ReadonlyMap<string, TimeSpan> {
  const byFingerprint = new Map<string, TimeSpan>();
  for (const { fingerprint, first, last } of trends?.findings ?? [])
    if (first !== undefined && last !== undefined)
      byFingerprint.set(fingerprint, [Date.parse(first), Date.parse(last)]);
  const times = new Map<string, TimeSpan>();
  for (const { id, fingerprint } of findings) {
    const span = byFingerprint.get(fingerprint);
    if (span) times.set(id, span);
  }
  return times;
}
