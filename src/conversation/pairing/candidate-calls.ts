import { emptyList, firstIndex } from "../../reading/lists.ts";
import type { Placed } from "../conversation.ts";
import type { ToolResult } from "../item.ts";
import {
  leastShared,
  type MismatchReason,
  nearId,
  sharesPrefix,
  spellingOf,
  spellingOfCall,
} from "./near-ids.ts";
import type { Open, OpenCalls } from "./open-calls.ts";

/**
 * How much ids are compared for one request, in characters. A hostile log has thousands of results and calls
 * with almost the same ids; real ones are far below. Ids that are equal but for case or prefix are found at
 * any number.
 */
const maxCompared = 1 << 25;

/** A call that an unmatched result may mean, and how its id differs. */
export interface MeantCall {
  readonly entry: Open;
  readonly how: MismatchReason;
}

/**
 * The open calls that unmatched results may mean. A result can mean the calls that come before it; each call
 * is meant by one result.
 */
export class CandidateCalls {
  readonly #open: OpenCalls;
  readonly #calls: readonly Open[];
  /** For each unmatched result, how many calls come before it; ascending. */
  readonly #reaches: readonly number[];
  readonly #results: readonly Placed<ToolResult>[];
  /** The next open call from each index on, and the last before it; paths over closed calls are shortened. */
  readonly #next: Int32Array;
  readonly #last: Int32Array;
  /** The calls by spellings of their ids. */
  #spelled: Map<string, number[]> | undefined;
  /** The calls by how their ids begin and end, ascending. */
  #ends: Map<string, readonly number[]> | undefined;
  #budget = maxCompared;
  readonly #readTurns = new Set<number>();

  /** `results`: all unmatched results, in the order of the history. */
  constructor(open: OpenCalls, results: readonly Placed<ToolResult>[]) {
    this.#open = open;
    this.#calls = open.list;
    this.#results = results;
    this.#reaches = results.map((result) => reachOf(result, this.#calls));
    this.#next = Int32Array.from({ length: this.#calls.length + 1 }, (_, index) => index);
    this.#last = Int32Array.from({ length: this.#calls.length + 1 }, (_, index) => index);
  }

  /** Whether ids were no longer compared in full, as there are too many. */
  get isExhausted(): boolean {
    return this.#budget <= 0;
  }

  /** Notes that a call has its result. */
  close(entry: Open): void {
    this.#open.delete(entry);
  }

