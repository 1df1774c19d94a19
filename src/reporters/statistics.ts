import type { CheckReport, FindingReport } from "../findings/report.ts";
import { groupBy } from "../reading/group-by.ts";
import type { Style } from "./style.ts";

/** Lays out rows as the lines of a table; all columns but the first hold numbers. */
export type Tabulate = (rows: readonly (readonly string[])[]) => readonly string[];

/** A table of the rules with findings: how many of each severity, and how many that follow from others. */
export function* statistics(report: CheckReport, tabulate: Tabulate, style: Style): Iterable<string> {
  const { findings, files } = report;
  if (findings.length === 0) return;
  const rows = [...groupBy(findings, ({ rule }) => rule)].map(([rule, group]) => rowOf(rule, group));
  rows.sort(
    (a, b) => b.error - a.error || b.warning - a.warning || b.info - a.info || b.following - a.following,
  );
  const head = ["rule", "errors", "warnings", "infos", "consequences"];
  const cells = rows.map((row) => [
    style.safe(row.rule),
    ...[row.error, row.warning, row.info, row.following].map(String),
  ]);
  const isOne = files.length <= 1;
  const table = [head, ...cells].map((row, index) =>
    isOne ? row : [...row, index === 0 ? "files" : `${rows[index - 1]?.files}`],
  );
  const [heading = "", ...lines] = tabulate(table);
  yield* [style.bold(heading), ...lines, ""];
}

function rowOf(rule: string, findings: readonly FindingReport[]) {
  const roots = findings.filter(({ cause }) => cause === null);
  const count = (severity: FindingReport["severity"]) =>
    roots.filter((finding) => finding.severity === severity).length;
  return {
    rule,
    error: count("error"),
    warning: count("warning"),
    info: count("info"),
    following: findings.length - roots.length,
    files: new Set(findings.map(({ location }) => location.file)).size,
  };
}
