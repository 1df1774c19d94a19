import type { Demands, Exchange, PayloadPlace, Reply, Request } from "../conversation/exchange.ts";
import type { Extent, Item, Role } from "../conversation/item.ts";
import type { SharedRun } from "../reading/shared.ts";

/**
 * A quick look at an object in a log, before anything is decoded: its keys, and small values on demand.
 * Protocols decide with it whether the object is one of their payloads.
 */
export interface Peek {
  readonly keys: readonly string[];
  has(key: string): boolean;
  kind(key: string): "object" | "array" | "string" | "number" | "boolean" | "null" | undefined;
  /** The parsed value of a member. For a history array: its first elements only (at most 12, and the last 4). */
  value(key: string): unknown;
}

export interface Recognition {
  readonly part: "request" | "reply" | "event";
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
  readonly place: PayloadPlace;
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
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

/** How one history element reads: its role and its items. Must depend on the element's value alone, since elements are shared. */
export interface DecodedElement {
  readonly role: Role;
  readonly items: readonly Item[];
}

/** A provider's wire format: recognises payloads, decodes them, writes items back. Never asks how the bytes were kept. */
export interface Protocol {
  /** As users type it: `openai-chat`. */
  readonly name: string;
  /** One line for `toollint formats`. */
  readonly summary: string;
  /** Keys whose arrays hold histories (`messages`). */
  readonly historyKeys: readonly string[];
  /** Keys whose values repeat unchanged from request to request and are worth comparing as bytes (`tools`, `system`). */
  readonly stableKeys: readonly string[];
  readonly demands: Demands;
  /** How sure the protocol is that this object is one of its payloads; `undefined` for no. */
  recognize(peek: Peek): Recognition | undefined;
  /** Hosts of the provider whose demands these are (`api.openai.com`); a leading dot stands for any subdomain. */
  readonly hosts: readonly string[];
  /** How well a URL path fits: 1 is this protocol's own path, 0 says nothing, -1 is another protocol's path. */
  recognizeUrl(url: string): -1 | 0 | 1;
  decodeElement(value: unknown): DecodedElement;
  decodeRequest(body: RequestBody): Request;
  decodeReply(body: ReplyBody): Reply;
  decodeStream(body: StreamBody): Reply;
  /** Whether an event ends its stream. */
  isTerminal(frame: Frame): boolean;
  /** The reply that an event belongs to (`id`, `response.id`, `message.id`), where it names one. */
  replyId(frame: Frame): string | undefined;
}

export type { Exchange };
