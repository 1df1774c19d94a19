import type { Origin } from "../reading/origin.ts";
import type { Span } from "../reading/place.ts";

/** A slice of a payload, from `start` up to but not including `end`, in the payload's own positions. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

/** The position of a request or a reply in its file. Offsets are computed on demand, not stored. */
export interface PayloadPlace {
  /** The whole payload. */
  readonly origin: Origin;
  /** The bytes of the payload, for writing them back. */
  readonly span: Span;
  /** The value at an RFC 6901 pointer into the body, or its nearest existing ancestor. */
  locate(pointer: string): Origin;
  /** A slice of a streamed payload, in the positions that its frames carry. */
  locateAt(extent: Extent): Origin;
}
