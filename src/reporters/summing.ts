import type { Severity } from "../findings/finding.ts";
import type { CheckReport, FindingReport, Summary } from "../findings/report.ts";
import { counted, exchanges } from "./numbers.ts";
import { type Root, summedUp } from "./roots.ts";

const gravity: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** The findings in order of severity; equal severities keep their order. */
export function mostSevereFirst<T extends { readonly severity: Severity }>(findings: readonly T[]): T[] {
  return [...findings].sort((a, b) => gravity[a.severity] - gravity[b.severity]);
}

const none = "no findings";

/** `2 errors, 1 info`; `no findings`. Counts what is not listed, too. */
export function sumOf({ unlisted, ...listed }: Pick<Summary, Severity | "unlisted">): string {
  const sum = (severity: Severity): number => listed[severity] + (unlisted?.[severity] ?? 0);
  const [error, warning, info] = [sum("error"), sum("warning"), sum("info")];
  const parts = [
    error > 0 ? counted(error, "error") : "",
    warning > 0 ? counted(warning, "warning") : "",
    info > 0 ? counted(info, "info") : "",
  ].filter((part) => part !== "");
  return parts.length > 0 ? parts.join(", ") : none;
}

/** {@link sumOf} and what was suppressed: `1 error, 3 known findings`; `no other findings, …`. */
export function countsOf(report: Pick<CheckReport, "summary" | "suppressed">): string {
  const aside = suppressedWords(report);
  const sum = sumOf(report.summary);
  if (aside === "") return sum;
  return `${sum === none ? "no other findings" : sum}, ${aside}`;
}

/** All consequences, listed or not. */
export function consequencesOf({ consequences, unlisted }: Summary): number {
  return consequences + (unlisted?.consequences ?? 0);
}

/** `3 known findings, 1 ignored`; `""` if none were suppressed. */
export function suppressedWords({ suppressed = [] }: Pick<CheckReport, "suppressed">): string {
  const known = suppressed.filter(({ suppression }) => suppression.by === "baseline").length;
  const ignored = suppressed.length - known;
  return [
    ...(known > 0 ? [counted(known, "known finding")] : []),
    ...(ignored > 0 ? [known > 0 ? `${ignored} ignored` : counted(ignored, "ignored finding")] : []),
  ].join(", ");
}

/** Unescaped remarks on a finding: where else it occurs, what follows from it, its fix. */
export function remarksOf({ finding, consequences }: Root): string[] {
  const { alsoIn, fix, location } = finding;
  return [
    ...(alsoIn.length > 0 ? [`also in ${exchanges(alsoIn, location.part)}`] : []),
    ...(consequences.length > 0 ? [`because of it: ${summedUp(consequences, finding)}`] : []),
    ...(fix ? [fixText(fix)] : []),
  ];
}

const placeholder = "placeholder: ";

/** `toollint fix (safe): adds the type`, with the option that this repair needs. */
function fixText({ safety, title }: NonNullable<FindingReport["fix"]>): string {
  const { kind, does } = repairWords({ safety, title });
  return `toollint fix${safety === "safe" ? "" : " --unsafe"} (${kind}): ${does}`;
}

/** A repair in words: its kind, `safe`, `lossy`, `inventing` or `placeholder`, and what it does. */
export function repairWords({ safety, title }: Pick<NonNullable<FindingReport["fix"]>, "safety" | "title">): {
  readonly kind: string;
  readonly does: string;
} {
  return safety === "inventing" && title.startsWith(placeholder)
    ? { kind: "placeholder", does: title.slice(placeholder.length) }
    : { kind: safety, does: title };
}

/** Rules that could not be checked in one file for one reason. */
export interface Unchecked {
  readonly file: string;
  readonly why: string;
  readonly rules: readonly string[];
}

/** What was not checked, by file and reason. */
export function uncheckedOf({ notChecked }: Pick<CheckReport, "notChecked">): Unchecked[] {
  const groups = new Map<string, { file: string; why: string; rules: string[] }>();
  for (const { file, why, rule } of notChecked) {
    const key = JSON.stringify([file, why]);
    const group = groups.get(key) ?? { file, why, rules: [] };
    groups.set(key, group);
    group.rules.push(rule);
  }
  return [...groups.values()];
}

/** The notes of a finding, at most `limit` of them, and how many more there are. */
export function notesOf(
  { related }: FindingReport,
  limit: number,
): { readonly shown: FindingReport["related"]; readonly more: number } {
  const shown = related.slice(0, limit);
  return { shown, more: related.length - shown.length };
}

/** The number of conversations; one that spans several files counts once. */
export function conversationsIn(files: CheckReport["files"]): number {
  return files.reduce((sum, { conversations, continued = 0 }) => sum + conversations - continued, 0);
}
