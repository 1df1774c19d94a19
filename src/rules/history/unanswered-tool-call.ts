import { linkedSteps } from "../../conversation/active-branch.ts";
import {
  type Conversation,
  isCall,
  mayLackBehind,
  type Placed,
  replyItems,
  type Step,
} from "../../conversation/conversation.ts";
import type { History } from "../../conversation/exchange.ts";
import { isHistoryAlone } from "../../conversation/history-alone.ts";
import type { ToolCall } from "../../conversation/item.ts";
import { answerElsewhere } from "../../conversation/pairing/answers.ts";
import { unpairedHosted } from "../../conversation/pairing/hosted-calls.ts";
import type { Fix } from "../../findings/finding.ts";
import { callWords } from "../call-words.ts";
import { soRejected } from "../habit.ts";
import { type ErrorMatch, matchErrorText } from "../match-error-text.ts";
import { defineRule, refused } from "../rule.ts";

export default defineRule({
  name: "unanswered-tool-call",
  summary: "A call in the history without a result",
  ground: "lost",
  severity: "error",
  needs: "anything",
  looksAt: ["calls"],
  traits: ["causes-loops", "refuses-call"],
  evidence: ["whole-requests", "requests"],
  follows: [
    {
      rules: [
        "call-id-mismatch",
        "truncated-stream",
        "stream-error",
        "malformed-tool-result",
        "duplicate-call-id",
        "resent-items",
        "unresolvable-reference",
        "invalid-request",
      ],
      by: "calls",
    },
    { rules: ["dropped-turns"], by: "exchange" },
    { rules: ["lost-fragments"], by: "exchange", kinds: ["apart"] },
  ],
  messages: {
    noResult: (facts: Facts) => `${callWords(facts)} has no result anywhere in this request`,
    atEnd: (facts: Facts) => `the request ends with ${callWords(facts)} and has no result for it`,
    cutLater: (facts: Facts) =>
      `${callWords(facts)} has no result before the next message; the log lacks a later part of the request`,
    inChain: (facts: Facts) =>
      `${callWords(facts)}, made in the previous response, gets no result in this request`,
    hosted: (facts: Facts) =>
      `${callWords(facts)}, a server-side tool, has no result after it in the assistant's messages`,
    goesOn: (facts: Facts) => `${callWords(facts)} has no result, and the session continues without one`,
    unread: (facts: Facts) =>
      `${callWords(facts)} has no result that can be read: a record after it is broken and may contain the result`,
  },

  habit: {
    title: "The client continues without answering every tool call",
    consequence: soRejected(
      "So the model never sees what these calls returned, and strict providers reject the request",
    ),
    change: ({ idiom }) =>
      `send one result for every call of a reply, even when the tool failed or was denied${idiom.result}`,
  },
  effect: { rank: 6, words: () => "calls were left without their result" },

  unchecked({ steps, kind: family }) {
    const isSession = family === "transcript";
    const holdsFew = isSession
      ? !keepsResults(steps) &&
        steps.some((step) => step.children.length > 0 && replyItems(step).some(isCall))
      : steps.some(
          (step) =>
            step.exchange.fidelity === "reported" &&
            step.pairing.unanswered.some((call) => isUncertain(call, step)),
        );
    if (!holdsFew) return undefined;
    return isSession && steps.some(({ pairing }) => pairing.pairs.length > 0)
      ? "most calls have no result in the session, which may not record all of them"
      : `no call has a result in the ${isSession ? "session" : "log"}, which may not record them`;
  },

  *check(conversation, report) {
    const { steps, kind: family } = conversation;
    if (family === "transcript") {
      const misnamed = new Set(
        linkedSteps(conversation).flatMap(({ pairing }) =>
          pairing.mismatches.map(({ call }) => call.item.id),
        ),
      );
      for (const { call, lacksRecord } of leftOpen(steps)) {
        if (misnamed.has(call.item.id)) continue;
        const facts = { tool: call.item.name, callId: call.item.id ?? call.item.name };
        yield report(lacksRecord ? "unread" : "goesOn", facts, call, {
          severity: lacksRecord ? "info" : "warning",
          callIds: [facts.callId],
          fix: closing,
        });
      }
      return;
    }
    /** Calls at the end of a request. If later requests continue after them, it is the same mistake. */
    const ended = new Set<string>();
    for (const step of steps) {
      const { exchange, request, pairing, relation } = step;
      if (!request || request.settings.isProbe) continue;
      for (const call of pairing.unanswered) {
        const isCutLater = mayLackBehind(step, call.part === "request" ? call.element : -1);
        if (isCutLater && !(call.part === "request" && isPassedOver(call, step))) continue;
        if (exchange.fidelity === "reported" && isUncertain(call, step)) continue;
        const facts = { tool: call.item.name, callId: call.item.id ?? call.item.name };
        const options = {
          callIds: [facts.callId],
          identity: `call ${facts.callId} ${call.item.pointer}`,
          severity:
            isLastWord(call, step) || isStillAnswered(conversation, call, step)
              ? ("info" as const)
              : exchange.demands.refusesUnanswered
                ? ("error" as const)
                : refused(exchange),
          fix: fixOf(conversation, call),
        };
        if (call.part === "response") {
          // A new attempt from an earlier point leaves the calls of the abandoned attempt behind.
          if (relation !== "continuation") continue;
          yield report(
            "inChain",
            facts,
            { step, part: "request", pointer: request.historyPointer },
            { ...options, notes: [{ message: "the call was made here", at: call }] },
          );
          continue;
        }
        if (isAtEnd(call.element, request.history)) ended.add(options.identity);
        const kind = isCutLater ? "cutLater" : ended.has(options.identity) ? "atEnd" : "noResult";
        yield report(kind, facts, { ...call, step }, options);
      }
      if (step.isPartial) continue;
      for (const call of unpairedHosted(step).calls) {
        const facts = { tool: call.item.name, callId: call.item.id ?? "" };
        yield report("hosted", facts, call, { callIds: [facts.callId], severity: refused(exchange) });
      }
    }
  },
});

