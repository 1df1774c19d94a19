import { groupBy } from "../../reading/group-by.ts";
import type { Change, Placed } from "../conversation.ts";
import { isCall } from "../conversation.ts";
import type { Item } from "../item.ts";

type What = Change["what"];

/** Finds the items of a history that are those of its parent, one way after the other. */
export class Matching {
  /** What the history should contain. */
  readonly expected: readonly Placed[];
  readonly actual: readonly Placed[];
  /** The parent's item for each item that was found again. */
  readonly partners = new Map<Placed, Placed>();
  /** What was found of `expected`. */
  readonly taken = new Set<Placed>();
  readonly changed: Change[] = [];
  /** What no way found so far. */
  #openBefore: readonly Placed[];
  #openAfter: readonly Placed[];
  /** How much was found when the open ones were last looked for. */
  #found = 0;

  constructor(expected: readonly Placed[], actual: readonly Placed[]) {
    this.expected = expected;
    this.actual = actual;
    this.#openBefore = expected;
    this.#openAfter = actual;
  }

  meet(before: Placed, after: Placed, what?: What): void {
    this.partners.set(after, before);
    this.taken.add(before);
    if (what) this.changed.push({ before, after, what });
  }

  /** Items with equal keys meet. `what` says how they differ all the same. */
  meetBy(
    key: (placed: Placed) => string | undefined,
    what?: (before: Item, after: Item) => What | undefined,
  ): void {
    // Most histories match by content, so the other ways have little left to look at, and find nothing.
    const found = this.taken.size + this.partners.size;
    if (found !== this.#found) {
      this.#openBefore = this.#openBefore.filter((before) => !this.taken.has(before));
      this.#openAfter = this.#openAfter.filter((after) => !this.partners.has(after));
      this.#found = found;
    }
    if (this.#openBefore.length === 0 || this.#openAfter.length === 0) return;
    const waiting = new Map<string, Placed[]>();
    for (const before of this.#openBefore) {
      const name = key(before);
      if (name === undefined) continue;
      const list = waiting.get(name);
      if (list) list.push(before);
      else waiting.set(name, [before]);
    }
    if (waiting.size === 0) return;
    // From the end: of several equal items, the newest are likeliest to remain.
    for (const after of this.#openAfter.toReversed()) {
      const name = key(after);
      const before = name === undefined ? undefined : waiting.get(name)?.pop();
      if (before) this.meet(before, after, what?.(before.item, after.item));
    }
  }

  /** Calls without ids and with different arguments meet in order if both sides have as many of a tool. */
  meetByName(): void {
    const { expected, actual, partners, taken } = this;
    if (taken.size === expected.length || partners.size === actual.length) return;
    const before = callsByName(expected, (placed) => taken.has(placed));
    const after = callsByName(actual, (placed) => partners.has(placed));
    for (const [name, calls] of before) {
      const same = after.get(name) ?? [];
      const lacksIds = [...calls, ...same].some((placed) => isCall(placed) && placed.item.id === undefined);
      if (!lacksIds || same.length !== calls.length) continue;
      for (const [index, call] of calls.entries()) {
        const other = same[index];
        if (other) this.meet(call, other, "arguments");
      }
    }
  }
}

/** The calls that are not done, by the names of their tools. */
function callsByName(
  list: readonly Placed[],
  isDone: (placed: Placed) => boolean,
): ReadonlyMap<string, readonly Placed[]> {
  return groupBy(
    list.filter(isCall).filter((call) => !isDone(call)),
    ({ item }) => item.name,
  );
}
