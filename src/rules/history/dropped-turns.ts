import { type Loss, type Placed, placedItems, type Step } from "../../conversation/conversation.ts";
import { defineRule, type ReportTarget } from "../rule.ts";
import { count, short } from "../words.ts";

export default defineRule({
  name: "dropped-turns",
  summary: "Turns of the history are gone from the next request",
  ground: "lost",
  severity: "error",
  needs: "requests",
  traits: ["causes-loops"],
  evidence: ["whole-requests", "whole-history", "requests"],
  follows: [{ rules: ["dropped-tool-call", "lost-fragments"], by: "exchange", isStronger: true }],
  messages: {
    current: ({ items, earlier, trim }: Facts) =>
      trim
        ? `the history is trimmed from ${trim.from} messages (request ${earlier}) to ${trim.to}, in the middle of a turn`
        : `${count(items, "item")} of the turn in progress ${items === 1 ? "is" : "are"} missing here; request ${earlier} had ${items === 1 ? "it" : "them"}`,
    older: ({ items, earlier }: Facts) =>
      `${count(items, "item")} of older turns ${items === 1 ? "is" : "are"} missing here; request ${earlier} had ${items === 1 ? "it" : "them"}`,
    window: ({ items, earlier }: Facts) =>
      `a sliding window dropped ${count(items, "item")} of older turns that request ${earlier} had`,
    pruned: ({ items, earlier }: Facts) =>
      `${count(Math.ceil(items / 2), "call with its result", "calls with their results")} of older turns, which request ${earlier} had, ${items <= 2 ? "was" : "were"} pruned`,
    note: ({ items, earlier }: Facts) =>
      `${count(items, "user message")} at the end of request ${earlier} ${items === 1 ? "is" : "are"} missing here`,
  },

  habit: {
    title: ({ isHabit, isTrim }) => {
      if (isTrim) return "The client trims the history in the middle of a turn";
      return isHabit
        ? "The client rebuilds the history in every request and loses earlier rounds"
        : "The client drops earlier rounds from the history";
    },
    consequence: ({ isAskGone }) =>
      isAskGone
        ? "So the model no longer knows what the user asked, nor what it has already seen and done"
        : "So the model no longer knows what it has already seen and done",
    change: ({ idiom, isTrim, isAskGone }) =>
      isTrim ? summary(isAskGone) : `append to one list, never rebuild it: ${idiom.append}`,
  },
  kindHabits: {
    older: {
      title: "The client trims older turns from the history",
      consequence: "So the model no longer knows what was said in them",
      change: "keep older turns while they fit; when they must go, replace them with a summary",
    },
  },
  effect: { rank: 8, words: () => "earlier rounds were lost" },

  *check({ steps }, report) {
    for (const step of steps) {
      const { loss, parent } = step;
      if (!loss || !parent) continue;
      const facts: Facts = {
        items: loss.items.length,
        earlier: parent.exchange.number,
        gone: described(loss.items),
        ...(loss.trim && { trim: loss.trim }),
        ...(losesAsk(step, loss) && { isAskGone: true }),
      };
      yield report(kinds[loss.extent], facts, gap(step), {
        severity: severities[loss.extent],
        notes: noted(loss.items),
        callIds: loss.items.flatMap(({ item }) =>
          item.kind === "call" && item.id !== undefined ? [item.id] : [],
        ),
        // A client that rebuilds its history does so in every request: one mistake, many exchanges.
        identity: loss.extent,
        ...(loss.extent === "current-turn" || loss.extent === "older-turns"
          ? {
              fix: { safety: "safe" as const, title: `restores them from request ${parent.exchange.number}` },
            }
          : {}),
      });
    }
  },
});

interface Facts {
  readonly items: number;
  readonly earlier: number;
  readonly gone: readonly string[];
  readonly trim?: NonNullable<Loss["trim"]>;
  readonly isAskGone?: true;
}

/** What to change where a client trims: rounds may go, but not without a trace. */
function summary(isAskGone: boolean): string {
  const kept = isAskGone ? "never trim the user's message, and " : "";
  return `${kept}put a summary in the place of the rounds that are trimmed`;
}

/** A message of the user is gone, and no other is left. */
function losesAsk(step: Step, { items }: Loss): boolean {
  return items.some(isAsk) && ![...placedItems(step)].some(isAsk);
}

function isAsk({ item }: Placed): boolean {
  return item.kind === "message" && item.role === "user" && item.text.trim() !== "";
}

const kinds = {
  "current-turn": "current",
  "older-turns": "older",
  window: "window",
  pruned: "pruned",
  note: "note",
} as const satisfies Record<Loss["extent"], string>;

const severities = {
  "current-turn": "error",
  "older-turns": "warning",
  window: "info",
  pruned: "info",
  note: "info",
} as const satisfies Record<Loss["extent"], string>;

function described(items: readonly Placed[]): string[] {
  return items.slice(0, 12).map(({ item }) => {
    if (item.kind === "call") return `call ${item.name} ${short(item.argumentsText, 40)}`;
    if (item.kind === "result") return `result ${short(item.text, 40)}`;
    return item.kind === "message" ? `${item.role} "${short(item.text, 40)}"` : item.kind;
  });
}

/** The first lost item, the first lost call and the last lost item, where they were last sent. */
function noted(items: readonly Placed[]): { message: string; at: Placed }[] {
  const notable = new Set([items[0], items.find(({ item }) => item.kind === "call"), items.at(-1)]);
  return items
    .filter((placed) => notable.has(placed))
    .map((at) => ({ message: `gone: ${described([at])[0]}`, at }));
}

/** The place of the gap: the first element after the common beginning. */
function gap(step: Step): ReportTarget {
  const history = step.request?.history;
  const pointer = step.request?.historyPointer ?? "";
  const element = history && history.length > 0 ? Math.min(step.kept, history.length - 1) : undefined;
  return { step, part: "request", pointer: element === undefined ? pointer : `${pointer}/${element}` };
}
