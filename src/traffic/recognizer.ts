import type { Fidelity } from "./fidelity.ts";
import type { Frame, Peek, Recognition } from "./payload.ts";

/** What an object was recognized as, and by which protocol. */
export interface RecognizedPayload extends Recognition {
  readonly protocol: string;
  /** `reported`: it has the protocol's form, but no provider receives it. */
  readonly fidelity: Fidelity;
}

/** The protocols' knowledge of payloads, for containers that know no API. */
export interface Recognizer {
  readonly historyKeys: ReadonlySet<string>;
  readonly stableKeys: ReadonlySet<string>;
  /** Groups of keys: a list whose first element has all keys of a group may be a history. */
  readonly messageKeys: readonly (readonly string[])[];
  /**
   * The protocol that an object probably belongs to; `undefined` when it is not a payload. `where` is its
   * context: traffic, or a tool's report.
   */
  recognize(peek: Peek, url: string | undefined, where?: Fidelity): RecognizedPayload | undefined;
  /** The protocol that a list without a request around it is probably a history of. */
  recognizeHistory(
    items: readonly unknown[],
    url: string | undefined,
    where?: Fidelity,
  ): RecognizedPayload | undefined;
  /** Whether a request asks no model: a health check, a list of models, a preflight, telemetry. */
  isProbe(method: string | undefined, url: string | undefined): boolean;
  /** Whether a request asks a model for a turn, by its address. */
  asksModel(method: string | undefined, url: string | undefined): boolean;
  /** The HTTP status of a refusal that a client library prints; `undefined` if the line is no such print. */
  printedStatus(line: string): number | undefined;
  /** Whether a line begins with the words in which a known provider refuses a history. */
  refusesInWords(line: string): boolean;
  /** Whether the body of a request of one protocol may as well be one of the other's. */
  asksAlike(protocol: string, other: string): boolean;
  /** Whether this frame ends its stream. */
  isTerminal(protocol: string, frame: Frame): boolean;
  /** The id of the reply that a frame belongs to, where the frame states it. */
  replyId(protocol: string, frame: Frame): string | undefined;
  /** Whether a frame can only continue the reply with these frames, whatever its id says. */
  continuesReply(
    protocol: string,
    frame: Frame,
    reply: { readonly first: Frame; readonly last: Frame },
  ): boolean;
}
