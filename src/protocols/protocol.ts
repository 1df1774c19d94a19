import type {
  Demands,
  FinishMeaning,
  History,
  Reply,
  Request,
  RequestFault,
} from "../conversation/exchange.ts";
import type { Item, Role, ToolCall } from "../conversation/item.ts";
import type { Fidelity } from "../traffic/fidelity.ts";
import type { Frame, Peek, Recognition, ReplyBody, RequestBody, StreamBody } from "../traffic/payload.ts";
import type { Endpoint } from "./endpoint.ts";
import type { ProviderPath } from "./paths.ts";
import type { PortableRequest } from "./portable-request.ts";
import type { Validators } from "./validators.ts";

export type { Frame, Peek, Recognition, ReplyBody, RequestBody, StreamBody };

/** How one history element reads: its role and its items. Must depend on the element's value alone, since elements are shared. */
export interface DecodedElement {
  readonly role: Role;
  readonly items: readonly Item[];
}

/** Where the wire form of an item keeps what a repair sets, as RFC 6901 pointers from the item. */
export interface ItemPlaces {
  readonly callId: string;
  readonly callName: string;
  readonly callArguments: string;
  /** The id of the call that a result answers. */
  readonly resultId: string;
  readonly resultName: string;
}

/** A row of `toollint formats` for logs that go by another name than a container's. */
export interface Listing {
  readonly name: string;
  readonly summary: string;
  /** By what such a log is recognised. */
  readonly signs: string;
}

/** Something new for a history, in the form that the provider's own documents show. */
export interface Writing {
  /** A whole element. */
  readonly element: unknown;
  /** The same as a part of an element of the user's, and the list there that holds parts; absent where elements have no parts. */
  readonly part?: { readonly list: string; readonly value: unknown };
}

/** What a repair writes that no log holds. */
export interface HistoryWriter {
  /** A result that says why there is none; `wire` is the call as it stands in the history, where it does. */
  result(call: ToolCall, text: string, wire?: unknown): Writing;
  /** Words of the user, in place of an element where that is given. */
  text(text: string, inPlaceOf?: unknown): Writing;
  /** A call with a result beside it; absent where results stand by themselves. */
  closed?(call: unknown, text: string): unknown;
  /** The content of a result, made of a value of a kind that is refused. */
  content(value: unknown): unknown;
}

/** How a client of a provider goes on, as lines of its code that can be copied into one's own. */
export interface ClientIdiom {
  /** Appending a whole reply and the results of its calls to the history. */
  readonly append: string;
  /** One tool result. */
  readonly result: string;
}

/** What a client has to say to a call. */
export interface Answer {
  readonly call: ToolCall;
  readonly text: string;
  readonly isError?: boolean | undefined;
}

/** Results as the elements of a history that follow the message with their calls, as the provider's documents show them. */
export type Answers = (answers: readonly Answer[]) => readonly unknown[];

/** A plain request as the body of a protocol. */
export interface Encoded {
  readonly body: Readonly<Record<string, unknown>>;
  /** What this protocol cannot carry, a sentence each. */
  readonly lost: readonly string[];
}

/** Writes a plain request as the provider's documents show it. */
export type Encode = (plain: PortableRequest, model: string | undefined, isStreaming: boolean) => Encoded;

/** What a protocol says of something that it does not have. Every answer is stated, so that none is forgotten. */
export type Unsupported = "unsupported";

/** The answer of a protocol; `undefined` where it has none. */
export function supported<T>(answer: T | Unsupported | undefined): T | undefined {
  return answer === "unsupported" ? undefined : answer;
}

/** A provider's wire format: recognises payloads, decodes them, writes items back. Never asks how the bytes were kept. */
export interface Protocol {
  /** As users type it: `openai-chat`. */
  readonly name: string;
  /** One line for `toollint formats`. */
  readonly summary: string;
  /** Keys whose arrays hold histories (`messages`). */
  readonly historyKeys: readonly string[];
  /**
   * Keys by which a list of messages may be a history wherever it stands: its first element has all keys of one group. `role` needs
   * no mention.
   */
  readonly messageKeys?: readonly (readonly string[])[];
  /** The logs that it reads, where people know them by a name of their own. */
  readonly listings?: readonly Listing[];
  /** Keys whose values repeat unchanged from request to request and are worth comparing as bytes (`tools`, `system`). */
  readonly stableKeys: readonly string[];
  /** Members of a request beside its history that hold the system prompt, and those that hold the tools. */
  readonly promptKeys?: readonly string[];
  readonly toolKeys?: readonly string[];
  readonly demands: Demands;
  /** `reported`: no provider receives this form. Absent: `wire`. */
  readonly fidelity?: Fidelity;
  /** How sure the protocol is that this object is one of its payloads; `undefined` for no. */
  recognize(peek: Peek): Recognition | undefined;
  /** The URL paths that its provider serves, and what each is for; a protocol knows none but its own. */
  readonly paths: readonly ProviderPath[] | Unsupported;
  /** How its requests are sent; `unsupported` where they are signed, or no provider's. */
  readonly endpoint: Endpoint | Unsupported;
  /** How the code of its clients goes on with a reply. */
  readonly idiom: ClientIdiom | Unsupported;
  readonly answers: Answers | Unsupported;
  /** Writes a request that was read from any protocol. */
  readonly encode: Encode | Unsupported;
  /** What repairs write; `unsupported` for formats that hold no requests. */
  readonly writes: HistoryWriter | Unsupported;
  /** Where an item, given as it stands in a history, keeps its parts; `unsupported` for formats that hold no requests. */
  readonly places: ((item: unknown) => ItemPlaces) | Unsupported;
  /** The validators of its requests, from schemas/; loaded only where there are requests. */
  readonly loadSchema: (() => Promise<Validators>) | Unsupported;
  decodeElement(value: unknown): DecodedElement;
  decodeRequest(body: RequestBody): Request;
  decodeReply(body: ReplyBody): Reply;
  decodeStream(body: StreamBody): Reply;
  /** What is wrong with the form of a request and no schema can say, with pointers from the body. */
  furtherFaults?(body: RequestBody, history: History): readonly RequestFault[];
  /** Of a form that only tells what was sent: whether programs keep this item like that, and send it again. */
  isKept?(item: unknown): boolean;
  /** Whether an event ends its stream. */
  isTerminal(frame: Frame): boolean;
  /** What a word for a reply's end means: transcripts keep it beside the message. Absent where no session file has this form. */
  meaningOf?(reason: string): FinishMeaning;
  /** The reply that an event belongs to (`id`, `response.id`, `message.id`), where it names one. */
  replyId(frame: Frame): string | undefined;
}
