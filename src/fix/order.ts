import type { Placed, Step } from "../conversation/conversation.ts";
import { align } from "../conversation/stitch/align.ts";
import { longestIncreasingSubsequence } from "../conversation/stitch/longest-increasing-subsequence.ts";
import type { Finding } from "../findings/finding.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { valueAt } from "../reading/pointer.ts";
import { withValueAt } from "./json.ts";
import { standIn } from "./merge.ts";
import { type Elements, type FixReason, type HistoryEntry, historyWith } from "./target.ts";

/** Rules that report something as moved. */
const orderRules: ReadonlySet<string> = new Set([
  "misplaced-tool-result",
  "reordered-blocks",
  "dropped-reasoning",
]);

export function isAboutOrder({ rule }: Finding): boolean {
  return orderRules.has(rule);
}

/**
 * `actual` with the model's and the tools' items in the order of `expected`; the same list if nothing moves.
 * New elements stay after their predecessor.
 */
export function reorderedEntries(
  step: Step,
  expected: readonly HistoryEntry[],
  actual: readonly HistoryEntry[],
  protocol: Protocol,
  elements: Elements,
  whyOf: (expected: Placed, entry: HistoryEntry) => FixReason,
): readonly HistoryEntry[] {
  const before = historyWith(expected, protocol);
  const after = historyWith(actual, protocol);
  const { partners } = align(standIn(step, before), standIn(step, after), after, 0);
  const met: { readonly is: Placed; readonly was: Placed }[][] = actual.map(() => []);
  for (const [is, was] of partners) met[is.element]?.push({ is, was });
  for (const pairs of met) pairs.sort((a, b) => indexOf(a.is) - indexOf(b.is));

  const inside = actual.map((entry, index) => withParts(entry, met[index] ?? []));
  const placed = inside.flatMap((_, index) => {
    const [first, ...others] = met[index] ?? [];
    const isOne = first && others.every(({ was }) => was.element === first.was.element);
    return isOne ? [{ index, at: first.was.element, first }] : [];
  });
  // Results get out of order; messages keep their positions as far as possible.
  const words = placed.filter(({ first: { is } }) => is.item.kind !== "result");
  const stay = new Set(longestIncreasingSubsequence(words.map(({ at }) => at)).map((index) => words[index]));
  /** The earliest place that what stays behind each one has. */
  const nextStays: number[] = [];
  let nearest = Number.POSITIVE_INFINITY;
  for (const [place, one] of [...placed.entries()].reverse()) {
    nextStays[place] = nearest;
    if (stay.has(one)) nearest = Math.min(nearest, one.at);
  }
  /** The latest place of what stays so far. */
  let lastStays = Number.NEGATIVE_INFINITY;
  for (const [place, one] of placed.entries()) {
    const isInOrder = lastStays <= one.at && (nextStays[place] ?? one.at) >= one.at;
    if (one.first.is.item.kind === "result" && isInOrder) stay.add(one);
    if (stay.has(one)) lastStays = Math.max(lastStays, one.at);
  }
  const movers = placed.filter((one) => !stay.has(one));
  const isSpoken = movers.every(
    ({ index }) => after.role(index) !== "system" && isOfModelOrTool(met[index] ?? []),
  );
  if (movers.length === 0 || !isSpoken) {
    return inside.some((entry, index) => entry !== actual[index]) ? inside : actual;
  }
  const moving = new Set(movers.map(({ index }) => index));
  const atOf = new Map(placed.map(({ index, at }) => [index, at]));
  const list = inside.flatMap((entry, index) => (moving.has(index) ? [] : [{ entry, at: atOf.get(index) }]));
  for (const { index, at, first } of movers.sort((a, b) => a.at - b.at)) {
    const entry = inside[index];
    const source = expected[at];
    if (!entry || !source) continue;
    const previous = list.findLastIndex((other) => other.at !== undefined && other.at <= at);
    const next = list.findIndex((other) => other.at !== undefined && other.at > at);
    const place = previous >= 0 ? previous + 1 : Math.max(0, next);
    const moved = { ...entry, whys: [...entry.whys, whyOf(first.was, source)] };
    list.splice(place, 0, { entry: moved, at });
  }
  return list.map(({ entry }) => entry);

  /** An element whose parts changed places with each other. */
  function withParts(
    entry: HistoryEntry,
    pairs: readonly { readonly is: Placed; readonly was: Placed }[],
  ): HistoryEntry {
    const lists = new Set(pairs.map(({ is }) => listOf(is)));
    const [first] = pairs;
    const source = first && expected[first.was.element];
    const isOne = lists.size === 1 && first !== undefined && listOf(first.is) !== "";
    const isTogether = pairs.every(({ was }) => was.element === first?.was.element && indexOf(was) >= 0);
    if (!isOne || !source || !isTogether || !isOfModelOrTool(pairs)) return entry;
    const wanted = [...pairs].sort((a, b) => indexOf(a.was) - indexOf(b.was));
    const mover = wanted.find((pair, index) => pair !== pairs[index]);
    if (!mover) return entry;
    const list = listOf(first.is);
    const recorded = valueAt(entry.element.value, list);
    if (!Array.isArray(recorded)) return entry;
    const parts = [...recorded];
    for (const [index, { is }] of pairs.entries())
      parts[indexOf(is)] = recorded[indexOf(wanted[index]?.is ?? is)];
    return {
      ...entry,
      element: elements(withValueAt(entry.element.value, list, parts)),
      whys: [...entry.whys, whyOf(mover.was, source)],
    };
  }
}

function isOfModelOrTool(pairs: readonly { readonly is: Placed }[]): boolean {
  return pairs.every(({ is: { item } }) => item.role === "assistant" || item.kind === "result");
}

/** The pointer to the list of parts that contains an item; `""` if the item is a whole element. */
function listOf({ item: { pointer } }: Placed): string {
  return /^(.*)\/\d+$/.exec(pointer)?.[1] ?? "";
}

/** The index of an item in its list of parts; -1 if it is in no list. */
function indexOf({ item: { pointer } }: Placed): number {
  const index = /\/(\d+)$/.exec(pointer)?.[1];
  return index === undefined ? -1 : Number(index);
}
