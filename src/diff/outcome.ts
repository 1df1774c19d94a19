import type { Step } from "../conversation/conversation.ts";
import type { FinishMeaning } from "../conversation/reply.ts";

/** How two replies ended. */
export interface CompareOutcome {
  readonly left: string;
  readonly right: string;
}

/** Stop reasons of replies that ended normally; the items show whether they call tools. */
const usual: ReadonlySet<FinishMeaning> = new Set(["answer", "calls", "other"]);

/** How two replies ended, if they ended differently. */
export function outcomeDifference(left: Step, right: Step, isAcross: boolean): CompareOutcome | undefined {
  const [a, b] = [outcomeOf(left, isAcross), outcomeOf(right, isAcross)];
  if (a === b || (hasFailed(left) && hasFailed(right))) return undefined;
  return { left: a, right: b };
}

/** The request was rejected, or the server failed. Some logs keep the error, others only the status. */
function hasFailed({ reply, exchange }: Step): boolean {
  return (reply?.error && !reply.error.isMidStream) || (exchange.status ?? 200) >= 400;
}

/** How a reply ended, in words; equal words for equal outcomes. */
function outcomeOf(step: Step, isAcross: boolean): string {
  const { reply, exchange, children } = step;
  if (hasFailed(step))
    return (exchange.status ?? 0) >= 400 ? `failed with status ${exchange.status}` : "failed";
  if (!reply) return "no reply";
  if (reply.error) return "failed in the middle of the stream";
  if (reply.state === "open") return "cut off";
  const { finish } = reply;
  if (!finish) return "whole";
  if (usual.has(finish.meaning)) {
    const isHollow =
      finish.meaning === "calls" && !isAcross && !reply.items.some(({ kind }) => kind === "call");
    return isHollow ? "announces calls but has none" : "whole";
  }
  const goesOn = finish.meaning === "pause" && children.length > 0;
  return goesOn ? "whole" : `stopped: ${finish.reason}`;
}
