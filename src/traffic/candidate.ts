import type { Origin } from "../reading/origin.ts";
import type { Fidelity } from "./fidelity.ts";
import type { Frame, Frames, RequestBody, RequestCopy } from "./payload.ts";
import type { PayloadPlace } from "./place.ts";
import type { RecordContext } from "./record-context.ts";

interface CandidateBase {
  readonly protocol: string;
  readonly certainty: number;
  readonly record: RecordContext;
  /** Where it begins in the file, in bytes; candidates are ordered by it. */
  readonly start: number;
  readonly place: PayloadPlace;
  /** Its end is missing in the log. */
  readonly isCut: boolean;
  readonly fidelity: Fidelity;
}

/** A possible payload that a container found. */
export type PayloadCandidate =
  | (CandidateBase & {
      readonly part: "request";
      readonly body: RequestBody;
      /** The body of its response, where the record has one that no protocol knows. */
      readonly unknownReply?: Origin;
      /** Other copies of the request in the same record. */
      readonly copies?: readonly RequestCopy[];
    })
  | (CandidateBase & {
      readonly part: "reply";
      readonly value: unknown;
      /** A message, a list of messages or a text, a reply by its position only. Ignored without a request. */
      readonly isBare?: boolean;
      /** A message that stands alone in its record. It is a reply if the file has nothing else. */
      readonly isLone?: boolean;
      /** An error in no known API's form. It answers the request that shares an id, or is ignored. */
      readonly isRefusal?: boolean;
      /** It only counts the tokens of its request. Ignored without one. */
      readonly isCount?: boolean;
    })
  | (CandidateBase & {
      readonly part: "stream";
      readonly frames: Frames;
      readonly framing: "sse" | "ndjson" | "array";
      /**
       * Single events of a stream, as examples are. `record`: one record has all of them, and not in a list.
       * `blocks`: each fills a fenced block of a text. `mixed`: other records stand between its events, and
       * the last event may be one of them.
       */
      readonly excerpt?: "record" | "blocks" | "mixed";
    })
  | (CandidateBase & {
      readonly part: "event";
      readonly frame: Frame;
      /** `list`: an array in its record holds it, at any depth. `block`: it fills a fenced block. */
      readonly within?: "list" | "block";
    })
  /**
   * A fragment of a stream, cut anywhere; other records hold the rest. `frames` are present where the text
   * alone is recognizable as a stream.
   */
  | (CandidateBase & { readonly part: "segment"; readonly frames?: Frames });
