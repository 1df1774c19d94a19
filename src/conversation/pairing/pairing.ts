import { append, emptyList } from "../../reading/lists.ts";
import { isCall, isResult, type Pairing, type Placed, type Step } from "../conversation.ts";
import type { Demands, History } from "../exchange.ts";
import type { Item, ToolCall, ToolResult } from "../item.ts";
import { type Open, OpenCalls, openAfter } from "./open-calls.ts";
import { classifyUnmatched } from "./unmatched-results.ts";

/**
 * How calls and results meet: an ordered walk in which a call opens an id and a result closes the open call.
 * Ids may be used again in a later round, so a set of ids would be wrong. The walk goes on where the parent's
 * walk stood, so that a history is not walked again in every request.
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

/**
 * What a later step needs of a walk: the state before each element from `from` on, and the parent's walk for
 * what is before.
 */
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

/**
 * A session that keeps no results leaves every call open, a client that drops all calls leaves every result
 * alone: only so many are remembered.
 */
const mostOpen = 64;

/** The pairing of a history in which nothing meets anything. */
export const noPairing: Pairing = Object.freeze({
  pairs: emptyList,
  orphans: emptyList,
  unanswered: emptyList,
  mismatches: emptyList,
  duplicates: emptyList,
  misplaced: emptyList,
  sharedIds: emptyList,
  misnamed: emptyList,
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

/** A {@link Pairing} while it is being found. */
type Draft = { -readonly [K in keyof Pairing]: Pairing[K] };

/**
 * Pairs the calls and results of a step's request. `inherited` are calls that the server holds open from the
 * parent's reply; `findCall` looks for a call in the rest of the log. Without it, unmatched results are not
 * examined: done for every step of a session, that would cost the square of its length.
 */
export function pair(
  step: Step,
  parent: { readonly walk: Walk; readonly kept: number } | undefined,
  inherited: readonly Placed<ToolCall>[],
  findCall: ((result: Placed<ToolResult>) => Placed<ToolCall> | undefined) | undefined,
): { pairing: Pairing; walk: Walk } {
  const { lineage } = step.exchange;
  const from = parent?.kept ?? 0;
  const before = parent ? stateBefore(parent.walk, from) : emptyState;
  const { turn } = before;
  const start: State =
    inherited.length > 0
      ? { ...before, open: [...before.open, ...inherited.map((call) => ({ call, turn }))] }
      : before;
  const pairer = new Pairer(step, start, from);
  const marks = pairer.walk(from);
  const { draft, open, results, earlier } = pairer;
  classifyUnmatched({ step, results, earlier, open, findCall }, draft);
  const left = lineage && parent && open.size > mostOpen ? open.list.slice(-mostOpen) : open.list;
  for (const { call } of left) if (!call.item.isHosted) draft.unanswered = append(draft.unanswered, call);
  const changes = marks.length > 0 ? open.changes : emptyList;
  const end: State = { open: left, turn: pairer.turn, strays: pairer.strays };
  // A transcript goes on from an end only.
  const parentWalk = lineage ? undefined : parent?.walk;
  return { pairing: draft, walk: { from, start, changes, marks, end, parent: parentWalk } };
}

/** Walks along the history of one request and notes where calls and results meet. */
class Pairer {
  readonly draft: Draft = { ...noPairing };
  readonly open: OpenCalls;
  /** The assistant turn that the walk has reached. */
  turn: number;
  /**
   * Results that met no open call. Those that the walk starts with are among them: their calls may come only
   * now.
   */
  readonly results: Placed<ToolResult>[];
  /** Those of {@link results} that the walk started with. */
  readonly earlier: ReadonlySet<Placed<ToolResult>>;
  /** The newest of {@link results}: another list whenever there is one more, as marks hold on to it. */
  strays: readonly Placed<ToolResult>[];

  private readonly step: Step;
  private readonly history: History | undefined;
  /** The calls of this turn, open or not. */
  private ofTurn: Open[];
  /** Something was said to the model since its last item, so its next item begins a new turn. */
  private isTurnOver: boolean;
  /** What stands between the newest calls and here, where results ought to stand. */
  private between: Placed | undefined;
  /** The element that holds the first result of this turn. */
  private answering: number | undefined;
  /** How many of the items that are new to the step were passed: these have their places already. */
  private passed = 0;

  constructor(step: Step, start: State, from: number) {
    this.step = step;
    this.history = step.request?.history;
    this.open = new OpenCalls(start.open);
    this.turn = start.turn;
    this.ofTurn = start.open.length === 0 ? [] : start.open.filter(({ turn }) => turn === start.turn);
    this.isTurnOver = from > 0 && this.history !== undefined && this.history.role(from - 1) !== "assistant";
    this.earlier =
      start.strays.length === 0 ? nobody : new Set(start.strays.map((result) => ({ ...result, step })));
    this.results = [...this.earlier];
    this.strays = start.strays.length === 0 ? emptyList : this.results.slice();
  }

  /**
   * Walks from an element to the end of the history; returns a mark for each element, none in a transcript.
   */
  walk(from: number): readonly Mark[] {
    const { history, open } = this;
    const isMarked = !this.step.exchange.lineage;
    let marks: readonly Mark[] = emptyList;
    for (let element = from; history && element < history.length; element++) {
      if (isMarked)
        marks = append(marks, { changes: open.changes.length, turn: this.turn, strays: this.strays });
      for (const item of history.items(element)) this.pass(this.placed(item, element));
    }
    return marks;
  }

  private placed(item: Item, element: number): Placed {
    const { step } = this;
    const isNew = step.added[this.passed]?.item === item;
    return isNew ? (step.added[this.passed++] as Placed) : { item, step, part: "request", element };
  }

  private pass(placed: Placed): void {
    const { item } = placed;
    if (isResult(placed)) {
      if (!placed.item.isHosted) this.passResult(placed);
    } else if (item.role === "assistant" && item.kind !== "opaque") {
      this.passModels(placed);
    } else if (item.kind === "message" && (item.text.trim() !== "" || item.hasMedia)) {
      if (this.open.size > 0) this.between ??= placed;
      this.isTurnOver = true;
    }
  }

  /** Passes an item of the model. */
  private passModels(placed: Placed): void {
    if (this.isTurnOver) this.beginTurn();
    if (isCall(placed)) {
      if (!placed.item.isHosted) this.passCall(placed);
    } else if (placed.item.kind === "message" && !this.step.exchange.demands.mergesRoles) {
      const isBehindCall = ({ call }: Open): boolean => call.element !== placed.element;
      if (this.ofTurn.some((entry) => isBehindCall(entry) && this.open.has(entry))) this.between ??= placed;
    }
  }

  private beginTurn(): void {
    this.turn++;
    this.ofTurn = [];
    this.isTurnOver = false;
    this.between = undefined;
    this.answering = undefined;
  }

  private passCall(call: Placed<ToolCall>): void {
    const { open, turn, draft } = this;
    const { id } = call.item;
    const alike = id === undefined ? [] : open.withId(id);
    const twin = alike.find((entry) => entry.turn === turn && entry.call.part === "request");
    if (twin && !isSameItem(twin.call.item, call.item))
      draft.sharedIds = append(draft.sharedIds, { first: twin.call, second: call });
    // A call that the server holds already, or that is sent twice, is still one call.
    for (const entry of alike.filter((other) => isResent(other.call, call.item))) open.delete(entry);
    const entry: Open = { call, turn };
    open.add(entry);
    this.ofTurn.push(entry);
  }

  private passResult(result: Placed<ToolResult>): void {
    const entry = openCallFor(this.open, result, this.step.exchange.demands);
    if (entry) this.close(entry, result);
    else {
      this.results.push(result);
      this.strays = this.results.slice(-mostOpen);
    }
    this.isTurnOver = true;
  }

  private close(entry: Open, result: Placed<ToolResult>): void {
    const { draft, between } = this;
    const { call } = entry;
    this.open.delete(entry);
    draft.pairs = append(draft.pairs, { call, result });
    if (result.item.name !== undefined && call.item.name !== "" && result.item.name !== call.item.name)
      draft.misnamed = append(draft.misnamed, { call, result, what: "name" });
    if (!isKindOf(call.item, result.item, this.step.exchange.demands))
      draft.misnamed = append(draft.misnamed, { call, result, what: "kind" });
    const how = this.misplacement(entry, result);
    if (how)
      draft.misplaced = append(draft.misplaced, {
        call,
        result,
        how,
        between: how === "split" ? undefined : between,
      });
    this.answering ??= result.element;
  }

  /** What is wrong with the place of a result, for this protocol. */
  private misplacement({ call, turn }: Open, { element }: Placed<ToolResult>): Misplacement | undefined {
    const { between, answering } = this;
    const { adjacency, mergesRoles, resultsFirst } = this.step.exchange.demands;
    if (call.item.isHosted || adjacency === "anywhere" || call.part === "response") return undefined;
    if (turn < this.turn) return "not-adjacent";
    // Words of the same turn that came before the call do not separate it from its result.
    if (between && between.element <= call.element) return undefined;
    if (adjacency === "following-run") return between ? "not-adjacent" : undefined;
    if (between?.element === element) return resultsFirst ? "not-first" : undefined;
    if (between && between.item.role !== "assistant") {
      if (!mergesRoles) return "not-adjacent";
      return resultsFirst ? "not-first" : undefined;
    }
    return !mergesRoles && answering !== undefined && answering !== element ? "split" : undefined;
  }
}

type Misplacement = Pairing["misplaced"][number]["how"];

function isResent(open: Placed<ToolCall>, call: ToolCall): boolean {
  if (call.id === undefined || open.item.id !== call.id) return false;
  return open.part === "response" || isSameItem(open.item, call);
}

function isSameItem(a: ToolCall, b: ToolCall): boolean {
  return a.itemId !== undefined && a.itemId === b.itemId;
}

/** Some kinds of call are answered by their own kinds of result only. */
function isKindOf(call: ToolCall, result: ToolResult, { callKinds }: Demands): boolean {
  const kinds = callKinds.get(call.wireType)?.results ?? emptyList;
  return kinds.length === 0 || kinds.includes(result.wireType);
}

/** The open call that a result answers: by id; where ids are missing, by name and order. */
function openCallFor(
  open: OpenCalls,
  result: Placed<ToolResult>,
  { pairsBy, callKinds }: Demands,
): Open | undefined {
  const { callId, name } = result.item;
  if (callId !== undefined) {
    const byId = open.withId(callId);
    // Where an id was used again before it was answered, the newer turn waits; within a turn, the order
    // counts.
    if (byId.length > 0) return byId.find((entry) => entry.turn === byId.at(-1)?.turn);
    const nameless = open.withId(undefined);
    if (nameless.length === 0) return undefined;
    if (pairsBy === "id")
      return nameless.length === open.size &&
        nameless.every((entry) => callKinds.get(entry.call.item.wireType)?.pairsByOrder === true)
        ? nameless[0]
        : undefined;
    return nameless.find((entry) => name === undefined || entry.call.item.name === name);
  }
  if (pairsBy === "id" && !(result.item.pairsByOrder === true && open.withId(undefined).length > 0))
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
