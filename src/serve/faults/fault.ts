/** What goes wrong with one answer. Nothing in it is left to chance. */
export interface Fault {
  /** As the user wrote it: `429,retry-after=2`. */
  readonly text: string;
  /** In place of the answer. */
  readonly instead?:
    | { readonly kind: "status"; readonly status: number }
    | { readonly kind: "reset" | "hang" };
  /** How long a client that gets a status has to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** A gateway's HTML page in place of the provider's error. */
  readonly isHtml?: boolean;
  /** How many milliseconds pass before the first byte. */
  readonly delayMs?: number;
  /** What the model does wrong: it says nothing, or stops in the middle. */
  readonly reply?: "empty" | "length";
  /** Habits of odd servers, by name. */
  readonly oddities?: readonly string[];
  readonly ending?: Ending;
  /** How many milliseconds pass between two writes. */
  readonly pauseMs?: number;
  readonly writes?: Writes;
  /** Lines end with CR and LF. */
  readonly isCrlf?: boolean;
}

/** How a stream ends too early. */
export interface Ending {
  /** The connection breaks, the stream ends as if it were whole, or the provider reports an error in it. */
  readonly how: "cut" | "end" | "error";
  /** How many events, or bytes, are sent before; absent: half of the events. */
  readonly after?: number;
  readonly unit: "event" | "byte";
}

/** How the bytes are divided between writes: so many bytes, or events, in each. */
export interface Writes {
  readonly unit: "byte" | "event";
  readonly size: number;
}

/** A fault for certain turns. */
export interface PlannedFault {
  /** As the user wrote it: `2-4:529`. */
  readonly text: string;
  /** The turns, from 1, in order of arrival; `last` is infinite for all turns. */
  readonly first: number;
  readonly last: number;
  readonly fault: Fault;
}
