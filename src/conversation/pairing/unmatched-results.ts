import { groupBy } from "../../reading/group-by.ts";
import { append } from "../../reading/lists.ts";
import { isMaskedId } from "../../traffic/vocabulary.ts";
import {
  isCall,
  isResult,
  mayLackBehind,
  type Orphan,
  type Pairing,
  type Placed,
  placedItems,
  type Step,
} from "../conversation.ts";
import { contentOf } from "../identity.ts";
import type { Item, ToolCall, ToolResult } from "../item.ts";
import { CandidateCalls, type MeantCall } from "./candidate-calls.ts";
import type { Open, OpenCalls } from "./open-calls.ts";
import { idsOfUnknown } from "./unknown-items.ts";

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
  /** Finds the result for the same call that the server already has, where it keeps the history. */
  readonly findHeld: ((result: Placed<ToolResult>) => Placed<ToolResult> | undefined) | undefined;
}

/** The lists of a {@link Pairing} that an unmatched result may end up in. */
export type ClassifiedResults = {
  -readonly [K in "pairs" | "misplaced" | "mismatches" | "duplicates" | "orphans"]: Pairing[K];
} & { isBounded?: boolean };

/** Classifies unmatched results: the call comes later, has another id, is already answered, or is missing. */
export function classifyUnmatched(
  { step, results, earlier, open, findCall, findHeld }: UnmatchedResults,
  draft: ClassifiedResults,
): void {
  const rest: Placed<ToolResult>[] = [];
  const nextCall = nextCalls(step, open);
  for (const result of results) {
    const { callId } = result.item;
    const later = callId === undefined ? nextCall(result) : open.firstWithId(callId);
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
  const candidates = new CandidateCalls(open, rest);
  const meant = mayLackBehind(step, -1)
    ? new Map<Placed, MeantCall>()
    : meantCalls(rest, surroundings, candidates);
  for (const result of rest) {
    const match = meant.get(result);
    const twin = surroundings.twins.get(result);
    const held = match || twin ? undefined : findHeld?.(result);
    // Sent again with the same text, it is not a second answer.
    if (held && contentOf(held.item) === contentOf(result.item)) continue;
    if (match && isMasked(match.entry.call, result))
      draft.pairs = append(draft.pairs, { call: match.entry.call, result });
    else if (match)
      draft.mismatches = append(draft.mismatches, { call: match.entry.call, result, how: match.how });
    else if (twin) draft.duplicates = append(draft.duplicates, twin);
    else if (held)
      draft.orphans = append(draft.orphans, {
        result,
        answeredBefore: held,
        lostCall: undefined,
        isAtCut: false,
      });
    else if (!surroundings.namedByUnknown.has(result.item.callId ?? ""))
      draft.orphans = append(draft.orphans, orphanOf(result, surroundings, findCall));
  }
  if (candidates.isExhausted) draft.isBounded = true;
}

/** A masked id does not say that the two differ. */
function isMasked(
  { item: { id = "" } }: Placed<ToolCall>,
  { item: { callId = "" } }: Placed<ToolResult>,
): boolean {
  return isMaskedId(id) || isMaskedId(callId);
}

/** The calls that results mean under another id. Results with ids choose first, the rest go by order. */
function meantCalls(
  results: readonly Placed<ToolResult>[],
  { twins }: Surroundings,
  candidates: CandidateCalls,
): ReadonlyMap<Placed, MeantCall> {
  const meant = new Map<Placed, MeantCall>();
  const settled = new Set<Placed>();
  const settle = (result: Placed<ToolResult>, match: MeantCall): void => {
    candidates.close(match.entry);
    settled.add(result);
    meant.set(result, match);
  };
  const [named, nameless] = [true, false].map((isNamed) =>
    results.filter(({ item }) => (item.callId !== undefined) === isNamed),
  ) as [Placed<ToolResult>[], Placed<ToolResult>[]];
  for (const result of [...named, ...nameless]) {
    if (settled.has(result)) continue;
    if (result.item.callId === undefined)
      for (const { entry, result: other } of candidates.roundInOrder(result, settled))
        settle(other, { entry, how: "missing-id" });
    const match = settled.has(result) || twins.has(result) ? undefined : candidates.onlyCallFor(result);
    if (match) settle(result, match);
  }
  return meant;
}

/** Pairing by order: finds the unanswered call, to the tool of a result, that the next turn makes. */
function nextCalls(step: Step, open: OpenCalls): (result: Placed<ToolResult>) => Open | undefined {
  const history = step.request?.history;
  if (step.exchange.demands.pairsBy !== "order" || !history) return () => undefined;
  /** For each element asked about, the next one that makes calls. */
  const turns = new Map<number, number | undefined>();
  const turnAfter = (element: number): number | undefined => {
    let next = element + 1;
    while (next < history.length && !turns.has(next) && history.items(next).every(isOfResult)) next++;
    const isTurn = next < history.length && history.items(next).some(({ kind }) => kind === "call");
    const turn = turns.has(next) ? turns.get(next) : isTurn ? next : undefined;
    // The results on the way have the same next turn.
    for (let passed = element; passed < next; passed++) turns.set(passed, turn);
    return turn;
  };
  let waiting: ReadonlyMap<string, Open[]> | undefined;
  return ({ element, item: { name } }) => {
    if (name === undefined) return undefined;
    const next = turns.has(element) ? turns.get(element) : turnAfter(element);
    if (next === undefined) return undefined;
    // The first of a list is its last, so that closed ones are passed once.
    waiting ??= groupBy(
      open.list.filter(({ call }) => call.item.id === undefined).reverse(),
      ({ call }) => `${call.element} ${call.item.name}`,
    );
    const calls = waiting.get(`${next} ${name}`);
    while (calls && calls.length > 0 && !open.has(calls.at(-1) as Open)) calls.pop();
    return calls?.at(-1);
  };
}

function isOfResult({ kind }: Item): boolean {
  return kind === "result";
}

/** What precedes each unmatched result, collected in one walk regardless of their number. */
interface Surroundings {
  /** The earlier result, in the same run of results, for the same call. */
  readonly twins: ReadonlyMap<Placed, Pairing["duplicates"][number]>;
  /** The first result for each call. */
  readonly firstResults: ReadonlyMap<string, Placed<ToolResult>>;
  /** The ids that items of unknown kinds name: one of them may be the call. */
  readonly namedByUnknown: ReadonlySet<string>;
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
  const namedByUnknown = new Set<string>();
  let firstSpoken = Number.POSITIVE_INFINITY;
  /** By item and element: an item may stand in a history more than once. */
  const waiting = new Map<Item, Map<number, Placed<ToolResult>>>();
  for (const result of unmatched) {
    const places = waiting.get(result.item) ?? new Map<number, Placed<ToolResult>>();
    if (!places.has(result.element)) places.set(result.element, result);
    waiting.set(result.item, places);
  }
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
    for (const id of idsOfUnknown(placed)) namedByUnknown.add(id);
    const second = waiting.get(item)?.get(element);
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
  return { twins, firstResults, namedByUnknown, firstSpoken };
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
