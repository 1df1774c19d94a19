import type {
  Demands,
  FinishMeaning,
  History,
  Reply,
  Request,
  RequestFault,
} from "../conversation/exchange.ts";
import type { Item, Role } from "../conversation/item.ts";
import type { Frame, Peek, Recognition, ReplyBody, RequestBody, StreamBody } from "../reading/payload.ts";
import type { Validators } from "./request-schema.ts";

export type { Frame, Peek, Recognition, ReplyBody, RequestBody, StreamBody };

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
  /** Its payloads tell what was sent, but are not what was sent. */
  readonly isRetold?: boolean;
  /** How sure the protocol is that this object is one of its payloads; `undefined` for no. */
  recognize(peek: Peek): Recognition | undefined;
  /** How well a URL path fits: 1 is this protocol's own path, 0 says nothing, -1 is another protocol's path. */
  recognizeUrl(url: string): -1 | 0 | 1;
  decodeElement(value: unknown): DecodedElement;
  decodeRequest(body: RequestBody): Request;
  decodeReply(body: ReplyBody): Reply;
  decodeStream(body: StreamBody): Reply;
  /** The validators of its requests, from schemas/; loaded only where there are requests. */
  loadSchema?(): Promise<Validators>;
  /** What is wrong with the form of a request and no schema can say, with pointers from the body. */
  furtherFaults?(body: RequestBody, history: History): readonly RequestFault[];
  /** Whether an event ends its stream. */
  isTerminal(frame: Frame): boolean;
  /** What a word for a reply's end means: transcripts keep it beside the message. Absent where no session file has this form. */
  meaningOf?(reason: string): FinishMeaning;
  /** The reply that an event belongs to (`id`, `response.id`, `message.id`), where it names one. */
  replyId(frame: Frame): string | undefined;
}
