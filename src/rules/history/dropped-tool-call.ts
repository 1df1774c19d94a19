import { type Orphan, type Placed, placedItems, type Step } from "../../conversation/conversation.ts";
import { callText } from "../../conversation/identity.ts";
import type { ToolCall } from "../../conversation/item.ts";
import { isReferenced } from "../../conversation/pairing/references.ts";
import { soRejected } from "../habit.ts";
import { defineRule, type ReportTarget } from "../rule.ts";
import { short, toolName } from "../words.ts";

export default defineRule({
  name: "dropped-tool-call",
  summary: "A call that the model made is missing from the next request",
  ground: "lost",
  severity: "error",
  needs: "requests",
  looksAt: ["calls", "results"],
  traits: ["causes-loops", "refuses-call"],
  evidence: ["whole-requests", "whole-history"],
  follows: [
    { rules: ["truncated-stream", "stream-error", "lost-fragments", "invalid-request"], by: "calls" },
    { rules: ["dropped-turns"], by: "exchange" },
    // A client that sends only the newest prompt and result loses every call in the same way.
    { rules: ["dropped-turns"], by: "client" },
  ],
  messages: {
    withResult: (facts: Facts) => {
      const isOne = facts.callIds.length === 1;
      return facts.textKept
        ? `the assistant message lacks the ${wordsOf(facts)}; only its text and the ${isOne ? "result" : "results"} are sent`
        : `the assistant message with the ${wordsOf(facts)} was dropped; only ${isOne ? "the result is" : "the results are"} sent`;
    },
    passedOver: (facts: Facts & { readonly made: string; readonly continued: string }) =>
      `the ${wordsOf(facts)} ${facts.callIds.length > 1 ? "were" : "was"} made in \`${short(facts.made)}\`, but this request continues \`${short(facts.continued)}\``,
    parallel: (facts: Facts) =>
      `of the reply's parallel calls, the ${wordsOf(facts)} ${facts.callIds.length > 1 ? "are" : "is"} missing from this request`,
    withoutResult: (facts: Facts) =>
      `the reply's ${wordsOf(facts)} ${facts.callIds.length > 1 ? "are" : "is"} missing from this request, and so ${facts.callIds.length > 1 ? "are the results" : "is the result"}`,
  },

  habit: {
    title: ({ isTrim }) =>
      isTrim
        ? "The client cuts the history between a call and its result"
        : "The client drops the model's tool calls from the history",
    consequence: (facts) =>
      facts.isTrim
        ? soRejected("So strict providers reject these requests")(facts)
        : "So the model does not know that it made these calls, and may make them again",
    change: ({ idiom, isTrim, isTextKept }) => {
      if (isTrim) return "trim only between rounds, so that a call and its result stay or go together";
      return isTextKept
        ? `keep the reply's whole message, calls included, in place of its text alone: ${idiom.append}`
        : `keep the whole reply in the history, before its results: ${idiom.append}`;
    },
  },
  kindHabits: {
    passedOver: {
      title: "The client continues another response than the one that made the call",
      consequence: soRejected("So the server finds no call for the result"),
      change: "continue the response that made the call in the request that sends the result",
    },
    withoutResult: {
      title: ({ isFromStart }) =>
        isFromStart
          ? "The client ignores the model's tool calls"
          : "The client ignores the tool calls of later replies",
      consequence: ({ isFromStart }) =>
        isFromStart
          ? "So no tool ran, and the model, which cannot see its own calls, may make them again"
          : "So these tools never ran, and the model cannot see that it called them",
      change: ({ isFromStart, idiom }) =>
        isFromStart
          ? `look for calls in every reply (assemble a stream to its end first), run them, and append the reply and its results: ${idiom.append}`
          : `run the calls of every reply, not only of the first, and append each reply with its results: ${idiom.append}`,
    },
    parallel: {
      title: "The client drops some of the model's parallel calls",
      consequence: "So the model does not know that it made these calls, and never sees their results",
      change: ({ idiom }) =>
        `run all calls of a reply, and send the whole reply back with one result per call: ${idiom.append}`,
    },
  },

  *check({ steps }, report) {
    for (const step of steps) {
      if (step.isPartial) continue;
      // A call that is sent as a reference is not dropped; whether the server finds it is another question.
      const orphans = step.pairing.orphans.filter(
        ({ lostCall }) => lostCall && !lostCall.item.isHosted && !isReferenced(step, lostCall),
      );
      const found = new Set<string>();
      // The calls of one reply are lost with its message, so they are one mistake.
      for (const group of byReply(orphans.flatMap(({ lostCall }) => lostCall ?? []))) {
        const first = orphans.find(({ lostCall }) => lostCall === group[0]);
        if (!first) continue;
        const textKept = isTextKept(step, first);
        const facts = {
          ...factsOf(group),
          ...(isTrimmed(step, first) && { trim: true as const }),
          ...(textKept && { textKept }),
        };
        for (const call of group) found.add(nameOf(call));
        const options = {
          notes: [
            {
              message: `the ${facts.calls} ${group.length > 1 ? "were" : "was"} made here`,
              at: group[0] as Placed,
            },
          ],
          callIds: facts.callIds,
          fix: {
            safety: "safe" as const,
            title: textKept
              ? `puts the ${group.length > 1 ? "calls" : "call"} back into the assistant message`
              : `puts the assistant message with the ${group.length > 1 ? "calls" : "call"} back`,
          },
        };
        const passed = passedOver(step, group);
        yield passed
          ? report("passedOver", { ...facts, ...passed }, first.result, options)
          : report("withResult", facts, first.result, options);
      }
      if (step.relation !== "continuation") continue;
      const lost = lostCalls(step).filter((call) => !found.has(nameOf(call)));
      if (lost.length === 0) continue;
      const facts = factsOf(lost);
      // A client that runs only some parallel calls sends a consistent history without the others.
      const isParallel = step.echoes.some(
        ({ before }) => before.item.kind === "call" && !before.item.isHosted,
      );
      yield report(isParallel ? "parallel" : "withoutResult", facts, firstNew(step), {
        severity: !isParallel ? "error" : isAskedAgain(step, lost) ? "info" : "warning",
        notes: [
          {
            message: `the ${facts.calls} ${lost.length > 1 ? "were" : "was"} made here`,
            at: lost[0] as Placed,
          },
        ],
        callIds: facts.callIds,
        identity: `calls ${facts.callIds.join(" ")}`,
        fix: {
          safety: "inventing",
          title: `puts the ${lost.length > 1 ? "calls" : "call"} back, with a placeholder result: "no result was recorded"`,
        },
      });
    }
  },
});

