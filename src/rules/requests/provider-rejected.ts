import { type Placed, pointerOf, replyItems, type Step } from "../../conversation/conversation.ts";
import type { History } from "../../conversation/exchange.ts";
import type { ToolCall } from "../../conversation/item.ts";
import { noResult } from "../../conversation/no-result.ts";
import { fields } from "../../reading/values.ts";
import type { Habit } from "../habit.ts";
import { correctionOf, type ErrorMatch, matchErrorText } from "../match-error-text.ts";
import { defineRule, type Report, type Reporter, type ReportOptions } from "../rule.ts";
import { errorSpot } from "../spots.ts";
import { short, toolName } from "../words.ts";
import { hasSucceeded, type Refusal, refusalOf, serviceFailure, unreadError } from "./refusal.ts";
import { itemIds, itemWithId, nameOf, refusedItem } from "./refused-item.ts";
import { refusedMember, spokenMember } from "./refused-member.ts";

interface Facts {
  readonly status: number | undefined;
  readonly error: string;
  /** The rule that names the defect, if the text identifies it. */
  readonly defect: string | undefined;
  /** What the text says about one value: it is `missing`, `unknown` … */
  readonly complaint?: string;
  /** What to know of a text that no rule's page explains. */
  readonly advice?: string;
  readonly changeIn?: "server";
  readonly callIds: readonly string[];
}

interface DeniedFacts extends Facts {
  readonly item: string;
  readonly held: "result" | "call";
  readonly holder: Refused["holder"];
}

const code = (status: number | undefined): string => (status === undefined ? "" : ` (${status})`);

const messages = {
  item: ({ status, error, item }: Facts & { readonly item: string }) =>
    `the provider rejected the request${code(status)} because of ${item}: ${short(error, 160)}`,
  denied: ({ status, error, item, held, holder }: DeniedFacts) =>
    `the provider rejected the request${code(status)} because of ${item}, although the ${holder} holds its ${held}: ${short(error, 160)}`,
  whole: ({ status, error }: Facts) =>
    `the provider rejected the history${code(status)}, although each of its calls has a result: ${short(error, 160)}`,
  apart: ({ status, error, tool }: Facts & { readonly tool: string }) =>
    `the provider rejected the history${code(status)}: another assistant message comes between the call to ${toolName(tool)} and its result: ${short(error, 160)}`,
  history: ({ status, error }: Facts) =>
    `the provider rejected the history${code(status)}: ${short(error, 160)}`,
  request: ({ status, error }: Facts) =>
    `the provider rejected the request${code(status)}: ${short(error, 160)}`,
  unknown: ({ status, error }: Facts) =>
    `the provider rejected the request${code(status)}, and toollint does not know why: ${short(error, 160)}`,
  unsaid: ({ status, error }: Facts) =>
    `the provider rejected a history with tool calls${code(status)} without giving a reason: ${short(error, 160)}`,
  unread: ({ error }: Facts) => `the reply is an error that toollint does not know: ${short(error, 160)}`,
  service: ({ status, error }: Facts) =>
    `the service answers with an error${code(status)}: ${short(error, 160)}`,
  attempt: ({ status, error }: Facts) =>
    `a provider behind the gateway rejected the history${code(status)}, and another one answered: ${short(error, 160)}`,
};

type Tell = Reporter<typeof messages>;

/** The log shows what the provider misses. */
const missed: Habit = {
  title: "The provider reports a missing call or result that the log does show",
  consequence: "So the model never saw this request",
  change:
    "put all calls of a reply into one message and their results directly after it, and compare the log with what arrives: an SDK or a gateway on the way may drop or move items",
};

