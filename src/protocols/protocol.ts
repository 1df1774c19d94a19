import type { Demands, History, Request, RequestFault } from "../conversation/exchange.ts";
import type { Item, Role, ToolCall } from "../conversation/item.ts";
import type { FinishMeaning, Reply } from "../conversation/reply.ts";
import type { Fidelity } from "../traffic/fidelity.ts";
import type { AroundPart } from "../traffic/pasted-part.ts";
import type { Frame, Peek, Recognition, ReplyBody, RequestBody, StreamBody } from "../traffic/payload.ts";
import type { Endpoint } from "./endpoint.ts";
import type { ErrorText } from "./error-text.ts";
import type { ProviderPath } from "./paths.ts";
import type { PortableRequest } from "./portable-request.ts";
import type { Refusals } from "./refusals.ts";
import type { CreateServerSide } from "./server-side.ts";
import type { Validators } from "./validators.ts";

export type { AroundPart, Frame, Peek, Recognition, ReplyBody, RequestBody, StreamBody };

/** A decoded history element. It depends only on the element's value, because elements are shared. */
export interface DecodedElement {
  readonly role: Role;
  readonly items: readonly Item[];
}

/** Where the wire form of an item keeps the values that a repair sets, as RFC 6901 pointers from the item. */
export interface ItemPlaces {
  readonly callId: string;
  readonly callName: string;
  readonly callArguments: string;
  /** The id of the call that a result answers. */
  readonly resultId: string;
  readonly resultName: string;
}

/** A row of `toollint formats` for logs known by another name than a container's. */
export interface Listing {
  readonly name: string;
  readonly summary: string;
  /** How such a log is recognised. */
  readonly signs: string;
}

/** A new entry for a history, in the form of the provider's own documents. */
export interface Writing {
  /** As a whole element. */
  readonly element: unknown;
  /** As a part of a user's element, with the list that holds its parts; absent if elements have no parts. */
  readonly part?: { readonly list: string; readonly value: unknown };
}

/** Writes what a repair adds to a history. */
export interface HistoryWriter {
  /** A result that says why there is none; `wire` is the call as it is in the history, if it is there. */
  result(call: ToolCall, text: string, wire?: unknown): Writing;
  /**
   * A user's text, in place of an element if one is given. `like` is another text of the user in this
   * history: the new one takes its form, because some clients read no other form.
   */
  text(text: string, inPlaceOf?: unknown, like?: unknown): Writing;
  /** A call together with a result; absent where results are separate. */
  closed?(call: unknown, text: string): unknown;
  /** The content of a result, converted from a value of a rejected type that stands at `pointer`. */
  content(value: unknown, pointer: string): unknown;
}

/** How a client of a provider continues, as lines of code that users can copy. */
export interface ClientIdiom {
  /** Appends a whole reply and the results of its calls to the history. */
  readonly append: string;
  readonly result: string;
}

/** A client's result for a call. */
export interface Answer {
  readonly call: ToolCall;
  readonly text: string;
  readonly isError?: boolean | undefined;
}

/** The history elements with the results of a reply's calls, in the form of the provider's documents. */
export type Answers = (answers: readonly Answer[]) => readonly unknown[];

/** A portable request as a body of a protocol. */
export interface Encoded {
  readonly body: Readonly<Record<string, unknown>>;
  /** What this protocol cannot carry, one phrase each. */
  readonly lost: readonly string[];
}

/** Writes a portable request in the form of the provider's documents. */
export type Encode = (plain: PortableRequest, model: string | undefined, isStreaming: boolean) => Encoded;

/** How a provider marks errors that blame the request, for logs without the HTTP status. */
export interface RequestErrors {
  /** The types in its error bodies. */
  readonly types: readonly string[];
  /** What its client libraries print, and the status that it stands for. */
  readonly printed?: { readonly pattern: RegExp; readonly status: number };
}

/** Marks a feature that a protocol lacks. Each feature must be stated, so that none is forgotten. */
export type Unsupported = "unsupported";

/** The feature, or `undefined` if the protocol lacks it. */
export function supported<T>(answer: T | Unsupported | undefined): T | undefined {
  return answer === "unsupported" ? undefined : answer;
}

