import { linkedSteps } from "../../conversation/active-branch.ts";
import { mayLackBefore, type Placed, type Step } from "../../conversation/conversation.ts";
import type { Exchange } from "../../conversation/exchange.ts";
import { holdsOnlyResults, isHistoryAlone, showsSending } from "../../conversation/history-alone.ts";
import type { Item, ToolResult } from "../../conversation/item.ts";
import { unpairedHosted } from "../../conversation/pairing/hosted-calls.ts";
import { isReferenced } from "../../conversation/pairing/references.ts";
import type { Severity } from "../../findings/finding.ts";
import { lostTextCalls } from "../../protocols/text-calls/index.ts";
import { once } from "../../reading/once.ts";
import { parseJson } from "../../reading/parse.ts";
import { isFields } from "../../reading/values.ts";
import { argumentsIn, toolNameIn } from "../../traffic/vocabulary.ts";
import { soRejected } from "../habit.ts";
import { defineRule, refused } from "../rule.ts";

export default defineRule({
  name: "orphaned-tool-result",
  summary: "A tool result that answers no open call",
  ground: "lost",
  severity: "error",
  needs: "anything",
  looksAt: ["results"],
  traits: ["causes-loops", "refuses-call"],
  evidence: ["whole-requests", "whole-history", "requests"],
  follows: [
    { rules: ["lost-fragments", "call-id-mismatch", "dropped-tool-call", "invalid-request"], by: "calls" },
    { rules: ["dropped-turns"], by: "exchange" },
    { rules: ["unresolvable-reference"], by: "exchange" },
  ],
  messages: {
    noCall: ({ callId }: { callId: string; tool?: string }) =>
      `tool result \`${callId}\` answers no tool call in this request`,
    cut: ({ callId }: { callId: string; tool?: string }) =>
      `the history begins with tool result \`${callId}\`; its call was probably trimmed off`,
    answered: ({ callId }: { callId: string; tool?: string }) =>
      `tool result \`${callId}\` answers a call that an earlier result already answers`,
    unnamed: ({ tool }: { callId: string; tool?: string }) =>
      `a tool result${tool ? ` of \`${tool}\`` : ""} names no call, and no call is open`,
    hosted: ({ callId }: { callId: string; tool?: string }) =>
      `result \`${callId}\` of a server-side tool has no call before it in the assistant's messages`,
    inSession: ({ callId }: { callId: string; tool?: string }) =>
      `tool result \`${callId}\` answers no tool call of this session`,
    unread: ({ callId }: { callId: string; tool?: string }) =>
      `tool result \`${callId}\` answers no call that can be read: a record before it is broken and may contain the call`,
    failedCall: ({ callId }: { callId: string; tool?: string }) =>
      `tool result \`${callId}\` answers a call of a failed reply, which the agent does not send again`,
  },

  habit: {
    title: "The client sends tool results that answer no open call",
    consequence: soRejected(
      "So the model cannot tell what these results answer, and strict providers reject the request",
    ),
    change: ({ idiom }) =>
      `send the reply with the call directly before its result; when trimming old history, drop calls and results together: ${idiom.append}`,
  },
  kindHabits: {
    cut: {
      title: "The client trims the history between a call and its result",
      consequence: soRejected(
        "So the model sees a result without its call, and strict providers reject the request",
      ),
      change: "trim old history only before a user message, so that calls and results stay together",
    },
  },
  effect: { rank: 7, words: () => "results were left without their call" },

  *check(conversation, report) {
    const { steps } = conversation;
    if (conversation.kind === "transcript") {
      for (const { exchange, pairing } of linkedSteps(conversation))
        for (const { result, answeredBefore, lostCall, isAtCut } of pairing.orphans) {
          const { callId } = result.item;
          if (callId === undefined || answeredBefore || isAtCut) continue;
          const isUnread = !lostCall && exchange.lacksRecord === true;
          yield report(lostCall ? "failedCall" : isUnread ? "unread" : "inSession", { callId }, result, {
            severity: isUnread ? "info" : "warning",
            notes: lostCall ? [{ message: "the call was made here", at: lostCall }] : [],
            callIds: [callId],
            fix: asWords,
          });
        }
      return;
    }
    for (const step of steps) {
      const isKeptWithoutCalls = once(() => keepsNoCalls(step));
      const firstCall = once(() => firstCallOf(step));
      for (const { result, answeredBefore, lostCall, isAtCut } of step.pairing.orphans) {
        if (mayLackBefore(step, result.element)) continue;
        // The server may look up a call that is sent as a reference: see `unresolvable-reference`.
        if (lostCall && isReferenced(step, lostCall)) continue;
        // `dropped-tool-call` reports the lost call; this result is only a consequence.
        const { callId, name } = result.item;
        // Logs of tracing tools may lack ids.
        if (callId === undefined && step.exchange.fidelity === "reported") continue;
        if (callId === undefined && isObservation(step, result, firstCall)) continue;
        if ((callId === undefined || isWithoutCalls(step, firstCall)) && answersText(step, result)) continue;
        if (!lostCall && isKeptWithoutCalls()) continue;
        // The Responses API allows outputs without a call id.
        if (
          callId === undefined &&
          step.exchange.demands.pairsBy === "id" &&
          step.exchange.demands.hasServerHistory
        )
          continue;
        const kind =
          callId === undefined ? "unnamed" : answeredBefore ? "answered" : isAtCut ? "cut" : "noCall";
        const notes = answeredBefore
          ? [{ message: "the earlier result is here", at: answeredBefore }]
          : lostCall
            ? [{ message: "the call was made here", at: lostCall }]
            : [];
        yield report(kind, { callId: callId ?? "", ...(name !== undefined && { tool: name }) }, result, {
          notes,
          // A call without an id is known by its tool, whatever id the client gave its result.
          callIds: [callId, lostCall && (lostCall.item.id ?? lostCall.item.name)].filter(
            (id) => id !== undefined && id !== "",
          ) as string[],
          severity: severityOf(step.exchange, callId, lostCall),
          fix: lostCall ? { safety: "safe", title: "puts the call back before its result" } : asWords,
        });
      }
      if (step.isPartial) continue;
      for (const result of unpairedHosted(step).results) {
        const callId = result.item.callId ?? "";
        yield report("hosted", { callId }, result, {
          callIds: [callId],
          severity: refused(step.exchange),
        });
      }
    }
  },
});

