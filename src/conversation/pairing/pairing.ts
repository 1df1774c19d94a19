import { append, emptyList } from "../../reading/lists.ts";
import { isCall, isResult, type Pairing, type Placed, type Step } from "../conversation.ts";
import type { Demands, History } from "../exchange.ts";
import { callText } from "../identity.ts";
import type { Item, ToolCall, ToolResult } from "../item.ts";
import { isRoleName } from "../tool-names.ts";
import { type Open, OpenCalls, openAfter } from "./open-calls.ts";
import { idsOfUnknown } from "./unknown-items.ts";
import { classifyUnmatched, type UnmatchedResults } from "./unmatched-results.ts";

/**
 * Matches calls and results by an ordered walk: a call opens an id, a result closes the open call. Later
 * rounds may reuse ids, so a set of ids would be wrong. The walk resumes from the parent's walk, which avoids
 * walking a whole history in every request.
 */

/** The state of the walk before an element. */
interface State {
  readonly open: readonly Open[];
  readonly turn: number;
  /** Unmatched results: their call may come later. */
  readonly unmatched: readonly Placed<ToolResult>[];
}

/** The number of changes before an element, the turn, and the results unmatched so far. */
interface Mark extends Pick<State, "turn" | "unmatched"> {
  readonly changes: number;
}

/** For later steps: the state before each element from `from` on; the parent's walk covers the rest. */
export interface Walk {
  readonly from: number;
  readonly start: State;
  /** What opened and closed after the start. */
  readonly changes: readonly Open[];
  /** The state before each element. Empty in a transcript, where steps only resume from an end. */
  readonly marks: readonly Mark[];
  readonly end: State;
  readonly parent: Walk | undefined;
}

/**
 * The cap on remembered calls and results: a session without results leaves every call open, a client that
 * drops all calls leaves every result unmatched.
 */
const maxOpen = 64;

/** The pairing of a history without calls and results. */
export const noPairing: Pairing = Object.freeze({
  pairs: emptyList,
  orphans: emptyList,
  unanswered: emptyList,
  pending: emptyList,
  mismatches: emptyList,
  duplicates: emptyList,
  misplaced: emptyList,
  sharedIds: emptyList,
  undecided: emptyList,
  misnamed: emptyList,
});

const facts = Object.keys(noPairing) as readonly (keyof Pairing)[];

const noResults: ReadonlySet<Placed<ToolResult>> = new Set();

const emptyState: State = { open: [], turn: 0, unmatched: [] };

function stateBefore(walk: Walk | undefined, element: number): State {
  for (let current = walk; current; current = current.parent) {
    if (element < current.from) continue;
    const mark = current.marks[element - current.from];
    return mark
      ? {
          open: openAfter(current.start.open, current.changes, mark.changes),
          turn: mark.turn,
          unmatched: mark.unmatched,
        }
      : current.end;
  }
  return emptyState;
}

const emptyWalk: Walk = {
  from: 0,
  start: emptyState,
  changes: emptyList,
  marks: emptyList,
  end: emptyState,
  parent: undefined,
};

/** A {@link Pairing} under construction. */
type Draft = { -readonly [K in keyof Pairing]: Pairing[K] };

/**
 * Pairs the calls and results of a step's request. `inherited`: open calls of the parent's reply that the
 * server stores. `findCall` finds a call in the rest of the log; without it unmatched results are not
 * examined, because doing that for every step of a session takes quadratic time. `findHeld`: see
 * {@link UnmatchedResults}.
 */
