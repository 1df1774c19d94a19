import { largest } from "../../reading/lists.ts";
import { isCall, isResult, type Loss, type Placed, placedItems, type Step } from "../conversation.ts";
import type { History } from "../exchange.ts";
import type { ToolCall } from "../item.ts";
import { isReminder } from "../reminder.ts";

/**
 * Classifies missing items of the earlier history. Missing items of the parent's reply were never sent; other
 * rules handle them. `undefined` when the model misses nothing.
 */
export function lossOf(step: Step): Loss | undefined {
  if (step.relation !== "continuation") return undefined;
  const isHarmlessRemoval = harmlessRemovals(step);
  const items = step.missing.filter(
    (placed) => placed.part === "request" && isSubstance(placed) && !isHarmlessRemoval(placed),
  );
  if (items.length === 0 || isRewording(step, items) || isRetraction(step, items)) return undefined;
  if (isNote(step, items))
    return items.every(({ item }) => item.kind === "message" && isReminder(item.text))
      ? undefined
      : { items, extent: "note" };
  const trim = trimOf(step, items);
  return { items, extent: extentOf(step, items), ...(trim && { trim }) };
}

/** From here on what is kept is a history, and not only what was sent last. */
const minKept = 3;

/** Set if the beginning of the history is gone and all that stood behind it is kept. */
function trimOf({ parent, request }: Step, items: readonly Placed[]): Loss["trim"] {
  const history = parent?.request?.history;
  if (!history || !request) return undefined;
  const cut = largest(items.map((placed) => placed.element));
  const first = firstSpokenElement(parent);
  // Some clients keep the task and cut behind it.
  const isCutAt = (start: number): boolean =>
    cut > start && items.every(({ element }) => element >= start) && coversFront(parent, items, start, cut);
  const isTrim = isCutAt(first) || (history.role(first) === "user" && isCutAt(first + 1));
  return isTrim && history.length - cut > minKept
    ? { from: history.length, to: request.history.length }
    : undefined;
}

/** Only user messages changed: an edit, which is the user's right. */
function isRewording(step: Step, items: readonly Placed[]): boolean {
  const isUsers = ({ item }: Placed): boolean => item.kind === "message" && item.role === "user";
  return items.every(isUsers) && step.added.filter(isUsers).length >= items.length;
}

/**
 * An attempt that brought no call, and the message that complains of it: once the next attempt came back, an
 * agent may leave out both. What people say in between is a turn.
 */
function isRetraction({ parent, echoes }: Step, items: readonly Placed[]): boolean {
  const history = parent?.request?.history;
  const [attempt, complaint, ...others] = items;
  if (!history || !attempt || !complaint || others.length > 0 || echoes.length === 0) return false;
  const end = history.length - 1;
  return (
    attempt.element === end - 1 &&
    complaint.element === end &&
    history.role(end - 1) === "assistant" &&
    history.role(end) === "user" &&
    items.every(({ item }) => item.kind === "message") &&
    complaint.item.kind === "message" &&
    /\b(?:tools?|functions?|actions?|format)\b/i.test(complaint.item.text)
  );
}

/**
 * Text at the end of one request only, where clients put the state of a page or a budget. The turn was
 * already under way: the text follows a result, or the message that begins the turn.
 */
function isNote(step: Step, items: readonly Placed[]): boolean {
  const history = step.parent?.request?.history;
  const from = items[0]?.element ?? 0;
  if (!history || from === 0 || !items.every(({ item }) => item.kind === "message" && item.role === "user"))
    return false;
  const gone = new Set(items.map(({ element }) => element));
  for (let element = from; element < history.length; element++) if (!gone.has(element)) return false;
  // Some protocols put results and text into one element.
  const beside = history.items(from).filter((item) => items.every((placed) => placed.item !== item));
  const before = beside.length > 0 ? beside : history.items(from - 1);
  return (
    before.length > 0 &&
    before.every(({ kind, role }) => kind === "result" || (kind === "message" && role === "user"))
  );
}

function isSubstance({ item }: Placed): boolean {
  if (item.kind === "message") return item.role !== "system" && (item.text.trim() !== "" || item.hasMedia);
  return (item.kind === "call" || item.kind === "result") && !item.isHosted;
}

/**
 * Removals that lose nothing: a second result for an answered call, a result that answered nothing, and a
 * call whose result is sent without it, which has its own rule.
 */
function harmlessRemovals({ parent, pairing, request }: Step): (placed: Placed) => boolean {
  let answered: ReadonlySet<string> | undefined;
  const isAnswered = (id: string): boolean => {
    answered ??= answeredIds(request?.history);
    return answered.has(id);
  };
  return (placed) => {
    if (isCall(placed)) {
      const { id } = placed.item;
      return id !== undefined && pairing.orphans.some(({ lostCall }) => lostCall?.item.id === id);
    }
    if (!isResult(placed)) return false;
    const { callId } = placed.item;
    // The same result under another id: one of the ids is wrong, and another rule reports it.
    if (callId !== undefined && pairing.mismatches.some(({ call }) => call.item.id === callId)) return true;
    const fact = unmatchedFactOf(placed);
    if (fact?.isOrphan && !fact.call) return true;
    const meant = (fact?.isOrphan ? undefined : fact?.call?.item.id) ?? callId;
    if (meant !== undefined) return isAnswered(meant);
    const { duplicates = [], misnamed = [] } = parent?.pairing ?? {};
    return (
      duplicates.some(({ first, second }) => first.item === placed.item || second.item === placed.item) ||
      misnamed.some(({ result }) => result.item === placed.item)
    );
  };
}

