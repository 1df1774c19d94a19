import type { Step } from "../../conversation/conversation.ts";
import { clientCalls, isFollowed, resentAs, resultFor } from "../../conversation/reply-followups.ts";
import { defineRule } from "../rule.ts";
import { count, short, toolName } from "../words.ts";

export default defineRule({
  name: "finish-reason-mismatch",
  summary: "A stop reason that contradicts the calls in the reply",
  ground: "misleads",
  severity: "warning",
  needs: "anything",
  looksAt: ["replies"],
  evidence: ["replies"],
  follows: [
    { rules: ["truncated-stream", "stream-error", "text-tool-call", "truncated-reply"], by: "exchange" },
  ],
  messages: {
    denied: ({
      reason,
      tool,
      count: calls,
    }: {
      reason: string;
      tool: string;
      count: number;
      callIds: readonly string[];
    }) =>
      `the reply ends with \`${short(reason)}\` although it ${calls === 1 ? `calls ${toolName(tool)}` : `makes ${count(calls, "call")}`}`,
    promised: ({ reason }: { reason: string }) =>
      `the reply ends with \`${short(reason)}\` although it makes no call`,
  },

  habit: {
    title: "The stop reason contradicts the reply",
    consequence: "So a client that trusts it skips calls, or waits for calls that never come",
    change: "decide by the calls in the reply, not by its stop reason",
  },
  kindHabits: {
    promised: {
      title: "The stop reason promises calls, and the reply has none",
      consequence: "So a call was lost on its way, or the client waits for one that never comes",
      change:
        "decide by the calls in the reply, not by its stop reason; if there is none, send the request again, and look for the lost call in the proxy or the server's tool parser",
    },
    denied: {
      title: "The stop reason denies the calls in the reply",
      consequence: "So a client that trusts it does not run them",
      change: "run the calls of a reply whatever its stop reason is, and update the server that writes it",
    },
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const { reply, exchange } = step;
      if (!reply?.finish || reply.error || exchange.isCut || !exchange.demands.hasCallsReason) continue;
      const { finish, items } = reply;
      const at = {
        step,
        part: "response" as const,
        pointer: finish.pointer,
        ...(finish.extent && { extent: finish.extent }),
      };
      const calls = clientCalls(step).filter(({ item }) => item.state === "complete");
      const [first] = calls;
      if (first && finish.meaning === "answer" && !isExcused(step)) {
        const callIds = calls.flatMap(({ item }) => item.id ?? []);
        const isLost = !resentAs(step) && !calls.some(({ item }) => resultFor(step, item));
        yield report(
          "denied",
          { reason: finish.reason, tool: first.item.name, count: calls.length, callIds },
          at,
          {
            severity:
              isLost && (isFollowed(step) || (isAlone(step) && !exchange.demands.forcedChoiceStops))
                ? "warning"
                : "info",
            notes: [{ message: "this call contradicts it", at: first }],
            callIds,
            identity: isLost ? `lost ${step.number}` : "habit",
          },
        );
      }
      if (
        finish.meaning === "calls" &&
        reply.state === "complete" &&
        // The events that the log lacks may have made the calls.
        !reply.lacking &&
        !items.some(({ kind }) => kind === "call")
      ) {
        const isLost = step.children.length === 0 && !resentAs(step);
        yield report("promised", { reason: finish.reason }, at, {
          severity: isLost && (isFollowed(step) || isAlone(step)) ? "warning" : "info",
        });
      }
    }
  },
});

/** The log has the reply without its request, and nothing shows that the client coped with it. */
function isAlone({ request, reply, conversation }: Step): boolean {
  return !request && conversation.kind === "requests" && reply?.otherChoices === 0;
}

/** Some providers finish a forced call with "stop"; the client that forced it knows about the call. */
function isExcused({ request, exchange }: Step): boolean {
  const mode = request?.toolChoice?.mode;
  return exchange.demands.forcedChoiceStops && (mode === "tool" || mode === "required");
}
