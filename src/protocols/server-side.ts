import type { FinishMeaning, Usage } from "../conversation/reply.ts";
import type { ProviderError, ServedError } from "./refusals.ts";
import { argumentsText, type Fields, fields } from "./wire.ts";

/** What a served reply says, in the order in which the model says it. */
export type ServedItem =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | {
      readonly kind: "call";
      /** Absent: the server makes one. */
      readonly id?: string;
      readonly name: string;
      /** A value, or text that is sent as it is, valid or not. */
      readonly arguments: unknown;
    };

/** A reply in a neutral form, from which any protocol's reply can be written. */
export interface ServedReply {
  /** Absent: the server makes one. */
  readonly id?: string;
  readonly items: readonly ServedItem[];
  /** Absent: `calls` if it has calls, else `answer`. */
  readonly stop?: FinishMeaning;
  /** Absent: estimated. */
  readonly usage?: Usage;
}

/** What a server's reply repeats of its request, and what it makes up. */
export interface ReplyContext {
  /** The members of the request's body. */
  readonly fields: Fields;
  readonly model: string;
  /** The profile's name. */
  readonly profile: string;
  /** When the reply is made, in seconds since the epoch. */
  readonly created: number;
  /** The length of the request's body in bytes. */
  readonly size: number;
  /** A new id: the prefix and `length` letters and digits, or hexadecimal digits. The same in each run. */
  newId(prefix: string, length: number, alphabet?: "hex" | "base62"): string;
}

/** One event of a stream. */
export interface ServedEvent {
  /** The `event:` name, where the protocol names its events. */
  readonly name?: string;
  /** Sent as JSON; a string is sent as it is (`[DONE]`). */
  readonly value: unknown;
  /** Lines that are sent before it, such as comments; they end with a line end. */
  readonly before?: string;
}

/** How the events of a stream are framed: as server-sent events, as lines, or as elements of a JSON array. */
export type Framing = "sse" | "lines" | "array";

/** What a request to a server asks for. */
export type Route =
  | {
      readonly does: "turn";
      /** The model, where the address names it. */
      readonly model?: string;
      /** Whether the address asks for a stream; absent: the body says. */
      readonly isStreaming?: boolean;
      /** The framing that the address asks for; absent: the server's usual one. */
      readonly framing?: Framing;
      /** An error stands in a list, as if it were all of the stream. */
      readonly listsErrors?: boolean;
    }
  | { readonly does: "count"; readonly model?: string }
  /** Makes a history short, without asking the model. */
  | { readonly does: "compact"; readonly model?: string }
  /** Anything that asks no model: lists of models, stored replies. */
  | {
      readonly does: "resource";
      /** The request's headers say that it is meant for this provider; others may have the same address. */
      readonly isCertain?: boolean;
    };

export interface ResourceRequest {
  readonly method: string;
  readonly url: URL;
  /** The parsed body; `undefined` without one. */
  readonly body: unknown;
  readonly context: ReplyContext;
}

/** A body that is sent at once. */
export interface WholeAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** A request inside a body. */
export interface InnerRequest {
  readonly fields: Fields;
  /** RFC 6901 pointer to it from the body; `""` if the body only has another form. */
  readonly base: string;
}

/** The items that a server has stored and puts before those of a request. */
export interface StoredHistory {
  readonly elements: readonly unknown[];
  /** The server does not know all of it: the request refers to something stored elsewhere. */
  readonly isPartial: boolean;
  /** The members of an earlier request that hold for this one too, unless it has its own. */
  readonly fields?: Fields;
  /** The request's own elements, where it only refers to some of them; absent: as they are. */
  readonly own?: readonly unknown[];
  /** What the request refers to and may be stored elsewhere: `the response resp_…`. */
  readonly unknown?: readonly string[];
}

/** A reply that was sent to its end, and what it answers. */
export interface SentReply {
  /** All elements of the history, with those that were stored before. */
  readonly history: readonly unknown[];
  /** How many of them were stored before. */
  readonly before: number;
  /** The server does not know all of the history. */
  readonly isPartial: boolean;
  readonly reply: Fields;
}

