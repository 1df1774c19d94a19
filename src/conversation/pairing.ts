import {
  isCall,
  isResult,
  type Orphan,
  type Pairing,
  type Placed,
  placedItems,
  replyItems,
  type Step,
} from "./conversation.ts";
import { contentOf } from "./identity.ts";
import type { Item, ToolCall, ToolResult } from "./item.ts";
import { type Open, OpenCalls, openAfter } from "./open-calls.ts";

/**
 * How calls and results meet: an ordered walk in which a call opens an id and a result closes the open call. Ids may be used again
 * in a later round, so a set of ids would be wrong. The walk goes on where the parent's walk stood, so that a history is not walked
 * again in every request.
 */

/** The state of the walk before an element. */
interface State {
  readonly open: readonly Open[];
  readonly turn: number;
  /** Results that met no open call: their call may come later. */
  readonly strays: readonly Placed<ToolResult>[];
}

/** How many changes there were before an element, the turn, and the results that had met no call. */
interface Mark extends Pick<State, "turn" | "strays"> {
  readonly changes: number;
}

/** What a later step needs of a walk: the state before each element from `from` on, and the parent's walk for what is before. */
export interface Walk {
  readonly from: number;
  readonly start: State;
  /** What opened and closed behind the start. */
  readonly changes: readonly Open[];
  /** By element: what there was before it. Empty in a transcript, which always goes on from an end. */
  readonly marks: readonly Mark[];
  readonly end: State;
  readonly parent: Walk | undefined;
}

/** A session that keeps no results leaves every call open, a client that drops all calls leaves every result alone: only so many are remembered. */
const mostOpen = 64;

const none: readonly never[] = Object.freeze([]);
const nobody: ReadonlySet<Placed<ToolResult>> = new Set();

const emptyState: State = { open: [], turn: 0, strays: [] };

function stateBefore(walk: Walk | undefined, element: number): State {
  for (let current = walk; current; current = current.parent) {
    if (element < current.from) continue;
    const mark = current.marks[element - current.from];
    return mark
      ? {
          open: openAfter(current.start.open, current.changes, mark.changes),
          turn: mark.turn,
          strays: mark.strays,
        }
      : current.end;
  }
  return emptyState;
}

/** The mutable lists of a {@link Pairing}. */
type Draft = { -readonly [K in keyof Pairing]: Pairing[K][number][] };

/**
 * Pairs the calls and results of a step's request. `inherited` are calls that the server holds open from the parent's reply;
 * `findCall` looks for a call in the rest of the log. Results that meet no call are looked into as `searches` says: for every step of a
 * session it would cost the square of its length.
 */
