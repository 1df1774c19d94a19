import { sentSteps } from "../../conversation/active-branch.ts";
import { isCall, type Pairing, type Placed, type Step } from "../../conversation/conversation.ts";
import { callText } from "../../conversation/identity.ts";
import type { ToolCall } from "../../conversation/item.ts";
import { isUndecided } from "../../conversation/pairing/answers.ts";
import { defineRule, lower, refused } from "../rule.ts";
import { toolName } from "../words.ts";

export default defineRule({
  name: "duplicate-call-id",
  summary: "One id for several calls",
  ground: "refused",
  severity: "error",
  needs: "history",
  looksAt: ["calls"],
  traits: ["refuses-call"],
  messages: {
    shared: ({ callId, tool, other }: Facts) =>
      `\`${callId}\` is the id of two calls in one turn, to ${toolName(other)}${tool === other ? "" : ` and to ${toolName(tool)}`}`,
    twice: ({ callId, tool }: Facts) =>
      `the call \`${callId}\` to ${toolName(tool)} appears twice in one turn`,
    reused: ({ callId, tool, other }: Facts) =>
      `\`${callId}\` is the id of this call to ${toolName(tool)} and of an earlier one to ${toolName(other)}; ` +
      "this API looks ids up in the whole history",
  },

  habit: {
    title: "Several calls of the history share one id",
    consequence: "So the model cannot tell their results apart",
    change: "give every call a unique id, also when the server repeats ids, and give its result the same id",
  },

  *check(conversation, report) {
    const seen = new Set<string>();
    for (const step of sentSteps(conversation)) {
      const { demands } = step.exchange;
      // If calls and results pair by name and order, ids do not matter.
      if (demands.pairsBy !== "id") continue;
      for (const { first, second } of step.pairing.sharedIds) {
        if (isSameItem(first, second)) continue;
        const callId = second.item.id ?? "";
        const severity = refused(step.exchange);
        const kind = callText(first.item) === callText(second.item) ? "twice" : "shared";
        yield report(kind, { callId, tool: second.item.name, other: first.item.name }, second, {
          // If results may be anywhere, the API looks ids up: nothing is rejected, but a call gets the wrong
          // result. An id that the client put in place of the call's own is wrong in any case.
          severity: demands.adjacency === "anywhere" && !isRenamed(step, second) ? lower(severity) : severity,
          notes: [{ message: "the first call is here", at: first }],
          callIds: [callId],
          fix:
            kind === "twice"
              ? { safety: "safe", title: "keeps one of the two" }
              : {
                  // The id decides which call the result answers.
                  safety: isUndecided(step, callId) ? "inventing" : "safe",
                  title: "gives the second call and its result a new id",
                },
        });
      }
      for (const { first, second } of reusedIds(step, seen)) {
        const callId = second.item.id ?? "";
        yield report("reused", { callId, tool: second.item.name, other: first.item.name }, second, {
          // No refusal is known: the lookup may find the wrong call.
          severity: lower(refused(step.exchange)),
          notes: [{ message: "the first call is here", at: first }],
          callIds: [callId],
        });
      }
    }
  },
});

interface Facts {
  readonly callId: string;
  readonly tool: string;
  readonly other: string;
}

/**
 * Answered calls of a request that share their id with an answered call of an earlier turn. APIs that expect
 * results next to their calls pair such calls in order; APIs that look ids up anywhere cannot.
 * @param seen the ids of the conversation's calls so far
 */
function* reusedIds(
  { added, exchange, pairing }: Step,
  seen: Set<string>,
): Generator<{ first: Placed<ToolCall>; second: Placed<ToolCall> }> {
  if (!exchange.demands.looksIdsUp) return;
  let answered: AnsweredCalls | undefined;
  for (const { item } of added.filter(isCall)) {
    if (item.id === undefined || item.isHosted) continue;
    if (!seen.has(item.id)) {
      seen.add(item.id);
      continue;
    }
    answered ??= answeredCalls(pairing);
    const first = answered.byId.get(item.id);
    const second = answered.byItem.get(item);
    if (!first || !second || first === second || isSameItem(first, second)) continue;
    if (callText(first.item) !== callText(second.item)) yield { first, second };
  }
}

/** The answered calls of a request: the first of each id, and the place of each. */
interface AnsweredCalls {
  readonly byId: ReadonlyMap<string | undefined, Placed<ToolCall>>;
  readonly byItem: ReadonlyMap<ToolCall, Placed<ToolCall>>;
}

function answeredCalls({ pairs }: Pairing): AnsweredCalls {
  const byId = new Map<string | undefined, Placed<ToolCall>>();
  const byItem = new Map<ToolCall, Placed<ToolCall>>();
  for (const { call } of pairs) {
    if (!byId.has(call.item.id)) byId.set(call.item.id, call);
    if (!byItem.has(call.item)) byItem.set(call.item, call);
  }
  return { byId, byItem };
}

/** The client changed the call's id. */
function isRenamed({ changed }: Step, { item }: Placed): boolean {
  return changed.some(({ after, what }) => what === "id" && after.item === item);
}

/** The same item sent twice is reported by `resent-items`. */
function isSameItem(first: Placed<ToolCall>, second: Placed<ToolCall>): boolean {
  return first.item.itemId !== undefined && first.item.itemId === second.item.itemId;
}
