/** The code with which clients of one API do something, in backticks, or general words. */
export interface Idiom {
  /** Appending a complete reply and the results of its calls. */
  readonly append: string;
  /** One tool result, after a colon; empty if there is no code to show. */
  readonly result: string;
}

/** The part of the history that a client sends in request after request. */
export interface WindowFacts {
  /** `last`: a number of messages; `newest`: what is new since the last request. */
  readonly kind: "last" | "newest";
  /** Number of messages sent, without prompts that are always sent; 0 for `newest`. */
  readonly size: number;
  /** The first prompt of the user is always sent. */
  readonly keepsAsk: boolean;
  /** What this request lacks, and what the last one concerned lacks. */
  readonly first: RequestLack;
  readonly last: RequestLack;
}

/** How many messages of the whole history a request lacks. */
interface RequestLack {
  readonly request: number;
  readonly missing: number;
  readonly of: number;
}

/** Facts that the sentences of a habit may depend on. */
export interface HabitFacts {
  /** It occurs in enough adjacent exchanges to be more than an accident. */
  readonly isHabit: boolean;
  /** It affects the first reply of a conversation. */
  readonly isFromStart: boolean;
  /** The client cuts off the beginning of the history and sends the rest. */
  readonly isTrim: boolean;
  /** The texts of replies are in the history, without their calls. */
  readonly isTextKept: boolean;
  /** The request contains no message of the user. */
  readonly isAskGone: boolean;
  /** The end of the history is all that the client sends; absent if it sends more. */
  readonly window?: WindowFacts;
  readonly idiom: Idiom;
  /** Who rejects the request, as a clause: "Mistral rejects the request". Absent if no provider is known. */
  readonly rejection: string | undefined;
}

/** Who has to change something; a server is also the proxy in front of it. */
export type Culprit = "client" | "server" | "prompt" | "logger";

/** A sentence, or a function that makes it from the facts. */
export type Sentence = string | ((facts: HabitFacts) => string);

/** What the client does wrong when a rule has findings: sentences without full stop. */
export interface Habit {
  /** Who does what. */
  readonly title: Sentence;
  /** What the model saw or did as a result; begins with "So". */
  readonly consequence: Sentence;
  /** What to change, as an instruction in lower case. */
  readonly change: Sentence;
  /** Where to change it; absent for the client. */
  readonly changeIn?: Exclude<Culprit, "client">;
}

/** The consequence of what providers reject: who rejects it, or a sentence for an unknown provider. */
export function soRejected(
  unknown = "So servers that check this reject the request",
): (facts: HabitFacts) => string {
  return ({ rejection }) => (rejection === undefined ? unknown : `So ${rejection}`);
}

/** The explanation of two habits that often occur together. */
export interface SharedHabit {
  /** The other rule. */
  readonly with: string;
  readonly consequence: string;
  readonly change: (idiom: Idiom) => string;
}

/** What often follows from another finding. */
export interface Effect {
  /** Effects with the lowest ranks are the most informative and are named first. */
  readonly rank: number;
  /** The kinds of findings that show it; absent for all. */
  readonly kinds?: readonly string[];
  /** Half a sentence about the model or its run. */
  readonly words: (tool: string | undefined) => string;
  /** The end of a consequence that says the same already, so that only the place is added. */
  readonly saidIn?: RegExp;
}