/**
 * Whether a message that is not a result follows a call before the first part that the log lacks. Where the
 * provider wants results right behind their calls, no later result helps.
 */
function isPassedOver(call: Placed, { request, exchange, gaps }: Step): boolean {
  if (!request || !gaps || exchange.demands.adjacency === "anywhere") return false;
  for (let element = call.element + 1; element < request.history.length; element++) {
    if (gaps.some((gap) => gap.element === element)) return false;
    const items = request.history.items(element);
    const isResult = items.some(({ kind }) => kind === "result");
    if (isResult && exchange.demands.adjacency === "next-message") return true;
    if (!isResult) return items.length > 0 && request.history.role(element) === "user";
  }
  return false;
}

/** Takes the result from another request of the conversation, or adds a placeholder. */
function fixOf(conversation: Conversation, call: Placed<ToolCall>): Fix {
  const answer = call.part === "request" ? answerElsewhere(conversation, call) : undefined;
  return answer
    ? { safety: "safe", title: `takes the result from request ${answer.step.exchange.number}` }
    : closing;
}

const closing = { safety: "inventing", title: 'placeholder: adds "no result was recorded"' } as const;

/** A bare history that ends with the model's calls, as in training examples: it was probably never sent. */
function isLastWord(call: Placed, { request, exchange }: Step): boolean {
  if (!request || call.part !== "request" || !isAtEnd(call.element, request.history)) return false;
  return request.isBare === true || isHistoryAlone(exchange);
}

/**
 * A history that nothing shows to be sent, which ends in the answers of a reply, and of which the log has a
 * later copy with the missing one: a program printed its list while it added the results one by one.
 */
function isStillAnswered(
  conversation: Conversation,
  call: Placed<ToolCall>,
  { request, exchange }: Step,
): boolean {
  if (!request || call.part !== "request" || !isHistoryAlone(exchange)) return false;
  const { history } = request;
  for (let later = call.element + 1; later < history.length; later++)
    if (history.items(later).some(({ kind }) => kind !== "result" && kind !== "call")) return false;
  const answer = answerElsewhere(conversation, call);
  return answer !== undefined && answer.step.exchange.number > exchange.number;
}

/**
 * Whether nobody speaks after an element. Harnesses note there how the run ended, in a role of their own:
 * mini-SWE-agent adds `{role: "exit"}` with the submitted patch, for which its last call needs no result.
 */
function isAtEnd(element: number, history: History): boolean {
  for (let later = element + 1; later < history.length; later++)
    if (history.role(later) !== "unknown") return false;
  return true;
}

interface Facts {
  readonly tool: string;
  readonly callId: string;
}

interface OpenCall {
  readonly call: Placed<ToolCall>;
  /** A record that may have held the result cannot be read. */
  readonly lacksRecord: boolean;
}

/**
 * Calls of a transcript without result, although the model spoke again. Excluded are calls of interrupted or
 * failed replies and calls before a compaction, which clients drop or answer before sending. Exports without
 * most of the results are excluded too, unless the agent builds its requests from these records.
 */
function* leftOpen(steps: readonly Step[]): Generator<OpenCall> {
  const isKept = keepsResults(steps);
  const answered = new Set(steps.flatMap(({ pairing }) => pairing.pairs.map(({ call }) => call.item.id)));
  for (const step of steps) {
    const { exchange, reply } = step;
    if (!reply || reply.error || exchange.isAborted || step.isPartial) continue;
    const next = step.children.find(({ relation }) => relation === "continuation");
    if (!next || next.exchange.isAborted || (!next.reply && !isStuck(next))) continue;
    const error = next.reply?.error;
    const refused = error && matchErrorText(error.message);
    for (const call of replyItems(step)) {
      if (!isCall(call) || call.item.isHosted || call.item.id === undefined) continue;
      if (answered.has(call.item.id)) continue;
      if (error && !(refused && isMissed(call.item.id, refused))) continue;
      // What the provider names is missing, whatever the session keeps.
      if (!isKept && !refused?.callIds.includes(call.item.id)) continue;
      yield { call, lacksRecord: next.exchange.lacksRecord === true };
    }
  }
}

/** A few calls without a result are mistakes; if these are most calls, the log does not keep the results. */
function keepsResults(steps: readonly Step[]): boolean {
  if (steps.some(({ exchange }) => exchange.session?.takesRecords)) return true;
  const calls = steps.flatMap((step) => replyItems(step).filter(isCall)).length;
  const answered = new Set(steps.flatMap(({ pairing }) => pairing.pairs.map(({ call }) => call.item))).size;
  return answered > 0 && (answered >= calls / 2 || calls - answered <= 3);
}

/** Logs of tracing tools may lack ids or results, so only calls recorded as unanswered count. */
function isUncertain({ item }: Placed<ToolCall>, { pairing }: Step): boolean {
  return item.id === undefined || (pairing.pairs.length === 0 && item.lacksResult !== true);
}

/** The user spoke and no reply follows, and the client adds no results before sending. */
function isStuck({ exchange, added }: Step): boolean {
  return (
    exchange.session?.isSentAsKept === true &&
    added.some(({ item }) => item.role === "user" && item.kind === "message")
  );
}

/** The failed request was rejected because this call has no result. */
function isMissed(id: string, { rule, callIds }: ErrorMatch): boolean {
  return rule === "unanswered-tool-call" && (callIds.length === 0 || callIds.includes(id));
}
