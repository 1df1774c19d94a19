import { type LogFacts, type Placed, placedItems, type Step } from "../../conversation/conversation.ts";
import { callText, contentOf } from "../../conversation/identity.ts";
import type { ToolCall, ToolResult } from "../../conversation/item.ts";
import { isDeferred } from "../../conversation/pairing/pairing.ts";
import {
  clientCalls,
  endsInItself,
  isFollowed,
  isPassedOver,
  leftFor,
  resentAs,
} from "../../conversation/reply-followups.ts";
import { turnsOf } from "../../conversation/rounds.ts";
import { isFinalTool, isHandOff } from "../../conversation/tool-names.ts";
import { groupBy } from "../../reading/group-by.ts";
import { defineRule } from "../rule.ts";
import { count, short, toolName } from "../words.ts";
import { severityOfEnd } from "./severity-of-end.ts";

export default defineRule({
  name: "unclosed-loop",
  summary: "A reply asks for tools, and its conversation ends there",
  ground: "lost",
  severity: "warning",
  needs: "anything",
  looksAt: ["calls"],
  follows: [
    {
      rules: [
        "finish-reason-mismatch",
        "truncated-stream",
        "stream-error",
        "truncated-reply",
        "text-tool-call",
        "malformed-stream",
        "leaked-control-tokens",
        "failed-reply-used",
        "provider-rejected",
        "context-overflow",
        "invalid-arguments",
      ],
      by: "exchange",
    },
    {
      rules: ["call-id-mismatch", "runaway-loop", "forced-tool-loop", "repeated-call", "cyclic-calls"],
      by: "calls",
    },
  ],
  messages: {
    unclosed: ({ tool, count: calls }: { tool: string; count: number; callIds: readonly string[] }) =>
      calls === 1
        ? `the reply asks for ${named(tool)}, and no later request carries a result`
        : `the reply asks for ${named(tool)} and ${count(calls - 1, "more call")}, and no later request carries a result`,
    atEnd: ({ tool, count: calls }: { tool: string; count: number; callIds: readonly string[] }) =>
      calls === 1
        ? `the session ends while a call to ${named(tool)} waits for its result`
        : `the session ends while a call to ${named(tool)} and ${count(calls - 1, "more call")} wait for their results`,
    pending: ({ tool }: { tool: string; callIds: readonly string[] }) =>
      `the call to ${named(tool)} runs in the background, and the log ends before its result`,
  },

  habit: {
    title: "The client stops although the model asked for tools",
    consequence: "So the model never saw a result, and the user got no answer",
    change: ({ idiom }) =>
      `continue while a reply contains calls: run them, append the reply and its results, and send the next request: ${idiom.append}`,
  },
  effect: { rank: 5, words: () => "the log ends there" },

  *check(conversation, report) {
    let answered: ReadonlySet<string> | undefined;
    const firsts = firstsOf(conversation.log);
    for (const step of conversation.steps) {
      const open = openAtEnd(step);
      const [firstOpen] = open;
      if (firstOpen) {
        const callIds = open.flatMap(({ item }) => item.id ?? []);
        yield report("atEnd", { tool: firstOpen.item.name, count: open.length, callIds }, firstOpen, {
          severity: severityOfEnd(step),
          notes: alsoWaiting(open),
          callIds,
        });
      }
      // A branch from the same point does not continue this reply.
      if (step.children.some(({ relation }) => relation !== "branch")) continue;
      const [inBackground, waiting] = partition(clientCalls(step), isDeferred);
      for (const call of resentAs(step) ? [] : [...step.pairing.pending, ...inBackground]) {
        const callIds = call.item.id === undefined ? [] : [call.item.id];
        yield report("pending", { tool: call.item.name, callIds }, call, { severity: "info", callIds });
      }
      if (!step.reply?.items.length) continue;
      const calls = waiting.filter(({ item }) => item.state === "complete");
      const [first] = calls;
      if (!first || resentAs(step)) continue;
      answered ??= answeredTools(conversation);
      // A tool for structured output is called without text; text before a call means a result is expected.
      const isStructured = step.request?.tools?.length === 1 && isWordless(step);
      const tools = answered;
      const isAwaited = (call: Placed<ToolCall>): boolean =>
        !isOnlyWayOut(call, step) && (tools.has(call.item.name) || !(isStructured || isAnswer(call, step)));
      if (!calls.some(isAwaited) || calls.every((call) => isAnsweredElsewhere(call, conversation.log)))
        continue;
      const isHandedOver = isFollowed(step) && calls.every(({ item }) => isHandOff(item.name));
      const callIds = calls.flatMap(({ item }) => item.id ?? []);
      const isAgain = firstOfItsKind(step, firsts) !== step;
      const severity =
        step.children.length > 0 ||
        leftFor(step) ||
        isHandedOver ||
        (isAgain && !conversation.log.isComplete) ||
        calls.some((call) => isPassedOver(call, step))
          ? "info"
          : endsInItself(step) && !conversation.log.hasUnread
            ? "warning"
            : severityOfEnd(step);
      yield report(
        conversation.kind === "transcript" ? "atEnd" : "unclosed",
        { tool: first.item.name, count: calls.length, callIds },
        first,
        {
          severity,
          notes: alsoWaiting(calls),
          callIds,
        },
      );
    }
  },
});

