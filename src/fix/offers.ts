import type { Finding } from "../findings/finding.ts";
import { groupBy } from "../reading/group-by.ts";
import type { Left } from "./fixed-logs.ts";
import { hasKnownFix } from "./known-fixes.ts";
import type { FixSettings } from "./settings.ts";

/** Whether a finding is serious enough to fix, has a known fix, and the settings allow it. */
export function isOffered(finding: Finding, { classes = ["safe"] }: FixSettings): boolean {
  return hasKnownFix(finding) && finding.fix !== undefined && classes.includes(finding.fix.safety);
}

/** The findings at each position. */
export function offersOf(findings: readonly Finding[]): (position: number) => readonly Finding[] {
  const seen = findings.flatMap((finding) =>
    [finding.locus.exchange, ...finding.alsoIn].map(({ position }) => ({ finding, position })),
  );
  const byPosition = new Map(
    [...groupBy(seen, ({ position }) => position)].map(
      ([position, own]) => [position, own.map(({ finding }) => finding)] as const,
    ),
  );
  return (position) => byPosition.get(position) ?? [];
}

/** Fixable findings that remain, each with the reason. */
export function leftOf(
  findings: readonly Finding[],
  withdrawn: readonly Left[],
  { classes = ["safe"] }: FixSettings,
): Left[] {
  return findings.filter(hasKnownFix).map((finding) => {
    const { safety } = finding.fix ?? { safety: "safe" };
    const earlier = withdrawn.find((other) => isSameMistake(other.finding, finding));
    const why =
      earlier?.why ??
      (classes.includes(safety)
        ? "the log does not hold what is needed for it"
        : `it is ${safety === "lossy" ? "lossy" : "inventing"}: allow it with \`--unsafe-${safety}\``);
    return { finding, why };
  });
}

/** Whether two passes report the same finding. */
export function isSameMistake(a: Finding, b: Finding): boolean {
  return (
    a.rule === b.rule &&
    a.kind === b.kind &&
    a.locus.exchange.position === b.locus.exchange.position &&
    a.message === b.message
  );
}