/** How the server of a protocol's provider answers. One object serves one run, with what it stores. */
export interface ServerSide {
  readonly framing: Framing;
  /** What an address asks for; `undefined` if the server has none such. */
  route(method: string, url: URL, headers: Readonly<Record<string, string>>): Route | undefined;
  /**
   * The request in the body of a turn: in an envelope, or in another form. `undefined` if the body asks no
   * model; then `resource` answers. Absent: the body is the request.
   */
  requestIn?(body: Fields): InnerRequest | undefined;
  /** Whether the body of a turn asks for a stream, where the address does not say. */
  isStreaming(fields: Fields): boolean;
  /** The reply as one body. */
  whole(reply: ServedReply, context: ReplyContext): Fields;
  /** The reply as the events of a stream, as the provider cuts it; `body` is the same reply as one body. */
  events(reply: ServedReply, context: ReplyContext, body: Fields): readonly ServedEvent[];
  /** The reply as one body, where the events of a stream contain it. */
  bodyIn?(events: readonly ServedEvent[]): Fields | undefined;
  /** What a client gets of a call in which the model reached its limit; absent: the text so far. */
  cutCall?(isStreaming: boolean): CutCall;
  /** An error in a stream, after so many events. */
  errorEvent(error: ServedError, sent: number): ServedEvent;
  /** The answer to a request to count tokens. */
  count(tokens: number): unknown;
  /** Answers what asks no model. */
  resource(request: ResourceRequest): WholeAnswer | ProviderError;
  /** Headers that the provider sends with each response. */
  headers(requestId: string): Readonly<Record<string, string>>;
  /** The error for what a request changed of something that this server had signed. */
  signatureError?(fields: Fields): ProviderError | undefined;
  /** Answers a request to compact a history. */
  compact?(elements: readonly unknown[], context: ReplyContext): Fields;
  /** What the server has stored of a request's history; an error if it stores no such thing. */
  stored?(fields: Fields, context: ReplyContext): StoredHistory | ProviderError | undefined;
  /** Stores a reply and its history. */
  store?(sent: SentReply, context: ReplyContext): void;
}

/** The text of the arguments so far, a call without arguments, or no call. */
export type CutCall = "text" | "empty" | "lost";

export type CreateServerSide = () => ServerSide;

/** Tokens in this many bytes: about four bytes make one. */
export function tokensIn(bytes: number): number {
  return Math.max(1, Math.round(bytes / 4));
}

/** The input of a tool that takes plain text; an object with nothing but `input` names it. */
export function customInput(value: unknown): string {
  const members = fields(argumentsValue(value));
  const { input } = members;
  return typeof input === "string" && Object.keys(members).length === 1 ? input : argumentsText(value);
}

/** The arguments as a value; text that is not JSON stays text. */
export function argumentsValue(value: unknown): unknown {
  if (typeof value !== "string") return value ?? {};
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** A text in slices, as models send it: a few words at a time. Never cuts a character in two. */
export function slicesOf(text: string, size = 12): string[] {
  const characters = [...text];
  const slices: string[] = [];
  for (let at = 0; at < characters.length; at += size) slices.push(characters.slice(at, at + size).join(""));
  return slices;
}

/** Why the model stopped. */
export function stopOf({ stop, items }: ServedReply): FinishMeaning {
  return stop ?? (items.some(({ kind }) => kind === "call") ? "calls" : "answer");
}

/** The tokens of a reply: as stated, else estimated. */
export function servedUsage(
  { usage, items }: ServedReply,
  { size }: ReplyContext,
): { input: number; output: number; reasoning: number; cached: number } {
  const length = (kind: ServedItem["kind"]): number =>
    items
      .filter((item) => item.kind === kind)
      .reduce(
        (sum, item) => sum + JSON.stringify(item.kind === "call" ? (item.arguments ?? {}) : item.text).length,
        0,
      );
  const reasoning = length("reasoning") === 0 ? 0 : tokensIn(length("reasoning"));
  return {
    input: usage?.input ?? tokensIn(size),
    output: usage?.output ?? reasoning + tokensIn(length("text") + length("call")),
    reasoning,
    cached: usage?.cached ?? 0,
  };
}
