import type { Conversation, Step } from "../conversation/conversation.ts";
import { normalizedContent, openingOf, shortName } from "./item-identity.ts";
import { signatureOf } from "./steps.ts";

/** Conversations of one log that are compared as one run, named after the first. */
export interface ComparedRun {
  readonly conversations: readonly Conversation[];
  readonly steps: readonly Step[];
}

/** The corresponding runs of both logs; an unmatched run has no counterpart. */
export interface RunPair {
  readonly left: ComparedRun | undefined;
  readonly right: ComparedRun | undefined;
  /** How much the two have in common; 0 means only their position. */
  readonly likeness: number;
}

/**
 * Pairs the conversations of two logs, the most similar first. An unmatched conversation is appended to a run
 * whose counterpart contains its content, because a client that lost its history seems to start a new
 * conversation.
 */
export function pairConversations(left: readonly Conversation[], right: readonly Conversation[]): RunPair[] {
  const rightTraits = new Map<string, Set<Conversation>>();
  for (const one of right) {
    for (const trait of traitsOf(one).keys()) {
      const set = rightTraits.get(trait);
      if (set) set.add(one);
      else rightTraits.set(trait, new Set([one]));
    }
  }
  const candidates: { left: Conversation; right: Conversation; score: number }[] = [];
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
  const pairs: { left: Conversation; right: Conversation; score: number }[] = [];
  for (const candidate of candidates) {
    if (taken.has(candidate.left) || taken.has(candidate.right)) continue;
    taken.add(candidate.left);
    taken.add(candidate.right);
    pairs.push(candidate);
  }
  // Two logs are always compared, even when they have nothing in common.
  const [firstLeft, firstRight] = [left[0], right[0]];
  if (pairs.length === 0 && firstLeft && firstRight) {
    taken.add(firstLeft);
    taken.add(firstRight);
    pairs.push({ left: firstLeft, right: firstRight, score: 0 });
  }
  const isFree = (one: Conversation): boolean => !taken.has(one);
  const runs = pairs
    .sort((a, b) => place(a.left) - place(b.left))
    .map((pair): RunPair => ({ left: runOf([pair.left]), right: runOf([pair.right]), likeness: pair.score }));
  const joined = adopt(runs, left.filter(isFree), right.filter(isFree));
  return joined;
}

function runOf(parts: readonly Conversation[]): ComparedRun {
  const place = ({ steps }: Conversation): number => steps[0]?.exchange.position ?? 0;
  const conversations = [...parts].sort((a, b) => place(a) - place(b));
  return { conversations, steps: conversations.flatMap(({ steps }) => steps) };
}

/** Appends each unmatched conversation to the run that it fits, or else makes it a run of its own. */
function adopt(
  pairs: readonly RunPair[],
  left: readonly Conversation[],
  right: readonly Conversation[],
): RunPair[] {
  const grown = [...pairs];
  const alone: RunPair[] = [];
  for (const [own, other, free] of [
    ["left", "right", left],
    ["right", "left", right],
  ] as const) {
    for (const one of free) {
      const index = grown.findIndex((pair) => goesOnWith(pair[own], pair[other], one));
      const pair = grown[index];
      if (pair) grown[index] = { ...pair, [own]: runOf([...(pair[own]?.conversations ?? []), one]) };
      else alone.push({ left: undefined, right: undefined, [own]: runOf([one]), likeness: 0 });
    }
  }
  return [...grown, ...alone];
}

/** Whether a conversation has steps that the run lacks and its counterpart has, or the same opening again. */
function goesOnWith(
  run: ComparedRun | undefined,
  counterpart: ComparedRun | undefined,
  one: Conversation,
): boolean {
  const [first] = run?.conversations ?? [];
  if (!run || !first || !counterpart || !isApart(run.steps, one.steps)) return false;
  const isShort = run.steps.length < counterpart.steps.length;
  if (isShort && openingName(one) !== undefined && openingName(one) === openingName(first)) return true;
  return (["asked", "said"] as const).some((trait) => {
    const known = new Set(run.steps.map((step) => signatureOf(step)[trait]));
    const open = new Set(
      counterpart.steps.map((step) => signatureOf(step)[trait]).filter((each) => !known.has(each)),
    );
    return one.steps.some((step) => open.has(signatureOf(step)[trait]));
  });
}

/** One of them ends before the other begins. */
function isApart(a: readonly Step[], b: readonly Step[]): boolean {
  const isBefore = (one: readonly Step[], other: readonly Step[]): boolean =>
    (one.at(-1)?.exchange.position ?? 0) < (other[0]?.exchange.position ?? 0);
  return isBefore(a, b) || isBefore(b, a);
}

function openingName(conversation: Conversation): string | undefined {
  const opening = openingOf(conversation);
  return opening && shortName(normalizedContent(opening));
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