const firstSteps = new WeakMap<LogFacts, Map<string, Step>>();

/** The first step of each kind in a log, filled as steps are reported. */
function firstsOf(log: LogFacts): Map<string, Step> {
  const known = firstSteps.get(log) ?? new Map<string, Step>();
  firstSteps.set(log, known);
  return known;
}

/**
 * The first of several steps that sent the same and were not continued: a program that asks the same again
 * and again looks at first replies only, and that is said once.
 */
function firstOfItsKind(step: Step, firsts: Map<string, Step>): Step {
  const { request, conversation } = step;
  if (!request || conversation.steps.length > 1) return step;
  const contents = [...placedItems(step)].map(({ item }) => contentOf(item));
  const key = JSON.stringify([request.system, ...contents]);
  const first = firsts.get(key) ?? step;
  firsts.set(key, first);
  return first;
}

function alsoWaiting(calls: readonly Placed<ToolCall>[]): { message: string; at: Placed }[] {
  return calls.slice(1).map((at) => ({ message: `\`${short(at.item.name)}\` is waiting too`, at }));
}

/**
 * The calls of a session's last reply that are still open, although something came after them: the results of
 * other calls, or words of the user that nobody answered.
 */
function openAtEnd(step: Step): Placed<ToolCall>[] {
  const { conversation, exchange, reply } = step;
  const next = step.children.find(({ relation }) => relation === "continuation");
  if (conversation.kind !== "transcript" || !next || next.reply || next.children.length > 0) return [];
  if (exchange.isAborted || next.exchange.isAborted || reply?.error || step.isPartial) return [];
  // A branch may carry the result: the agent went on from it, past the words in between.
  const pairs = step.children.flatMap(({ pairing }) => pairing.pairs);
  const answered = new Set(pairs.map(({ call }) => call.item.id));
  return clientCalls(step).filter(
    (call) => call.item.id !== undefined && !answered.has(call.item.id) && !isDeferred(call),
  );
}

function partition<T>(values: readonly T[], isFirst: (value: T) => boolean): [T[], T[]] {
  return [values.filter(isFirst), values.filter((value) => !isFirst(value))];
}

function named(tool: string): string {
  return tool === "" ? "a tool without a name" : toolName(tool);
}

/** The tools with results in the conversation. An answer returned for correction is not a result. */
function answeredTools(conversation: Step["conversation"]): ReadonlySet<string> {
  const tools = new Set<string>();
  for (const { rounds } of turnsOf(conversation))
    for (const { calls } of rounds)
      for (const { call, result } of calls)
        if (result && !tools.has(call.item.name) && !asksAgain(result.item)) tools.add(call.item.name);
  return tools;
}

/** Of each log, the texts of the answered calls with an id. Kept, because all calls may have one id. */
const answeredIn = new WeakMap<LogFacts, (id: string) => ReadonlySet<string>>();

/** If a log has an exchange twice, the result follows only one of the two. */
function isAnsweredElsewhere({ item }: Placed<ToolCall>, log: LogFacts): boolean {
  const answered = answeredIn.get(log) ?? answeredCalls(log);
  answeredIn.set(log, answered);
  return item.id !== undefined && answered(item.id).has(callText(item));
}

function answeredCalls({ conversations }: LogFacts): (id: string) => ReadonlySet<string> {
  // A result that came back without its call is another rule's matter.
  const answers = ({ pairing: { pairs, orphans } }: Step): { readonly call: Placed<ToolCall> }[] => [
    ...pairs,
    ...orphans.flatMap(({ lostCall }) => (lostCall ? { call: lostCall } : [])),
  ];
  const all = conversations.flatMap(({ steps }) => steps.flatMap(answers));
  const byId = groupBy(all, ({ call }) => call.item.id);
  const known = new Map<string, ReadonlySet<string>>();
  return (id) => {
    const texts = known.get(id) ?? new Set(byId.get(id)?.map(({ call }) => callText(call.item)));
    known.set(id, texts);
    return texts;
  };
}

/** Libraries that use arguments as the answer send them back with validation errors. */
function asksAgain({ text, isError }: ToolResult): boolean {
  return (
    isError === true || /\bvalidation errors?\b|\b(?:fix|correct) the errors?\b/i.test(text.slice(0, 4000))
  );
}

/** If every request forces this tool, or it is the tool for the answer, the run must end with it. */
function isOnlyWayOut({ item }: Placed<ToolCall>, { request }: Step): boolean {
  const choice = request?.toolChoice;
  return (choice?.mode === "tool" && choice.name === item.name) || isFinalTool(item.name);
}

function isWordless({ reply }: Step): boolean {
  return !reply?.items.some((item) => item.kind === "message" && item.text.trim() !== "");
}

/** The call needs no result: its arguments are the answer. */
function isAnswer({ item }: Placed<ToolCall>, { request }: Step): boolean {
  const choice = request?.toolChoice;
  return choice?.mode === "required" || (choice?.mode === "tool" && (choice.name ?? item.name) === item.name);
}
