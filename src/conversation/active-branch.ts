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
 * The line of a session with which the agent goes on: its last step, with the pairing of the whole history instead of what is new in it. Only
 * where the session's records hold what is sent; `undefined` otherwise, and where its beginning is missing.
 */
export function liveLine(conversation: Conversation): Step | undefined {
  const last = conversation.steps.at(-1);
  if (!last?.request || !last.exchange.session?.takesRecords) return undefined;
  if (conversation.steps.some(({ isPartial }) => isPartial)) return undefined;
  const step = known.get(conversation) ?? wholeLine(last);
  known.set(conversation, step);
  return step;
}

/** The steps whose requests show what is or was sent: of a session, only the end of its live line. */
export function sentSteps(conversation: Conversation): readonly Step[] {
  if (conversation.kind === "requests") return conversation.steps;
  const live = liveLine(conversation);
  return live ? [live] : [];
}

/**
 * The steps that tell which result answers which call. Of a session that keeps messages in its own form, the end of its line too: what its
 * agent sends is made from it, so that only what no agent would keep is a fault. Only where results name their calls at all.
 */
export function linkedSteps(conversation: Conversation): readonly Step[] {
  const steps = conversation.kind === "requests" ? conversation.steps : sentSteps(conversation);
  if (conversation.kind === "transcript" && steps.length === 0) {
    const told = toldLine(conversation);
    return told && namesCalls(told) ? [told] : [];
  }
  return steps.filter((step) => !step.exchange.isRetold || namesCalls(step));
}

/** Whether this step's words on a link are a teller's, not those of the wire or of what is sent. */
export function isToldOnly({ exchange, conversation }: Step): boolean {
  return exchange.isRetold === true || (conversation.kind === "transcript" && !liveLine(conversation));
}

function toldLine(conversation: Conversation): Step | undefined {
  const last = conversation.steps.at(-1);
  if (!last?.request || conversation.steps.some(({ isPartial }) => isPartial)) return undefined;
  const step = toldLines.get(conversation) ?? wholeLine(last);
  toldLines.set(conversation, step);
  return step;
}

const toldLines = new WeakMap<Conversation, Step>();

/** Most of what is answered is answered by name. */
function namesCalls({ pairing: { pairs, orphans, mismatches } }: Step): boolean {
  const named = pairs.filter(
    ({ call, result }) => call.item.id !== undefined && call.item.id === result.item.callId,
  );
  return named.length > orphans.length + mismatches.length && named.length * 2 > pairs.length;
}

/** So many results without a call are looked into: a session that has more does not keep its calls. */
const maxStrays = 64;

/** A step in whose history everything is new, with the pairing of the whole. */
export function wholeLine(step: Step): Step {
  const first = pair(step, undefined, [], undefined).pairing;
  const isWorthIt = first.pairs.length > 0 && first.orphans.length > 0 && first.orphans.length <= maxStrays;
  const pairing = isWorthIt ? pair(step, undefined, [], () => undefined).pairing : { ...first, orphans: [] };
  const writer = step.exchange.session?.writer;
  const stranded = writer?.leavesOutFailed ? strandedIn(step, pairing.pairs) : [];
  const orphans = writer?.leavesOutOrphans ? [] : [...pairing.orphans, ...stranded];
  return changedStep(step, { kept: 0, pairing: { ...pairing, orphans } });
}

/** Results for calls of replies that failed or were broken off. */
function strandedIn(last: Step, pairs: Pairing["pairs"]): Orphan[] {
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

/** The step that a person would look for: of a session, in whose live line all is one history, the one in which it was said. */
export function tellingStep({ step: last, part, element, item }: Placed): Step {
  let step = last;
  if (step.conversation.kind !== "transcript" || part !== "request") return step;
  for (let parent = step.parent; parent && step.relation !== "compaction"; parent = step.parent) {
    const before = parent.request?.history.length ?? 0;
    if (element < before || item.role === "assistant") step = parent;
    if (element >= before) break;
  }
  return step;
}