/**
 * A server that answers a result without an id has no ids, or does not look at them: Workers AI of Cloudflare
 * takes the call as text before it. The model may still miss the call.
 * @see https://developers.cloudflare.com/workers-ai/features/function-calling/traditional/
 */
function severityOf(exchange: Exchange, callId: string | undefined, lostCall: Placed | undefined): Severity {
  const { demands, reply, status = 0, isOwnProvider } = exchange;
  const isTaken = reply !== undefined && !reply.error && status >= 200 && status < 300;
  if (callId === undefined && !lostCall && isTaken && !isOwnProvider) return "warning";
  return demands.refusesOrphans || lostCall ? "error" : refused(exchange);
}

/**
 * What an environment shows before the first call, as data sets of agents keep it, in a history that nobody
 * sent. A list of results alone is what one step added.
 */
function isObservation({ exchange, request }: Step, { element }: Placed, firstCall: () => number): boolean {
  if (!request || !isHistoryAlone(exchange)) return false;
  if (holdsOnlyResults(request)) return true;
  return element > 0 && element <= firstCall() && request.history.role(element - 1) === "user";
}

/** The first element of a history that has a call; the history's length if none has. */
function firstCallOf({ request }: Step): number {
  const { history } = request ?? {};
  let at = 0;
  while (history && at < history.length && !history.items(at).some(({ kind }) => kind === "call")) at++;
  return at;
}

function isWithoutCalls({ request }: Step, firstCall: () => number): boolean {
  return firstCall() === request?.history.length;
}

/**
 * A result after a message that has its call as text, without an id or with one that the client made up, in a
 * history that was not seen to be sent. Data sets in the form of Hermes look so, and what programs keep of
 * their chats.
 * @see https://github.com/NousResearch/Hermes-Function-Calling
 */
function answersText({ exchange, request }: Step, { item, element }: Placed<ToolResult>): boolean {
  if (!request || showsSending(exchange)) return false;
  const { history, tools } = request;
  let before = element - 1;
  const first = Math.max(0, element - maxParallel);
  while (before > first && isResultAlone(history.items(before))) before--;
  if (before < first || history.role(before) !== "assistant") return false;
  const calls = history
    .items(before)
    .flatMap((said) =>
      said.kind === "message"
        ? [...lostTextCalls(said.text, { tools, prompt: () => "", structured: [] }), ...askedCalls(said.text)]
        : [],
    );
  return calls.some(({ name }) => item.name === undefined || item.name === name);
}

/**
 * Calls in a text of nothing but JSON, in whatever words a framework's prompt asks a model for them:
 * `[{"tool": "weather", "tool_input": {…}}]`.
 */
function askedCalls(text: string): { readonly name: string }[] {
  if (!/^\s*[[{]/.test(text)) return [];
  const value = parseJson(text);
  return (Array.isArray(value) ? value : [value]).flatMap((call) => {
    const name = isFields(call) && argumentsIn(call) !== undefined ? toolNameIn(call) : undefined;
    return name === undefined ? [] : [{ name }];
  });
}

/** More results than one text asks for. */
const maxParallel = 64;

function isResultAlone(items: readonly Item[]): boolean {
  return items.length > 0 && items.every(({ kind }) => kind === "result");
}

/**
 * A record of results in a form that no API takes, and of no call at all: whoever wrote it left the calls
 * out, as reports of benchmarks do, which list them elsewhere.
 */
function keepsNoCalls({ exchange, request }: Step): boolean {
  if (!request || exchange.fidelity !== "reported" || !isHistoryAlone(exchange)) return false;
  let isOwnForm = false;
  for (let at = 0; at < request.history.length; at++) {
    const items = request.history.items(at);
    if (items.some(({ kind }) => kind === "call")) return false;
    isOwnForm ||= items.some(
      ({ kind, flaws }) => kind === "result" && flaws?.some((flaw) => flaw.kind === "bad-content"),
    );
  }
  return isOwnForm;
}

const asWords = { safety: "lossy", title: "keeps the result as a user message" } as const;
