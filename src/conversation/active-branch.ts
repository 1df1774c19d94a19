import {
  type Conversation,
  type Orphan,
  type Pairing,
  type Placed,
  replyItems,
  type Step,
} from "./conversation.ts";
import { pair } from "./pairing/pairing.ts";
import { changedStep } from "./stitch/draft.ts";

const known = new WeakMap<Conversation, Step>();

/**
 * The branch that a session's agent continues: its last step, whose pairing covers the whole history.
 * `undefined` when the session's records are not what gets sent, or when the beginning is missing.
 */
export function activeBranch(conversation: Conversation): Step | undefined {
  const last = conversation.steps.at(-1);
  if (!last?.request || !last.exchange.session?.takesRecords) return undefined;
  if (conversation.steps.some(({ isPartial }) => isPartial)) return undefined;
  const step = known.get(conversation) ?? fullHistory(last);
  known.set(conversation, step);
  return step;
}

/** The steps whose requests show what was or will be sent; for a session, the end of its active branch. */
export function sentSteps(conversation: Conversation): readonly Step[] {
  if (conversation.kind === "requests") return conversation.steps;
  const live = activeBranch(conversation);
  return live ? [live] : [];
}

/**
 * The steps that show which result answers which call, if results name their calls at all. A session's last
 * step counts even if its agent stores messages in its own form: the agent builds its requests from it, so
 * only faults that no agent would store are real.
 */
export function linkedSteps(conversation: Conversation): readonly Step[] {
  const steps = conversation.kind === "requests" ? conversation.steps : sentSteps(conversation);
  if (conversation.kind === "transcript" && steps.length === 0) {
    const recorded = recordedBranch(conversation);
    return recorded && namesCalls(recorded) ? [recorded] : [];
  }
  return steps.filter((step) => step.exchange.fidelity === "wire" || namesCalls(step));
}

/** Whether a step's links between calls and results come from a recorder, not from sent requests. */
export function isOnlyRecorded({ exchange, conversation }: Step): boolean {
  return (
    exchange.fidelity === "reported" || (conversation.kind === "transcript" && !activeBranch(conversation))
  );
}

function recordedBranch(conversation: Conversation): Step | undefined {
  const last = conversation.steps.at(-1);
  if (!last?.request || conversation.steps.some(({ isPartial }) => isPartial)) return undefined;
  const step = recordedBranches.get(conversation) ?? fullHistory(last);
  recordedBranches.set(conversation, step);
  return step;
}

const recordedBranches = new WeakMap<Conversation, Step>();

/** Most answered calls are answered by id. */
function namesCalls({ pairing: { pairs, orphans, mismatches } }: Step): boolean {
  const named = pairs.filter(
    ({ call, result }) => call.item.id !== undefined && call.item.id === result.item.callId,
  );
  return named.length > orphans.length + mismatches.length && named.length * 2 > pairs.length;
}

/** More unmatched results than this mean that the session does not store its calls. */
const maxUnmatched = 64;

/** A copy of the step that treats its whole history as new and pairs all of it. */
export function fullHistory(step: Step): Step {
  const first = pair(step, undefined, [], undefined).pairing;
  const unmatched = first.orphans.length;
  const isWorthIt = unmatched > 0 && unmatched <= maxUnmatched && storesCalls(step, first);
  const pairing = isWorthIt ? pair(step, undefined, [], () => undefined).pairing : { ...first, orphans: [] };
  const writer = step.exchange.session?.writer;
  const stranded = writer?.leavesOutFailed ? resultsOfFailedReplies(step, pairing.pairs) : [];
  const orphans = writer?.leavesOutOrphans ? [] : [...pairing.orphans, ...stranded];
  return changedStep(step, { kept: 0, pairing: { ...pairing, orphans } });
}

/**
 * Whether some result answers a call of the history. A short record may have one call, whose result names
 * another; what an agent sends as it is kept holds both. Other agents keep no ids.
 */
function storesCalls({ exchange }: Step, { pairs, orphans, unanswered }: Pairing): boolean {
  if (pairs.length > 0) return true;
  const areNamed =
    unanswered.every(({ item }) => item.id !== undefined) &&
    orphans.every(({ result }) => result.item.callId !== undefined);
  return areNamed && exchange.session?.isSentAsKept === true && orphans.length <= unanswered.length;
}

/** Results for calls of replies that failed or were cut off. */
function resultsOfFailedReplies(last: Step, pairs: Pairing["pairs"]): Orphan[] {
  const failed = new Set<string | undefined>();
  for (let step = last.parent; step; step = step.parent) {
    if (!step.exchange.isAborted && !step.reply?.error) continue;
    for (const { item } of replyItems(step)) if (item.kind === "call") failed.add(item.id);
  }
  return pairs.flatMap(({ call, result }) =>
    call.item.id !== undefined && failed.has(call.item.id)
      ? [{ result, answeredBefore: undefined, lostCall: call, isAtCut: false }]
      : [],
  );
}

/** The step that sent or received an item; a session's active branch holds the items of all its steps. */
export function stepOfItem({ step: last, part, element, item }: Placed): Step {
  let step = last;
  if (step.conversation.kind !== "transcript" || part !== "request") return step;
  for (let parent = step.parent; parent && step.relation !== "compaction"; parent = step.parent) {
    const before = parent.request?.history.length ?? 0;
    if (element < before || item.role === "assistant") step = parent;
    if (element >= before) break;
  }
  return step;
}
