import type { LogFacts, Step } from "../../conversation/conversation.ts";
import { isFollowed, isUnfinished } from "../../conversation/reply-followups.ts";
import type { Severity } from "../../findings/finding.ts";
import { largest } from "../../reading/lists.ts";

/** The severity of a conversation that ends with unanswered calls in its last reply. */
export function severityOfEnd(step: Step): Severity {
  const { isComplete, breaksOff, hasUnread } = step.conversation.log;
  if (hasUnread) return "info";
  if (isComplete) return "error";
  if (breaksOff) return "info";
  return isFollowed(step) && !isUnfinished(step) && !isScattered(step) && !isGapped(step)
    ? "warning"
    : "info";
}

/** The log lacks a reply that a later request continues, so it may also lack the request after this one. */
function isGapped({ exchange, conversation }: Step): boolean {
  const { log } = conversation;
  const last = lastGaps.get(log) ?? lastGap(log);
  lastGaps.set(log, last);
  return exchange.position < last;
}

/** Kept for each log: every conversation may end with calls, and every one may begin after a gap. */
const lastGaps = new WeakMap<LogFacts, number>();

/** The position of the last request that continues a reply that the log lacks; negative infinity without. */
function lastGap({ conversations }: LogFacts): number {
  const gaps = conversations.flatMap(({ steps: [first] }) => {
    const { previousReply, conversation } = first?.request?.links ?? {};
    const isGap = first?.isPartial === true && (previousReply ?? conversation) !== undefined;
    return isGap ? [first.exchange.position] : [];
  });
  return largest(gaps);
}

/** Every request is in its own file, so the last file need not be the last request. */
function isScattered({ conversation: { steps } }: Step): boolean {
  return steps.length > 1 && new Set(steps.map(({ exchange }) => exchange.file)).size === steps.length;
}
