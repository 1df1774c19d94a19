import type { Extent } from "../traffic/place.ts";

export type { Extent };

/** Who speaks in an element of a history; `unknown` keeps a role that the protocol does not have. */
export type Role = "system" | "user" | "assistant" | "tool" | "unknown";

interface ItemBase {
  /** The role of the history element (message, content, input item) that holds this item. */
  readonly role: Role;
  /** RFC 6901 pointer from the history element (or, in a reply, from the reply's body) to this item; `""` is the element itself. */
  readonly pointer: string;
  /** What is peculiar or wrong about the item's form on the wire, said by the protocol that read it. */
  readonly flaws?: readonly ItemFlaw[];
  /** In a streamed reply: where its fragments stand in the log. Absent elsewhere. */
  readonly fragments?: Fragments;
}

/** Where the pieces of a streamed value stand. Positions are those of {@link PayloadPlace.locateAt}. */
export interface Fragments {
  readonly count: number;
  readonly first: Extent;
  readonly last: Extent;
}

/**
 * A deviation in the form of one item, decoded into a name that all protocols share.
 * `pointer` goes from the history element (or the reply's body) to the smallest value concerned.
 */
export interface ItemFlaw {
  readonly kind:
    | "missing-type"
    | "empty-text"
    | "blank-text"
    | "empty-message"
    | "empty-calls"
    | "empty-list"
    | "bad-content"
    | "unserialised"
    | "glued-results"
    | "arguments-type"
    | "other-protocol"
    | "missing-id"
    | "bad-id";
  readonly pointer: string;
  /** The value seen, shortened, or what was expected; only for messages. */
  readonly detail?: string;
}

/** Text of a user, a system prompt or an assistant. */
export interface Message extends ItemBase {
  readonly kind: "message";
  readonly text: string;
  /** There is something beside the text: an image, a document, audio. */
  readonly hasMedia: boolean;
  /** The model declined; the text is its refusal. */
  readonly isRefusal?: boolean;
  /** The id of the item itself, where it has one (Responses `msg_…`). */
  readonly itemId?: string;
}

/** Thinking, reasoning items, reasoning content. */
export interface Reasoning extends ItemBase {
  readonly kind: "reasoning";
  readonly id?: string;
  readonly text: string;
  /** The part that only the provider can read: signature, encrypted content, redacted data. */
  readonly seal?: string;
}

/** The model's request to run a tool. */
export interface ToolCall extends ItemBase {
  readonly kind: "call";
  /** The id that a result has to name; absent where the protocol pairs by order or the log lacks it. */
  readonly id?: string;
  /** The id of the item itself, where that is another one (Responses `fc_…`). */
  readonly itemId?: string;
  readonly name: string;
  /** The arguments as the wire has them: JSON text, or free text for custom tools. Objects are written as compact JSON. */
  readonly argumentsText: string;
  /** The arguments parsed; absent when the text is no JSON, or is meant to be none. */
  readonly arguments?: unknown;
  /** Whether the text is meant to be JSON (false for free-text tools). */
  readonly isJson: boolean;
  /** The provider's own word for the kind of call (`tool_use`). */
  readonly wireType: string;
  /** The provider runs it: no result is ever expected from the client. */
  readonly isHosted: boolean;
  /** Its message has no member for text at all: this client never writes text beside calls. */
  readonly isTextless?: boolean;
  /** Its record keeps the result beside the call, and says that there is none. */
  readonly lacksResult?: boolean;
  /** `open` when the stream or the reply ended before the call was whole. */
  readonly state: "complete" | "open";
}

/** The client's answer to a {@link ToolCall}. */
export interface ToolResult extends ItemBase {
  readonly kind: "result";
  /** The id of the call that it answers; absent where the protocol pairs by order, or the client left it out. */
  readonly callId?: string;
  readonly name?: string;
  /** All text of the result, joined; media are left out. */
  readonly text: string;
  readonly hasMedia: boolean;
  readonly isError?: boolean;
  readonly wireType: string;
  /** Its form has no place for an id: it pairs by name and order, whatever else the protocol does. */
  readonly pairsByOrder?: boolean;
  /** The provider wrote it (hosted tools): it pairs with hosted calls only. */
  readonly isHosted: boolean;
}

/** An item that stands for something the server holds (`item_reference`). */
export interface Reference extends ItemBase {
  readonly kind: "reference";
  readonly id: string;
}

/** The server or the client replaced earlier history at this point (compaction items and blocks). */
export interface Compaction extends ItemBase {
  readonly kind: "compaction";
  readonly text: string;
}

/** An item that takes no part in pairing and has no text: tool lists, approvals, unknown types. */
export interface Opaque extends ItemBase {
  readonly kind: "opaque";
  readonly wireType: string;
  readonly id?: string;
  /** The raw value, for comparing. */
  readonly value: unknown;
}

export type Item = Message | Reasoning | ToolCall | ToolResult | Reference | Compaction | Opaque;
