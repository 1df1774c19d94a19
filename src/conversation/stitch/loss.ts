import { isCall, isResult, type Loss, type Placed, placedItems, type Step } from "../conversation.ts";
import type { History } from "../exchange.ts";
import type { ToolCall } from "../item.ts";
import { isReminder } from "../reminder.ts";

/**
 * What missing items of the earlier history amount to. Items of the parent's reply are another matter: they were never sent, so their
 * loss has rules of its own. `undefined` when nothing that the model would miss is gone.
 */
export function lossOf(step: Step): Loss | undefined {
  if (step.relation !== "continuation") return undefined;
  const isRiddance = riddance(step);
  const items = step.missing.filter(
    (placed) => placed.part === "request" && isSubstance(placed) && !isRiddance(placed),
  );
  if (items.length === 0 || isRewording(step, items)) return undefined;
  if (isNote(step, items))
    return items.every(({ item }) => item.kind === "message" && isReminder(item.text))
      ? undefined
      : { items, extent: "note" };
  return { items, extent: extentOf(step, items) };
}

/** Only the user's own words are other words now: an edit, which is the user's to make. */
function isRewording(step: Step, items: readonly Placed[]): boolean {
  const isUsers = ({ item }: Placed): boolean => item.kind === "message" && item.role === "user";
  return items.every(isUsers) && step.added.filter(isUsers).length >= items.length;
}

/**
 * Words that stood at the end of the request for that request alone, as clients put the state of a page or of a budget there. The turn was
 * under way before them: they follow a result, or the words with which it begins.
 */
function isNote(step: Step, items: readonly Placed[]): boolean {
  const history = step.parent?.request?.history;
  const from = items[0]?.element ?? 0;
  if (!history || from === 0 || !items.every(({ item }) => item.kind === "message" && item.role === "user"))
    return false;
  const gone = new Set(items.map(({ element }) => element));
  for (let element = from; element < history.length; element++) if (!gone.has(element)) return false;
  // Some protocols put results and words into one element.
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
 * What is no loss: a second result for a call that keeps one, a result that answered nothing, and a call whose result is sent without it,
 * which has a rule of its own.
 */
function riddance({ parent, pairing, request }: Step): (placed: Placed) => boolean {
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
    // The same result under another id: one of the two ids is wrong, which is told where it is.
    if (callId !== undefined && pairing.mismatches.some(({ call }) => call.item.id === callId)) return true;
    const stray = strayOf(placed);
    if (stray?.isOrphan && !stray.call) return true;
    const meant = (stray?.isOrphan ? undefined : stray?.call?.item.id) ?? callId;
    if (meant !== undefined) return isAnswered(meant);
    const { duplicates = [], misnamed = [] } = parent?.pairing ?? {};
    return (
      duplicates.some(({ first, second }) => first.item === placed.item || second.item === placed.item) ||
      misnamed.some(({ result }) => result.item === placed.item)
    );
  };
}

/** What was found of a result that met no open call under its id where it was first sent. */
interface UnmatchedFact {
  /** It answers no call of that request. */
  readonly isOrphan: boolean;
  /** The call that it means: there under another id or, for an orphan, elsewhere in the log. */
  readonly call: Placed<ToolCall> | undefined;
}

function strayOf({ item, step: from }: Placed): UnmatchedFact | undefined {
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
    (placed) => isCall(placed) || isResult(placed) || standsBesideCall(placed, items),
  );
  const isPaired = arePaired(items) || arePairedByOrder(step, items);
  if (!isCurrent && isPaired && isOnlyTools) return "pruned";
  // Cut off at the front, at a turn's beginning, everything after it kept: a window, even inside one long turn.
  const first = firstSpokenElement(parent);
  const cut = Math.max(...items.map((placed) => placed.element));
  const history = parent?.request?.history;
  const next = history && cut + 1 < history.length ? history.role(cut + 1) : undefined;
  const isFrontCut =
    isPaired &&
    items.every((placed) => placed.element >= first && placed.element <= cut) &&
    coversFront(parent, items, first, cut) &&
    next === "user";
  // Who only forgot keeps nothing but the newest turn; a window keeps as many of the older ones as fit.
  if (isFrontCut && keepsOlderTurn(step)) return "window";
  return isFrontCut || (!isCurrent && isPaired) ? "older-turns" : "current-turn";
}

/** A turn before the newest one is still there, from the user's words to the model's. */
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

/** Words with which the model made one of the calls that are gone: they belong to the call's round. */
function standsBesideCall(words: Placed, items: readonly Placed[]): boolean {
  const history = words.step.request?.history;
  if (!history || words.item.kind !== "message" || words.item.role !== "assistant") return false;
  let end = words.element;
  while (end + 1 < history.length && history.role(end + 1) === "assistant") end++;
  return items.some((placed) => isCall(placed) && placed.element >= words.element && placed.element <= end);
}

/** The element in the parent's history that holds the last user message which this request still has; `undefined` when that message is new. */
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

/** Calls and results are gone together or not at all. A result that had another id, or no call, was so where it was first sent. */
function arePaired(items: readonly Placed[]): boolean {
  const calls = items.filter(isCall).map((placed) => placed.item.id ?? placed.item.name);
  const results = items.filter(isResult).flatMap((placed) => {
    const stray = strayOf(placed);
    if (stray?.isOrphan) return [];
    return stray?.call?.item.id ?? placed.item.callId ?? placed.item.name ?? "";
  });
  return (
    calls.length === results.length && (calls.every((id) => results.includes(id)) || results.includes(""))
  );
}

/**
 * Without ids, a result that says what an older one said is taken for that one, so that the older one does not seem to be gone with its
 * call. Calls and results were cut in pairs all the same when none is left alone in what remains.
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
