import { groupBy } from "../../reading/group-by.ts";
import { append } from "../../reading/lists.ts";
import {
  isCall,
  isResult,
  type Orphan,
  type Pairing,
  type Placed,
  placedItems,
  type Step,
} from "../conversation.ts";
import { contentOf } from "../identity.ts";
import type { Item, ToolCall, ToolResult } from "../item.ts";
import { likeliestCall, type MismatchReason, nearId, spellingOf } from "./near-ids.ts";
import type { Open, OpenCalls } from "./open-calls.ts";

/** Results that met no open call during the walk along a history. */
export interface UnmatchedResults {
  readonly step: Step;
  readonly results: readonly Placed<ToolResult>[];
  /** Those inside the prefix shared with the parent's history. */
  readonly earlier: ReadonlySet<Placed<ToolResult>>;
  /** The calls open at the end of the walk; classifying a result removes its call. */
  readonly open: OpenCalls;
  /** Finds a call in the rest of the log. Without it, a result that no later call claims is an orphan. */
  readonly findCall: ((result: Placed<ToolResult>) => Placed<ToolCall> | undefined) | undefined;
}

/** The lists of a {@link Pairing} that an unmatched result may end up in. */
export type ClassifiedResults = {
  -readonly [K in "pairs" | "misplaced" | "mismatches" | "duplicates" | "orphans"]: Pairing[K];
};

/** Classifies unmatched results: the call comes later, has another id, is already answered, or is missing. */
export function classifyUnmatched(
  { step, results, earlier, open, findCall }: UnmatchedResults,
  draft: ClassifiedResults,
): void {
  const rest: Placed<ToolResult>[] = [];
  for (const result of results) {
    const { callId } = result.item;
    const [later] = callId === undefined ? nextCall(step, result, open) : open.withId(callId);
    if (!later) {
      if (!earlier.has(result)) rest.push(result);
      continue;
    }
    open.delete(later);
    // They already met in the shared prefix.
    if (earlier.has(result) && later.call.step !== step) continue;
    draft.pairs = append(draft.pairs, { call: later.call, result });
    if (step.exchange.demands.adjacency !== "anywhere" || step.exchange.demands.refusesOrphans)
      draft.misplaced = append(draft.misplaced, {
        call: later.call,
        result,
        how: "before-call",
        between: undefined,
      });
  }
  if (rest.length === 0) return;
  if (!findCall) {
    for (const result of rest)
      draft.orphans = append(draft.orphans, {
        result,
        answeredBefore: undefined,
        lostCall: undefined,
        isAtCut: false,
      });
    return;
  }
  const surroundings = surroundingsOf(step, rest, draft.pairs);
  /** Results matched to a call under another id. */
  const settled = new Set<Placed>();
  const name = (result: Placed<ToolResult>, { entry, how }: { entry: Open; how: MismatchReason }): void => {
    open.delete(entry);
    settled.add(result);
    draft.mismatches = append(draft.mismatches, { call: entry.call, result, how });
  };
  for (const result of rest) {
    const inOrder = step.isPartial ? undefined : namelessInOrder(result, rest, settled, open);
    const twin = inOrder ? undefined : surroundings.twins.get(result);
    const meant = inOrder || twin || step.isPartial ? undefined : onlyMatchingCall(result, rest, open.list);
    if (inOrder) name(result, { entry: inOrder, how: "missing-id" });
    else if (twin) draft.duplicates = append(draft.duplicates, twin);
    else if (meant) name(result, meant);
    else draft.orphans = append(draft.orphans, orphanOf(result, surroundings, findCall));
  }
}

/** Pairing by order: the unanswered call that the next turn makes. */
function nextCall(step: Step, result: Placed<ToolResult>, open: OpenCalls): Open[] {
  const history = step.request?.history;
  const { name } = result.item;
  if (step.exchange.demands.pairsBy !== "order" || !history || name === undefined) return [];
  let next = result.element + 1;
  while (next < history.length && history.items(next).every(({ kind }) => kind === "result")) next++;
  if (next === history.length || history.items(next).every(({ kind }) => kind !== "call")) return [];
  return open.list.filter(
    ({ call }) => call.element === next && call.item.id === undefined && call.item.name === name,
  );
}

/** The only open call an unmatched result can belong to: a similar id, or both alone in their round. */
function onlyMatchingCall(
  result: Placed<ToolResult>,
  unmatched: readonly Placed<ToolResult>[],
  open: readonly Open[],
): { entry: Open; how: MismatchReason } | undefined {
  const candidates = open.filter((entry) => entry.call.element <= result.element);
  const { callId } = result.item;
  if (callId !== undefined) {
    const spelling = spellingOf(callId);
    for (const entry of candidates) {
      const how = nearId(entry.call.item, spelling);
      if (how && how !== "missing-id") return { entry, how };
    }
  }
  const likeliest = likeliestCall(candidates, callId);
  if (likeliest) return { entry: likeliest, how: "other" };
  const newest = candidates.at(-1);
  if (!newest) return undefined;
  const round = candidates.filter((entry) => entry.turn === newest.turn);
  const isKnownName = result.item.name === undefined || result.item.name === newest.call.item.name;
  if (round.length !== 1 || !isKnownName) return undefined;
  const rivals = unmatched.filter((other) => roundOf(other, open) === newest.turn);
  if (rivals.length !== 1) return undefined;
  return {
    entry: newest,
    how: (callId === undefined ? "missing-id" : nearId(newest.call.item, spellingOf(callId))) ?? "other",
  };
}