  /** The only call that a result can mean: a similar id, or both alone in their round. */
  onlyCallFor(result: Placed<ToolResult>): MeantCall | undefined {
    const reach = reachOf(result, this.#calls);
    const { callId, name } = result.item;
    const near = callId === undefined ? undefined : this.#nearest(callId, reach);
    if (near) return near;
    const newest = this.#calls[this.#lastBefore(reach)];
    if (!newest || (name !== undefined && name !== newest.call.item.name)) return undefined;
    const round = this.#roundBefore(reach);
    if (this.#openIn(round, 2).length !== 1) return undefined;
    const [begin, end] = this.#rivals(round);
    if (end - begin !== 1) return undefined;
    const how = callId === undefined ? undefined : nearId(newest.call.item, spellingOf(callId));
    const isNameless = callId === undefined || newest.call.item.id === undefined;
    return { entry: newest, how: how ?? (isNameless ? "missing-id" : "other") };
  }

  /**
   * The calls and results of a round whose results all lost their ids: still one result for each call, in
   * order. A round is looked at once; results that are settled do not count.
   */
  roundInOrder(
    result: Placed<ToolResult>,
    settled: ReadonlySet<Placed>,
  ): readonly { readonly entry: Open; readonly result: Placed<ToolResult> }[] {
    const round = this.#roundBefore(reachOf(result, this.#calls));
    if (this.#readTurns.has(round.turn)) return [];
    this.#readTurns.add(round.turn);
    const calls = this.#openIn(round);
    const rivals = this.#results.slice(...this.#rivals(round)).filter((other) => !settled.has(other));
    if (calls.length <= 1 || rivals.length !== calls.length) return [];
    if (rivals.some(({ item }) => item.callId !== undefined)) return [];
    return calls.map((entry, index) => ({ entry, result: rivals[index] as Placed<ToolResult> }));
  }

  /** The first call with a similar id, or the only one that shares a long prefix. */
  #nearest(callId: string, reach: number): MeantCall | undefined {
    const spelling = spellingOf(callId);
    const [same = this.#calls.length] = spellingKeys(callId, spelling)
      .map((key) => this.#firstSpelled(key, reach))
      .filter((index) => index !== undefined)
      .sort((a, b) => a - b);
    const alike: Open[] = [];
    for (const at of this.#withEnds(callId)) {
      if (at >= Math.min(reach, same) || this.isExhausted) break;
      const entry = this.#calls[at] as Open;
      const { id } = entry.call.item;
      this.#budget -= 8 + Math.min(id?.length ?? 0, callId.length);
      const how = nearId(entry.call.item, spelling);
      if (how) return { entry, how };
      if (id !== undefined && sharesPrefix(id, callId)) alike.push(entry);
    }
    const exact = this.#calls[same];
    const how = exact && nearId(exact.call.item, spelling);
    if (how) return { entry: exact, how };
    const [only] = alike;
    return only && alike.length === 1 && !this.isExhausted ? { entry: only, how: "other" } : undefined;
  }

  /** The open calls, ascending, whose ids share an end with this one: it may be cut, or have another end. */
  *#withEnds(callId: string): Generator<number> {
    const [heads = [], tails = []] = endKeys(callId).map((key) => this.#endingWith(key));
    let [head, tail] = [0, 0];
    while (head < heads.length || tail < tails.length) {
      const [one = Number.POSITIVE_INFINITY, other = Number.POSITIVE_INFINITY] = [heads[head], tails[tail]];
      const at = Math.min(one, other);
      if (one === at) head++;
      if (other === at) tail++;
      if (this.#isOpen(at)) yield at;
      else this.#budget--;
    }
  }

  /** The calls with this key; those that are closed are dropped when they become many. */
  #endingWith(key: string): readonly number[] {
    this.#ends ??= callsByEnds(this.#calls);
    const calls = this.#ends.get(key) ?? emptyList;
    const first = this.#nextFrom(0);
    // Mostly the oldest are closed first.
    if ((calls[calls.length >> 1] ?? first) >= first) return calls;
    const open = calls.filter((index) => this.#isOpen(index));
    this.#ends.set(key, open);
    return open;
  }

  #firstSpelled(key: string, reach: number): number | undefined {
    this.#spelled ??= spelledCalls(this.#calls);
    const indexes = this.#spelled.get(key);
    while (indexes && indexes.length > 0) {
      const first = indexes.at(-1) as number;
      if (this.#open.has(this.#calls[first] as Open)) return first < reach ? first : undefined;
      indexes.pop();
    }
    return undefined;
  }

  /** The round of the newest open call before an index. */
  #roundBefore(reach: number): Round {
    const turn = this.#calls[this.#lastBefore(reach)]?.turn ?? -1;
    const from = firstIndex(this.#calls.length, (index) => (this.#calls[index]?.turn ?? 0) >= turn);
    const to = firstIndex(this.#calls.length, (index) => (this.#calls[index]?.turn ?? 0) > turn);
    return { turn, from, to };
  }

  /** The open calls of a round, at most so many. */
  #openIn({ from, to }: Round, most = Number.POSITIVE_INFINITY): Open[] {
    const calls: Open[] = [];
    for (let at = this.#nextFrom(from); at < to && calls.length < most; at = this.#nextFrom(at + 1))
      calls.push(this.#calls[at] as Open);
    return calls;
  }

  /** The range of the unmatched results behind a round and before the next one with an open call. */
  #rivals({ from, to }: Round): [begin: number, end: number] {
    const first = this.#nextFrom(from);
    const after = this.#nextFrom(to);
    const behind = (index: number): number =>
      firstIndex(this.#results.length, (at) => (this.#reaches[at] ?? 0) > index);
    return [behind(first), behind(after)];
  }

  /** The index of the first open call from an index on; the number of calls if there is none. */
  #nextFrom(index: number): number {
    return found(this.#next, index, (at) => at >= this.#calls.length || this.#isOpen(at), 1);
  }

  /** The index of the last open call before an index; -1 if there is none. */
  #lastBefore(index: number): number {
    return found(this.#last, index, (at) => at === 0 || this.#isOpen(at - 1), -1) - 1;
  }

  #isOpen(index: number): boolean {
    return this.#open.has(this.#calls[index] as Open);
  }
}

/** The range of a turn's calls. */
interface Round {
  readonly turn: number;
  readonly from: number;
  readonly to: number;
}

/** How many calls come before a result. Those before the walk come first, whatever their element. */
function reachOf({ element }: Placed, calls: readonly Open[]): number {
  return firstIndex(calls.length, (index) => (calls[index]?.call.element ?? 0) > element);
}

/** Follows steps in one direction until one is final, and shortens the path for the next time. */
function found(steps: Int32Array, from: number, isFinal: (at: number) => boolean, step: 1 | -1): number {
  let at = from;
  while (!isFinal(at)) at = steps[at] === at ? at + step : (steps[at] as number);
  for (let each = from; each !== at; ) {
    const next = steps[each] === each ? each + step : (steps[each] as number);
    steps[each] = at;
    each = next;
  }
  return at;
}

/** Calls by the spellings of their ids; the last index of each list is the first in the history. */
function spelledCalls(calls: readonly Open[]): Map<string, number[]> {
  const spelled = new Map<string, number[]>();
  for (const [backwards, { call }] of [...calls].reverse().entries()) {
    const { item } = call;
    const spelling = spellingOfCall(item);
    if (!spelling) continue;
    for (const key of spellingKeys(item.itemId, spelling)) {
      const indexes = spelled.get(key);
      const index = calls.length - 1 - backwards;
      if (indexes) indexes.push(index);
      else spelled.set(key, [index]);
    }
  }
  return spelled;
}

/** The calls by the ends of their ids, in the order of the history. */
function callsByEnds(calls: readonly Open[]): Map<string, number[]> {
  const ends = new Map<string, number[]>();
  for (const [index, { call }] of calls.entries())
    for (const key of endKeys(call.item.id ?? "")) {
      const indexes = ends.get(key);
      if (indexes) indexes.push(index);
      else ends.set(key, [index]);
    }
  return ends;
}

/** The ends of an id. An id that was cut, or that has a long prefix in common, shares one of them. */
function endKeys(id: string): string[] {
  if (id.length < leastShared) return [];
  return [`head ${id.slice(0, leastShared)}`, `tail ${id.slice(-leastShared)}`];
}

function spellingKeys(
  itemId: string | undefined,
  { lower, bare }: { readonly lower: string; readonly bare: string },
): string[] {
  const keys = [`lower ${lower}`, `bare ${bare}`];
  return itemId === undefined ? keys : [...keys, `item ${itemId}`];
}
