import { failedGates, type Gate } from "../findings/gate.ts";
import type { CheckReport } from "../findings/report.ts";
import { countsOf } from "./summing.ts";

/** What a check comes to, and what decides it; agrees with the exit code. Unescaped. */
export interface CheckVerdict {
  readonly isPassed: boolean;
  /** What counts: `2 errors, 1 warning, 3 known findings`. */
  readonly counts: string;
  /** `passes`, `fails (--fail-on error)`, `fails: cannot read a.log: permission denied`. */
  readonly outcome: string;
}

/**
 * The verdict on a whole report, whatever of it is shown.
 * @param troubles what kept some of the work from being done: a message each, of one or several lines
 */
export function verdictOn(report: CheckReport, gate: Gate, troubles: readonly string[] = []): CheckVerdict {
  const failed = failedGates(report.summary, gate);
  return {
    isPassed: failed.length === 0 && troubles.length === 0,
    counts: countsOf(report),
    outcome: outcomeOf(report, gate, failed, troubles),
  };
}

function outcomeOf(
  { summary: { error, warning, info } }: CheckReport,
  { failOn, maxWarnings }: Gate,
  failed: readonly string[],
  [trouble, ...others]: readonly string[],
): string {
  if (trouble !== undefined) {
    const more = others.length > 0 ? ` (and ${others.length} more)` : "";
    return `fails: ${trouble.split("\n", 1)[0]}${more}`;
  }
  if (failed.length > 0) return `fails (${failed.join(", ")})`;
  if (error + warning + info === 0) return "passes";
  const limit = failOn !== "never" && maxWarnings !== undefined ? `, --max-warnings ${maxWarnings}` : "";
  return `passes (--fail-on ${failOn}${limit})`;
}