export function pair(
  step: Step,
  parent: { readonly walk: Walk; readonly kept: number } | undefined,
  inherited: readonly Placed<ToolCall>[],
  findCall: (result: Placed<ToolResult>) => Placed<ToolCall> | undefined,
  searches = !step.exchange.told,
): { pairing: Pairing; walk: Walk } {
  const history = step.request?.history;
  const demands = step.exchange.demands;
  const draft: Draft = {
    pairs: [],
    orphans: [],
    unanswered: [],
    mismatches: [],
    duplicates: [],
    misplaced: [],
    sharedIds: [],
    misnamed: [],
  };
  const from = parent?.kept ?? 0;
  const start = parent ? stateBefore(parent.walk, from) : emptyState;
  const marks: Mark[] = [];

  const begun: State =
    inherited.length > 0
      ? { ...start, open: [...start.open, ...inherited.map((call) => ({ call, turn: start.turn }))] }
      : start;
  const open = new OpenCalls(begun.open);
  /** The calls of this turn, open or not. */
  let ofTurn = begun.open.filter((entry) => entry.turn === begun.turn);
  let turn = start.turn;
  /** The next item of the model begins a new turn: something was said to it since its last one. */
  let isTurnOver = from > 0 && history !== undefined && history.role(from - 1) !== "assistant";
  /** What stands between the newest calls and here, where results ought to stand. */
  let between: Placed | undefined;
  /** The element that holds the first result of this turn. */
  let answering: number | undefined;
  // What stands in the beginning that both share was told there, unless its call comes only now.
  const earlier =
    start.strays.length === 0 ? nobody : new Set(start.strays.map((result) => ({ ...result, step })));
  const found: Placed<ToolResult>[] = [...earlier];
  let strays: readonly Placed<ToolResult>[] = start.strays.length === 0 ? none : found.slice();

  const close = (entry: Open, result: Placed<ToolResult>): void => {
    open.delete(entry);
    draft.pairs.push({ call: entry.call, result });
    const { call } = entry;
    if (result.item.name !== undefined && call.item.name !== "" && result.item.name !== call.item.name)
      draft.misnamed.push({ call, result, what: "name" });
    if (!isKindOf(call.item, result.item)) draft.misnamed.push({ call, result, what: "kind" });
    const how = placing(entry, result);
    if (how) draft.misplaced.push({ call, result, how, between: how === "split" ? undefined : between });
    answering ??= result.element;
  };

  /** What is wrong with the place of a result, for this protocol. */
  const placing = (
    entry: Open,
    result: Placed<ToolResult>,
  ): Pairing["misplaced"][number]["how"] | undefined => {
    const { adjacency, mergesRoles, resultsFirst } = demands;
    if (entry.call.item.isHosted || adjacency === "anywhere" || entry.call.part === "response")
      return undefined;
    if (entry.turn < turn) return "not-adjacent";
    // Words of the same turn that came before the call do not part it from its result.
    if (between && between.element <= entry.call.element) return undefined;
    if (adjacency === "following-run") return between ? "not-adjacent" : undefined;
    if (between?.element === result.element) return resultsFirst ? "not-first" : undefined;
    if (between && between.item.role !== "assistant") {
      if (!mergesRoles) return "not-adjacent";
      return resultsFirst ? "not-first" : undefined;
    }
    return !mergesRoles && answering !== undefined && answering !== result.element ? "split" : undefined;
  };

  const answer = (result: Placed<ToolResult>): void => {
    const entry = openCallFor(open, result, demands.pairsBy);
    if (entry) close(entry, result);
    else {
      found.push(result);
      strays = found.slice(-mostOpen);
    }
    isTurnOver = true;
  };

  for (let element = from; history && element < history.length; element++) {
    if (!step.exchange.told) marks.push({ changes: open.changes.length, turn, strays });
    for (const item of history.items(element)) {
      const placed: Placed = { item, step, part: "request", element };
      if (isResult(placed)) {
        if (!placed.item.isHosted) answer(placed);
      } else if (item.role === "assistant" && item.kind !== "opaque") {
        if (isTurnOver) {
          turn++;
          ofTurn = [];
          isTurnOver = false;
          between = undefined;
          answering = undefined;
        }
        if (isCall(placed)) {
          if (placed.item.isHosted) continue;
          const { id } = placed.item;
          const alike = id === undefined ? [] : open.withId(id);
          const twin = alike.find((entry) => entry.turn === turn && entry.call.part === "request");
          if (twin && !isSameItem(twin.call.item, placed.item))
            draft.sharedIds.push({ first: twin.call, second: placed });
          // A call that the server holds already, or that is sent twice, is still one call.
          for (const entry of alike.filter(({ call }) => isResent(call, placed.item))) open.delete(entry);
          const entry: Open = { call: placed, turn };
          open.add(entry);
          ofTurn.push(entry);
        } else if (
          item.kind === "message" &&
          !demands.mergesRoles &&
          ofTurn.some((entry) => entry.call.element !== element && open.has(entry))
        ) {
          between ??= placed;
        }
      } else if (item.kind === "message" && (item.text.trim() !== "" || item.hasMedia)) {
        if (open.size > 0) between ??= placed;
        isTurnOver = true;
      }
    }
  }

  settleStrays(step, found, earlier, draft, open, findCall, searches);
  const left = step.exchange.told && parent ? open.list.slice(-mostOpen) : open.list;
  for (const { call } of left) if (!call.item.isHosted) draft.unanswered.push(call);
  const changes = marks.length > 0 ? open.changes : [];
  const end: State = { open: left, turn, strays };
  return { pairing: lean(draft), walk: { from, start: begun, changes, marks, end, parent: parent?.walk } };
}