/** What pairing found for a result that met no open call under its id where it was first sent. */
interface UnmatchedFact {
  /** It answers no call of that request. */
  readonly isOrphan: boolean;
  /** Its call: in that request under another id or, for an orphan, elsewhere in the log. */
  readonly call: Placed<ToolCall> | undefined;
}

function unmatchedFactOf({ item, step: from }: Placed): UnmatchedFact | undefined {
  for (let step: Step | undefined = from; step; step = step.parent) {
    const { mismatches, orphans } = step.pairing;
    const mismatch = mismatches.find(({ result }) => result.item === item);
    if (mismatch) return { isOrphan: false, call: mismatch.call };
    const orphan = orphans.find(({ result }) => result.item === item);
    if (orphan) return { isOrphan: true, call: orphan.lostCall };
    if (step.added.some((placed) => placed.item === item)) return undefined;
  }
  return undefined;
}

function answeredIds(history: History | undefined): Set<string> {
  const ids = new Set<string>();
  for (let element = 0; history && element < history.length; element++) {
    for (const item of history.items(element))
      if (item.kind === "result" && item.callId !== undefined) ids.add(item.callId);
  }
  return ids;
}

function extentOf(step: Step, items: readonly Placed[]): Loss["extent"] {
  const parent = step.parent;
  const lastUser = lastUserElement(step, items);
  const isCurrent = lastUser === undefined || items.some((placed) => placed.element > lastUser);
  const isOnlyTools = items.every(
    (placed) => isCall(placed) || isResult(placed) || accompaniesCall(placed, items),
  );
  const isPaired = arePaired(items) || arePairedByOrder(step, items);
  if (!isCurrent && isPaired && isOnlyTools) return "pruned";
  // Cut at the front, at the start of a turn, with the rest intact: a window, even inside one long turn.
  const first = firstSpokenElement(parent);
  const cut = largest(items.map((placed) => placed.element));
  const history = parent?.request?.history;
  const next = history && cut + 1 < history.length ? history.role(cut + 1) : undefined;
  const isFrontCut =
    isPaired &&
    items.every((placed) => placed.element >= first && placed.element <= cut) &&
    coversFront(parent, items, first, cut) &&
    next === "user";
  // A forgetful client keeps only the newest turn; a window keeps as many older ones as fit.
  if (isFrontCut && keepsOlderTurn(step)) return "window";
  return isFrontCut || (!isCurrent && isPaired) ? "older-turns" : "current-turn";
}

/** At least one older turn is still there, from user message to reply. */
function keepsOlderTurn(step: Step): boolean {
  let isAsked = false;
  let isAnswered = false;
  for (const { item } of placedItems(step)) {
    if (item.kind !== "message" || item.text.trim() === "" || item.role === "system") continue;
    if (item.role === "assistant") isAnswered = isAsked;
    else if (isAnswered) return true;
    else isAsked = true;
  }
  return false;
}

/** Text with which the model made one of the missing calls; it belongs to that round. */
function accompaniesCall(words: Placed, items: readonly Placed[]): boolean {
  const history = words.step.request?.history;
  if (!history || words.item.kind !== "message" || words.item.role !== "assistant") return false;
  let end = words.element;
  while (end + 1 < history.length && history.role(end + 1) === "assistant") end++;
  return items.some((placed) => isCall(placed) && placed.element >= words.element && placed.element <= end);
}

/** The parent's element with the last user message still in this request; `undefined` if that is new. */
function lastUserElement(step: Step, gone: readonly Placed[]): number | undefined {
  const hasNewUser = step.added.some(
    ({ item }) => item.kind === "message" && item.role === "user" && item.text.trim() !== "",
  );
  if (hasNewUser) return Number.POSITIVE_INFINITY;
  let last: number | undefined;
  const lost = new Set(gone.map(({ item }) => item));
  for (const placed of step.parent ? placedItems(step.parent) : []) {
    const { item } = placed;
    if (item.kind === "message" && item.role === "user" && item.text.trim() !== "" && !lost.has(item))
      last = placed.element;
  }
  return last;
}

/** Whether calls and results are missing in pairs. A result with a wrong id or no call never had a pair. */
function arePaired(items: readonly Placed[]): boolean {
  const calls = items.filter(isCall).map((placed) => placed.item.id ?? placed.item.name);
  const results = items.filter(isResult).flatMap((placed) => {
    const fact = unmatchedFactOf(placed);
    if (fact?.isOrphan) return [];
    return fact?.call?.item.id ?? placed.item.callId ?? placed.item.name ?? "";
  });
  return (
    calls.length === results.length && (calls.every((id) => results.includes(id)) || results.includes(""))
  );
}

/**
 * Without ids, a result with the text of an older one takes its place, so the older one does not seem to be
 * missing with its call. If none of the rest is unpaired, calls and results were still cut in pairs.
 */
function arePairedByOrder({ pairing }: Step, items: readonly Placed[]): boolean {
  const calls = items.filter(isCall);
  return (
    calls.length > 0 &&
    calls.every(({ item }) => item.id === undefined) &&
    pairing.orphans.length === 0 &&
    pairing.unanswered.length === 0
  );
}

function firstSpokenElement(step: Step | undefined): number {
  const history = step?.request?.history;
  for (let index = 0; history && index < history.length; index++)
    if (history.role(index) !== "system") return index;
  return 0;
}

function coversFront(step: Step | undefined, items: readonly Placed[], first: number, cut: number): boolean {
  const gone = new Set(items.map((placed) => placed.element));
  const history = step?.request?.history;
  for (let index = first; history && index <= cut; index++) {
    if (
      !gone.has(index) &&
      history
        .items(index)
        .some(
          (item) =>
            item.kind === "call" ||
            item.kind === "result" ||
            (item.kind === "message" && item.text.trim() !== ""),
        )
    )
      return false;
  }
  return true;
}
