import type { Placed, Relation, Step } from "../conversation.ts";
import type { Exchange, History } from "../exchange.ts";
import { differencesOf, hasOwnFrame, isOtherAgent, isSameAgent } from "../frames.ts";
import { commonElements } from "../identity.ts";
import type { ToolCall, ToolResult } from "../item.ts";
import { openCalls } from "../pairing/pairing.ts";
import { type Alignment, align, isUnderstood } from "./align.ts";
import { announcesCompaction } from "./compaction.ts";
import { type ConversationDraft, type DraftEntry, hasFailed } from "./draft.ts";
import { areRunsApart, beginsElsewhere, callIdOf, isOfOtherIds } from "./runs-apart.ts";

/** The step that a request continues, and how. */
export interface ParentChoice {
  readonly entry: DraftEntry;
  readonly alignment: Alignment;
  readonly relation: Relation;
}

/** What else in the log shows where a request belongs. */
export interface KnownLog {
  /** The beginnings of the newest replies, newest first; one of them may be a summary. */
  readonly recentReplies: readonly string[];
  /** The newest call with an id. */
  findCall(exchange: Exchange, callId: string): Placed<ToolCall> | undefined;
}

interface Judgement extends ParentChoice {
  readonly score: number;
  /** Nothing that matters is missing, so no other step of the thread can fit better. */
  readonly isPerfect: boolean;
}

/** How many of the newest steps are tried; an older parent's history must be a prefix of the request's. */
const maxTried = 24;
const maxRecalled = 400;

/** The parent whose history and reply have most in common with a request; `undefined` if there is none. */
export function chooseParent(
  threads: Iterable<ConversationDraft>,
  probe: Step,
  history: History,
  log: KnownLog,
): ParentChoice | undefined {
  let best: Judgement | undefined;
  let own: Judgement | undefined;
  const judgements: Judgement[] = [];
  for (const thread of threads) {
    for (const entry of stepsToTry(thread, history)) {
      const judgement = judge(entry, probe, history, log);
      if (!judgement) continue;
      judgements.push(judgement);
      if (losesNothing(judgement) && judgement.score > (own?.score ?? 0) && isSameAgent(entry.step, probe))
        own = judgement;
      if (!best || judgement.score > best.score) best = judgement;
      if (judgement.isPerfect || containsWholeStep(judgement) || answersLostCalls(judgement)) break;
    }
  }
  // An agent that called another takes over the other's answer, not the rounds that led to it.
  if (best && own && losesCalls(best) && !isSameAgent(best.entry.step, probe)) return own;
  const other = best && besideAside(best, probe, judgements);
  if (other) return other;
  if (best?.relation !== "repeat") return best;
  return answerToNewest(best, probe, history, log) ?? rerunOf(best, threads, probe, history, log) ?? best;
}

/**
 * The best step may be a side request, about the history so far and in another frame. If the request leaves
 * out its reply, and its question, too, or is nearer to another frame, it continues another step, whose
 * history or reply comes back.
 */
function besideAside(best: Judgement, probe: Step, judgements: readonly Judgement[]): Judgement | undefined {
  if (!leavesReplyOut(best)) return undefined;
  const { step } = best.entry;
  const isPassedOver = leavesQuestionOut(best);
  const distance = differencesOf(step, probe).size;
  let other: Judgement | undefined;
  for (const judgement of judgements) {
    if (judgement === best || judgement.score <= (other?.score ?? 0)) continue;
    const { alignment, entry } = judgement;
    const isEchoed = alignment.echoes.length > 0;
    const isNearer = isEchoed && differencesOf(entry.step, probe).size < distance;
    if (isNearer || (isPassedOver && !leavesQuestionOut(judgement) && (isEchoed || isWhole(alignment))))
      other = judgement;
  }
  return other;
}

function leavesReplyOut({ alignment: { echoes, missing } }: Judgement): boolean {
  return (
    echoes.length === 0 && missing.some(({ part, item }) => part === "response" && item.kind !== "reasoning")
  );
}

/** The reply of a step in a frame of its own is left out, and the user's message that it answers. */
function leavesQuestionOut(judgement: Judgement): boolean {
  const { step } = judgement.entry;
  const last = (step.request?.history.length ?? 0) - 1;
  return (
    leavesReplyOut(judgement) &&
    step.parent !== undefined &&
    judgement.alignment.missing.some(
      ({ part, element, item }) => part === "request" && element === last && item.role === "user",
    ) &&
    differencesOf(step.parent, step).size > 0
  );
}