export default defineRule({
  name: "provider-rejected",
  summary: "A request that the provider rejected because of its history",
  ground: "refused",
  severity: "error",
  needs: "anything",
  looksAt: ["replies"],
  follows: [
    { trait: "refuses-call", by: "calls" },
    {
      trait: "refuses-call",
      rules: [
        "dropped-turns",
        "dropped-reasoning",
        "refused-reasoning",
        "rewritten-history",
        "merged-or-split-turns",
        "empty-content",
        "bad-turn-order",
        "mixed-protocols",
        "resent-items",
        "unresolvable-reference",
        "dropped-tools",
      ],
      by: "exchange",
    },
    { rules: ["invalid-request"], by: "exchange" },
  ],
  messages,

  habit: {
    title: "The provider rejected the history",
    consequence: "So the model never saw this request",
    change:
      "run `toollint explain --error '…' run.log` with the provider's text: it names the place in the log",
  },
  kindHabits: {
    denied: missed,
    whole: missed,
    apart: {
      title: "The client spreads calls over several assistant messages in a row",
      consequence: "So the model never saw this request",
      change: ({ idiom }) =>
        `put all calls of a reply into one assistant message, and its results directly after it: ${idiom.append}`,
    },
    request: {
      title: "The provider rejected the request",
      consequence: "So the model never saw it",
      change:
        "run `toollint explain --error '…' run.log` with the provider's text, and with a log of the request: it names the place",
    },
    unsaid: {
      title: "The provider rejected a history with tool calls and gave no reason",
      consequence: "So the model never saw this request",
      change:
        "resend the history with one round fewer each time until it is accepted: the round removed last is at fault",
    },
  },
  effect: {
    rank: 1,
    // Behind a gateway, another provider answered after a failed attempt.
    kinds: ["item", "denied", "whole", "apart", "history", "request", "unknown", "unsaid"],
    words: () => "the provider rejected the request",
    saidIn: /\breject(?:s|ed) the request$/,
  },

  *check({ kind, steps }, report) {
    const isSession = kind === "transcript";
    const accepted = steps.findLast(hasSucceeded)?.number ?? 0;
    let answeredLater: ReadonlySet<string> | undefined;
    for (const step of steps) {
      yield* attempts(step, report);
      if (!isSession) yield* otherErrors(step, report);
      const refusal = refusalOf(step);
      if (!refusal || !isOfThisRule(step, refusal)) continue;
      const isPast = accepted > step.number;
      if (!isSession) {
        const item = refusedItem(step, refusal.words, refusal.match);
        yield* refusedRequest({ step, refusal, item, isPast, holder: "request" }, report);
        continue;
      }
      // Places in what an agent sent say nothing of the records that it keeps.
      if (!refusal.match) continue;
      answeredLater ??= addedAnswers(steps);
      if (isRepaired(refusal.match, answeredLater)) continue;
      const item = itemWithId(step, refusal.match);
      yield rejection({ step, refusal, item, isPast, holder: "session" }, report);
    }
  },
});

/** Providers behind a gateway that rejected the history before another one answered. */
function* attempts(step: Step, tell: Tell): Generator<Report> {
  for (const { error, status, pointer } of step.reply?.attempts ?? []) {
    const match = matchErrorText(error);
    if (match?.about !== "history") continue;
    const facts = { status, error, defect: match.rule, callIds: match.callIds };
    const at = { step, part: "response", pointer } as const;
    yield tell("attempt", facts, at, { severity: "info", identity: `${match.rule}` });
  }
}

/** Errors that say nothing of the history: unknown ones without a status, and those of the service. */
function* otherErrors(step: Step, tell: Tell): Generator<Report> {
  const error = unreadError(step);
  const failure = error === undefined ? serviceFailure(step) : refusalOf(step) ? undefined : { error };
  if (!failure) return;
  const facts = { status: undefined, ...failure, defect: undefined, callIds: [] };
  const options = { severity: "info", identity: short(failure.error, 80) } as const;
  yield tell(error === undefined ? "service" : "unread", facts, errorSpot(step), options);
}

/** Whether a refusal is about the history, or about a request whose fault no other rule reports. */
function isOfThisRule(step: Step, refusal: Refusal): boolean {
  const { match } = refusal;
  // An error inside a stream is a rejection only if its text is known to concern the history.
  if (step.reply?.error?.isMidStream && !match) return false;
  // Other rules report size limits and faulty replies.
  const about = match?.about ?? "history";
  // `invalid-request` reports a member that the refusal names, if the log has the request.
  return about === "history" || (about === "request" && !(step.request && namesMember(step, refusal)));
}

