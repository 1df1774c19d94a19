import {
  type Conversation,
  type Loss,
  type Placed,
  placedItems,
  type Step,
} from "../../conversation/conversation.ts";
import { isHistoryAlone, lacksInput } from "../../conversation/history-alone.ts";
import { type Window, windowOf } from "../../conversation/window.ts";
import type { WindowFacts } from "../habit.ts";
import { defineRule, type ReportTarget } from "../rule.ts";
import { count, short } from "../words.ts";

export default defineRule({
  name: "dropped-turns",
  summary: "Turns of the history are gone from the next request",
  ground: "lost",
  severity: "error",
  needs: "requests",
  looksAt: ["continuations"],
  traits: ["causes-loops"],
  evidence: ["whole-requests", "whole-history", "requests"],
  follows: [{ rules: ["dropped-tool-call", "lost-fragments"], by: "exchange", isStronger: true }],
  messages: {
    current: ({ items, earlier, trim, window }: Facts) =>
      window
        ? `${sentPart(window)} ${window.keepsAsk || window.kind === "last" ? "are" : "is"} sent: this request lacks ${window.first.missing} of ${count(window.first.of, nounOf(window))}`
        : trim
          ? `the history is trimmed from ${trim.from} messages (request ${earlier}) to ${trim.to}, in the middle of a turn`
          : `${count(items, "item")} of the turn in progress ${items === 1 ? "is" : "are"} missing here; request ${earlier} had ${items === 1 ? "it" : "them"}`,
    older: ({ items, earlier }: Facts) =>
      `${count(items, "item")} of older turns ${items === 1 ? "is" : "are"} missing here; request ${earlier} had ${items === 1 ? "it" : "them"}`,
    window: ({ items, earlier }: Facts) =>
      `a sliding window dropped ${count(items, "item")} of older turns that request ${earlier} had`,
    pruned: ({ items, earlier }: Facts) =>
      items <= 2
        ? `a call of an older turn was pruned, with its result; request ${earlier} had it`
        : `${Math.ceil(items / 2)} calls of older turns were pruned, with their results; request ${earlier} had them`,
    note: ({ items, earlier }: Facts) =>
      `${count(items, "user message")} at the end of request ${earlier} ${items === 1 ? "is" : "are"} missing here`,
  },

  habit: {
    title: ({ isHabit, isTrim, window }) => {
      if (window) return `The client sends ${sentPart(window)}`;
      if (isTrim) return "The client trims the history in the middle of a turn";
      return isHabit
        ? "The client rebuilds the history in every request and loses earlier rounds"
        : "The client drops earlier rounds from the history";
    },
    consequence: ({ isAskGone, window }) =>
      [
        isAskGone
          ? "So the model no longer knows what the user asked, nor what it has already seen and done"
          : "So the model no longer knows what it has already seen and done",
        ...(window ? [lacking(window)] : []),
      ].join(": "),
    change: ({ idiom, isTrim, isAskGone, window }) => {
      if (window?.kind === "last") return trimming(window);
      return isTrim ? summary(isAskGone) : `append to one list, never rebuild it: ${idiom.append}`;
    },
  },
  kindHabits: {
    older: {
      title: "The client trims older turns from the history",
      consequence: "So the model no longer knows what was said in them",
      change: "keep older turns while they fit; when they must go, replace them with a summary",
    },
  },
  effect: { rank: 8, words: () => "earlier rounds were lost" },

  *check(conversation, report) {
    const window = windowIn(conversation);
    for (const step of conversation.steps) {
      const { parent, request, exchange } = step;
      const isInWindow = window?.lacks.has(step) === true;
      const loss = isInWindow ? lossInWindow(step) : step.loss;
      if (!loss || !parent) continue;
      if (request && isHistoryAlone(exchange) && lacksInput(request)) continue;
      const facts: Facts = {
        items: loss.items.length,
        earlier: parent.exchange.number,
        gone: described(loss.items),
        ...(loss.trim && { trim: loss.trim }),
        ...(losesAsk(step, loss) && { isAskGone: true }),
        ...(isInWindow && { window: windowFacts(window, step) }),
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
  readonly window?: WindowFacts;
}

/** A window that cuts turns in the middle; one that keeps whole turns is a choice. */
function windowIn(conversation: Conversation): Window | undefined {
  const window = windowOf(conversation);
  return window?.steps.some(({ loss }) => loss?.extent === "current-turn") ? window : undefined;
}

/** All that a window cuts off is one loss, even where a turn happens to begin or a call lost its result. */
function lossInWindow({ loss, missing }: Step): Loss {
  const sent = missing.filter(
    ({ part, item }) =>
      part === "request" && (item.kind === "message" || item.kind === "call" || item.kind === "result"),
  );
  return { items: loss?.items ?? sent, extent: "current-turn" };
}

function windowFacts({ kind, size, keepsAsk, steps, lacks }: Window, step: Step): WindowFacts {
  const lackOf = (of: Step): WindowFacts["first"] => {
    const { missing, of: all } = lacks.get(of) ?? { missing: 0, of: 0 };
    return { request: of.exchange.number, missing, of: all };
  };
  return { kind, size, keepsAsk, first: lackOf(step), last: lackOf(steps.at(-1) ?? step) };
}

/** Which part of the history a client sends. */
function sentPart({ kind, size, keepsAsk }: WindowFacts): string {
  const part = kind === "last" ? `last ${size} messages` : "newest round";
  return keepsAsk ? `only the first prompt and the ${part}` : `only the ${part} of the history`;
}

/** Who slices a list thinks of messages. */
function nounOf({ kind }: WindowFacts): string {
  return kind === "last" ? "message" : "item";
}

/** What the first and the last request of a window lack. */
function lacking(window: WindowFacts): string {
  const { first, last } = window;
  const begin = `request ${first.request} lacks ${first.missing} of ${count(first.of, nounOf(window))}`;
  return first.request === last.request
    ? begin
    : `${begin}, request ${last.request} lacks ${last.missing} of ${last.of}`;
}

/** What to change where a client counts messages: what has to stay, and where to cut. */
function trimming({ keepsAsk }: WindowFacts): string {
  const kept = keepsAsk ? "" : "keep the system prompt and the first user message, ";
  return `trim only when the context fills up: ${kept}drop whole rounds (a reply with all its results), and leave a summary in their place`;
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
