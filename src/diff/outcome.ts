import type { Step } from "../conversation/conversation.ts";
import type { FinishMeaning } from "../conversation/exchange.ts";

export /** What two replies came to. */
interface CompareOutcome {
  readonly left: string;
  readonly right: string;
}

/** Stop reasons that let a run go on or end as it should; which of them it is, the items say. */
const usual: ReadonlySet<FinishMeaning> = new Set(["answer", "calls", "other"]);

/** What two replies came to, where that differs. */
export function outcomeDifference(left: Step, right: Step, isAcross: boolean): CompareOutcome | undefined {
  const [a, b] = [outcomeOf(left, isAcross), outcomeOf(right, isAcross)];
  if (a === b || (hasFailed(left) && hasFailed(right))) return undefined;
  return { left: a, right: b };
}

/** The request was refused, or the server failed; some logs keep what it said, others only the status. */
function hasFailed({ reply, exchange }: Step): boolean {
  return (reply?.error && !reply.error.isMidStream) || (exchange.status ?? 200) >= 400;
}

/** What became of a reply, in words; the same words for what comes to the same. */
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
    return isHollow ? "announces calls and has none" : "whole";
  }
  const goesOn = finish.meaning === "pause" && children.length > 0;
  return goesOn ? "whole" : `stopped: ${finish.reason}`;
}