/** A step that was refused. */
interface Refused {
  readonly step: Step;
  readonly refusal: Refusal;
  /** The item that the refusal is about, if it says so. */
  readonly item: Placed | undefined;
  /** A later request was accepted. */
  readonly isPast: boolean;
  /** A session shows what its agent keeps, not what it sent. */
  readonly holder: "request" | "session";
}

function* refusedRequest(refused: Refused, tell: Tell): Generator<Report> {
  const { step, refusal, item, isPast } = refused;
  const { match, words } = refusal;
  const apart = match && callApart(step, match);
  const facts = factsOf(refused);
  if (apart) {
    const split = { ...facts, defect: undefined, tool: apart.item.name };
    yield tell("apart", split, apart, { ...optionsOf(refused, facts), notes: notesOf(refused) });
  } else if (match || item) yield rejection(refused, tell);
  // An unknown text counts if it points at an item of the history, or says nothing at all.
  else {
    const isUnsaid = saysNothing.test(words) && hasCalls(step);
    const severity = isUnsaid && !isPast ? "warning" : "info";
    const options = { ...optionsOf(refused, facts), severity } as const;
    yield tell(isUnsaid ? "unsaid" : "unknown", facts, errorSpot(step), options);
  }
}

/** The rejection of a request for something that its text or the log shows. */
function rejection(refused: Refused, tell: Tell): Report {
  const { step, refusal, item, holder } = refused;
  const { match } = refusal;
  const facts = factsOf(refused);
  const options = optionsOf(refused, facts);
  const at = errorSpot(step);
  if (item && match && isHeld(item, match)) {
    const held = match.rule === "unanswered-tool-call" ? "result" : "call";
    const denied = { ...facts, defect: undefined, item: nameOf(item), held, holder } as const;
    return tell("denied", denied, item, { ...options, notes: notesOf(refused) });
  }
  if (item)
    return tell("item", { ...facts, item: nameOf(item) }, item, { ...options, notes: notesOf(refused) });
  if (match && isWhole(step, match)) return tell("whole", { ...facts, defect: undefined }, at, options);
  return tell(match?.about === "request" ? "request" : "history", facts, at, options);
}

function factsOf({ refusal: { status, error, match }, item }: Refused): Facts {
  const advice = match && correctionOf(match);
  return {
    status,
    error,
    defect: match?.rule,
    callIds: [...new Set([...(match?.callIds ?? []), ...(item ? itemIds(item.item) : [])])],
    ...(match?.complaint && { complaint: match.complaint.kind }),
    ...(advice !== undefined && { advice }),
    ...(match?.changeIn && { changeIn: match.changeIn }),
  };
}

function optionsOf({ refusal, item, isPast, holder }: Refused, { callIds }: Facts): ReportOptions {
  const { match, error } = refusal;
  return {
    severity: !isPast ? "error" : holder === "session" ? "info" : "warning",
    callIds,
    isOfAnswer: true,
    // A client that keeps sending a broken history is rejected again and again.
    identity: `${match?.rule ?? short(error, 80)} ${item ? pointerOf(item) : ""}`,
  };
}

function notesOf({ step, item }: Refused): NonNullable<ReportOptions["notes"]> {
  const answer = { message: "the provider's answer", at: errorSpot(step) };
  return [answer, ...(item ? beginningsOf(item) : [])];
}

/** The refusal names the member of the body that it is about. */
function namesMember({ exchange, reply }: Step, { match, error }: Refusal): boolean {
  const path =
    refusedMember(match?.complaint, reply?.error?.param) ?? spokenMember(error, exchange.form?.members);
  return path !== undefined;
}

/** Gemini's words for whatever it finds wrong, and what gateways and servers say in place of a reason. */
const saysNothing =
  /^(?:request contains an invalid argument|bad request|invalid request|malformed request|input validation error)\b[.!]?(?: (?:[a-z]+_)*[a-z]*(?:request|argument)(?:_error)?| \d{3})*$/i;

