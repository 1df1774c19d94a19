import { isCall, type Placed, type Step } from "../../conversation/conversation.ts";
import type { History } from "../../conversation/exchange.ts";
import type { ToolCall } from "../../conversation/item.ts";
import { soRejected } from "../habit.ts";
import { defineRule, refused } from "../rule.ts";
import { toolName } from "../words.ts";

export default defineRule({
  name: "merged-or-split-turns",
  summary: "Calls of one reply sent as several turns, or calls of several replies sent as one",
  ground: "refused",
  severity: "warning",
  needs: "wire",
  looksAt: ["continuations"],
  messages: {
    split: ({ tool, other }: Facts) =>
      `the calls to ${toolName(other)} and ${toolName(tool)} came in one reply and are sent as two turns`,
    merged: ({ tool, other }: Facts) =>
      `the calls to ${toolName(other)} and ${toolName(tool)} came in two replies and are sent as one turn`,
  },

  habit: {
    title: "The client merges or splits the model's turns",
    consequence: soRejected(
      "So the model reads turns that it did not write, and providers that check this reject the request",
    ),
    change: ({ idiom }) => `store each reply as one turn: ${idiom.append}`,
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const history = step.request?.history;
      if (!history || step.isPartial || !keepsRounds(step)) continue;
      const calls = echoedCalls(step);
      const [first] = calls;
      if (!first) continue;
      const severity = refused(step.exchange);
      for (const [index, call] of calls.entries()) {
        const before = calls[index - 1];
        if (!before || isOneTurn(history, before.element, call.element)) continue;
        yield report("split", { tool: call.item.name, other: before.item.name }, call, {
          severity,
          notes: [{ message: "the other call is here", at: before }],
          callIds: idsOf([before, call]),
          fix: { safety: "safe", title: "puts the calls of one reply into one turn" },
        });
        break;
      }
      const merged = mergedWith(step, history, first);
      if (merged)
        yield report("merged", { tool: first.item.name, other: merged.item.name }, first, {
          severity,
          notes: [{ message: "the call of the earlier reply is here", at: merged }],
          callIds: idsOf([merged, first]),
        });
    }
  },
});

interface Facts {
  readonly tool: string;
  readonly other: string;
}

/** The provider requires the original turns: it says so, or the turn contains sealed reasoning. */
function keepsRounds(step: Step): boolean {
  const { request, exchange, parent } = step;
  const demands = exchange.demands;
  if (demands.keepsRounds !== undefined) return demands.keepsRounds;
  const isSealed = parent?.reply?.items.some(({ kind, ...item }) => kind === "reasoning" && "seal" in item);
  return isSealed === true && request !== undefined && demands.reasoning?.(request) === "first-of-turn";
}

/** The calls of the parent's reply that this request contains, in the order of the history. */
function echoedCalls(step: Step): Placed<ToolCall>[] {
  return step.echoes
    .filter(({ before }) => isCall(before) && !before.item.isHosted)
    .flatMap(({ after }) => (isCall(after) ? [after] : []))
    .sort((a, b) => a.element - b.element);
}

/** Only the model speaks between two elements; adjacent elements of one role are one turn. */
function isOneTurn(history: History, from: number, to: number): boolean {
  for (let element = from + 1; element < to; element++)
    if (history.role(element) !== "assistant") return false;
  return true;
}

/** A call of an earlier reply in the same turn that had its result before this reply. */
function mergedWith(step: Step, history: History, first: Placed<ToolCall>): Placed<ToolCall> | undefined {
  for (let element = first.element; element >= 0 && history.role(element) === "assistant"; element--) {
    for (const item of history.items(element)) {
      if (item.kind !== "call" || item.isHosted || item.id === undefined || item === first.item) continue;
      if (isOfParent(step, item) || !wasAnswered(step.parent, item)) continue;
      return { item, step, part: "request", element };
    }
  }
  return undefined;
}

function isOfParent(step: Step, call: ToolCall): boolean {
  return step.parent?.reply?.items.some((item) => item.kind === "call" && item.id === call.id) ?? false;
}

function wasAnswered(from: Step | undefined, call: ToolCall): boolean {
  for (let step = from; step; step = step.parent)
    if (step.pairing.pairs.some((pair) => pair.call.item.id === call.id)) return true;
  return false;
}

function idsOf(calls: readonly Placed<ToolCall>[]): string[] {
  return calls.flatMap(({ item }) => item.id ?? []);
}
