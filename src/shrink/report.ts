import type { FindingReport } from "../findings/report.ts";
import { isOneBlock } from "./as-lines.ts";
import { type Count, countOf } from "./count.ts";
import type { Behaviour, LiveShrunk } from "./live.ts";
import type { Objection } from "./oracle.ts";
import type { Shrunk } from "./shrink.ts";
import type { Stayed } from "./sweep.ts";

/** The result of `shrink`: the contract of `--format json` (`schemas/shrink.schema.json`). */
export interface ShrinkReport {
  readonly schemaVersion: "1.0";
  readonly tool: { readonly name: "toollint"; readonly version: string };
  /** The finding as it was in the log, without its fix. */
  readonly finding: Pick<FindingReport, "id" | "rule" | "kind" | "severity" | "message" | "location">;
  readonly input: LogSize;
  readonly output: LogSize;
  /** Some cut kept the finding; otherwise the output is the log as it was. */
  readonly isSmaller: boolean;
  /** Nothing in the log could go, and all was tried: it was as small as it gets before. */
  readonly wasMinimal: boolean;
  /** How many logs were checked, the first one included. */
  readonly checks: number;
  /** All was tried, so no unit that is left can go alone. */
  readonly isMinimal: boolean;
  /** What is left in the log, and why it could not go. */
  readonly kept: readonly KeptUnit[];
  /** The finding is about a credential that is masked in the output, so the output does not show it. */
  readonly isLostByMasking: boolean;
  /** With `--live`: what the server does with the request, and how often it was asked. */
  readonly live?: LiveReport;
}

export interface LiveReport extends Behaviour {
  readonly url: string;
  readonly requests: number;
  readonly skipped: number;
}

export interface LogSize extends Count {
  /** The path as typed; `-` for standard output. */
  readonly path: string;
  readonly container: string;
}

export interface KeptUnit {
  readonly unit: string;
  readonly why: string;
}

/** The report on a shrunk log, which was written to `path`. */
export function shrinkReport(
  { before, after, checks, stayed, isCutShort, live, written: { bytes, isLostByMasking } }: Shrunk,
  path: string,
): ShrinkReport {
  const { id, rule, kind, severity, message, location } = before.subject;
  return {
    schemaVersion: "1.0",
    tool: { name: "toollint", version: __VERSION__ },
    finding: { id, rule, kind, severity, message, location },
    input: { path: before.file.path, container: before.file.container, ...countOf(before) },
    output: { path, container: after.file.container, ...countOf(after), bytes: bytes.length },
    isSmaller: after !== before,
    wasMinimal: after === before && !isCutShort && !isOneBlock(after) && stayed.every(isJudged),
    checks,
    isMinimal: !isCutShort,
    kept: stayed.map(({ name, why }) => ({ unit: name, why: reasonOf(why, live !== undefined) })),
    isLostByMasking,
    ...(live && { live: liveReport(live) }),
  };
}

/** A unit that stays because the log says something else without it, not because it could not be tried. */
function isJudged({ why }: Stayed): boolean {
  return why.is !== "unwritable" && why.is !== "skipped" && why.is !== "budget";
}

function liveReport({ url, behaviour, requests, skipped }: LiveShrunk): LiveReport {
  return { url, ...behaviour, requests, skipped };
}

/** Why a unit could not go, as the end of a sentence about it. */
function reasonOf(why: Objection, isLive: boolean): string {
  switch (why.is) {
    case "gone":
      return isLive ? "needed, or the server does something else" : "needed, or the finding is gone";
    case "unreadable":
      return "needed, or the log cannot be read";
    case "other-container":
      return `needed, or the log would be read as ${why.container}`;
    case "other":
      return `needed, or there is another ${why.finding.severity}: ${why.finding.message} [${why.finding.rule}]`;
    case "unwritable":
      return why.why;
    case "skipped":
      return `not judged: ${why.why}`;
    case "budget":
      return "not tried: the limit was reached";
  }
}
