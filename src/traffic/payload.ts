import type { SharedRun } from "../reading/shared-run.ts";
import type { Extent, PayloadPlace } from "./place.ts";

/**
 * A quick look at an object in a log before decoding: its keys, and small values on demand. Protocols use it
 * to decide whether the object is one of their payloads.
 */
export interface Peek {
  readonly keys: readonly string[];
  /** The name of the server-sent event that carries the object, where there is one. */
  readonly event?: string;
  has(key: string): boolean;
  kind(key: string): "object" | "array" | "string" | "number" | "boolean" | "null" | undefined;
  /** The parsed value of a member. For a history array only the first elements (up to 12) and the last 4. */
  value(key: string): unknown;
}

export interface Recognition {
  /**
   * `exchange`: a request and its reply in one object. `aside`: traffic without a history, not searched
   * further.
   */
  readonly part: "request" | "reply" | "event" | "exchange" | "aside";
  /** A level of certainty.ts, adjusted for the context; below `threshold.taken` it is not a payload. */
  readonly certainty: number;
  /** A reply that only counts the tokens of its request. */
  readonly isCount?: true;
}

/** A request body as the container found it. The history is separate, because requests share it. */
export interface RequestBody {
  /** All members except the history array. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The history, when its key holds an array. (`input` as a plain string is in `fields`.) */
  readonly run: SharedRun | undefined;
  /** Members of the envelope around the payload (`{model, project, request: {…}}`); empty without one. */
  readonly envelope: Readonly<Record<string, unknown>>;
  /** Pointer from the outermost body to the object with `fields`: `""`, or `/request` in an envelope. */
  readonly base: string;
  /** Pointer to {@link run}, where there is one. */
  readonly historyPointer?: string;
  readonly place: PayloadPlace;
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Only the history array was kept, without a request around it: it is the whole body. */
  readonly isBare?: boolean;
  /** Of an incomplete request: where {@link run} lacks something. */
  readonly gaps?: readonly HistoryGap[];
}

/** A place where a recorded history lacks something that was sent. */
export interface HistoryGap {
  /** Its element, or the one behind missing elements; the length of the history for its end. */
  readonly element: number;
  /** `before`: whole elements; `in`: a part that may hold calls or results; `value`: a value of a member. */
  readonly lacks: "before" | "in" | "value";
}

/** Another copy of a request in its record: some loggers keep the history alone and in the sent body. */
export interface RequestCopy {
  readonly place: PayloadPlace;
  /** Pointers to the history: in the body that is read, and in this copy. */
  readonly history: readonly [read: string, copy: string];
}

/** One event of a stream: a server-sent event, a line of NDJSON, an element of a JSON array. */
export interface Frame {
  /** The `event:` name of server-sent events, where there is one. */
  readonly event?: string;
  /** The parsed data; `undefined` when it is not JSON (`[DONE]`, a cut frame). */
  readonly value: unknown;
  /** The data as text. */
  readonly data: string;
  /** The position of the data, for {@link PayloadPlace.locateAt}. */
  readonly extent: Extent;
  /**
   * `cut`: the data begins as JSON and ends early; `glued`: no blank line precedes the frame; `deep`: what
   * nests too deep was left out of {@link value}.
   */
  readonly flaw?: "cut" | "glued" | "deep";
}

/** The events of a stream in order: a list, or what reads them from the log again for each look at them. */
export interface Frames extends Iterable<Frame> {
  readonly length: number;
  at(index: number): Frame | undefined;
  entries(): Iterable<[number, Frame]>;
  some(predicate: (frame: Frame) => boolean): boolean;
  every(predicate: (frame: Frame) => boolean): boolean;
  map<T>(of: (frame: Frame, index: number) => T): T[];
}

export interface ReplyBody {
  readonly value: unknown;
  readonly place: PayloadPlace;
  readonly status: number | undefined;
}

export interface StreamBody {
  readonly frames: Frames;
  readonly place: PayloadPlace;
  readonly status: number | undefined;
  /** How the log keeps the frames. */
  readonly framing: "sse" | "ndjson" | "array";
  /** The recording itself shows that its end is missing (cut line, cut string). */
  readonly isCut: boolean;
}