/** The response with these calls, and the one that the request continues instead; both are on the server. */
function passedOver(
  { request }: Step,
  [call]: readonly Placed<ToolCall>[],
): { readonly made: string; readonly continued: string } | undefined {
  const continued = request?.links.previousReply;
  const made = call?.part === "response" ? call.step.reply?.id : undefined;
  return continued === undefined || made === undefined || made === continued
    ? undefined
    : { made, continued };
}

interface Facts {
  /** The calls in words: "call to `read`", "calls to `read` and `list`". */
  readonly calls: string;
  readonly tools: readonly string[];
  readonly callIds: readonly string[];
  /** The history was cut between the call and its result. */
  readonly trim?: true;
  /** The message that made the calls is there, without them. */
  readonly textKept?: true;
}

function factsOf(calls: readonly Placed<ToolCall>[]): Facts {
  const tools = [...new Set(calls.map(({ item }) => item.name))];
  const what = calls.length === 1 ? "call" : calls.length > tools.length ? `${calls.length} calls` : "calls";
  return { calls: `${what} to ${listed(tools)}`, tools, callIds: calls.map(nameOf) };
}

/** The history begins with the result of an old call, and goes on with newer rounds. */
function isTrimmed({ pairing, parent }: Step, { result, lostCall, isAtCut }: Orphan): boolean {
  if (!isAtCut || !lostCall || !parent || lostCall.step.number >= parent.number) return false;
  return pairing.pairs.some((pair) => pair.call.element > result.element);
}

