import type { Origin } from "../reading/origin.ts";
import type { Span } from "../reading/place.ts";
import type { SharedRun } from "../reading/shared.ts";
import type { ByteSource } from "../reading/source.ts";

/**
 * Payloads on their way from the containers, which find them, to the protocols, which understand them.
 */

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
  readonly form?: RecordForm | undefined;
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

/**
 * A message in the words of no provider: what readers of session files make of records that have a form of their own. `at` is the
 * pointer from the record to what a part was made of.
 */
export interface PlainMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly parts: readonly PlainPart[];
}

/**
 * How an agent writes its records, where they have a form of their own: for mending one, and for writing a new one. A new record whose
 * `id` is empty gets one when it is written, and so does the member that names the record before it.
 */
export interface RecordForm {
  /** What a record says, with pointers from the record. */
  messages(record: unknown): readonly PlainMessage[];
  /** A result is a record of its own. Otherwise it is a part of one. */
  readonly hasResultRecords: boolean;
  /** Results have to stand behind their calls before anybody else speaks. */
  readonly resultsFollow?: boolean;
  /** A reply that failed or was broken off is not sent again, whatever answers its calls. */
  readonly leavesOutFailed?: boolean;
  /** A result whose call is gone is not sent either. */
  readonly leavesOutOrphans?: boolean;
  /** Where a result, given as it stands, names its call. */
  readonly resultId: string;
  /** A result for a call of `record`: as a record, and where results are parts, as one of them. Absent where {@link closed} is there. */
  result?(call: { readonly id: string; readonly name: string }, text: string, record: unknown): NewPart;
  /** Words of the user in place of `record`, which holds a result; absent where no result can be without its call. */
  words?(text: string, record: unknown): NewPart;
  /** A call with a result beside it, for agents that keep both in one object. */
  closed?(call: unknown, text: string): unknown;
}

/** Something new in a session: a record, and the same as a part of one, where `list` leads to its parts. */
export interface NewPart {
  readonly element: unknown;
  readonly part?: { readonly list: string; readonly value: unknown };
}

export type PlainPart =
  | { readonly kind: "text" | "reasoning" | "summary"; readonly text: string; readonly at: string }
  | { readonly kind: "media"; readonly at: string }
  | {
      readonly kind: "call";
      readonly id?: string;
      readonly name: string;
      /** JSON text, or a value; `isFreeText` says that the text is meant to be no JSON. */
      readonly arguments: unknown;
      readonly isFreeText?: boolean;
      readonly isHosted?: boolean;
      readonly isOpen?: boolean;
      readonly at: string;
    }
  | {
      readonly kind: "result";
      readonly callId?: string;
      readonly name?: string;
      readonly text: string;
      readonly isError?: boolean;
      readonly isHosted?: boolean;
      readonly at: string;
    };

/**
 * A quick look at an object in a log, before anything is decoded: its keys, and small values on demand.
 * Protocols decide with it whether the object is one of their payloads.
 */
export interface Peek {
  readonly keys: readonly string[];
  /** The name of the server-sent event that carries the object, where there is one. */
  readonly event?: string;
  has(key: string): boolean;
  kind(key: string): "object" | "array" | "string" | "number" | "boolean" | "null" | undefined;
  /** The parsed value of a member. For a history array: its first elements only (at most 12, and the last 4). */
  value(key: string): unknown;
}

export interface Recognition {
  /** `exchange`: a request and its reply in one object. `aside`: traffic that carries no history; nothing is looked for inside it. */
  readonly part: "request" | "reply" | "event" | "exchange" | "aside";
  /** It is told in the words of an SDK or a tracing tool: where the wire's own bytes stand beside it, these count. */
  readonly isRetold?: boolean;
  /** 0 (no) to 1 (nothing else looks like this). Below 0.3 it is not taken. */
  readonly certainty: number;
}

/** A request body as the container found it: the history is kept apart, because requests share it. */
export interface RequestBody {
  /** All members except the history array. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The history, when its key holds an array. (`input` as a plain string is in `fields`.) */
  readonly run: SharedRun | undefined;
  /** Members of the envelope around the payload (`{model, project, request: {contents}}`); empty when there is none. */
  readonly envelope: Readonly<Record<string, unknown>>;
  /** Pointer from the outermost body to the object that holds `fields`: `""`, or `/request` in an envelope. */
  readonly base: string;
  /** Pointer to {@link run}, where there is one. */
  readonly historyPointer?: string;
  readonly place: PayloadPlace;
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Only the history array was kept, without a request around it: it is the whole body. */
  readonly isBare?: boolean;
}

/** One event of a stream: a frame of server-sent events, a line of NDJSON, an element of a JSON array. */
export interface Frame {
  /** The `event:` name of server-sent events, where there is one. */
  readonly event?: string;
  /** The parsed data; `undefined` when it is no JSON (`[DONE]`, a cut frame). */
  readonly value: unknown;
  /** The data as text. */
  readonly data: string;
  /** Where the data stands, in positions for {@link PayloadPlace.locateAt}. */
  readonly extent: Extent;
  /** `cut`: the data begins like JSON and ends early; `glued`: the frame was not set apart from the one before by a blank line. */
  readonly flaw?: "cut" | "glued";
}

export interface ReplyBody {
  readonly value: unknown;
  readonly place: PayloadPlace;
  readonly status: number | undefined;
}

export interface StreamBody {
  readonly frames: readonly Frame[];
  readonly place: PayloadPlace;
  readonly status: number | undefined;
  /** How the frames were kept. */
  readonly framing: "sse" | "ndjson" | "array";
  /** The recording itself says that its end is missing (cut line, cut string). */
  readonly isCut: boolean;
}