export function pair(
  step: Step,
  parent: { readonly walk: Walk; readonly kept: number } | undefined,
  inherited: readonly Placed<ToolCall>[],
  findCall: UnmatchedResults["findCall"],
  findHeld?: UnmatchedResults["findHeld"],
): { pairing: Pairing; walk: Walk } {
  const { lineage } = step.exchange;
  const from = parent?.kept ?? 0;
  const before = parent ? stateBefore(parent.walk, from) : emptyState;
  const { turn } = before;
  const start: State =
    inherited.length > 0
      ? { ...before, open: [...before.open, ...inherited.map((call) => ({ call, turn }))] }
      : before;
  // A log may have tens of thousands of requests that say nothing.
  if (start === emptyState && from >= (step.request?.history.length ?? 0))
    return { pairing: noPairing, walk: { ...emptyWalk, from } };
  const pairer = new Pairer(step, start, from);
  const marks = pairer.walk(from);
  const { draft, open, results, earlier } = pairer;
  classifyUnmatched({ step, results, earlier, open, findCall, findHeld }, draft);
  const left = lineage && parent && open.size > maxOpen ? open.list.slice(-maxOpen) : open.list;
  for (const { call, twinOf } of left) {
    if (call.item.isHosted) continue;
    if (isDeferred(call)) draft.pending = append(draft.pending, call);
    else draft.unanswered = append(draft.unanswered, call);
    if (twinOf && !open.has(twinOf)) draft.undecided = append(draft.undecided, call);
  }
  const changes = marks.length > 0 ? open.changes : emptyList;
  const end: State = { open: left, turn: pairer.turn, unmatched: pairer.unmatched };
  // Steps of a transcript only resume from an end.
  const parentWalk = lineage ? undefined : parent?.walk;
  // Most steps change nothing, and logs of replies alone have hundreds of thousands of them.
  const pairing = facts.every((fact) => draft[fact] === emptyList) ? noPairing : draft;
  return { pairing, walk: { from, start, changes, marks, end, parent: parentWalk } };
}

/** Walks the history of one request and records where calls and results meet. */
class Pairer {
  readonly draft: Draft = { ...noPairing };
  readonly open: OpenCalls;
  /** The current assistant turn. */
  turn: number;
  /** Unmatched results, including those from before the walk: their calls may still come. */
  readonly results: Placed<ToolResult>[];
  /** Those of {@link results} from before the walk. */
  readonly earlier: ReadonlySet<Placed<ToolResult>>;
  /** The newest of {@link results}. Marks keep this list, so it is replaced, never mutated. */
  unmatched: readonly Placed<ToolResult>[];

  private readonly step: Step;
  private readonly history: History | undefined;
  /** The calls of this turn, open or not. */
  private ofTurn: Open[];
  /** Input has followed the model's last item, so the model's next item begins a new turn. */
  private isTurnOver: boolean;
  /** The first item after the newest calls that is not a result. */
  private between: Placed | undefined;
  /** The element with this turn's first result. */
  private answering: number | undefined;
  /** How many of the step's new items the walk has passed; these already have places. */
  private passed = 0;

  constructor(step: Step, start: State, from: number) {
    this.step = step;
    this.history = step.request?.history;
    this.open = new OpenCalls(start.open);
    this.turn = start.turn;
    this.ofTurn = start.open.length === 0 ? [] : start.open.filter(({ turn }) => turn === start.turn);
    this.isTurnOver = from > 0 && this.history !== undefined && this.history.role(from - 1) !== "assistant";
    this.earlier =
      start.unmatched.length === 0
        ? noResults
        : new Set(start.unmatched.map((result) => ({ ...result, step })));
    this.results = [...this.earlier];
    this.unmatched = start.unmatched.length === 0 ? emptyList : this.results.slice();
  }

