import { exchangesOf, loopRules } from "../findings/occurrences.ts";
import type { CheckReport, FindingReport } from "../findings/report.ts";
import { numberOf } from "../findings/unlisted.ts";
import { groupBy } from "../reading/group-by.ts";
import { exchanges, type Half } from "./numbers.ts";

/** A finding without a cause in the report, with all its consequences. */
export interface Root {
  readonly finding: FindingReport;
  readonly consequences: readonly FindingReport[];
}

/** Groups findings under their roots, in the order of the report. Without its cause, a finding is a root. */
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
  // Findings that cause each other in a cycle have no root, so each stays visible.
  return root.cause === null ? root : finding;
}

/** Maximum number of loops of one rule listed one by one. */
const shownLoops = 3;

/**
 * Consequences in short: `orphaned-tool-result ×2 (requests 3–6), repeated-call ×5 (replies 3–7)`. For a
 * conversation other than `root`'s the line is given, since readers would not find it.
 */
export function summedUp(consequences: readonly FindingReport[], root: FindingReport | undefined): string {
  return [...groupBy(consequences, ({ rule }) => rule)]
    .flatMap(([rule, findings]) =>
      // Each loop has its own number of rounds.
      loopRules.has(rule) && findings.length <= shownLoops
        ? findings.map((finding) => inShort(rule, [finding], timesOf(finding), root))
        : [inShort(rule, findings, numberOf(findings), root)],
    )
    .join(", ");
}

/** How many consequences each rule has, without their places: `orphaned-tool-result ×796`. */
export function countedUp(consequences: readonly FindingReport[]): string {
  return [...groupBy(consequences, ({ rule }) => rule)]
    .map(([rule, findings]) => `${rule}${numberOf(findings) > 1 ? ` ×${numberOf(findings)}` : ""}`)
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

/** The first place in another conversation, with the file if it differs. */
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

/** How often the event in a finding occurred. */
function timesOf({ data }: FindingReport): number {
  const count = data["count"];
  return typeof count === "number" ? count : 1;
}