/** A provider's wire format: recognises, decodes and writes payloads. It never asks for the container. */
export interface Protocol {
  /** As users type it, for example `openai-chat`. */
  readonly name: string;
  /** One line for `toollint formats`. */
  readonly summary: string;
  /** Keys whose arrays hold histories (`messages`). */
  readonly historyKeys: readonly string[];
  /** A list is a history anywhere if its first element has `role` and all keys of one group. */
  readonly messageKeys?: readonly (readonly string[])[];
  /** The kinds of log that it reads, if they have well-known names of their own. */
  readonly listings?: readonly Listing[];
  /** Keys with values that repeat across requests and are worth comparing as bytes (`tools`, `system`). */
  readonly stableKeys: readonly string[];
  /** Members of a request outside its history that hold the system prompt, and those that hold the tools. */
  readonly promptKeys?: readonly string[];
  readonly toolKeys?: readonly string[];
  readonly demands: Demands;
  /** `reported`: no provider receives this form. Absent: `wire`. */
  readonly fidelity?: Fidelity;
  /** Its URLs name the model. Absent: each request names it, so without one it is not whole. */
  readonly namesModelInPath?: boolean;
  /** How sure the protocol is that this object is one of its payloads; `undefined` if it is not. */
  recognize(peek: Peek): Recognition | undefined;
  /** The URL paths that its provider serves and their purposes; a protocol knows only its own. */
  readonly paths: readonly ProviderPath[] | Unsupported;
  /** How to send its requests; `unsupported` if they are signed, or belong to no provider. */
  readonly endpoint: Endpoint | Unsupported;
  /** How its clients' code continues after a reply. */
  readonly idiom: ClientIdiom | Unsupported;
  readonly answers: Answers | Unsupported;
  /** Writes a request that was read in any protocol. */
  readonly encode: Encode | Unsupported;
  /** What repairs write; `unsupported` for formats without requests. */
  readonly writes: HistoryWriter | Unsupported;
  /** Where an item of a history keeps its values; `unsupported` for formats without requests. */
  readonly places: ((item: unknown) => ItemPlaces) | Unsupported;
  /** The validators of its requests, from schemas/; loaded only if there are requests. */
  readonly loadSchema: (() => Promise<Validators>) | Unsupported;
  /** How its provider words refusals; `unsupported` where nobody plays its server. */
  readonly refusals: Refusals | Unsupported;
  /** What its servers' error texts mean; `unsupported` where none is known that only they send. */
  readonly errorTexts: readonly ErrorText[] | Unsupported;
  /** Absent where no type marks errors that blame the request. */
  readonly requestErrors?: RequestErrors;
  /** Its provider's server, as `toollint serve` plays it; loaded only there. */
  readonly loadServerSide: (() => Promise<CreateServerSide>) | Unsupported;
  decodeElement(value: unknown): DecodedElement;
  decodeRequest(body: RequestBody): Request;
  decodeReply(body: ReplyBody): Reply;
  decodeStream(body: StreamBody): Reply;
  /** Faults in the form of a request that no schema can express, with pointers from the body. */
  furtherFaults?(body: RequestBody, history: History): readonly RequestFault[];
  /** For a format that reports what was sent: whether programs keep and resend the item in this form. */
  isKept?(item: unknown): boolean;
  /** The protocol whose requests cannot always be told from this one's, but whose replies can. */
  readonly asksAs?: string;
  /** Whether an event ends its stream. */
  isTerminal(frame: Frame): boolean;
  /** The message that holds a call or a result, for those that people paste alone. */
  aroundPart?(part: Readonly<Record<string, unknown>>): AroundPart | undefined;
  /** The meaning of a stop reason in a transcript. Absent if no session file has this form. */
  meaningOf?(reason: string): FinishMeaning;
  /** The id of the event's reply (`id`, `response.id`, `message.id`); `undefined` without one. */
  replyId(frame: Frame): string | undefined;
  /**
   * Whether an event can only continue a reply, whatever its id says: some servers give every event an id of
   * its own. `reply` has the reply's first and newest event. Absent where ids are reliable.
   */
  continuesReply?(frame: Frame, reply: { readonly first: Frame; readonly last: Frame }): boolean;
  /** Whether an event can only come after others of its stream. Absent where events do not tell. */
  isLater?(frame: Frame): boolean;
}