  /** Walks from an element to the end of the history; returns a mark per element, none in a transcript. */
  walk(from: number): readonly Mark[] {
    const { history, open } = this;
    const isMarked = !this.step.exchange.lineage;
    let marks: readonly Mark[] = emptyList;
    for (let element = from; history && element < history.length; element++) {
      if (isMarked)
        marks = append(marks, { changes: open.changes.length, turn: this.turn, unmatched: this.unmatched });
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
    for (const id of idsOfUnknown(placed)) this.passUnknown(id);
    if (isResult(placed)) {
      if (!placed.item.isHosted) this.passResult(placed);
    } else if (isCall(placed) || (item.role === "assistant" && item.kind !== "opaque")) {
      this.passModels(placed);
    } else if (
      item.kind === "message" &&
      item.role !== "unknown" &&
      (item.text.trim() !== "" || item.hasMedia)
    ) {
      // What a message of an unknown role may stand between is unknown, too.
      if (this.open.size > 0) this.between ??= placed;
      this.isTurnOver = true;
    }
  }

  /** What an item of an unknown kind names may be answered by it. */
  private passUnknown(id: string): void {
    const entry = this.open.newestWithId(id);
    if (entry) this.open.delete(entry);
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
    const alike = id === undefined ? undefined : open.newestWithId(id);
    const isTwin =
      alike?.turn === turn && alike.call.part === "request" && !isSameItem(alike.call.item, call.item);
    if (isTwin) draft.sharedIds = append(draft.sharedIds, { first: alike.call, second: call });
    // A call that the server already stores, or that is sent twice, is still one call.
    for (const entry of open.resentAs(call.item)) open.delete(entry);
    // Which of two equal calls a result answers makes no difference.
    const isOther = isTwin && callText(alike.call.item) !== callText(call.item);
    const entry: Open = isOther ? { call, turn, twinOf: alike } : { call, turn };
    open.add(entry);
    this.ofTurn.push(entry);
  }

  private passResult(result: Placed<ToolResult>): void {
    const entry = openCallFor(this.open, result, this.step.exchange.demands);
    if (entry) this.close(entry, result);
    else {
      this.results.push(result);
      this.unmatched = this.results.slice(-maxOpen);
    }
    this.isTurnOver = true;
  }

  private close(entry: Open, result: Placed<ToolResult>): void {
    const { draft, between } = this;
    const { call } = entry;
    this.open.delete(entry);
    draft.pairs = append(draft.pairs, { call, result });
    if (namesOther(call.item, result.item, this.step.exchange.demands))
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

  /** How the result's place violates this protocol, if it does. */
  private misplacement({ call, turn }: Open, { element }: Placed<ToolResult>): Misplacement | undefined {
    const { between, answering } = this;
    const { adjacency, mergesRoles, resultsFirst } = this.step.exchange.demands;
    if (call.item.isHosted || adjacency === "anywhere" || call.part === "response") return undefined;
    if (turn < this.turn) return "not-adjacent";
    // Text of the same turn before the call does not separate it from its result.
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

/** Whether a result names another tool than its call. Where ids pair them, a word for any tool names none. */
function namesOther(call: ToolCall, { name }: ToolResult, { pairsBy }: Demands): boolean {
  if (name === undefined || call.name === "" || name === call.name) return false;
  return !(pairsBy === "id" && isRoleName(name));
}

type Misplacement = Pairing["misplaced"][number]["how"];

function isSameItem(a: ToolCall, b: ToolCall): boolean {
  return a.itemId !== undefined && a.itemId === b.itemId;
}

/** Some kinds of call accept only certain kinds of result. */
function isKindOf(call: ToolCall, result: ToolResult, { callKinds }: Demands): boolean {
  const kinds = callKinds.get(call.wireType)?.results ?? emptyList;
  return kinds.length === 0 || kinds.includes(result.wireType);
}

/** The open call that a result answers: by id, or by name and order where ids are missing. */
function openCallFor(
  open: OpenCalls,
  result: Placed<ToolResult>,
  { pairsBy, callKinds }: Demands,
): Open | undefined {
  const { callId, name } = result.item;
  if (callId !== undefined) {
    // If an id was reused before its answer, the newer turn waits; within a turn, order decides.
    const byId = open.newestWithId(callId);
    if (byId) return byId;
    if (pairsBy === "order") return open.firstNameless(name);
    return open.areNameless((wireType) => callKinds.get(wireType)?.pairsByOrder === true)
      ? open.first()
      : undefined;
  }
  if (pairsBy === "id" && !(result.item.pairsByOrder === true && open.firstNameless())) return undefined;
  // A call without a name may be to any tool.
  const byName = name === undefined ? undefined : (open.firstNamed(name) ?? open.firstNamed(""));
  return byName ?? (name === undefined || open.size === 1 ? open.first() : undefined);
}

/** The calls that a walk left open and whose results may still come in any later request. */
export function deferredCalls({ end }: Walk): Placed<ToolCall>[] {
  return end.open.flatMap(({ call }) => (isDeferred(call) ? [call] : []));
}

/** By the call's own mark, or by its tool's, which clients keep where they drop members of calls. */
export function isDeferred({ item, step }: Placed<ToolCall>): boolean {
  return (
    item.isDeferred === true ||
    step.request?.tools?.some((tool) => tool.isDeferred && tool.name === item.name) === true
  );
}

/** The client calls of a reply. */
export function openCalls(step: Step): Placed<ToolCall>[] {
  const calls: Placed<ToolCall>[] = [];
  // Runs for every reply of a long session, so it creates places for calls only.
  for (const item of step.reply?.items ?? [])
    if (item.kind === "call" && !item.isHosted) calls.push({ item, step, part: "response", element: -1 });
  return calls;
}
