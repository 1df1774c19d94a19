import type { Reply } from "../conversation/reply.ts";
import { largest } from "../reading/lists.ts";
import { isEqual, membersOf } from "./json.ts";
import { isSilent, StyleHabits, volatileMembers } from "./style-habits.ts";

/**
 * How a client writes replies into its next request. The style is learned from healthy rounds: the reply as
 * the provider would have it appended, compared with the elements that the client appended. A client omits,
 * adds and rewrites the same things everywhere.
 */

/** One healthy round: how its reply may be written, and the elements of the next request that repeat it. */
export interface LearnedRound {
  readonly writings: readonly (readonly unknown[])[];
  readonly elements: readonly unknown[];
  /** Part of the reply is missing here; its absence is not evidence of a habit. */
  readonly isBroken?: boolean;
}

/** The forms in which clients may write a reply; `undefined` for an empty one. */
export function allWritings(reply: Reply): LearnedRound["writings"] | undefined {
  return reply.writings && [...reply.writings, ...(reply.moreWritings?.() ?? [])];
}

/** Writes a reply as this client would have. */
export type ClientStyle = (writings: readonly (readonly unknown[])[]) => readonly unknown[];

/** The provider's own style, used when the log does not show how the client writes. */
export const plainStyle: ClientStyle = (writings) => (writings[0] ?? []).map(plain);

/** Learns a client's style; `undefined` without any round. */
export function clientStyle(rounds: readonly LearnedRound[]): ClientStyle | undefined {
  if (rounds.length === 0) return undefined;
  const count = largest(rounds.map(({ writings }) => writings.length));
  const attempts = Array.from({ length: count }, (_, index) => attempt(rounds, index));
  const best = attempts.reduce((a, b) =>
    b.right > a.right || (b.right === a.right && b.likeness > a.likeness) ? b : a,
  );
  return (writings) => best.habits.write(writing(writings, best.index));
}

function writing(writings: readonly (readonly unknown[])[], index: number): readonly unknown[] {
  return writings[index] ?? writings[0] ?? [];
}

interface Attempt {
  readonly habits: StyleHabits;
  readonly index: number;
  /** How many rounds the habits reproduce exactly. */
  readonly right: number;
  /** How many texts come out right, minus a small penalty per extra or missing element. */
  readonly likeness: number;
}

/** Learns habits from one of the provider's writings of the replies, and scores them on the same rounds. */
function attempt(rounds: readonly LearnedRound[], index: number): Attempt {
  const habits = new StyleHabits();
  for (const { writings, elements, isBroken = false } of rounds)
    habits.learn(writing(writings, index), elements, isBroken);
  let right = 0;
  let likeness = 0;
  for (const { writings, elements } of rounds) {
    const written = habits.write(writing(writings, index));
    if (isEqual(comparable(written), comparable(elements))) right++;
    const surplus = Math.abs(written.length - elements.length);
    likeness += sharedCount(textsOf(written), textsOf(elements)) - surplus * 0.1;
  }
  return { habits, index, right, likeness };
}

/** Without an example from the client, omits members that say nothing, as most clients do. */
function plain(element: unknown): unknown {
  const members = membersOf(element);
  if (!members) return element;
  return Object.fromEntries(
    Object.entries(members)
      .filter(
        ([key, value]) =>
          key === "content" || (value !== null && !(Array.isArray(value) && value.length === 0)),
      )
      .map(([key, value]) => [key, Array.isArray(value) ? withoutSilent(value) : value]),
  );
}

function withoutSilent(parts: readonly unknown[]): unknown[] {
  const speaking = parts.filter((part) => !isSilent(part));
  return speaking.length > 0 ? speaking : [...parts];
}

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  const members = membersOf(value);
  if (!members) return value;
  return Object.fromEntries(
    Object.entries(members)
      .filter(([key]) => !volatileMembers.has(key))
      .map(([key, inner]) => [key, comparable(inner)]),
  );
}

/** All texts in a value, to measure which of two writings is closer to it. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return Object.values(membersOf(value) ?? {}).flatMap(textsOf);
}

function sharedCount(a: readonly string[], b: readonly string[]): number {
  const rest = [...b];
  return a.filter((text) => {
    const at = rest.indexOf(text);
    if (at >= 0) rest.splice(at, 1);
    return at >= 0;
  }).length;
}
