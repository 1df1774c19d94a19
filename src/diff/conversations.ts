import type { Conversation } from "../conversation/conversation.ts";
import { adopt, openingName, type PairedConversations, type RunPair } from "./adopt.ts";
import { shortName } from "./item-identity.ts";
import { signatureOf } from "./steps.ts";

/**
 * Pairs the conversations of two logs, the most similar first. An unmatched conversation is appended to a run
 * whose counterpart contains its content, because a client that lost its history seems to start a new
 * conversation.
 */
export function pairConversations(left: readonly Conversation[], right: readonly Conversation[]): RunPair[] {
  const [firstLeft, firstRight] = [left[0], right[0]];
  // Two logs are always compared, so one conversation on each side needs no ranking.
  if (firstLeft && firstRight && left.length === 1 && right.length === 1)
    return adopt([{ left: firstLeft, right: firstRight, score: likenessOf(firstLeft, firstRight) }], [], []);
  const rightTraits = new Map<string, Set<Conversation>>();
  for (const one of right) {
    for (const trait of traitsOf(one).keys()) {
      const set = rightTraits.get(trait);
      if (set) set.add(one);
      else rightTraits.set(trait, new Set([one]));
    }
  }
  const candidates: PairedConversations[] = [];
  for (const one of left) {
    const scores = new Map<Conversation, number>();
    for (const [trait, weight] of traitsOf(one)) {
      const others = rightTraits.get(trait);
      // A trait that every conversation has distinguishes none of them.
      if (!others || (others.size > 50 && right.length > 50)) continue;
      for (const other of others) scores.set(other, (scores.get(other) ?? 0) + weight);
    }
    for (const [other, score] of scores) candidates.push({ left: one, right: other, score });
  }
  const order = new Map([...left, ...right].map((one, index) => [one, index]));
  const place = (one: Conversation): number => order.get(one) ?? 0;
  candidates.sort(
    (a, b) => b.score - a.score || place(a.left) - place(b.left) || place(a.right) - place(b.right),
  );
  const taken = new Set<Conversation>();
  const pairs: PairedConversations[] = [];
  for (const candidate of candidates) {
    if (taken.has(candidate.left) || taken.has(candidate.right)) continue;
    taken.add(candidate.left);
    taken.add(candidate.right);
    pairs.push(candidate);
  }
  const isFree = (one: Conversation): boolean => !taken.has(one);
  for (const pair of alike(left.filter(isFree), right.filter(isFree))) {
    taken.add(pair.left);
    taken.add(pair.right);
    pairs.push(pair);
  }
  // Two logs are always compared, even when they have nothing in common.
  if (pairs.length === 0 && firstLeft && firstRight) {
    taken.add(firstLeft);
    taken.add(firstRight);
    pairs.push({ left: firstLeft, right: firstRight, score: 0 });
  }
  const runs = pairs.sort((a, b) => place(a.left) - place(b.left));
  return adopt(runs, left.filter(isFree), right.filter(isFree));
}

/**
 * Pairs conversations with the same traits in the order of their logs: where many share all they have, only
 * their order can tell them apart.
 */
function alike(left: readonly Conversation[], right: readonly Conversation[]): PairedConversations[] {
  if (left.length === 0) return [];
  /** By their traits, the first of each list last. */
  const waiting = new Map<string, Conversation[]>();
  for (const one of right.toReversed()) {
    const name = nameOf(traitsOf(one));
    const list = waiting.get(name);
    if (list) list.push(one);
    else waiting.set(name, [one]);
  }
  return left.flatMap((one) => {
    const traits = traitsOf(one);
    const other = waiting.get(nameOf(traits))?.pop();
    return other ? { left: one, right: other, score: sumOf(traits) } : [];
  });
}

function nameOf(traits: ReadonlyMap<string, number>): string {
  return shortName([...traits.keys()].join("\n"));
}

function sumOf(traits: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const weight of traits.values()) sum += weight;
  return sum;
}

/** 0 if two conversations have nothing in common. To name all steps takes a tenth of a long comparison. */
function likenessOf(left: Conversation, right: Conversation): number {
  const opening = openingName(left);
  if (opening !== undefined && opening === openingName(right)) return 1;
  const traits = traitsOf(left);
  return [...traitsOf(right).keys()].some((trait) => traits.has(trait)) ? 1 : 0;
}

/** The traits that distinguish a conversation, with their weights. */
function traitsOf(conversation: Conversation): Map<string, number> {
  const traits = new Map<string, number>();
  const opening = openingName(conversation);
  if (opening !== undefined) traits.set(`opening ${opening}`, 3);
  for (const step of conversation.steps) {
    const { whole, asked } = signatureOf(step);
    traits.set(`step ${whole}`, 2);
    traits.set(`asked ${asked}`, 1);
  }
  return traits;
}
