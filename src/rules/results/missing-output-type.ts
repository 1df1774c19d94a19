import { isCall, isResult, type Placed } from "../../conversation/conversation.ts";
import type { ToolCall, ToolResult } from "../../conversation/item.ts";
import { addedItems } from "../../conversation/new-items.ts";
import { pairOfResult } from "../../conversation/pairing/pairs.ts";
import { defineRule } from "../rule.ts";

export default defineRule({
  name: "missing-output-type",
  summary: "A result item with `call_id` and `output` but without its `type`",
  ground: "lost",
  severity: "error",
  needs: "wire",
  looksAt: ["calls", "results"],
  traits: ["causes-loops", "refuses-call"],
  messages: {
    result: ({ callId, expected }: Facts) =>
      `tool result \`${callId}\` has no \`type\`; the API requires \`"type": "${expected}"\``,
    call: ({ callId, expected }: Facts) =>
      `tool call \`${callId}\` has no \`type\`; the API requires \`"type": "${expected}"\``,
  },

  habit: {
    title: "The client sends tool results without `type`",
    consequence:
      "So the server does not read them as results, and the model never sees what its tools returned",
    change: ({ idiom }) => `give every result its type${idiom.result}`,
  },
  kindHabits: {
    call: {
      title: "The client sends the model's tool calls back without `type`",
      consequence: "So the server does not read them as calls, and their results have no call",
      change: ({ idiom }) => `send the reply's items back unchanged: ${idiom.append}`,
    },
  },
  sharedHabit: {
    with: "dropped-turns",
    consequence:
      "So the model never sees what its tools returned and, in later requests, not even that it called them",
    change: ({ append }) =>
      `append to one list, never rebuild it, and give every result its \`type\`: ${append}`,
  },

  *check({ steps }, report) {
    for (const step of steps) {
      for (const placed of addedItems(step)) {
        const { item } = placed;
        if (!item.flaws?.some((flaw) => flaw.kind === "missing-type")) continue;
        if (!isCall(placed) && !isResult(placed)) continue;
        const callId = (isCall(placed) ? placed.item.id : placed.item.callId) ?? "";
        const pair = pairOfResult(step, item);
        const notes = pair
          ? [{ message: `the call to \`${pair.call.item.name}\` is here`, at: pair.call }]
          : [];
        yield report(
          isCall(placed) ? "call" : "result",
          {
            callId,
            expected: expectedType(placed, pair?.call),
            ...(pair && { tool: pair.call.item.name }),
          },
          placed,
          {
            notes,
            callIds: [callId],
            // All results of such a client lack their type, so it is one mistake.
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

/** Every kind of call has its own kind of output. */
function expectedType(
  { item, step }: Placed<ToolCall | ToolResult>,
  call: Placed<ToolCall> | undefined,
): string {
  const { callKinds } = step.exchange.demands;
  const kind = item.kind === "result" && call ? callKinds.get(call.item.wireType) : undefined;
  return kind?.results[0] ?? item.wireType;
}
