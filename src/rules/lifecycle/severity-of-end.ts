import type { Step } from "../../conversation/conversation.ts";
import { isFollowed, isUnfinished } from "../../conversation/reply-followups.ts";
import type { Severity } from "../../findings/finding.ts";

/** How bad it is that a conversation ends with a reply whose calls wait for their results. */
export function severityOfEnd(step: Step): Severity {
  const { isComplete, breaksOff } = step.conversation.log;
  if (isComplete) return "error";
  if (breaksOff) return "info";
  return isFollowed(step) && !isUnfinished(step) && !isScattered(step) && !isGapped(step)
    ? "warning"
    : "info";
}

/** A later request continues a reply that the log lacks, so the log may also lack what continued this one. */
function isGapped({ exchange, conversation }: Step): boolean {
  return conversation.log.conversations.some(({ steps: [first] }) => {
    const { previousReply, conversation: held } = first?.request?.links ?? {};
    return (
      first?.isPartial === true &&
      first.exchange.position > exchange.position &&
      (previousReply !== undefined || held !== undefined)
    );
  });
}

/** Every request stands in a file of its own, so the last one given need not be the last one sent. */
function isScattered({ conversation: { steps } }: Step): boolean {
  return steps.length > 1 && new Set(steps.map(({ exchange }) => exchange.file)).size === steps.length;
}
