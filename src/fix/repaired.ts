import type { CheckedRun, CheckResult } from "../check/check.ts";
import type { BodyEdit } from "../containers/write/write-back.ts";
import type { Step } from "../conversation/conversation.ts";
import type { Exchange } from "../conversation/exchange.ts";
import type { Finding } from "../findings/finding.ts";
import type { FixReason, HistoryEntry, RequestMember } from "./target.ts";

/** The repair of one request's history. */
export interface RepairedRequest {
  readonly exchange: Exchange;
  /** The step as it was recorded. */
  readonly step: Step;
  readonly entries: readonly HistoryEntry[];
  /** What is put back beside the history. */
  readonly members: readonly RequestMember[];
  readonly edits: readonly BodyEdit[];
  readonly whys: readonly FixReason[];
}

/** A run of files with its repairs. */
export interface RepairedRun {
  readonly run: CheckedRun;
  /** In the order of the run; only requests that change. */
  readonly requests: readonly RepairedRequest[];
  /** What is still there when all this is done, and could be mended. */
  readonly left: readonly Left[];
}

/** A finding whose repair was not made. */
export interface Left {
  readonly finding: Finding;
  readonly why: string;
}

export interface RepairedLogs {
  readonly runs: readonly RepairedRun[];
  readonly checked: CheckResult;
}
