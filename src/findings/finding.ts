import type { Exchange } from "../conversation/exchange.ts";
import type { Extent } from "../traffic/place.ts";

export type Severity = "info" | "warning" | "error";

/** A place in terms of the conversation; `locate` turns it into file, line and column. */
export interface Locus {
  readonly exchange: Exchange;
  readonly part: "request" | "response" | "transcript";
  /** RFC 6901 pointer into the body (for a stream: into the assembled reply). */
  readonly pointer: string;
  /** In a stream: the fragment to show. */
  readonly extent?: Extent;
  /** The conversation's name (`c1`) and the step's number from 1, where known. */
  readonly conversation?: string;
  readonly step?: number;
}

/** Another place that explains a finding. */
export interface Note {
  readonly message: string;
  readonly locus: Locus;
}

/**
 * What a fix does. `safe`: restores only what the log itself proves. `lossy`: removes something. `inventing`:
 * adds something that the log does not contain.
 */
export type Safety = "safe" | "lossy" | "inventing";

/** A repair on offer; nothing changes until it is applied. */
export interface Fix {
  readonly safety: Safety;
  readonly title: string;
}

/** One thing a rule has to say. Plain data: printing, JSON and tests all read it. */
export interface Finding {
  readonly rule: string;
  /** Which of the rule's messages this is; stable across releases, unlike {@link message}. */
  readonly kind: string;
  readonly severity: Severity;
  /** One self-contained sentence; values from the log in backticks, not yet escaped. */
  readonly message: string;
  readonly locus: Locus;
  readonly notes: readonly Note[];
  /** The facts that the message was made from; plain JSON. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly fix?: Fix;
  /** The finding that this one follows from. */
  readonly cause?: Finding;
  /** Later exchanges that contain the same wrong item, in the order of the run. */
  readonly alsoIn: readonly Exchange[];
}
