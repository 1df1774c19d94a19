import type { Origin } from "../reading/origin.ts";
import type { Span } from "../reading/place.ts";

/** A slice of a payload, from `start` up to and without `end`, in the payload's own positions. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

/** Where a request or a reply stands in its file. Offsets are found when asked, not kept. */
export interface PayloadPlace {
  /** The whole payload. */
  readonly origin: Origin;
  /** The bytes of the payload, for writing them back. */
  readonly span: Span;
  /**
   * The value at an RFC 6901 pointer into the body; the nearest existing ancestor when the pointer leads
   * nowhere.
   */
  locate(pointer: string): Origin;
  /** A slice of a streamed payload, in the positions that its frames carry. */
  locateAt(extent: Extent): Origin;
}
