import type { Step } from "../../conversation/conversation.ts";
import { isFollowed, isUnfinished } from "../../conversation/reply-followups.ts";
import type { Severity } from "../../findings/finding.ts";

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
  return conversation.log.conversations.some(({ steps: [first] }) => {
    const { previousReply, conversation: conversationId } = first?.request?.links ?? {};
    return (
      first?.isPartial === true &&
      first.exchange.position > exchange.position &&
      (previousReply !== undefined || conversationId !== undefined)
    );
  });
}

/** Every request is in its own file, so the last file need not be the last request. */
function isScattered({ conversation: { steps } }: Step): boolean {
  return steps.length > 1 && new Set(steps.map(({ exchange }) => exchange.file)).size === steps.length;
}
