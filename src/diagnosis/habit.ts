import type { Idiom } from "./idioms.ts";

/** What the sentences of a habit may depend on. */
export interface Facts {
  /** It shows in so many exchanges in a row that it is no accident. */
  readonly isHabit: boolean;
  /** The first reply of a conversation is concerned already. */
  readonly isFromStart: boolean;
  readonly idiom: Idiom;
}

/** A sentence, or one that depends on what was found. */
export type Sentence = string | ((facts: Facts) => string);

/** What somebody does wrong when a rule speaks: a sentence each, without its full stop. */
export interface Habit {
  /** Who does what. */
  readonly title: Sentence;
  /** What the model therefore saw or did; begins with "So". */
  readonly consequence: Sentence;
  /** What to change, as an order in lower case. */
  readonly change: Sentence;
}