/** The same lists, but one for all that are empty: there is a pairing for each reply of a long session. */
function lean(draft: Draft): Pairing {
  const pairing: { -readonly [K in keyof Pairing]: Pairing[K] } = draft;
  if (draft.pairs.length === 0) pairing.pairs = none;
  if (draft.orphans.length === 0) pairing.orphans = none;
  if (draft.unanswered.length === 0) pairing.unanswered = none;
  if (draft.mismatches.length === 0) pairing.mismatches = none;
  if (draft.duplicates.length === 0) pairing.duplicates = none;
  if (draft.misplaced.length === 0) pairing.misplaced = none;
  if (draft.sharedIds.length === 0) pairing.sharedIds = none;
  if (draft.misnamed.length === 0) pairing.misnamed = none;
  return pairing;
}

function isResent(open: Placed<ToolCall>, call: ToolCall): boolean {
  if (call.id === undefined || open.item.id !== call.id) return false;
  return open.part === "response" || isSameItem(open.item, call);
}

function isSameItem(a: ToolCall, b: ToolCall): boolean {
  return a.itemId !== undefined && a.itemId === b.itemId;
}

/** A function output also answers a local shell call; elsewhere each kind of call has its own kind of result. */
function isKindOf(call: ToolCall, result: ToolResult): boolean {
  const expected = call.wireType.endsWith("_call")
    ? call.wireType === "tool_search_call"
      ? "tool_search_output"
      : `${call.wireType}_output`
    : undefined;
  if (expected === undefined || (call.wireType === "function_call" && result.wireType === "function_call"))
    return true;
  return (
    result.wireType === expected ||
    (call.wireType === "local_shell_call" && result.wireType === "function_call_output")
  );
}

/** The open call that a result answers: by id; where ids are missing, by name and order. */
function openCallFor(open: OpenCalls, result: Placed<ToolResult>, pairsBy: "id" | "order"): Open | undefined {
  const { callId, name } = result.item;
  if (callId !== undefined) {
    const byId = open.withId(callId);
    // Where an id was used again before it was answered, the newer turn waits; within a turn, the order counts.
    if (byId.length > 0) return byId.find((entry) => entry.turn === byId.at(-1)?.turn);
    const nameless = open.withId(undefined);
    if (nameless.length === 0) return undefined;
    if (pairsBy === "id")
      return nameless.length === open.size &&
        nameless.every((entry) => entry.call.item.wireType === "function_call")
        ? nameless[0]
        : undefined;
    return nameless.find((entry) => name === undefined || entry.call.item.name === name);
  }
  if (pairsBy === "id" && !(result.item.wireType === "function_call" && open.withId(undefined).length > 0))
    return undefined;
  const byName = name === undefined ? undefined : open.list.find((entry) => entry.call.item.name === name);
  return byName ?? (name === undefined || open.size === 1 ? open.list[0] : undefined);
}

/** Results that met no open call when the walk came by: their call comes later, has another id, was answered already, or is nowhere. */
function settleStrays(
  step: Step,
  strays: readonly Placed<ToolResult>[],
  earlier: ReadonlySet<Placed<ToolResult>>,
  draft: Draft,
  open: OpenCalls,
  findCall: (result: Placed<ToolResult>) => Placed<ToolCall> | undefined,
  searches: boolean,
): void {
  const rest: Placed<ToolResult>[] = [];
  for (const result of strays) {
    const { callId } = result.item;
    const [later] = callId === undefined ? nextCall(step, result, open) : open.withId(callId);
    if (!later) {
      if (!earlier.has(result)) rest.push(result);
      continue;
    }
    open.delete(later);
    // In the beginning that both share, they met there.
    if (earlier.has(result) && !isNew(later.call, step)) continue;
    draft.pairs.push({ call: later.call, result });
    if (step.exchange.demands.adjacency !== "anywhere" || step.exchange.demands.refusesOrphans)
      draft.misplaced.push({ call: later.call, result, how: "before-call", between: undefined });
  }
  if (rest.length === 0) return;
  const surroundings = surroundingsOf(step, rest, draft.pairs);
  /** Those that were found to name their call only in another way. */
  const settled = new Set<Placed>();
  for (const result of rest) {
    if (!searches) {
      draft.orphans.push({ result, answeredBefore: undefined, lostCall: undefined, isAtCut: false });
      continue;
    }
    const inOrder = namelessInOrder(result, rest, settled, open);
    if (inOrder && !step.isPartial) {
      open.delete(inOrder);
      settled.add(result);
      draft.mismatches.push({ call: inOrder.call, result, how: "missing-id" });
      continue;
    }
    const twin = surroundings.twins.get(result) ?? namelessTwin(step, result);
    if (twin) {
      draft.duplicates.push(twin);
      continue;
    }
    const meant = step.isPartial ? undefined : meantCall(result, rest, open.list);
    if (meant) {
      open.delete(meant.entry);
      settled.add(result);
      draft.mismatches.push({ call: meant.entry.call, result, how: meant.how });
      continue;
    }
    draft.orphans.push(orphanOf(result, surroundings, findCall));
  }
}