/** The text misses the counterpart of an item of the request, which holds both. */
function isHeld({ item, step }: Placed, { rule, callIds }: ErrorMatch): boolean {
  if (rule !== "unanswered-tool-call" && rule !== "orphaned-tool-result") return false;
  if (callIds.length === 0) return false;
  const { pairs, misplaced } = step.pairing;
  const isMisplaced = misplaced.some(({ result }) => result.item === item);
  return !isMisplaced && pairs.some(({ call, result }) => call.item === item || result.item === item);
}

/** `fix` has since answered the calls that the session's agent was refused for. */
function isRepaired({ rule, callIds }: ErrorMatch, added: ReadonlySet<string>): boolean {
  return rule === "unanswered-tool-call" && callIds.length > 0 && callIds.every((id) => added.has(id));
}

/** The ids of the calls to which `fix` added a result. */
function addedAnswers(steps: readonly Step[]): ReadonlySet<string> {
  const pairs = steps.flatMap(({ pairing }) => pairing.pairs);
  const added = pairs.filter(({ result }) => result.item.text === noResult);
  return new Set(added.flatMap(({ call }) => call.item.id ?? []));
}

/** The text misses a result, and names none; each call of the request has one, in its place. */
function isWhole({ request, isPartial, pairing }: Step, { rule, callIds }: ErrorMatch): boolean {
  if (rule !== "unanswered-tool-call" || callIds.length > 0 || !request || request.isCut || isPartial)
    return false;
  const { pairs, unanswered, misplaced, mismatches, orphans } = pairing;
  const faults = [unanswered, misplaced, mismatches, orphans];
  return pairs.length > 0 && faults.every(({ length }) => length === 0);
}

/**
 * The text misses a result, and the first call that it may mean has one, but not directly after its message,
 * as strict providers want it: another assistant message comes between.
 */
function callApart(step: Step, match: ErrorMatch): Placed<ToolCall> | undefined {
  const { rule, callIds } = match;
  const { request, pairing } = step;
  if (rule !== "unanswered-tool-call" || !request || (callIds.length === 0 && !isWhole(step, match)))
    return undefined;
  return pairing.pairs.find(
    ({ call: { item, element } }) =>
      (callIds.length === 0 || (item.id !== undefined && callIds.includes(item.id))) &&
      [element, element + 1].every((at) => isAssistantMessage(request.history, at)),
  )?.call;
}

/** A message with a role; some APIs have items without one, of which a turn has many. */
function isAssistantMessage(history: History, at: number): boolean {
  return (
    at < history.length &&
    history.role(at) === "assistant" &&
    fields(history.element(at).value)["role"] !== undefined
  );
}

/** The request carries calls or results, which providers mind most. */
function hasCalls({ request }: Step): boolean {
  const { history } = request ?? {};
  for (let at = 0; at < (history?.length ?? 0); at++)
    if (history?.items(at).some(({ kind }) => kind === "call" || kind === "result")) return true;
  return false;
}

/** The origins of a rejected item: the reply with the call, and the first request with the item. */
function* beginningsOf(placed: Placed): Generator<{ readonly message: string; readonly at: Placed }> {
  const { item, element } = placed;
  let first = placed.step;
  while (element < first.kept && first.parent) first = first.parent;
  const id = item.kind === "call" ? item.id : undefined;
  const made = id === undefined ? undefined : replyWith(first.parent, id);
  if (made) yield { message: "the model made the call here", at: made };
  if (first !== placed.step)
    yield { message: "every request since this one sends it", at: { ...placed, step: first } };
}

/** The call in the newest reply that made it. */
function replyWith(from: Step | undefined, id: string): Placed | undefined {
  for (let step = from; step; step = step.parent) {
    const made = replyItems(step).find(({ item }) => item.kind === "call" && item.id === id);
    if (made) return made;
  }
  return undefined;
}
