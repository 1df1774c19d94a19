import type { Fidelity } from "./fidelity.ts";
import type { Frame, Peek, Recognition } from "./payload.ts";

/** What an object was recognized as, and by which protocol. */
export interface RecognizedPayload extends Recognition {
  readonly protocol: string;
  /** `reported`: in the protocol's form, no provider receives it. */
  readonly fidelity: Fidelity;
}

/**
 * What the protocols tell the containers about payloads, so that these can find them without knowing any
 * API.
 */
export interface Recognizer {
  readonly historyKeys: ReadonlySet<string>;
  readonly stableKeys: ReadonlySet<string>;
  /** Groups of keys: a list whose first element has all keys of one may be a history. */
  readonly messageKeys: readonly (readonly string[])[];
  /**
   * The protocol to which an object probably belongs; `undefined` when it is no payload. `where` says what
   * stands around the object: traffic, or the report of a tool.
   */
  recognize(peek: Peek, url: string | undefined, where?: Fidelity): RecognizedPayload | undefined;
  /** Whether this frame ends its stream. */
  isTerminal(protocol: string, frame: Frame): boolean;
  /** The reply that a frame belongs to, where it says so. */
  replyId(protocol: string, frame: Frame): string | undefined;
}
