import type { Pairing, Step } from "../conversation.ts";
import type { Item } from "../item.ts";

type Pair = Pairing["pairs"][number];

/** The pairs of one request by item; an item may occur in a history more than once. */
interface Index {
  readonly byCall: ReadonlyMap<Item, readonly Pair[]>;
  readonly byResult: ReadonlyMap<Item, Pair>;
}

/** Built only for requests with many new pairs: a history sent at once may have tens of thousands. */
const indexes = new WeakMap<Pairing, Index>();
const few = 8;

/** The pair with this result, among those new to a step. */
export function pairOfResult({ pairing }: Step, item: Item): Pair | undefined {
  if (pairing.pairs.length <= few) return pairing.pairs.find(({ result }) => result.item === item);
  return indexOf(pairing).byResult.get(item);
}

/** The pairs with this call, among those new to a step. */
export function pairsOfCall({ pairing }: Step, item: Item): readonly Pair[] {
  if (pairing.pairs.length <= few) return pairing.pairs.filter(({ call }) => call.item === item);
  return indexOf(pairing).byCall.get(item) ?? [];
}

function indexOf(pairing: Pairing): Index {
  const known = indexes.get(pairing);
  if (known) return known;
  const byCall = new Map<Item, Pair[]>();
  const byResult = new Map<Item, Pair>();
  for (const pair of pairing.pairs) {
    const alike = byCall.get(pair.call.item);
    if (alike) alike.push(pair);
    else byCall.set(pair.call.item, [pair]);
    if (!byResult.has(pair.result.item)) byResult.set(pair.result.item, pair);
  }
  const index = { byCall, byResult };
  indexes.set(pairing, index);
  return index;
}
