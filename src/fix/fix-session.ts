import type { CheckedRun } from "../check/check.ts";
import type { Finding } from "../findings/finding.ts";
import { groupBy } from "../reading/group-by.ts";
import type { FixedRequest } from "./fixed-logs.ts";
import { type FixState, protocolsByName, requestsOf } from "./fixed-request.ts";
import { comesAlong } from "./known-fixes.ts";
import { localRules } from "./local/index.ts";
import { isOffered } from "./offers.ts";
import type { Budget, Fixer, Proposal } from "./proposal.ts";
import { sessionTargets } from "./sessions.ts";
import type { FixSettings } from "./settings.ts";
import { elementPool } from "./target.ts";
import { placesOf, type Repair, type RepairFault, Withdrawals } from "./withdrawals.ts";

/**
 * How a session file, which contains each mistake once, is fixed. The result is judged as the agent will read
 * it: a fix that had no effect, or that caused a new finding, is dropped.
 */
export const sessionFixer: Fixer = {
  propose,
  faults,
  suspects: ({ requests: all }, requests) => [
    () => repairsOf(madeIn(requests)),
    () => repairsOf(madeIn(all)),
  ],
};

function propose(run: CheckedRun, options: FixSettings, banned: Withdrawals, budget: Budget): Proposal {
  budget.checks--;
  const before = [...run.findings.keys()];
  const isOpen = (finding: Finding): boolean =>
    !placesOf(finding).some((position) => banned.has(finding, position));
  const offered = before.filter((finding) => isOffered(finding, options) && isOpen(finding));
  const along = offered.length > 0 ? before.filter((other) => comesAlong(other) && isOpen(other)) : [];
  const elements = elementPool();
  const states = new Map<number, FixState>();
  for (const conversation of run.conversations)
    for (const { step, protocol, entries, removals } of sessionTargets(
      conversation,
      [...offered, ...along],
      protocolsByName,
      elements,
    ))
      states.set(step.exchange.position, { entries, removals, members: [], step, protocol });
  const requests = requestsOf(run, states, options);
  const made = new Set(madeIn(requests));
  const findings = before.filter((finding) => !made.has(finding));
  const fixed = { states, conversations: run.conversations, findings };
  return { before, after: fixed, requests, withdrawn: new Withdrawals(banned) };
}

function madeIn(requests: readonly FixedRequest[]): Finding[] {
  return [...new Set(requests.flatMap(({ whys }) => whys.map(({ finding }) => finding)))];
}

function repairsOf(findings: readonly Finding[]): Repair[] {
  return findings.flatMap((finding) => placesOf(finding).map((position) => ({ finding, position })));
}

function faults(run: CheckedRun, proposal: Proposal, again: CheckedRun): RepairFault[] {
  const made = madeIn(proposal.requests);
  const before = serious(run.findings.keys());
  const after = serious(again.findings.keys());
  const stayed = made.filter((finding) => {
    const name = nameOf(finding);
    return finding.severity !== "info" && (after.get(name)?.length ?? 0) >= (before.get(name)?.length ?? 1);
  });
  const news = [...after].filter(([name, found]) => found.length > (before.get(name)?.length ?? 0));
  const [reason] = news.flatMap(([, found]) => found);
  return [
    ...(stayed.length > 0
      ? [{ why: "the repair did not remove the defect", suspects: [() => repairsOf(stayed)] }]
      : []),
    ...(reason
      ? [
          {
            why: `the repair would cause: ${reason.message}`,
            suspects: [() => repairsOf(ofSameCall(reason, made)), () => repairsOf(made)],
          },
        ]
      : []),
  ];
}

/** Findings that a local fix answers, grouped by text. Others may only become visible through a fix. */
function serious(findings: Iterable<Finding>): Map<string, Finding[]> {
  const own = [...findings].filter(
    ({ severity, cause, rule }) => severity !== "info" && !cause && localRules.has(rule),
  );
  return groupBy(own, nameOf);
}

function nameOf({ rule, kind, data }: Finding): string {
  return `${rule} ${kind} ${JSON.stringify(data)}`;
}

/** The fixes of the call that a new finding is about. */
function ofSameCall({ data: { callId } }: Finding, made: readonly Finding[]): Finding[] {
  return made.filter(({ data }) => callId !== undefined && data["callId"] === callId);
}
