import { isCall, type Placed } from "../../conversation/conversation.ts";
import { pairOfResult } from "../../conversation/pairing/pairs.ts";
import { defineRule } from "../rule.ts";

export default defineRule({
  name: "missing-output-type",
  summary: "A result item with `call_id` and `output` but without its `type`",
  ground: "lost",
  severity: "error",
  needs: "wire",
  messages: {
    result: ({ callId, expected }: Facts) =>
      `tool result \`${callId}\` has no \`type\`; \`"type": "${expected}"\` is expected`,
    call: ({ callId, expected }: Facts) =>
      `tool call \`${callId}\` has no \`type\`; \`"type": "${expected}"\` is expected`,
  },

  *check({ steps }, report) {
    for (const step of steps) {
      for (const placed of step.added) {
        const { item } = placed;
        if (!item.flaws?.some((flaw) => flaw.kind === "missing-type")) continue;
        const callId =
          item.kind === "call" ? (item.id ?? "") : item.kind === "result" ? (item.callId ?? "") : "";
        const pair = pairOfResult(step, item);
        const notes = pair
          ? [{ message: `the call to \`${pair.call.item.name}\` stands here`, at: pair.call }]
          : [];
        yield report(
          isCall(placed) ? "call" : "result",
          {
            callId,
            expected: expectedType(placed, pair?.call.item.wireType),
            ...(pair && { tool: pair.call.item.name }),
          },
          placed,
          {
            notes,
            callIds: [callId],
            // Every result of such a client lacks its type: that is one mistake.
            identity: "client",
            fix: { safety: "safe", title: "adds the type" },
          },
        );
      }
    }
  },
});

interface Facts {
  readonly callId: string;
  readonly expected: string;
  readonly tool?: string;
}

/** Each kind of call is answered by its own kind of output. */
function expectedType({ item }: Placed, callType: string | undefined): string {
  if (item.kind === "call") return item.wireType;
  return callType?.endsWith("_call") ? `${callType}_output` : "function_call_output";
}
