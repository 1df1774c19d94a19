import type { ReplyBody, StreamBody } from "../traffic/payload.ts";
import type { Extent, PayloadPlace } from "../traffic/place.ts";
import type { Item } from "./item.ts";

/** The meaning of a stop reason, common to all providers. */
export type FinishMeaning =
  | "answer"
  | "calls"
  | "length"
  | "filter"
  | "refusal"
  | "pause"
  | "malformed-call"
  | "error"
  | "compaction"
  | "other";

export interface Finish {
  /** The provider's own value. */
  readonly reason: string;
  /** The upstream server's value, if a gateway passes it on (`native_finish_reason`). */
  readonly native?: string;
  readonly meaning: FinishMeaning;
  /** The protocol does not know this reason; its meaning is `other`. */
  readonly isUnknown?: boolean;
  /** RFC 6901 pointer into the reply's body. */
  readonly pointer: string;
  readonly extent?: Extent;
}

export interface Usage {
  readonly input?: number;
  readonly output?: number;
  readonly cached?: number;
}

/** The reply, assembled. */
export interface Reply {
  readonly place: PayloadPlace;
  /** `json`: one body; `stream`: assembled from events. */
  readonly form: "json" | "stream";
  readonly id?: string;
  readonly model?: string;
  readonly items: readonly Item[];
  /**
   * The reply as history elements, the way a lossless client appends it. The first form is the one in the
   * provider's documentation; the others are what known clients write instead. Absent for an empty reply.
   */
  readonly writings?: readonly (readonly unknown[])[];
  /** More forms, made when they are asked for, as only repairs learn from them and they may be large. */
  readonly moreWritings?: () => readonly (readonly unknown[])[];
  /** Absent when the reply gives no reason, for example in a cut stream. */
  readonly finish?: Finish;
  readonly usage?: Usage;
  /** `open`: a stream without its terminal event. */
  readonly state: "complete" | "open";
  /** The events of the stream stand in a JSON array; its writer may have left out those without content. */
  readonly isList?: boolean;
  /** What the log lacks of a stream that stands alone in it, as one pastes a few of its events. */
  readonly lacking?: StreamLack;
  /** The provider rejected the request or failed: an error body, or an error event in a stream. */
  readonly error?: ReplyError;
  /** Providers that a gateway tried first, as it reports them; absent when it reports none. */
  readonly attempts?: readonly FailedAttempt[];
  readonly flaws: readonly ReplyFlaw[];
  /** What its protocol does not know in it; absent if there is none. */
  readonly novelties?: readonly Novelty[];
  /** Number of choices or candidates besides the first, which `items` holds; usually 0. */
  readonly otherChoices: number;
  /** As it was received, in its request's protocol; kept only where the log is opened for it. */
  readonly received?: ReplyBody | StreamBody;
}

/**
 * `beginning`: the first event of the log follows others. `end`: the log breaks off in an event. `others`: it
 * has one event, or a record with a few, as examples do. `last`: it has other records between the events, one
 * of which may be the last event.
 */
export type StreamLack = "beginning" | "end" | "others" | "last";

/** A provider behind a gateway that failed before another one answered. */
export interface FailedAttempt {
  readonly status: number | undefined;
  /** Its error text. */
  readonly error: string;
  /** RFC 6901 pointer into the reply's body. */
  readonly pointer: string;
}

export interface ReplyError {
  readonly message: string;
  /** The offending request value, in the provider's notation (`messages.[3].tool_calls`, `input[5]`). */
  readonly param?: string;
  /** The upstream server's error text, if a gateway passes it on next to its own. */
  readonly detail?: string;
  readonly type?: string;
  readonly code?: string;
  /** The error came in a stream that had begun successfully. */
  readonly isMidStream: boolean;
  readonly pointer: string;
  readonly extent?: Extent;
}

/** The stream ended, and each of its events could be read: otherwise the client may have received more. */
export function isReadWhole({ state, lacking, flaws }: Reply): boolean {
  return state === "complete" && lacking === undefined && !flaws.some(({ kind }) => kind === "cut-frame");
}

/** A deviation in the form of a stream or reply; the server's fault. */
export interface ReplyFlaw {
  readonly kind:
    | "missing-index"
    | "repeated-index"
    | "missing-id"
    | "empty-id"
    | "changed-id"
    | "changed-reply-id"
    | "missing-name"
    | "repeated-name"
    | "missing-arguments"
    | "begun-arguments"
    | "unplaced-fragment"
    | "no-finish-reason"
    | "ended-early"
    | "closed-block"
    | "cut-frame"
    | "unseparated-frames"
    | "missing-keys"
    | "delta-mismatch";
  /** The data is unambiguous anyway, so nothing was lost. */
  readonly isHarmless: boolean;
  readonly detail: string;
  readonly pointer: string;
  readonly extent?: Extent;
}

/** A thing in a reply that its protocol does not know, probably because it is newer. */
export interface Novelty {
  readonly what: "type" | "event" | "stop-reason";
  /** The provider's name for it. */
  readonly name: string;
  /** RFC 6901 pointer into the reply's body. */
  readonly pointer: string;
  readonly extent?: Extent;
}