/** A round whose results all lost their ids still has one result per call, in order. */
function namelessInOrder(
  result: Placed<ToolResult>,
  unmatched: readonly Placed<ToolResult>[],
  settled: ReadonlySet<Placed>,
  open: OpenCalls,
): Open | undefined {
  if (result.item.callId !== undefined || open.size <= 1) return undefined;
  const { list } = open;
  const turn = roundOf(result, list);
  const round = list.filter((entry) => entry.turn === turn && entry.call.element <= result.element);
  if (round.length <= 1) return undefined;
  const rivals = unmatched.filter((other) => !settled.has(other) && roundOf(other, list) === turn);
  return rivals.length === round.length && rivals.every(({ item }) => item.callId === undefined)
    ? round[0]
    : undefined;
}

function roundOf(result: Placed, open: readonly Open[]): number {
  return open.findLast((entry) => entry.call.element <= result.element)?.turn ?? -1;
}

/** What precedes each unmatched result, collected in one walk regardless of their number. */
interface Surroundings {
  /** The earlier result, in the same run of results, for the same call. */
  readonly twins: ReadonlyMap<Placed, Pairing["duplicates"][number]>;
  /** The first result for each call. */
  readonly firstResults: ReadonlyMap<string, Placed<ToolResult>>;
  /** The first element that may begin a history. */
  readonly firstSpoken: number;
}

function surroundingsOf(
  step: Step,
  unmatched: readonly Placed<ToolResult>[],
  pairs: Pairing["pairs"],
): Surroundings {
  const twins = new Map<Placed, Pairing["duplicates"][number]>();
  const firstResults = new Map<string, Placed<ToolResult>>();
  let firstSpoken = Number.POSITIVE_INFINITY;
  const waiting = groupBy<Item, Placed<ToolResult>>(unmatched, ({ item }) => item);
  const calls = new Map<string, Placed<ToolCall>>();
  const results = new Map<string, { readonly placed: Placed<ToolResult>; readonly run: number }>();
  const answered = new Map(pairs.map(({ call, result }) => [result.item, call]));
  let run = 0;
  /** Results without ids since the model's last message, and the newest calls of its last turn. */
  const nameless = new Map<string, Placed<ToolResult>>();
  const newest = new Map<string | undefined, Placed<ToolCall>>();
  let isSpeaking = false;
  for (const placed of placedItems(step)) {
    const { item, element } = placed;
    const second = waiting.get(item)?.find((other) => other.element === element);
    const id = second?.item.callId;
    const first = id === undefined ? undefined : results.get(id);
    // A call stored by the server has no element.
    const call = id === undefined ? undefined : (calls.get(id) ?? (first && answered.get(first.placed.item)));
    if (second && call && first?.run === run && !twins.has(second))
      twins.set(second, { call, first: first.placed, second });
    // Without ids, a result that repeats the text of an earlier one is its duplicate.
    if (second && id === undefined) {
      const same = nameless.get(contentOf(second.item));
      const asked = same && (answered.get(same.item) ?? newest.get(same.item.name));
      if (same && asked) twins.set(second, { call: asked, first: same, second });
    }
    if (item.role === "assistant") {
      run++;
      nameless.clear();
      if (!isSpeaking) newest.clear();
    }
    isSpeaking = item.role === "assistant";
    if (isResult(placed) && placed.item.callId === undefined) nameless.set(contentOf(item), placed);
    if (isCall(placed)) {
      if (placed.item.id !== undefined) calls.set(placed.item.id, placed);
      newest.set(placed.item.name, placed).set(undefined, placed);
    }
    if (isResult(placed) && placed.item.callId !== undefined) {
      results.set(placed.item.callId, { placed, run });
      if (!firstResults.has(placed.item.callId)) firstResults.set(placed.item.callId, placed);
    }
    // A session begins with the user. If the model speaks first, the beginning is lost, and with it calls
    // that were made next to these.
    const begins = step.exchange.lineage
      ? item.kind === "message" && item.role === "user"
      : item.role !== "system" && !isResult(placed);
    if (begins) firstSpoken = Math.min(firstSpoken, element);
  }
  return { twins, firstResults, firstSpoken };
}

function orphanOf(
  result: Placed<ToolResult>,
  { firstResults, firstSpoken }: Surroundings,
  findCall: (result: Placed<ToolResult>) => Placed<ToolCall> | undefined,
): Orphan {
  const { callId } = result.item;
  const first = callId === undefined ? undefined : firstResults.get(callId);
  const answeredBefore = first && first.element < result.element ? first : undefined;
  return {
    result,
    answeredBefore,
    lostCall: answeredBefore ? undefined : findCall(result),
    isAtCut: firstSpoken >= result.element,
  };
}