/** Everything of the history comes back. */
function isWhole({ missing }: Alignment): boolean {
  return missing.every(
    ({ item, part }) => part === "response" || item.kind === "reasoning" || item.role === "system",
  );
}

/** The steps of a thread that a request may continue, newest first. */
function* stepsToTry({ entries }: ConversationDraft, history: History): Generator<DraftEntry> {
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index] as DraftEntry;
    const age = entries.length - index;
    const own = entry.step.request?.history;
    if (age > maxRecalled) return;
    if (
      age <= maxTried ||
      (own && own.length > 0 && own.length <= history.length && commonElements(own, history) === own.length)
    )
      yield entry;
  }
}

/**
 * Without call ids, a forgetful client resends an old history as soon as the model repeats itself. It is not
 * asking for the old reply again but answering the newest one: all calls of that reply come back, and no
 * other request continues it.
 */
function answerToNewest(
  { entry: { thread, step } }: Judgement,
  probe: Step,
  history: History,
  log: KnownLog,
): Judgement | undefined {
  const newest = thread.entries.at(-1);
  if (!newest || newest.step === step || newest.step.children.length > 0) return undefined;
  if (probe.exchange.demands.pairsBy !== "order") return undefined;
  const calls = openCalls(newest.step);
  const judgement = calls.length > 0 ? judge(newest, probe, history, log) : undefined;
  const isAnswered = calls.every((call) =>
    judgement?.alignment.echoes.some(({ before }) => before.item === call.item),
  );
  return isAnswered ? judgement : undefined;
}

/**
 * If a whole run is repeated word for word, its requests continue the new run: from the newest step at the
 * position of the repeated step's parent that has no continuation yet.
 */
function rerunOf(
  { entry: { step } }: Judgement,
  threads: Iterable<ConversationDraft>,
  probe: Step,
  history: History,
  log: KnownLog,
): Judgement | undefined {
  const before = step.parent?.request?.history;
  if (!before) return undefined;
  const newer = [...threads]
    .flatMap(({ entries }) => entries.slice(-maxTried))
    .filter(({ step: other }) => {
      const own = other.request?.history;
      return (
        other !== step.parent &&
        !other.retriedBy &&
        other.children.length === 0 &&
        own?.length === before.length &&
        commonElements(before, own) === before.length
      );
    })
    .sort((a, b) => a.step.exchange.position - b.step.exchange.position);
  const last = newer.at(-1);
  const judgement = last && judge(last, probe, history, log);
  if (!judgement) return undefined;
  // The client left out or changed the same things in the first run.
  const { alignment, relation, isPerfect } = judgement;
  const isAlike = isPerfect || (relation === step.relation && alignment.kept === step.kept);
  const isAsChanged = relation !== "continuation" || alignment.changed.length <= step.changed.length;
  return isAlike && isAsChanged ? judgement : undefined;
}

/**
 * Everything of the step comes back, followed by new items. Only the prompt differs, as in clients that put
 * the time into it, or the oldest turns are missing, as in a window. An earlier step has less that could come
 * back.
 */
function containsWholeStep({ relation, alignment }: Judgement): boolean {
  const { missing, added, changed, moved, partners, echoes } = alignment;
  const isPrompt = ({ item }: Placed): boolean => item.role === "system";
  if (relation !== "continuation" || partners.size === 0 || moved.length > 0) return false;
  if (!changed.every(({ after }) => isPrompt(after))) return false;
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const [after, before] of partners) {
    last = Math.max(last, after.element);
    if (before.part === "request" && !isPrompt(before)) first = Math.min(first, before.element);
  }
  const isOldest = ({ part, element }: Placed): boolean => part === "request" && element < first;
  return (
    (missing.length === 0 || (echoes.length > 0 && missing.every(isOldest))) &&
    added.every((placed) => isPrompt(placed) || placed.element > last)
  );
}

/**
 * The step's whole history comes back, and all that is missing are its reply's calls, whose results are here.
 * An earlier step has less that could come back; a client that drops every call would have them all tried.
 */
