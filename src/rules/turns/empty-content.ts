import { sentSteps } from "../../conversation/active-branch.ts";
import { isWholeElement, type Placed, type Step } from "../../conversation/conversation.ts";
import type { History } from "../../conversation/exchange.ts";
import type { ItemFlaw } from "../../conversation/item.ts";
import { formOf, newItems } from "../../conversation/new-items.ts";
import type { Fix, Severity } from "../../findings/finding.ts";
import { soRejected } from "../habit.ts";
import { type ProviderFacts, providerFacts, rejects } from "../provider.ts";
import { suspected } from "../requests/refusal.ts";
import { defineRule, lower } from "../rule.ts";

export default defineRule({
  name: "empty-content",
  summary: "An empty message, an empty text, or an empty list of calls, in a request",
  ground: "refused",
  severity: "error",
  needs: "history",
  looksAt: ["flaws"],
  follows: [{ rules: ["mixed-protocols"], by: "exchange" }],
  messages: {
    text: ({ role, ...facts }: Facts) =>
      `a text block of the ${role} message is empty, which ${rejects(facts)}`,
    blank: ({ role }: Facts) => `a text block of the ${role} message contains only white space`,
    message: ({ role, ...facts }: Facts) => `the ${role} message is empty, which ${rejects(facts)}`,
    list: ({ role, ...facts }: Facts) =>
      `the content of the ${role} message is an empty list, which ${rejects(facts)}`,
    calls: (facts: Facts) => `the list of calls is empty, which ${rejects(facts)}: leave it out`,
  },

  habit: {
    title: "The client sends empty messages or text blocks",
    consequence: soRejected(),
    change: "leave out empty texts, empty messages and empty lists of calls",
  },

  advice: {
    text: () => "leave out empty texts",
    blank: () => "leave out texts of white space only",
    message: () => "leave out empty messages",
    list: () => "send content as a text, or leave the message out where there is none",
    calls: () => "leave out empty lists of calls",
  },

  *check(conversation, report) {
    for (const step of sentSteps(conversation)) {
      for (const placed of newItems(step)) {
        if (!isWholeElement(step, placed.element)) continue;
        for (const flaw of placed.item.flaws ?? []) {
          // Agents put the lines of a reply together, one of which may have lost its only block.
          if (flaw.kind === "empty-message" && conversation.kind === "transcript" && isPart(placed, step))
            continue;
          const found = judge(flaw, placed, step);
          if (!found) continue;
          const { kind, severity, fix } = found;
          yield report(kind, { role: placed.item.role, ...providerFacts(step.exchange) }, placed, {
            below: flaw.pointer,
            severity,
            identity: formOf(placed),
            fix,
          });
        }
      }
    }
  },
});

interface Facts extends ProviderFacts {
  readonly role: string;
}

interface Judgement {
  readonly kind: "text" | "blank" | "message" | "list" | "calls";
  readonly severity: Severity;
  readonly fix: Fix;
}

/** The consequence of a flaw with this provider; `undefined` if the provider accepts it. */
function judge(flaw: ItemFlaw, placed: Placed, step: Step): Judgement | undefined {
  const demands = step.exchange.demands;
  const severity = suspected("empty-content", placed);
  switch (flaw.kind) {
    case "empty-text":
      return demands.refusesEmptyText
        ? { kind: "text", severity, fix: { safety: "safe", title: "removes the empty text" } }
        : undefined;
    case "blank-text":
      return demands.refusesEmptyText
        ? {
            kind: "blank",
            // Next to a call such a text was also seen to be accepted.
            severity: demands.refusesBlankText || !isBesideCall(placed, step) ? severity : lower(severity),
            fix: { safety: "safe", title: "removes the text" },
          }
        : undefined;
    case "empty-message": {
      const isRefused = demands.refusesEmptyMessages ?? demands.refusesEmptyText;
      // "all messages must have non-empty content except for the optional final assistant message"
      if (!isRefused || isFinalAnswer(placed, step)) return undefined;
      return { kind: "message", severity, fix: { safety: "lossy", title: "removes the empty message" } };
    }
    case "empty-list":
      return demands.refusesEmptyLists
        ? { kind: "list", severity, fix: { safety: "safe", title: "writes an empty string" } }
        : undefined;
    case "empty-calls":
      return demands.acceptsEmptyCalls
        ? undefined
        : { kind: "calls", severity, fix: { safety: "safe", title: "removes the empty list" } };
    default:
      return undefined;
  }
}

/** Messages of one speaker in a row: a reply, of which sessions keep each block as a message. */
interface Run {
  readonly from: number;
  readonly end: number;
  readonly hasCall: boolean;
  readonly hasContent: boolean;
}

/** The run looked at last in each history: the next message is usually in it, too. */
const lastRuns = new WeakMap<History, Run>();

/** Whether the reply that a message is part of makes calls. */
function isBesideCall({ element }: Placed, { request }: Step): boolean {
  return request !== undefined && runWith(request.history, element).hasCall;
}

/** Whether other messages have the content of the reply that an empty message is part of. */
function isPart({ element }: Placed, { request }: Step): boolean {
  return request !== undefined && runWith(request.history, element).hasContent;
}

function runWith(history: History, element: number): Run {
  let run = lastRuns.get(history);
  if (!run || element < run.from || element >= run.end) {
    run = runAround(history, element);
    lastRuns.set(history, run);
  }
  return run;
}

function runAround(history: History, element: number): Run {
  const role = history.role(element);
  let from = element;
  while (from > 0 && history.role(from - 1) === role) from--;
  let end = from;
  let hasCall = false;
  let hasContent = false;
  for (; end < history.length && history.role(end) === role; end++) {
    const items = history.items(end);
    hasCall ||= items.some(({ kind }) => kind === "call");
    hasContent ||= items.some((item) => item.kind !== "message" || item.text !== "" || item.hasMedia);
  }
  return { from, end, hasCall, hasContent };
}

function isFinalAnswer({ item, element }: Placed, step: Step): boolean {
  return item.role === "assistant" && element + 1 === step.request?.history.length;
}
