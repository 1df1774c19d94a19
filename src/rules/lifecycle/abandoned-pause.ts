import { type Placed, replyItems, type Step } from "../../conversation/conversation.ts";
import { defineRule } from "../rule.ts";
import { finishSpot } from "../spots.ts";
import { short } from "../words.ts";
import { severityOfEnd } from "./severity-of-end.ts";

interface Facts {
  readonly reason: string;
  readonly callIds: readonly string[];
}

export default defineRule({
  name: "abandoned-pause",
  summary: "A paused reply that the client does not continue",
  ground: "lost",
  severity: "warning",
  needs: "anything",
  looksAt: ["replies"],
  messages: {
    ended: ({ reason }: Facts) =>
      `the reply is only paused (\`${short(reason)}\`), and no later request continues it`,
    dropped: ({ reason }: Facts) =>
      `the reply is only paused (\`${short(reason)}\`), and the next request drops it`,
    interrupted: ({ reason }: Facts) =>
      `the reply is only paused (\`${short(reason)}\`), and the next request adds a user message instead of sending the reply back unchanged`,
  },

  habit: {
    title: "The client stops when the model's turn is only paused",
    consequence: "So the model never finishes its turn",
    change: "send the paused reply back unchanged, and repeat until the turn has ended",
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const { reply, children } = step;
      const finish = reply?.finish;
      if (finish?.meaning !== "pause" || reply?.error || step.exchange.isCut || step.retriedBy) continue;
      const callIds = openCalls(step);
      const facts = { reason: finish.reason, callIds };
      const at = finishSpot(step);
      const next = children.filter(({ relation }) => relation !== "branch" && relation !== "compaction");
      if (next.some((child) => isContinued(step, child)) || (next.length === 0 && children.length > 0))
        continue;
      const [child] = next;
      if (!child) yield report("ended", facts, at, { severity: severityOfEnd(step), callIds });
      else {
        const said = child.added.find(isSaid);
        const spot = { step: child, part: "request" as const, pointer: child.request?.historyPointer ?? "" };
        const isKept = hasEcho(step, child);
        yield report(isKept ? "interrupted" : "dropped", facts, at, {
          severity: isKept ? "warning" : "error",
          notes: [{ message: "the next request", at: said ?? spot }],
          callIds,
        });
      }
    }
  },
});

/** The request ends with the paused reply, or sends results that the reply also asks for. */
function isContinued(step: Step, child: Step): boolean {
  // If the server keeps the history, nothing needs to be sent back.
  if (child.isPartial) return true;
  return hasEcho(step, child) && !child.added.some(isSaid);
}

/** The next request contains some of the reply. */
function hasEcho(step: Step, child: Step): boolean {
  return step.reply?.items.length === 0 || child.echoes.length > 0;
}

function isSaid({ item }: Placed): boolean {
  return item.kind === "message" && item.role === "user" && (item.hasMedia || item.text.trim() !== "");
}

/** The hosted calls that the pause leaves open. */
function openCalls(step: Step): string[] {
  const items = replyItems(step).map(({ item }) => item);
  const answered = new Set(items.map((item) => (item.kind === "result" ? item.callId : undefined)));
  return items.flatMap((item) =>
    item.kind === "call" && item.id !== undefined && !answered.has(item.id) ? [item.id] : [],
  );
}