/** What the reply said beside the call stands before the result, as from a client that keeps texts alone. */
function isTextKept({ echoes }: Step, { result, lostCall }: Orphan): true | undefined {
  const isKept = echoes.some(
    ({ before, after }) =>
      before.part === "response" &&
      before.step === lostCall?.step &&
      before.item.kind === "message" &&
      after.element < result.element,
  );
  return isKept || undefined;
}

/** The calls in words, with the ids that exist. */
function wordsOf({ calls, tools, callIds }: Facts): string {
  const ids = callIds.filter((id) => !tools.includes(id));
  return ids.length === 0 ? calls : `${calls} (${listed(ids)})`;
}

function listed(names: readonly string[]): string {
  const quoted = names.map((name) => toolName(name));
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}

function nameOf({ item }: Placed<ToolCall>): string {
  return item.id ?? item.name;
}

function byReply(calls: readonly Placed<ToolCall>[]): Placed<ToolCall>[][] {
  const groups = new Map<string, Placed<ToolCall>[]>();
  for (const call of calls) {
    const key =
      call.part === "response"
        ? `reply ${call.step.exchange.number}`
        : `request ${call.step.exchange.number} ${call.element}`;
    groups.set(key, [...(groups.get(key) ?? []), call]);
  }
  return [...groups.values()];
}

/** Calls of the parent's complete reply that this request lacks. */
function lostCalls(step: Step): Placed<ToolCall>[] {
  const reply = step.parent?.reply;
  if (!reply || reply.error || reply.state === "open" || step.parent?.exchange.isAborted) return [];
  // The reply had several choices, and the client used another one.
  if (reply.otherChoices > 0) return [];
  const lost = step.missing.filter(
    (placed): placed is Placed<ToolCall> =>
      placed.part === "response" && placed.item.kind === "call" && !placed.item.isHosted,
  );
  // The name may stand where the log cannot be read, so the history may call the tool by it.
  const named = lost.filter(({ item }) => item.name !== "");
  // A call that was forced to get a final answer need not be continued.
  const choice = step.parent?.request?.toolChoice;
  const isFinal = choice?.mode === "tool" || choice?.mode === "required";
  return isFinal
    ? []
    : named.filter((call) => !isDescribedInText(step, call) && !isContinuedElsewhere(step, call));
}

/**
 * A client that runs one call at a time keeps the first and lets the model ask for the rest again; then the
 * reply makes all lost calls again.
 */
function isAskedAgain({ echoes, reply, parent }: Step, lost: readonly Placed<ToolCall>[]): boolean {
  const made = (parent?.reply?.items ?? []).filter(({ kind }) => kind === "call");
  const [first] = made;
  const again = new Set(reply?.items.flatMap((item) => (item.kind === "call" ? [callText(item)] : [])));
  return (
    echoes.some(({ before }) => before.item === first) &&
    lost.every(({ item }) => item !== first && again.has(callText(item)))
  );
}

/** Another request continues the call; this one branched off, as parallel agents do. */
function isContinuedElsewhere(step: Step, { item }: Placed<ToolCall>): boolean {
  const { status = 200 } = step.exchange;
  const others = step.parent?.children.filter((child) => child !== step) ?? [];
  return status < 400 && others.some(({ echoes }) => echoes.some(({ before }) => before.item === item));
}

/** Agents that hand over describe the call in a sentence: "For context: [a] called tool `transfer` …". */
function isDescribedInText(step: Step, call: Placed<ToolCall>): boolean {
  return step.added.some(
    ({ item }) => item.kind === "message" && item.role !== "system" && item.text.includes(call.item.name),
  );
}

/** The place of the lost call: the rest of its reply, else the first new item or the end of the history. */
function firstNew(step: Step): ReportTarget {
  const rest = step.echoes.filter(({ before }) => before.part === "response").at(-1)?.after ?? step.added[0];
  if (rest) return rest;
  let last: Placed | undefined;
  for (const placed of placedItems(step)) last = placed;
  return last ?? { step, part: "request", pointer: step.request?.historyPointer ?? "" };
}
