import type { Finding } from "../findings/finding.ts";
import { groupBy } from "../reading/group-by.ts";
import type { Left } from "./fixed-logs.ts";
import { hasKnownFix } from "./known-fixes.ts";
import type { FixSettings } from "./settings.ts";
import { placesOf, type Withdrawals } from "./withdrawals.ts";

/** Whether a finding is serious enough to fix, has a known fix, and the settings allow it. */
export function isOffered(finding: Finding, options: FixSettings): boolean {
  const { classes = ["safe"] } = options;
  return (
    hasKnownFix(finding) &&
    finding.fix !== undefined &&
    classes.includes(finding.fix.safety) &&
    isSelected(finding, options)
  );
}

function isSelected(finding: Finding, { exchanges, conversation }: FixSettings): boolean {
  if (conversation !== undefined && finding.locus.conversation !== conversation) return false;
  return (
    !exchanges ||
    [finding.locus.exchange, ...finding.alsoIn].some(
      ({ number }) => number >= exchanges.from && number <= exchanges.to,
    )
  );
}

/** The findings at each position, without those whose repair was withdrawn there. */
export function offersOf(
  findings: readonly Finding[],
  withdrawn?: Withdrawals,
): (position: number) => readonly Finding[] {
  const seen = findings.flatMap((finding) =>
    placesOf(finding)
      .filter((position) => !withdrawn?.has(finding, position))
      .map((position) => ({ finding, position })),
  );
  const byPosition = new Map(
    [...groupBy(seen, ({ position }) => position)].map(
      ([position, own]) => [position, own.map(({ finding }) => finding)] as const,
    ),
  );
  return (position) => byPosition.get(position) ?? [];
}

/** Fixable findings that remain, each with the reason. */
export function leftOf(findings: readonly Finding[], withdrawn: Withdrawals, options: FixSettings): Left[] {
  const { classes = ["safe"] } = options;
  const known = findings.filter((finding) => hasKnownFix(finding) && isSelected(finding, options));
  return known.map((finding) => {
    const { safety } = finding.fix ?? { safety: "safe" };
    const why =
      withdrawn.whyOf(finding) ??
      (classes.includes(safety)
        ? "the log lacks what the repair needs"
        : safety === "lossy"
          ? "it removes something, so it needs `--unsafe` (or `--unsafe-lossy`)"
          : "it adds what the log does not contain, so it needs `--unsafe` (or `--unsafe-inventing`)");
    return { finding, why };
  });
}