function answersLostCalls({
  entry,
  relation,
  alignment: { kept, missing, added, changed },
}: Judgement): boolean {
  if (relation !== "continuation" || changed.length > 0) return false;
  if (kept !== entry.step.request?.history.length || missing.length === 0) return false;
  const results = added.map(({ item }) => item).filter((item) => item.kind === "result");
  return missing.every(
    ({ part, item }) =>
      part === "response" &&
      (item.kind !== "call" || results.some(({ callId }) => callId !== undefined && callId === item.id)),
  );
}

function losesNothing({ isPerfect, alignment: { missing } }: Judgement): boolean {
  return isPerfect && missing.every(({ item }) => item.kind === "reasoning");
}

function losesCalls({ alignment: { missing } }: Judgement): boolean {
  return missing.some(({ item }) => item.kind === "call" || item.kind === "result");
}

/** How well a request continues a step; `undefined` if it does not. */
function judge(entry: DraftEntry, probe: Step, history: History, log: KnownLog): Judgement | undefined {
  const before = entry.step.request?.history;
  if (!before || entry.isLinked || entry.step.exchange.protocol !== probe.exchange.protocol) return undefined;
  // After a retry, requests continue the later attempt.
  if (entry.step.retriedBy) return undefined;
  const kept = commonElements(before, history);
  if (kept === before.length && kept === history.length) {
    const relation = hasFailed(entry.step) ? "retry" : "repeat";
    // A check of the history by another model or prompt, and then the turn itself.
    if (relation === "repeat" && isAsked(entry.step, probe)) return undefined;
    // A lone prompt sent twice is two runs, unless the first attempt failed.
    const isRerun = relation === "repeat" && !hasModelSpeech(history, history.length);
    return isRerun
      ? undefined
      : { entry, alignment: noAlignment(kept), relation, score: kept + 0.75, isPerfect: true };
  }
  const alignment = align(entry.step, probe, history, kept);
  const isExtension = kept === before.length && countSpoken(before, kept) > 0;
  if (
    !isExtension &&
    !sharesSpeech(alignment) &&
    !hasModelSpeech(before, kept) &&
    !answersReply(entry.step, alignment)
  )
    return undefined;
  if (beginsElsewhere(history, alignment) && !announcesCompaction(alignment.added, log.recentReplies))
    return undefined;
  const isPerfect =
    kept === before.length && !alignment.missing.some((placed) => placed.item.kind === "call");
  // Common items decide; missing ones only break ties, since a window may drop nearly everything.
  const lost = alignment.missing.filter((placed) => placed.item.kind !== "reasoning").length;
  const score =
    kept +
    // An element counts like a kept one, regardless of its number of items.
    alignment.matchedElements -
    costOfChanges(alignment, probe, log) -
    lost * 0.001 +
    (isPerfect ? 0.25 : 0) +
    (entry === entry.thread.entries.at(-1) ? 0.2 : 0);
  const relation = relationOf(entry, probe, alignment, history, log);
  if (relation === "continuation" && areRunsApart(entry.step, probe, alignment)) return undefined;
  if (relation === "continuation" && lost > 0 && isOfOtherIds(entry.step, before, alignment))
    return undefined;
  return { entry, alignment, relation, score, isPerfect };
}

/** The same history is sent in another frame, to get another kind of reply. */
function isAsked(before: Step, after: Step): boolean {
  const differences = differencesOf(before, after);
  return differences.size > 1 && (hasOwnFrame(differences) || hasOwnFrame(differencesOf(after, before)));
}

/**
 * What changed items count against a parent. Clients clear old results and correct their own mistakes, so
 * these changes count little if the parent's calls came back; otherwise a different result suggests a fork.
 */
function costOfChanges({ changed, echoes, missing }: Alignment, { exchange }: Step, log: KnownLog): number {
  const hasCalls = echoes.length > 0 && !missing.some(({ item }) => item.kind === "call");
  return changed.reduce((sum, { before, after, what }) => {
    if (what === "reasoning") return sum;
    // Another provider wants other id forms. An id that the log knows belongs to another run's call.
    if (what === "id" && !log.findCall(exchange, callIdOf(after) ?? "")) return sum + 0.1;
    const isOlder = hasCalls && (after.item.kind === "result" || before.part === "request");
    return sum + (isOlder || isSameCall(before, after) ? 0.5 : 3);
  }, 0);
}

/** Ids are unique, so this is the same call even if its arguments changed. */
function isSameCall({ item: before }: Placed, { item: after }: Placed): boolean {
  return before.kind === "call" && after.kind === "call" && before.id !== undefined && before.id === after.id;
}

