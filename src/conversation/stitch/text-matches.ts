import { firstIndex } from "../../reading/lists.ts";
import type { Placed } from "../conversation.ts";
import type { Role } from "../item.ts";
import type { Matching } from "./matching.ts";

/** Matches texts that were joined, split, trimmed or edited. */
export function meetTexts(matching: Matching): void {
  const { expected, actual, partners, taken } = matching;
  if (taken.size === expected.length) return;
  let order: ReturnType<typeof orderOf> | undefined;
  const keepsOrder = (before: Placed, after: Placed): boolean => {
    order ??= orderOf(expected, actual, partners);
    return order(before, after);
  };
  for (const role of ["assistant", "user", "system"] as const) {
    const lost = expected.filter((before) => !taken.has(before) && isMessageOf(before, role));
    if (lost.length === 0) continue;
    const own = actual.filter((placed) => isMessageOf(placed, role));
    const texts = own.map((placed) => ({ placed, words: dense(textOf(placed)) }));
    const holderOf = firstHolder(texts.map(({ words }) => words));
    const loose = texts.filter(({ placed }) => !partners.has(placed));
    const all = loose.map(({ words }) => words).join("");
    for (const before of lost) {
      const text = dense(textOf(before));
      const holder = texts[holderOf(text)]?.placed;
      if (holder && !partners.has(holder)) matching.meet(before, holder);
      else if (holder || (text.length > 0 && all.includes(text))) taken.add(before);
      else {
        const similar = loose.find(
          ({ placed, words }) =>
            !partners.has(placed) && isSimilar(words, text, role) && keepsOrder(before, placed),
        );
        if (similar) matching.meet(before, similar.placed, "text");
      }
    }
  }
}

/**
 * An edited text keeps its position. A text that resembles an older one, but follows that one's successors,
 * is new: where the log lacks replies, the newest answer resembles the oldest one that a window dropped.
 */
function orderOf(
  expected: readonly Placed[],
  actual: readonly Placed[],
  partner: ReadonlyMap<Placed, Placed>,
): (before: Placed, after: Placed) => boolean {
  const places = new Map(expected.map((placed, index) => [placed, index]));
  /** How far matching has got in `expected` before each item of `actual`. */
  const reached = new Map<Placed, number>();
  let furthest = -1;
  for (const placed of actual) {
    reached.set(placed, furthest);
    const met = partner.get(placed);
    if (met) furthest = Math.max(furthest, places.get(met) ?? -1);
  }
  return (before, after) => (reached.get(after) ?? -1) < (places.get(before) ?? 0);
}

function isMessageOf({ item }: Placed, role: Role): boolean {
  return item.kind === "message" && item.role === role;
}

/**
 * Finds the first of some texts without white space that contains another one; past the last for none. One
 * search through all of them is far faster than one for each.
 */
function firstHolder(texts: readonly string[]): (part: string) => number {
  const joined = texts.join("\n");
  /** Where each text ends in `joined`. */
  const ends: number[] = [];
  let end = -1;
  for (const text of texts) {
    end += text.length + 1;
    ends.push(end);
  }
  return (part) => {
    const at = joined.indexOf(part);
    return at < 0 ? texts.length : firstIndex(ends.length, (index) => (ends[index] ?? 0) >= at);
  };
}

function textOf(placed: Placed): string {
  return placed.item.kind === "message" ? placed.item.text : "";
}

/** A text without its white space, which clients change. */
export function dense(text: string): string {
  return text.replace(/\s+/g, "");
}

/** A user's questions often differ in one word; a reminder that changes its date is longer. */
const minEdited = 120;

/** The same text, edited: one contains the other, or half of the shorter one is a common prefix or suffix. */
function isSimilar(a: string, b: string, role: Role): boolean {
  const shorter = Math.min(a.length, b.length);
  if (shorter < 4) return false;
  if (a.includes(b) || b.includes(a)) return true;
  if (role === "user" && shorter < minEdited) return false;
  let head = 0;
  while (head < shorter && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return (head + tail) * 2 >= shorter;
}
