import type { CheckedRun } from "../check/check.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { Finding } from "../findings/finding.ts";
import type { FixedRequest } from "./fixed-logs.ts";
import type { FixStates } from "./fixed-request.ts";
import type { FixSettings } from "./settings.ts";
import type { RepairFault, Withdrawals } from "./withdrawals.ts";

/** A run as the passes have left it. */
export interface FixedState {
  readonly states: FixStates;
  readonly conversations: readonly Conversation[];
  readonly findings: readonly Finding[];
}

/** What can be fixed, and what was withdrawn on the way. */
export interface Proposal {
  /** All findings of the run as it was. */
  readonly before: readonly Finding[];
  readonly after: FixedState;
  readonly requests: readonly FixedRequest[];
  readonly withdrawn: Withdrawals;
}

/** The checks of a run that are still allowed: each attempt takes some, and more where repairs add much. */
export interface Budget {
  checks: number;
  /** Below this many checks, all repairs near a fault are withdrawn at once. */
  readonly patience: number;
}

export function isHasty({ checks, patience }: Budget): boolean {
  return checks < patience;
}

/** Thrown when it cannot be decided within the budget what a fix leads to. */
export class Undecided extends Error {}

/** Thrown when the fixed log would be many times as large: each request gets back what was forgotten. */
export class Oversized extends Error {}

/** How a kind of run is fixed. */
export interface Fixer {
  /** @param banned fixes that are not tried */
  propose(run: CheckedRun, options: FixSettings, banned: Withdrawals, budget: Budget): Proposal;
  /** What is wrong with the fixed run, as it is read again. */
  faults(run: CheckedRun, proposal: Proposal, again: CheckedRun): readonly RepairFault[];
  /** The fixes of these requests; the likeliest first, then all. */
  suspects(proposal: Proposal, requests: readonly FixedRequest[]): RepairFault["suspects"];
}