function relationOf(
  entry: DraftEntry,
  probe: Step,
  alignment: Alignment,
  history: History,
  log: KnownLog,
): Relation {
  const before = entry.step.request?.history;
  if (!before) return "continuation";
  const gone = alignment.missing.filter(
    (placed) => placed.item.kind !== "reasoning" && placed.item.role !== "system",
  );
  // The reply itself compacts the history, or a summary replaces it.
  const isPutTogether = entry.step.reply?.items.some(({ kind }) => kind === "compaction") ?? false;
  if (gone.length > 0 && (isPutTogether || announcesCompaction(alignment.added, log.recentReplies)))
    return "compaction";
  // A sub-agent, or a side request about part of the history (is the agent stuck? what is worth
  // remembering?): the client chooses how much history to pass on.
  if (gone.length > 0 && isOtherAgent(entry.step, probe)) return "branch";
  const isShorter = alignment.kept < before.length;
  const edited = alignment.changed.filter(({ after }) => after.item.role === "user").length;
  const hasLater = alignment.matched - edited > 0;
  // Everything after a point is missing and the user speaks there: an edit or a deliberate second try.
  const next = history.length > alignment.kept ? history.role(alignment.kept) : undefined;
  if (isShorter && !hasLater && (next === "user" || next === undefined)) return "branch";
  if (gone.length > 0 && turnsAside(before, history, alignment)) return "branch";
  if (
    !isShorter &&
    entry.step.children.some((child) => !hasOwnFrame(differencesOf(entry.step, child))) &&
    alignment.echoes.length === 0 &&
    gone.some((placed) => placed.part === "response")
  )
    return "branch";
  return "continuation";
}

/**
 * Under another system prompt, nothing comes back of what stands behind the last common element, nor of the
 * reply, and the user speaks there or nobody: another run that begins alike. It lost nothing.
 */
function turnsAside(before: History, history: History, { partners, echoes, kept }: Alignment): boolean {
  if (partners.size === 0 || echoes.length > 0 || kept > 0) return false;
  if (before.role(0) !== "system" || history.role(0) !== "system") return false;
  let [then, now] = [-1, -1];
  for (const [after, { part, element, item }] of partners) {
    if (part !== "request" || item.role === "system" || element <= then) continue;
    [then, now] = [element, after.element];
  }
  if (then < 0 || then >= before.length - 1) return false;
  return now + 1 >= history.length || history.role(now + 1) === "user";
}

function noAlignment(kept: number): Alignment {
  return {
    kept,
    added: [],
    missing: [],
    changed: [],
    moved: [],
    echoes: [],
    partners: new Map(),
    matched: 0,
    matchedElements: 0,
    spoken: 0,
  };
}

/** How many of the first `kept` elements are not system prompts; those alone prove nothing. */
function countSpoken(history: History, kept: number): number {
  let spoken = 0;
  for (let index = 0; index < kept; index++)
    if (history.role(index) !== "system" && history.items(index).some(isUnderstood)) spoken++;
  return spoken;
}

/** The model or a tool speaks within the common prefix. */
function hasModelSpeech(history: History, kept: number): boolean {
  for (let index = 0; index < kept; index++)
    if (isOfModel(history.role(index)) && history.items(index).some(isUnderstood)) return true;
  return false;
}

function isOfModel(role: string): boolean {
  return role === "assistant" || role === "tool";
}

/** Calls, results or model texts that both have after the common prefix. */
function sharesSpeech(alignment: Alignment): boolean {
  return alignment.echoes.length > 0 || alignment.spoken > 0;
}

/** Both share earlier text, and the request sends a result for a call of the step's reply. */
function answersReply(step: Step, alignment: Alignment): boolean {
  if (alignment.matched + alignment.kept === 0) return false;
  const calls = openCalls(step);
  return alignment.added.some(
    ({ item }) => item.kind === "result" && calls.some((call) => isCallOf(call, item)),
  );
}

/** Whether a result names a call: by id or, if one of them has none, by tool name. */
export function isCallOf(call: Placed<ToolCall>, result: ToolResult): boolean {
  if (result.callId !== undefined && call.item.id !== undefined) return result.callId === call.item.id;
  return result.name !== undefined && result.name === call.item.name;
}
