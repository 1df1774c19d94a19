import type { CheckedRun } from "../check/check.ts";
import { unlistedBy } from "../findings/unlisted.ts";
import type { LogSource } from "../log/log-file.ts";
import type { FixedRun, Left } from "./fixed-logs.ts";
import { leftOf } from "./offers.ts";
import { type Budget, type Fixer, isHasty, Oversized, type Proposal, Undecided } from "./proposal.ts";
import { readBack } from "./read-back.ts";
import type { FixSettings } from "./settings.ts";
import { Withdrawals } from "./withdrawals.ts";

/** The checks that a run is worth, and what a long one is worth at least. */
const maxChecks = 48;
const leastChecks = 16;
/** Exchanges and findings of all checks of a run: a megabyte in which all is wrong has 2,000 in each. */
const maxWork = 20_000;
/** The checks of a long run in which faults are looked into one by one. */
const patientChecks = 5;
/** Fixed logs that are fixed again to see whether that changes them. */
const maxDepth = 3;

/**
 * Fixes a run. What it would write is read and checked again, and fixed again: a fix stays only if the log
 * reads as was meant and another fix changes nothing. So fixing a fixed log has no effect.
 */
export async function settledRun(
  run: CheckedRun,
  inputs: readonly LogSource[],
  options: FixSettings,
  fixer: Fixer,
): Promise<FixedRun> {
  const checks = checksOf(run);
  const budget: Budget = { checks, patience: checks < maxChecks ? checks - patientChecks : 0 };
  const crowd = [...run.findings.keys()].find((finding) => unlistedBy(finding) > 0);
  if (crowd)
    return {
      run,
      requests: [],
      left: allLeft(run, options, `the log has too many defects to repair: ${crowd.message}`),
    };
  try {
    const { after, requests, withdrawn } = await settle(run, inputs, options, fixer, budget, 0);
    return { run, requests, left: leftOf(after.findings, withdrawn, options) };
  } catch (error) {
    if (error instanceof Oversized) {
      const why =
        "the repaired log would be many times larger, because every request gets its lost history back: repair parts of it (`--exchange`)";
      return { run, requests: [], left: allLeft(run, options, why) };
    }
    if (!(error instanceof Undecided)) throw error;
    const why =
      checks < maxChecks
        ? "the log is long, and its repairs still cause new findings after the maximum number of checks: repair parts of it (`--exchange`)"
        : "the repairs of this log do not converge: each one causes another";
    return { run, requests: [], left: allLeft(run, options, why) };
  }
}

/** How often a run may be checked again: each check reads all of it. */
function checksOf({ exchanges, findings }: CheckedRun): number {
  const affordable = Math.floor(maxWork / Math.max(1, exchanges.length + findings.size));
  return Math.max(leastChecks, Math.min(maxChecks, affordable));
}

/** Leaves all fixable findings for one reason. */
function allLeft(run: CheckedRun, options: FixSettings, why: string): Left[] {
  const fixable = leftOf([...run.findings.keys()], new Withdrawals(), options);
  return fixable.map(({ finding }) => ({ finding, why }));
}

async function settle(
  run: CheckedRun,
  inputs: readonly LogSource[],
  options: FixSettings,
  fixer: Fixer,
  budget: Budget,
  depth: number,
): Promise<Proposal> {
  const banned = new Withdrawals();
  for (;;) {
    if (budget.checks <= 0 || depth > maxDepth) throw new Undecided();
    const proposal = fixer.propose(run, options, banned, budget);
    if (proposal.requests.length === 0) return proposal;
    // What was written is checked, and a second repair of it.
    if (--budget.checks <= 0) throw new Undecided();
    const back = await readBack(run, proposal, inputs, fixer);
    const faults = "faults" in back ? back.faults : fixer.faults(run, proposal, back.run);
    if ("run" in back && faults.length === 0) {
      const again = await settle(back.run, back.inputs, options, fixer, budget, depth + 1);
      if (again.requests.length === 0) return proposal;
      const positions = new Set(again.requests.map(({ exchange }) => exchange.position));
      const unstable = proposal.requests.filter(({ exchange }) => positions.has(exchange.position));
      const why = "a second repair would change the log again";
      banned.blame({ why, suspects: fixer.suspects(proposal, unstable) }, isHasty(budget));
      continue;
    }
    const isLess = faults.map((fault) => banned.blame(fault, isHasty(budget))).includes(true);
    if (!isLess) throw new Undecided();
  }
}
