import type { CheckedRun, CheckResult } from "../check/check.ts";
import type { BodyEdit } from "../containers/write/write-back.ts";
import type { Step } from "../conversation/conversation.ts";
import type { Exchange } from "../conversation/exchange.ts";
import type { Finding } from "../findings/finding.ts";
import type { FixReason, HistoryEntry, RequestMember } from "./target.ts";

/** The fixes to one request's history. */
export interface FixedRequest {
  readonly exchange: Exchange;
  /** The step as recorded. */
  readonly step: Step;
  readonly entries: readonly HistoryEntry[];
  /** Members restored outside the history. */
  readonly members: readonly RequestMember[];
  readonly edits: readonly BodyEdit[];
  readonly whys: readonly FixReason[];
}

/** A run of files with its fixes. */
export interface FixedRun {
  readonly run: CheckedRun;
  /** Only requests that change, in the order of the run. */
  readonly requests: readonly FixedRequest[];
  /** Fixable findings that remain. */
  readonly left: readonly Left[];
}

/** A finding whose fix was not applied. */
export interface Left {
  readonly finding: Finding;
  readonly why: string;
}

export interface FixedLogs {
  readonly runs: readonly FixedRun[];
  readonly checked: CheckResult;
}
