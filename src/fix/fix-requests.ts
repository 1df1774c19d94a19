import { type CheckedRun, checkAgain } from "../check/check.ts";
import type { Finding } from "../findings/finding.ts";
import type { FixedRun, Left } from "./fixed-logs.ts";
import { composed, fixedExchange, protocolsByName, requestsOf, type State, whysOf } from "./fixed-request.ts";
import { isOffered, isSameMistake, leftOf, offersOf } from "./offers.ts";
import { restore } from "./restore.ts";
import type { FixSettings } from "./settings.ts";
import { elementPool } from "./target.ts";

/** Passes over a log, since one fix may reveal the need for another. */
const maxPasses = 6;
/** How often fixes are withdrawn because of the findings they cause. */
const maxTries = 4;
/** How often skipped fixes are tried again. */
const maxRounds = 4;

/**
 * Fixes a run, leaving out fixes that would cause a new finding. Skipped fixes are retried until nothing
 * changes, because others may make them possible: fixing a fixed log has no effect.
 */
export function repairRun(run: CheckedRun, options: FixSettings): FixedRun {
  const recorded: Progress = {
    states: new Map(),
    conversations: run.conversations,
    findings: [...run.findings.keys()],
  };
  let { progress, withdrawn } = repairFrom(recorded, run, options);
  for (let round = 1; round < maxRounds && progress !== recorded; round++) {
    const next = repairFrom(progress, run, options);
    if (next.progress === progress) break;
    ({ progress, withdrawn } = next);
  }
  const { states, findings } = progress;
  return { run, requests: requestsOf(run, states, options), left: leftOf(findings, withdrawn, options) };
}

/** The state of a run between passes. */
interface Progress {
  readonly states: ReadonlyMap<number, State>;
  readonly conversations: CheckedRun["conversations"];
  readonly findings: readonly Finding[];
}

/** Applies every fix that causes no new finding, and lists those that were withdrawn. */
function repairFrom(
  start: Progress,
  run: CheckedRun,
  options: FixSettings,
): { readonly progress: Progress; readonly withdrawn: readonly Left[] } {
  const known = new Set(start.findings.flatMap(seenIn));
  const withdrawn: Left[] = [];
  for (let attempt = 0; ; attempt++) {
    const progress = repairOnce(start, run, options, withdrawn);
    const news = progress.findings.filter(
      (finding) =>
        finding.severity !== "info" &&
        !finding.cause &&
        isOfRepair(finding, progress.states) &&
        !seenIn(finding).some((place) => known.has(place)),
    );
    const guilty = attempt < maxTries ? blamed(news, progress.states) : [];
    const isSecondThought = start.states.size > 0;
    if (guilty.length === 0)
      return { progress: isSecondThought && news.length > 0 ? start : progress, withdrawn };
    const [reason] = news;
    withdrawn.push(...guilty.map((finding) => ({ finding, why: `it would lead to: ${reason?.message}` })));
  }
}

function repairOnce(
  start: Progress,
  run: CheckedRun,
  options: FixSettings,
  withdrawn: readonly Left[],
): Progress {
  let progress = start;
  const states = new Map(start.states);
  const elements = elementPool();
  for (let pass = 0; pass < maxPasses; pass++) {
    const { conversations, findings } = progress;
    const offered = findings.filter(
      (finding) =>
        isOffered(finding, options) && !withdrawn.some((other) => isSameMistake(other.finding, finding)),
    );
    if (offered.length === 0) break;
    const targets = restore(conversations, offersOf(offered), offersOf(findings), protocolsByName, elements);
    if (targets.size === 0) break;
    for (const target of targets.values()) {
      const { position } = target.step.exchange;
      states.set(position, composed(states.get(position), target));
    }
    const again = checkAgain(
      run,
      run.exchanges.map((exchange) => fixedExchange(exchange, states.get(exchange.position))),
    );
    progress = { states, conversations: again.conversations, findings: again.findings };
  }
  return progress;
}

/**
 * Whether a finding is about something that a fix may have written. Replies and settings are as recorded: a
 * new finding about them, such as a loop that is no longer explained otherwise, does not discredit a fix.
 */
function isOfRepair({ locus }: Finding, states: ReadonlyMap<number, State>): boolean {
  const { exchange, part, pointer } = locus;
  if (part !== "request" || !exchange.request) return false;
  const members = states.get(exchange.position)?.members ?? [];
  const places = [exchange.request.historyPointer, ...members.map((member) => member.pointer)];
  return pointer === "" || places.some((place) => pointer.startsWith(place));
}

/** The fixes that touched the exchanges with new findings. */
function blamed(news: readonly Finding[], states: ReadonlyMap<number, State>): Finding[] {
  const guilty = new Set<Finding>();
  for (const { locus } of news) {
    const state = states.get(locus.exchange.position);
    if (!state) continue;
    for (const { finding } of whysOf(state)) guilty.add(finding);
  }
  return [...guilty];
}

function seenIn(finding: Finding): string[] {
  return [finding.locus.exchange, ...finding.alsoIn].map(({ position }) => `${finding.rule} ${position}`);
}
