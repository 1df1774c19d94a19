import { isOnlyRecorded, linkedSteps } from "../../conversation/active-branch.ts";
import { callWords } from "../call-words.ts";
import { defineRule } from "../rule.ts";

export default defineRule({
  name: "call-id-mismatch",
  summary: "A result whose id differs from the call that it can only mean",
  ground: "lost",
  severity: "error",
  needs: "anything",
  traits: ["causes-loops", "refuses-call"],
  follows: [{ rules: ["invalid-call-id", "invalid-request"], by: "calls" }],
  messages: {
    "item-id": ({ callId, seen, tool }: Facts) =>
      `tool result names \`${seen}\`, the item id of the call to \`${tool}\`; its call id is \`${callId}\``,
    case: ({ callId, seen }: Facts) =>
      `tool result names \`${seen}\`; the open call is \`${callId}\`, in other case`,
    prefix: ({ callId, seen }: Facts) =>
      `tool result names \`${seen}\`; the open call is \`${callId}\`, with another prefix`,
    truncated: ({ callId, seen }: Facts) =>
      `tool result names \`${seen}\`; the open call is \`${callId}\`, whose id was cut`,
    "missing-id": (facts: Facts) => `tool result names no call; ${callWords(facts)} is the only open one`,
    other: ({ callId, seen, tool }: Facts) =>
      `tool result names \`${seen}\`, but the only open call is \`${callId}\` to \`${tool}\``,
  },

  habit: {
    title: "The client answers calls under another id than they were made with",
    consequence: "So the result does not reach its call, and the call counts as unanswered",
    change: ({ idiom }) => `copy the call's own id unchanged into its result: ${idiom.result}`,
  },
  kindHabits: {
    "item-id": {
      title: "The client answers calls under their item id instead of their call id",
      consequence: "So the result does not reach its call, and the call counts as unanswered",
      change: ({ idiom }) => `name the call by its call id, not by the id of its item: ${idiom.result}`,
    },
  },

  unchecked: ({ steps }) =>
    steps.some(({ pairing }) => pairing.isBounded)
      ? "a request has too many results without a call to compare all of their ids"
      : undefined,

  *check(conversation, report) {
    for (const step of linkedSteps(conversation)) {
      const isRecordOnly = isOnlyRecorded(step);
      const isWire = conversation.kind === "requests" && step.exchange.fidelity === "wire";
      for (const { call, result, how } of step.pairing.mismatches) {
        // Logs of tracing tools may lack ids; those that they have are genuine.
        if (isRecordOnly && how === "missing-id") continue;
        // `invalid-call-id` reports an id that both sides lack.
        if (isWire && call.item.id === undefined && result.item.callId === undefined) continue;
        const callId = call.item.id ?? "";
        const seen = result.item.callId ?? "";
        yield report(how, { callId, seen, tool: call.item.name }, result, {
          notes: [{ message: "the call stands here", at: call }],
          callIds: [callId, seen].filter((id) => id !== ""),
          ...(isRecordOnly && { severity: "warning" as const }),
          fix: { safety: "safe", title: `writes the id of the call, \`${callId}\`` },
        });
      }
    }
  },
});

interface Facts {
  readonly callId: string;
  readonly seen: string;
  readonly tool: string;
}
