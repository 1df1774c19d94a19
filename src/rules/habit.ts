/** How a client of one API writes what it has to do, as a line of its code in backticks, or in words. */
export interface Idiom {
  /** Appending a whole reply and the results of its calls. */
  readonly append: string;
  /** One tool result. */
  readonly result: string;
}

/** What the sentences of a habit may depend on. */
export interface HabitFacts {
  /** It shows in so many exchanges in a row that it is no accident. */
  readonly isHabit: boolean;
  /** The first reply of a conversation is concerned already. */
  readonly isFromStart: boolean;
  readonly idiom: Idiom;
}

/** A sentence, or one that depends on what was found. */
export type Sentence = string | ((facts: HabitFacts) => string);

/** What somebody does wrong when a rule speaks: a sentence each, without its full stop. */
export interface Habit {
  /** Who does what. */
  readonly title: Sentence;
  /** What the model therefore saw or did; begins with "So". */
  readonly consequence: Sentence;
  /** What to change, as an order in lower case. */
  readonly change: Sentence;
}

/** What is said in place of two habits that are often met together and make one story. */
export interface SharedHabit {
  /** The other rule. */
  readonly with: string;
  readonly consequence: string;
  readonly change: (idiom: Idiom) => string;
}

/** What often follows from something else. */
export interface Effect {
  /** Of several, those with the lowest ranks are named: they say most about the run. */
  readonly rank: number;
  /** Half a sentence about the model or its run. */
  readonly words: (tool: string | undefined) => string;
}
