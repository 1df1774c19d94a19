import { type CheckedRun, checkAgain } from "../check/check.ts";
import {
  composed,
  type FixState,
  fixedExchange,
  protocolsByName,
  requestsOf,
  whysOf,
} from "./fixed-request.ts";
import { faultsIn, newFindings, suspectsAt } from "./judge.ts";
import { isOffered, offersOf } from "./offers.ts";
import {
  type Budget,
  type FixedState,
  type Fixer,
  isHasty,
  Oversized,
  type Proposal,
  Undecided,
} from "./proposal.ts";
import { restore } from "./restore.ts";
import type { FixSettings } from "./settings.ts";
import { elementPool, type FixTarget, growthOf } from "./target.ts";
import { Withdrawals } from "./withdrawals.ts";

/** Passes over a log, since one fix may reveal the need for another. */
const maxPasses = 6;
/** How often withdrawn fixes are tried again. */
const maxRounds = 4;
/** What all fixes together may add: to any log, and for each of its bytes. */
const mostAdded = 40e6;
const mostAddedPerByte = 12;
/** What an element counts for at least: to make and check a small one takes as long as to write this much. */
const leastPerElement = 250;
/** How many times as much the requests may grow that are not selected, and so are not written. */
const mostMade = 4;

/** How a log of requests is fixed. */
export const requestsFixer: Fixer = {
  propose,
  faults: (_, { after, before }, again) =>
    newFindings(before, {
      ...after,
      conversations: again.conversations,
      findings: [...again.findings.keys()],
    }),
  suspects: ({ after }, requests) => {
    const lists = requests.map(({ exchange }) => suspectsAt(exchange.position, after));
    const [whole = suspectsAt(0, after)] = lists;
    return whole.map((list, index) =>
      lists.length > 1 ? () => lists.flatMap((each) => each[index]?.() ?? []) : list,
    );
  },
};

/**
 * Fixes the requests of a run as far as each fix settles its finding and causes no other. Withdrawn fixes are
 * tried again until nothing changes, because others may make them possible.
 *
 * @param banned fixes that are not tried
 */
function propose(run: CheckedRun, options: FixSettings, banned: Withdrawals, budget: Budget): Proposal {
  const recorded: FixedState = {
    states: new Map(),
    conversations: run.conversations,
    findings: allFindings(run, options),
  };
  let { after, withdrawn } = settledFrom(recorded, run, options, banned, budget);
  for (let round = 1; round < maxRounds && after !== recorded && budget.checks > 0; round++) {
    const next = settledFrom(after, run, options, banned, budget);
    if (next.after === after) break;
    ({ after, withdrawn } = next);
  }
  return {
    before: recorded.findings,
    after,
    withdrawn,
    requests: requestsOf(run, after.states, options),
  };
}

/** Also the findings that the settings do not select: they are not news later. */
function allFindings(run: CheckedRun, { conversation, exchanges }: FixSettings): FixedState["findings"] {
  return conversation === undefined && !exchanges
    ? [...run.findings.keys()]
    : checkAgain(run, run.exchanges).findings;
}

/**
 * Counts by how much fixes make a log larger, and ends the work where they add so many bytes that they take
 * too long to make, to write and to read back. Each request of a client that forgets everything gets all that
 * was said before it, so the bytes grow as the square of the log's.
 */
function growthLimit(run: CheckedRun, { exchanges }: FixSettings): (target: FixTarget) => void {
  const read = run.files.reduce((sum, { source }) => sum + source.size, 0);
  const most = mostAdded + mostAddedPerByte * read;
  let written = 0;
  let made = 0;
  return (target) => {
    const { number } = target.step.exchange;
    const growth = Math.max(growthOf(target), inserted(target) * leastPerElement);
    made += growth;
    if (!exchanges || (number >= exchanges.from && number <= exchanges.to)) written += growth;
    if (written > most || made > most * mostMade) throw new Oversized();
  };
}

type Outcome = Pick<Proposal, "after" | "withdrawn">;

/** Applies fixes, and withdraws those that are at fault, until none is. */
function settledFrom(
  start: FixedState,
  run: CheckedRun,
  options: FixSettings,
  banned: Withdrawals,
  budget: Budget,
): Outcome {
  const withdrawn = new Withdrawals(banned);
  for (;;) {
    const after = fixedOnce(start, run, options, withdrawn, budget);
    if (after === start) return { after, withdrawn };
    const faults = faultsIn(run, start, after);
    if (faults.length === 0) return { after, withdrawn };
    const isLess = faults.map((fault) => withdrawn.blame(fault, isHasty(budget))).includes(true);
    if (budget.checks <= 0) throw new Undecided();
    if (!isLess) return { after: start, withdrawn };
  }
}

/** As many elements as a check of a long run reads. */
const elementsOfCheck = 80_000;

/**
 * How many of the allowed checks a check of repaired requests counts for. Where each request held the newest
 * messages only, the repaired ones hold all before them, too: far more than the log that the budget is for.
 */
function checkCost(states: ReadonlyMap<number, FixState>): number {
  let added = 0;
  for (const state of states.values()) added += inserted(state);
  return 1 + Math.floor(added / elementsOfCheck);
}

function inserted({ entries }: Pick<FixState, "entries">): number {
  let count = 0;
  for (const { recorded } of entries) if (recorded === undefined) count++;
  return count;
}

/** One attempt: passes until nothing is offered that can be done. */
function fixedOnce(
  start: FixedState,
  run: CheckedRun,
  options: FixSettings,
  withdrawn: Withdrawals,
  budget: Budget,
): FixedState {
  let after = start;
  const states = new Map<number, FixState>(start.states);
  const elements = elementPool();
  for (let pass = 0; pass < maxPasses; pass++) {
    const { conversations, findings } = after;
    const offered = findings.filter((finding) => isOffered(finding, options));
    if (offered.length === 0) break;
    const offers = offersOf(offered, withdrawn);
    const addTo = growthLimit(run, options);
    const targets = restore(conversations, offers, offersOf(findings), protocolsByName, elements, addTo);
    if (targets.size === 0) break;
    for (const target of targets.values()) {
      const { position } = target.step.exchange;
      // A request may take over what is withdrawn here from an earlier one.
      if (whysOf(composed(undefined, target)).every(({ finding }) => withdrawn.has(finding, position)))
        continue;
      states.set(position, composed(states.get(position), target));
    }
    budget.checks -= checkCost(states);
    const again = checkAgain(
      run,
      run.exchanges.map((exchange) => fixedExchange(exchange, states.get(exchange.position))),
    );
    after = { states, conversations: again.conversations, findings: again.findings };
    // What further passes do could not be checked any more.
    if (budget.checks <= 0) break;
  }
  return after;
}