function isNew(call: Placed, step: Step): boolean {
  return call.step === step;
}

/** Where results go by order: the call that the very next turn makes, and that nothing answers. */
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

/** A result without an id that says word for word what the one before it, in the same run of results, has said for a call. */
function namelessTwin(step: Step, second: Placed<ToolResult>): Pairing["duplicates"][number] | undefined {
  const history = step.request?.history;
  const { callId, name, text } = second.item;
  if (callId !== undefined || !history) return undefined;
  let start = second.element;
  while (start > 0 && history.role(start - 1) !== "assistant") start--;
  const call = lastCall(step, start, name);
  for (let element = start; call && element <= second.element; element++) {
    for (const item of history.items(element)) {
      if (item === second.item && element === second.element) return undefined;
      const isSame = item.kind === "result" && item.callId === undefined && item.name === name;
      if (isSame && item.text.trim() === text.trim())
        return { call, first: { item, step, part: "request", element }, second };
    }
  }
  return undefined;
}

/** The newest call of a tool in the turn that ends before an element; of any tool where results name none. */
function lastCall(step: Step, end: number, tool: string | undefined): Placed<ToolCall> | undefined {
  const history = step.request?.history;
  for (let element = end - 1; history && element >= 0 && history.role(element) === "assistant"; element--) {
    const item = history
      .items(element)
      .findLast((other) => other.kind === "call" && (tool === undefined || other.name === tool));
    if (item?.kind === "call") return { item, step, part: "request", element };
  }
  return undefined;
}

type How = Pairing["mismatches"][number]["how"];

/** The open call that a stray result can only mean: by a near id, or because both are alone in their round. */
function meantCall(
  result: Placed<ToolResult>,
  strays: readonly Placed<ToolResult>[],
  open: readonly Open[],
): { entry: Open; how: How } | undefined {
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
  const rivals = strays.filter((other) => roundOf(other, open) === newest.turn);
  if (rivals.length !== 1) return undefined;
  return {
    entry: newest,
    how: (callId === undefined ? "missing-id" : nearId(newest.call.item, spellingOf(callId))) ?? "other",
  };
}

/** Results that all lost their ids are still as many, and in the order of, the calls of their round. */
function namelessInOrder(
  result: Placed<ToolResult>,
  strays: readonly Placed<ToolResult>[],
  settled: ReadonlySet<Placed>,
  open: OpenCalls,
): Open | undefined {
  if (result.item.callId !== undefined || open.size <= 1) return undefined;
  const { list } = open;
  const turn = roundOf(result, list);
  const round = list.filter((entry) => entry.turn === turn && entry.call.element <= result.element);
  if (round.length <= 1) return undefined;
  const rivals = strays.filter((other) => !settled.has(other) && roundOf(other, list) === turn);
  return rivals.length === round.length && rivals.every(({ item }) => item.callId === undefined)
    ? round[0]
    : undefined;
}

function roundOf(result: Placed, open: readonly Open[]): number {
  return open.findLast((entry) => entry.call.element <= result.element)?.turn ?? -1;
}

/** An id, as it is compared with others. */
interface Spelling {
  readonly id: string;
  readonly lower: string;
  /** Without the prefix that a provider puts before it. */
  readonly bare: string;
}

const spellings = new WeakMap<ToolCall, Spelling>();

function spellingOf(id: string): Spelling {
  return { id, lower: id.toLowerCase(), bare: unprefixed(id) };
}

function nearId(call: ToolCall, other: Spelling): How | undefined {
  if (call.id === undefined) return "missing-id";
  const own = spellings.get(call) ?? spellingOf(call.id);
  spellings.set(call, own);
  if (call.itemId === other.id) return "item-id";
  if (own.lower === other.lower) return "case";
  const [shorter, longer] = own.id.length < other.id.length ? [own.id, other.id] : [other.id, own.id];
  if (shorter.length >= 6 && longer.startsWith(shorter)) return "truncated";
  if (shorter.length >= 6 && longer.endsWith(shorter)) return "prefix";
  if (own.bare === other.bare) return "prefix";
  return undefined;
}

