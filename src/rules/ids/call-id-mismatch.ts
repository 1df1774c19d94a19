import { isOnlyRecorded, linkedSteps } from "../../conversation/active-branch.ts";
import { sharesPrefix } from "../../conversation/pairing/near-ids.ts";
import { callWords } from "../call-words.ts";
import { defineRule, refused } from "../rule.ts";

export default defineRule({
  name: "call-id-mismatch",
  summary: "A result whose id differs from the only call that it can answer",
  ground: "lost",
  severity: "error",
  needs: "anything",
  looksAt: ["results"],
  traits: ["causes-loops", "refuses-call"],
  follows: [{ rules: ["invalid-call-id", "invalid-request"], by: "calls" }],
  messages: {
    "item-id": ({ callId, seen, tool }: Facts) =>
      `tool result names \`${seen}\`, the item id of the call to \`${tool}\`; its call id is \`${callId}\``,
    case: ({ callId, seen }: Facts) =>
      `tool result names \`${seen}\`; the open call is \`${callId}\`: only upper and lower case differ`,
    prefix: ({ callId, seen }: Facts) =>
      `tool result names \`${seen}\`; the open call is \`${callId}\`: only the prefix differs`,
    truncated: ({ callId, seen }: Facts) =>
      `tool result names \`${seen}\`; the open call is \`${callId}\`: one id is a truncated form of the other`,
    "no-ids": (facts: Facts) => `neither ${callWords(facts)} nor its result has an id`,
    "missing-id": (facts: Facts) => `tool result names no call; ${callWords(facts)} is the only open one`,
    other: ({ callId, seen, tool }: Facts) =>
      sharesPrefix(callId, seen)
        ? `tool result names \`${seen}\`; the open call to \`${tool}\` is \`${callId}\`: only the end differs`
        : `tool result names \`${seen}\`, but the only open call is \`${callId}\` to \`${tool}\``,
  },

  habit: {
    title: "The client answers calls under ids that differ from the calls' own",
    consequence: "So the result does not reach its call, and the call counts as unanswered",
    change: ({ idiom }) => `copy the call's id unchanged into its result${idiom.result}`,
  },
  kindHabits: {
    "item-id": {
      title: "The client answers calls with the item id instead of the call id",
      consequence: "So the result does not reach its call, and the call counts as unanswered",
      change: ({ idiom }) => `put the call id, not the item id, into the result${idiom.result}`,
    },
    "no-ids": {
      title: "Calls and their results have no ids",
      consequence: "So strict providers reject them, and several calls cannot be told apart",
      change:
        "if the server sends a call without an id, give it one before you store it, and give its result the same id",
    },
  },

  unchecked: ({ steps }) =>
    steps.some(({ pairing }) => pairing.isBounded)
      ? "a request has too many unmatched results to compare all of their ids"
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
        const callId = hasNoValue(call.item.id) ? "" : (call.item.id ?? "");
        const seen = result.item.callId ?? "";
        const isWithout = callId === "" && seen === "";
        yield report(isWithout ? "no-ids" : how, { callId, seen, tool: call.item.name }, result, {
          notes: [{ message: "the call is here", at: call }],
          callIds: [callId, seen].filter((id) => id !== ""),
          ...(isRecordOnly && { severity: "warning" as const }),
          ...(isWire && isWithout && { severity: refused(step.exchange) }),
          ...(!isWithout && { fix: { safety: "safe", title: `writes the call's id, \`${callId}\`` } }),
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

/** Whether an id is what a language prints where there is none, as Mistral's first models with tools. */
function hasNoValue(id: string | undefined): boolean {
  return id !== undefined && /^(?:null|none|nil|undefined)$/i.test(id);
}
