import type { Origin } from "../reading/origin.ts";
import type { Span } from "../reading/place.ts";
import type { ByteSource } from "../reading/source.ts";
import type { SessionWriter } from "./session-writer.ts";

/** A stretch of a payload, from `start` up to and without `end`, in the payload's own positions. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

/** Where a request or a reply stands in its file. Offsets are found when asked, not kept. */
export interface PayloadPlace {
  /** The whole payload. */
  readonly origin: Origin;
  /** The value at an RFC 6901 pointer into the body; the nearest existing ancestor when the pointer leads nowhere. */
  locate(pointer: string): Origin;
  /** A stretch of a streamed payload, in the positions that its frames carry. */
  locateAt(extent: Extent): Origin;
  /** The bytes of the payload, for writing them back. */
  readonly span: Span;
  /** Where the payload is put together of records, as a transcript's are: the record that holds the value at `pointer`. */
  inRecord?(pointer: string): RecordPlace | undefined;
  /** The files in which something of it stands, where it is put together of records. */
  sources?(): readonly ByteSource[];
  /** The records hold the values as their protocol has them, and new ones can be written in the same form. */
  readonly takesRecords?: boolean;
  /** How the records are written, where they have a form of their own. */
  readonly form?: SessionWriter | undefined;
  /** Nobody mends the history of this session before it is sent: a call without a result goes out as one. */
  readonly isSentAsKept?: boolean;
  /** The same payload where the record holds it once more: what is changed here has to be changed there. */
  readonly twins?: readonly Twin[];
}

/** A second copy of a request in its record; some loggers keep the history by itself, and again in the body that was sent. */
export interface Twin {
  readonly place: PayloadPlace;
  /** Pointers to the history: in the payload that is read, and in this copy of it. */
  readonly history: readonly [read: string, copy: string];
}

/** A value in one of the records of which a payload was put together. */
export interface RecordPlace {
  /** The JSON that holds the value, and the RFC 6901 pointer from it to the value: for writing back. */
  readonly span: Span;
  readonly within: string;
  /** The pointer from the record's whole body, as reports show it. */
  readonly pointer: string;
}
