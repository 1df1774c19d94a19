import type { Severity } from "./finding.ts";
import type { Summary } from "./report.ts";

/** The lowest severity that fails a check; `never` lets all pass. */
export type FailOn = Severity | "never";

/** What decides whether findings fail a check. */
export interface Gate {
  readonly failOn: FailOn;
  /** More warnings than this also fail the check; absent for no limit. */
  readonly maxWarnings?: number | undefined;
}

/**
 * 0: nothing at or above the gate. 1: findings. 2: some of the work failed, regardless of findings.
 * Only roots count: consequences of another finding fail nothing.
 */
export function exitCode(
  { summary }: { readonly summary: Summary },
  gate: Gate,
  hadTrouble: boolean,
): 0 | 1 | 2 {
  if (hadTrouble) return 2;
  return failedGates(summary, gate).length > 0 ? 1 : 0;
}

/** The limits that these findings exceed, as the options that set them; none if the check passes. */
export function failedGates(summary: Summary, gate: Gate): string[] {
  if (gate.failOn === "never") return [];
  const error = sum(summary, "error");
  const warning = error + sum(summary, "warning");
  const counted = { error, warning, info: warning + sum(summary, "info") }[gate.failOn];
  return [
    ...(counted > 0 ? [`--fail-on ${gate.failOn}`] : []),
    ...(hasTooManyWarnings(summary, gate) ? [`--max-warnings ${gate.maxWarnings}`] : []),
  ];
}

/** Whether there are more warnings than `--max-warnings` allows. */
export function hasTooManyWarnings(summary: Summary, { failOn, maxWarnings }: Gate): boolean {
  return failOn !== "never" && maxWarnings !== undefined && sum(summary, "warning") > maxWarnings;
}

/** The findings of one severity, listed or not. */
function sum({ unlisted, ...listed }: Summary, severity: Severity): number {
  return listed[severity] + (unlisted?.[severity] ?? 0);
}