/** What a history holds before each of its stray results: looked up in one walk, however many strays there are. */
interface Surroundings {
  /** The result before this one, in the same run of results, that answers the same call. */
  readonly twins: ReadonlyMap<Placed, Pairing["duplicates"][number]>;
  /** The first result for each call. */
  readonly firstResults: ReadonlyMap<string, Placed<ToolResult>>;
  /** The first element with which a history may begin. */
  readonly firstSpoken: number;
}

function surroundingsOf(
  step: Step,
  strays: readonly Placed<ToolResult>[],
  pairs: Pairing["pairs"],
): Surroundings {
  const twins = new Map<Placed, Pairing["duplicates"][number]>();
  const firstResults = new Map<string, Placed<ToolResult>>();
  let firstSpoken = Number.POSITIVE_INFINITY;
  const waiting = new Map<Item, Placed<ToolResult>[]>();
  for (const stray of strays) waiting.set(stray.item, [...(waiting.get(stray.item) ?? []), stray]);
  const calls = new Map<string, Placed<ToolCall>>();
  const results = new Map<string, { readonly placed: Placed<ToolResult>; readonly run: number }>();
  const answered = new Map(pairs.map(({ call, result }) => [result.item, call]));
  let run = 0;
  /** Results without ids since the model last spoke. */
  const nameless = new Map<string, Placed<ToolResult>>();
  for (const placed of placedItems(step)) {
    const { item, element } = placed;
    const second = waiting.get(item)?.find((stray) => stray.element === element);
    const id = second?.item.callId;
    const first = id === undefined ? undefined : results.get(id);
    // A call that the server holds stands in no element.
    const call = id === undefined ? undefined : (calls.get(id) ?? (first && answered.get(first.placed.item)));
    if (second && call && first?.run === run && !twins.has(second))
      twins.set(second, { call, first: first.placed, second });
    // Without ids, a result that says again what one before it said is that one, once more.
    if (second && id === undefined) {
      const same = nameless.get(contentOf(second.item));
      const asked = same && answered.get(same.item);
      if (same && asked) twins.set(second, { call: asked, first: same, second });
    }
    if (item.role === "assistant") {
      run++;
      nameless.clear();
    }
    if (isResult(placed) && placed.item.callId === undefined) nameless.set(contentOf(item), placed);
    if (isCall(placed) && placed.item.id !== undefined) calls.set(placed.item.id, placed);
    if (isResult(placed) && placed.item.callId !== undefined) {
      results.set(placed.item.callId, { placed, run });
      if (!firstResults.has(placed.item.callId)) firstResults.set(placed.item.callId, placed);
    }
    // A session begins with the user's words: where the model speaks before them, its beginning is lost, with calls made beside these.
    const begins = step.exchange.told
      ? item.kind === "message" && item.role === "user"
      : item.role !== "system" && !isResult(placed);
    if (begins) firstSpoken = Math.min(firstSpoken, element);
  }
  return { twins, firstResults, firstSpoken };
}

/** The call whose id shares most of its beginning with this one, when only one does: the end of an id is where it gets garbled. */
function likeliestCall(candidates: readonly Open[], callId: string | undefined): Open | undefined {
  if (callId === undefined) return undefined;
  const alike = candidates.filter(({ call: { item } }) => {
    if (item.id === undefined) return false;
    let common = 0;
    while (common < item.id.length && item.id[common] === callId[common]) common++;
    return common >= 5 && common * 3 >= Math.max(item.id.length, callId.length) * 2 - 2;
  });
  return alike.length === 1 ? alike[0] : undefined;
}

/** `toolu_01Ab…` and `call_01Ab…` are one id in two writings. */
function unprefixed(id: string): string {
  const rest = id.replace(/^[A-Za-z]{2,8}[_-]/, "");
  return rest.length >= 8 ? rest : id;
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

/** Calls of a reply that wait for results from the client. */
export function openCalls(step: Step): Placed<ToolCall>[] {
  return replyItems(step).filter(
    (placed): placed is Placed<ToolCall> => isCall(placed) && !placed.item.isHosted,
  );
}
