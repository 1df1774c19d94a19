import { grown, none } from "../../reading/lists.ts";
import { isCall, isResult, type Pairing, type Placed, type Step } from "../conversation.ts";
import type { ToolCall, ToolResult } from "../item.ts";
import { type Open, OpenCalls, openAfter } from "./open-calls.ts";
import { settleStrays } from "./unmatched-results.ts";

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

/** The pairing of a history in which nothing meets anything. */
export const noPairing: Pairing = Object.freeze({
  pairs: none,
  orphans: none,
  unanswered: none,
  mismatches: none,
  duplicates: none,
  misplaced: none,
  sharedIds: none,
  misnamed: none,
});

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

/** A {@link Pairing} while it is found. */
type Draft = { -readonly [K in keyof Pairing]: Pairing[K] };

/**
 * Pairs the calls and results of a step's request. `inherited` are calls that the server holds open from the parent's reply;
 * `findCall` looks for a call in the rest of the log. Without it, results that meet no call are not looked into: for every step of a session
 * it would cost the square of its length.
 */
export function pair(
  step: Step,
  parent: { readonly walk: Walk; readonly kept: number } | undefined,
  inherited: readonly Placed<ToolCall>[],
  findCall: ((result: Placed<ToolResult>) => Placed<ToolCall> | undefined) | undefined,
): { pairing: Pairing; walk: Walk } {
  const history = step.request?.history;
  const { demands, told } = step.exchange;
  const draft: Draft = { ...noPairing };
  const from = parent?.kept ?? 0;
  const start = parent ? stateBefore(parent.walk, from) : emptyState;
  let marks: readonly Mark[] = none;

  const begun: State =
    inherited.length > 0
      ? { ...start, open: [...start.open, ...inherited.map((call) => ({ call, turn: start.turn }))] }
      : start;
  const open = new OpenCalls(begun.open);
  /** The calls of this turn, open or not. */
  let ofTurn = begun.open.length === 0 ? [] : begun.open.filter((entry) => entry.turn === begun.turn);
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
    draft.pairs = grown(draft.pairs, { call: entry.call, result });
    const { call } = entry;
    if (result.item.name !== undefined && call.item.name !== "" && result.item.name !== call.item.name)
      draft.misnamed = grown(draft.misnamed, { call, result, what: "name" });
    if (!isKindOf(call.item, result.item))
      draft.misnamed = grown(draft.misnamed, { call, result, what: "kind" });
    const how = placing(entry, result);
    if (how)
      draft.misplaced = grown(draft.misplaced, {
        call,
        result,
        how,
        between: how === "split" ? undefined : between,
      });
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

  let news = 0;
  for (let element = from; history && element < history.length; element++) {
    if (!told) marks = grown(marks, { changes: open.changes.length, turn, strays });
    for (const item of history.items(element)) {
      // What is new to the step has its place already.
      const isNew = step.added[news]?.item === item;
      const placed: Placed = isNew
        ? (step.added[news++] as Placed)
        : { item, step, part: "request", element };
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
            draft.sharedIds = grown(draft.sharedIds, { first: twin.call, second: placed });
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

  settleStrays({ step, results: found, earlier, open, findCall }, draft);
  const left = told && parent && open.size > mostOpen ? open.list.slice(-mostOpen) : open.list;
  for (const { call } of left) if (!call.item.isHosted) draft.unanswered = grown(draft.unanswered, call);
  const changes = marks.length > 0 ? open.changes : none;
  const end: State = { open: left, turn, strays };
  // A transcript goes on from an end only.
  const before = told ? undefined : parent?.walk;
  return { pairing: draft, walk: { from, start: begun, changes, marks, end, parent: before } };
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

/** Calls of a reply that wait for results from the client. */
export function openCalls(step: Step): Placed<ToolCall>[] {
  const calls: Placed<ToolCall>[] = [];
  // Asked of every reply of a long session: places are made for calls only.
  for (const item of step.reply?.items ?? [])
    if (item.kind === "call" && !item.isHosted) calls.push({ item, step, part: "response", element: -1 });
  return calls;
}
