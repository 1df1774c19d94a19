import type { CheckResult } from "../check/check.ts";
import type { FindingReport } from "../findings/report.ts";
import { groupBy } from "../reading/group-by.ts";

/** Which finding a log is shrunk for; without any of these, the first root finding of the worst severity. */
export interface Choice {
  /** Its name in the report (`f3`), or its fingerprint. */
  readonly finding?: string;
  /** The first one of any of these rules. */
  readonly rules?: readonly string[];
}

const ranks = { error: 0, warning: 1, info: 2 } as const;

/** The chosen finding; `undefined` if the log has no such finding. */
export function chosenFinding(
  { report: { findings } }: CheckResult,
  { finding, rules }: Choice,
): FindingReport | undefined {
  if (finding !== undefined)
    return findings.find(({ id, fingerprint }) => id === finding || fingerprint === finding);
  const own = rules ? findings.filter(({ rule }) => rules.includes(rule)) : findings;
  const roots = own.filter(({ cause }) => cause === null);
  // A finding that only follows from another is chosen where there is nothing else.
  return [...(roots.length > 0 ? roots : own)].sort((a, b) => ranks[a.severity] - ranks[b.severity])[0];
}

/** What a finding is about, apart from places, counts and texts, which change with every cut. */
export function identityOf(finding: FindingReport): string {
  return JSON.stringify([sortOf(finding), namesIn(finding, "tool"), namesIn(finding, "callId")]);
}

function sortOf({ rule, kind, severity }: FindingReport): string {
  return `${rule} ${kind} ${severity}`;
}

/** The tools, or the ids of the calls, that a finding names: one, or a list. */
function namesIn({ data }: FindingReport, what: "tool" | "callId"): readonly unknown[] {
  return [data[what] ?? data[`${what}s`] ?? []].flat();
}

/** The ids of the calls that a finding is about. */
export function callIdsNamed(finding: FindingReport): readonly unknown[] {
  return namesIn(finding, "callId");
}

/**
 * Whether a finding of a smaller log is one of these: of the same rule and kind, about the same tool and the
 * same call. Of several calls that one finding is about, some may have gone.
 */
export function isAmong(
  finding: FindingReport,
  known: ReadonlyMap<string, readonly FindingReport[]>,
): boolean {
  return (known.get(sortOf(finding)) ?? []).some((other) => isPartOf(finding, other));
}

/** Findings by what {@link isAmong} compares first. */
export function bySort(findings: readonly FindingReport[]): ReadonlyMap<string, readonly FindingReport[]> {
  return groupBy(findings, sortOf);
}

function isPartOf(finding: FindingReport, whole: FindingReport): boolean {
  return (["tool", "callId"] as const).every((what) => {
    const [own, all] = [namesIn(finding, what), namesIn(whole, what)];
    return own.every((name) => all.includes(name)) && own.length > 0 === all.length > 0;
  });
}

/** The finding in another check; a root stays a root. */
export function sameFinding(
  { report: { findings } }: CheckResult,
  subject: FindingReport,
): FindingReport | undefined {
  const known = bySort([subject]);
  const same = findings.filter((finding) => isAmong(finding, known));
  return same.find(({ cause }) => cause === null) ?? (subject.cause === null ? undefined : same[0]);
}
