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

/** Two corresponding conversations, and how much they have in common. */
export interface PairedConversations {
  readonly left: Conversation;
  readonly right: Conversation;
  readonly score: number;
}

/** Appends each unmatched conversation to the run that it fits, or else makes it a run of its own. */
export function adopt(
  pairs: readonly PairedConversations[],
  left: readonly Conversation[],
  right: readonly Conversation[],
): RunPair[] {
  if (left.length === 0 && right.length === 0)
    return pairs.map((pair) => ({
      left: runOf([pair.left]),
      right: runOf([pair.right]),
      likeness: pair.score,
    }));
  const grown = pairs.map((pair) => ({
    left: new GrowingRun(pair.left),
    right: new GrowingRun(pair.right),
    likeness: pair.score,
  }));
  const alone: RunPair[] = [];
  for (const [own, other, free] of [
    ["left", "right", left],
    ["right", "left", right],
  ] as const) {
    if (free.length === 0) continue;
    const homes = new Homes(grown.map((pair) => ({ run: pair[own], counterpart: pair[other] })));
    for (const one of free)
      if (!homes.take(one))
        alone.push({ left: undefined, right: undefined, [own]: runOf([one]), likeness: 0 });
  }
  const whole = grown.map((pair) => ({ ...pair, left: pair.left.done(), right: pair.right.done() }));
  return [...whole, ...alone];
}

function runOf(parts: readonly Conversation[]): ComparedRun {
  const [only] = parts;
  if (parts.length === 1 && only) return { conversations: parts, steps: only.steps };
  const conversations = [...parts].sort((a, b) => startOf(a) - startOf(b));
  return { conversations, steps: conversations.flatMap(({ steps }) => steps) };
}

function startOf({ steps }: Conversation): number {
  return steps[0]?.exchange.position ?? 0;
}

function endOf({ steps }: Conversation): number {
  return steps.at(-1)?.exchange.position ?? 0;
}

/** A run that takes conversations in, which lie before or behind all that it has. */
class GrowingRun {
  first: Conversation;
  length = 0;
  private last: Conversation;
  private readonly parts: Conversation[] = [];
  private known: Set<string> | undefined;

  constructor(conversation: Conversation) {
    this.first = conversation;
    this.last = conversation;
    this.add(conversation);
  }

  add(one: Conversation): void {
    this.parts.push(one);
    this.length += one.steps.length;
    if (this.known) addTraits(this.known, one);
    if (startOf(one) < startOf(this.first)) this.first = one;
    if (startOf(one) >= startOf(this.last)) this.last = one;
  }

  /** All that its steps were asked and said, found on first use: most runs take nothing in. */
  get traits(): ReadonlySet<string> {
    if (!this.known) {
      this.known = new Set();
      for (const part of this.parts) addTraits(this.known, part);
    }
    return this.known;
  }

  /** One of them ends before the other begins. */
  isApartFrom(one: Conversation): boolean {
    return endOf(this.last) < startOf(one) || endOf(one) < startOf(this.first);
  }

  done(): ComparedRun {
    return runOf(this.parts);
  }
}

function addTraits(traits: Set<string>, { steps }: Conversation): void {
  for (const step of steps) for (const trait of stepTraits(step)) traits.add(trait);
}

interface Home {
  readonly run: GrowingRun;
  readonly counterpart: GrowingRun;
}

/** The runs that may take a conversation in, by what such a conversation has in common with them. */
class Homes {
  private readonly homes: readonly Home[];
  private readonly places = new Map<string, number[]>();

  constructor(homes: readonly Home[]) {
    this.homes = homes;
    for (const [index, { run, counterpart }] of homes.entries()) {
      this.note(openingKey(run.first), index);
      for (const trait of counterpart.traits) if (!run.traits.has(trait)) this.note(trait, index);
    }
  }

  /** Adds a conversation to the first run that it fits; `false` if there is none. */
  take(one: Conversation): boolean {
    const traits = new Set(one.steps.flatMap(stepTraits));
    const opening = openingKey(one);
    let best: number | undefined;
    for (const key of [opening, ...traits])
      for (const index of (key && this.places.get(key)) || []) {
        const home = this.homes[index];
        if (home && (best === undefined || index < best) && goesOnWith(home, one, opening, traits))
          best = index;
      }
    const home = best === undefined ? undefined : this.homes[best];
    if (best === undefined || !home) return false;
    home.run.add(one);
    if (home.run.first === one) this.note(opening, best);
    return true;
  }

  private note(key: string | undefined, index: number): void {
    if (key === undefined) return;
    const list = this.places.get(key);
    if (list) list.push(index);
    else this.places.set(key, [index]);
  }
}

/** Whether a conversation has steps that the run lacks and its counterpart has, or the same opening again. */
function goesOnWith(
  { run, counterpart }: Home,
  one: Conversation,
  opening: string | undefined,
  traits: ReadonlySet<string>,
): boolean {
  if (!run.isApartFrom(one)) return false;
  if (run.length < counterpart.length && opening !== undefined && opening === openingKey(run.first))
    return true;
  for (const trait of traits) if (counterpart.traits.has(trait) && !run.traits.has(trait)) return true;
  return false;
}

function stepTraits(step: Step): readonly string[] {
  const { asked, said } = signatureOf(step);
  return [`asked ${asked}`, `said ${said}`];
}

const openings = new WeakMap<Conversation, string | undefined>();

function openingKey(conversation: Conversation): string | undefined {
  if (!openings.has(conversation)) {
    const name = openingName(conversation);
    openings.set(conversation, name === undefined ? undefined : `opening ${name}`);
  }
  return openings.get(conversation);
}

/** The name of what a conversation begins with; absent if it has no such item. */
export function openingName(conversation: Conversation): string | undefined {
  const opening = openingOf(conversation);
  return opening && shortName(normalizedContent(opening));
}
