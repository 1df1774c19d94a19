import { exchangesOf, loopRules } from "../findings/occurrences.ts";
import type { CheckReport, FindingReport } from "../findings/report.ts";
import { groupBy } from "../reading/group-by.ts";
import { exchanges, type Half } from "./numbers.ts";

/** A finding that follows from no other one, with all that follows from it. */
export interface Root {
  readonly finding: FindingReport;
  readonly consequences: readonly FindingReport[];
}

/** Folds findings under their roots, in the order of the report. A finding whose cause is not in the report is a root. */
export function rootsOf({ findings }: Pick<CheckReport, "findings">): Root[] {
  const byId = new Map(findings.map((finding) => [finding.id, finding]));
  const roots = new Map<FindingReport, FindingReport[]>();
  const rest: [root: FindingReport, consequence: FindingReport][] = [];
  for (const finding of findings) {
    const root = rootOf(finding, byId);
    if (root === finding) roots.set(finding, []);
    else rest.push([root, finding]);
  }
  for (const [root, consequence] of rest) roots.get(root)?.push(consequence);
  return [...roots].map(([finding, consequences]) => ({ finding, consequences }));
}

function rootOf(finding: FindingReport, byId: ReadonlyMap<string, FindingReport>): FindingReport {
  const seen = new Set<FindingReport>();
  let root = finding;
  while (root.cause !== null && !seen.has(root)) {
    seen.add(root);
    const cause = byId.get(root.cause);
    if (!cause) return root;
    root = cause;
  }
  // Findings that cause each other in a ring have no root: each of them stays visible.
  return root.cause === null ? root : finding;
}

/** Loops of one rule that are listed one by one. */
const shownLoops = 3;

/**
 * What follows from a finding, in short: `orphaned-tool-result ×2 (requests 3–6), repeated-call ×5 (replies 3–7)`. What stands in another
 * conversation than `root` has its line, too: nobody who reads on from there would come upon it.
 */
export function summedUp(consequences: readonly FindingReport[], root: FindingReport | undefined): string {
  return [...groupBy(consequences, ({ rule }) => rule)]
    .flatMap(([rule, findings]) =>
      // Each loop has a number of rounds of its own.
      loopRules.has(rule) && findings.length <= shownLoops
        ? findings.map((finding) => inShort(rule, [finding], timesOf(finding), root))
        : [inShort(rule, findings, findings.length, root)],
    )
    .join(", ");
}

function inShort(
  rule: string,
  findings: readonly FindingReport[],
  times: number,
  root: FindingReport | undefined,
): string {
  const numbers = findings.flatMap(exchangesOf);
  const halves = new Set<Half>(findings.map(({ location }) => location.part));
  const where =
    numbers.length > 0
      ? exchanges(numbers, halves.size === 1 ? [...halves][0] : undefined)
      : `line ${findings[0]?.location.line}`;
  return `${rule}${times > 1 ? ` ×${times}` : ""} (${where}${elsewhere(findings, root)})`;
}

/** The first place in another conversation; a file only where it is another one. */
function elsewhere(findings: readonly FindingReport[], root: FindingReport | undefined): string {
  const far = findings.find(
    ({ location }) =>
      root?.location.conversation !== undefined &&
      location.conversation !== undefined &&
      location.conversation !== root.location.conversation,
  );
  if (!far) return "";
  const { file, line } = far.location;
  const place = file === root?.location.file ? `line ${line}` : `${file}:${line}`;
  return findings.length > 1 ? `, from ${place} on` : `, ${place}`;
}

/** How often the thing happened that a finding is about. */
function timesOf({ data }: FindingReport): number {
  const count = data["count"];
  return typeof count === "number" ? count : 1;
}
