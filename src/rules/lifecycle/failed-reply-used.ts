import type { Placed, Step } from "../../conversation/conversation.ts";
import type { ToolCall } from "../../conversation/item.ts";
import type { Reply } from "../../conversation/reply.ts";
import { clientCalls, echoOf, resentAs, resultFor } from "../../conversation/reply-followups.ts";
import { refusalOf } from "../requests/refusal.ts";
import { defineRule } from "../rule.ts";
import { errorSpot, finishSpot } from "../spots.ts";
import { short, toolName } from "../words.ts";

type Failure = "malformed-call" | "refusal" | "filter";

interface Facts {
  readonly failure: Failure;
  /** The provider's name for the failure. */
  readonly reason: string;
}

const failures: Readonly<Record<Failure, string>> = {
  "malformed-call": "the provider reports the model's call as malformed",
  refusal: "the model refuses to answer",
  filter: "a content filter stops the reply",
};

export default defineRule({
  name: "failed-reply-used",
  summary: "A reply that failed: a malformed call, a refusal, a filter",
  ground: "misleads",
  severity: "warning",
  needs: "anything",
  looksAt: ["replies"],
  follows: [
    {
      rules: ["undefined-tool", "leaked-control-tokens", "truncated-reply", "malformed-stream"],
      by: "exchange",
    },
  ],
  messages: {
    failed: ({ failure, reason }: Facts) => `${failures[failure]} (\`${short(reason)}\`)`,
    rejected: ({ error }: { readonly error: string }) =>
      `the provider rejects what the model wrote, not what the client sent: ${short(error, 160)}`,
    unoffered: ({ tool }: { readonly tool: string }) =>
      `the model calls ${toolName(tool)}, which the request does not offer, and the provider rejects its reply`,
    used: ({
      failure,
      reason,
      tool,
    }: Facts & { readonly tool: string; readonly callIds: readonly string[] }) =>
      `${failures[failure]} (\`${short(reason)}\`), and the client runs its call to ${toolName(tool)} anyway`,
  },

  habit: {
    title: "The client continues with a failed reply",
    consequence: "So the broken output stays in the history and misleads the next turn",
    change: "check the stop reason first; keep failed replies out of the history, and send the request again",
  },

  kindHabits: {
    failed: {
      title: "The provider or the model gave up on a reply",
      consequence: "So the reply contains no usable answer",
      change:
        "check the stop reason before the content; keep the failed reply out of the history, and send the request again",
    },
    rejected: {
      title: "The provider rejected what the model wrote",
      consequence: "So the request has no answer",
      change: "send the request again; if it fails often, simplify the tool's name and schema",
    },
    unoffered: {
      title: "The model calls a tool that the request does not offer",
      consequence: "So the provider rejects its reply, and the request has no answer",
      change:
        "offer this tool in every request whose prompt or history names it, or take its name out of them",
    },
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const { reply } = step;
      if (!reply || step.request?.settings.isProbe) continue;
      const severity = resentAs(step) ? ("info" as const) : ("warning" as const);

      if (reply.error) {
        const refusal = refusalOf(step);
        if (refusal?.match?.about !== "reply" || reply.error.isMidStream) continue;
        const { rule, tool } = refusal.match;
        if (rule !== "undefined-tool" || tool === undefined)
          yield report("rejected", { error: refusal.error }, errorSpot(step), { severity });
        else yield report("unoffered", { tool }, errorSpot(step), { severity });
        continue;
      }

      const facts = failureOf(reply);
      if (!facts) continue;
      const at = finishSpot(step);
      const used = usedCall(step);
      if (!used) {
        const isTaken = facts.failure === "refusal" && isFollowedByUser(step);
        yield report("failed", facts, at, { severity: isTaken ? "info" : severity });
      } else {
        const { item } = used.call;
        const callIds = item.id === undefined ? [] : [item.id];
        yield report("used", { ...facts, tool: item.name, callIds }, at, {
          severity: "error",
          notes: [{ message: "the client continues with it here", at: used.by }],
          callIds,
        });
      }
    }
  },
});

/** The user learned of the failure and asks for something else. */
function isFollowedByUser({ children }: Step): boolean {
  return children.some(({ added }) =>
    added.some(({ item }) => item.kind === "message" && item.role === "user" && item.text.trim() !== ""),
  );
}

function failureOf({ finish, items }: Reply): Facts | undefined {
  const meaning = finish?.meaning;
  if (finish && (meaning === "malformed-call" || meaning === "refusal" || meaning === "filter"))
    return {
      failure: meaning,
      reason: meaning === "malformed-call" ? (finish.native ?? finish.reason) : finish.reason,
    };
  const isRefused = items.some((item) => item.kind === "message" && item.isRefusal);
  return finish && isRefused ? { failure: "refusal", reason: "refusal" } : undefined;
}

/** A call of the failed reply that is sent back as if the reply had succeeded. */
function usedCall(step: Step): { readonly call: Placed<ToolCall>; readonly by: Placed } | undefined {
  for (const call of clientCalls(step)) {
    const by = resultFor(step, call.item) ?? echoOf(step, call.item);
    if (by) return { call, by };
  }
  return undefined;
}
