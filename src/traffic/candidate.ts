import type { Fidelity } from "./fidelity.ts";
import type { Frame, RequestBody, RequestCopy } from "./payload.ts";
import type { PayloadPlace } from "./place.ts";
import type { RecordContext } from "./record-context.ts";

interface CandidateBase {
  readonly protocol: string;
  readonly certainty: number;
  readonly record: RecordContext;
  /** Where it begins in the file; candidates are ordered by it. */
  readonly start: number;
  readonly place: PayloadPlace;
  /** The log has lost the end of it. */
  readonly isCut: boolean;
  readonly fidelity: Fidelity;
}

/** A payload that a container came upon. */
export type PayloadCandidate =
  | (CandidateBase & {
      readonly part: "request";
      readonly body: RequestBody;
      /** The same request where its record holds it once more. */
      readonly copies?: readonly RequestCopy[];
    })
  | (CandidateBase & {
      readonly part: "reply";
      readonly value: unknown;
      /**
       * Only a message, a list of messages or a text, which is a reply by where it stands. It answers a
       * request, or is nothing.
       */
      readonly isBare?: boolean;
      /** An error in no API's words. It answers the request with which it shares an id, or is nothing. */
      readonly isRefusal?: boolean;
    })
  | (CandidateBase & {
      readonly part: "stream";
      readonly frames: readonly Frame[];
      readonly framing: "sse" | "ndjson" | "array";
    })
  | (CandidateBase & { readonly part: "event"; readonly frame: Frame })
  /**
   * Text of a stream that the log keeps as it arrived, cut anywhere: other records hold the rest. `frames`
   * are there where the text is known for a stream by itself.
   */
  | (CandidateBase & { readonly part: "segment"; readonly frames?: readonly Frame[] });
