import type { Item } from "../../../conversation/item.ts";
import type { Finish } from "../../../conversation/reply.ts";
import type { ErrorText } from "../../error-text.ts";
import type { DecodedElement, Listing, Peek } from "../../protocol.ts";
import type { Fields } from "../../wire.ts";

/** A framework, program or tracing tool with a message form of its own: everything known about its dumps. */
export interface Framework {
  /** The row of `toollint formats`, or its name in a shared row; absent if it is listed elsewhere. */
  readonly listed?: Listing | SharedRow;
  /**
   * Keys of a message in its bare lists: a list whose first element has all keys of one group is tried as a
   * history, anywhere. Needed only for messages without `role`.
   */
  readonly messageKeys?: readonly (readonly string[])[];
  /** Decodes a history element in a form of its own; `undefined` for any other form. */
  decode?(element: Fields): DecodedElement | undefined;
  /** Takes a message out of its wrapper. */
  unwrap?(element: Fields): Unwrapped | undefined;
  /** The form of a model call's return value, if that is not a list of messages. */
  readonly reply?: ReplyForm;
  /** What it says of a history when it checks it itself. */
  readonly errorTexts?: readonly ErrorText[];
}

export interface SharedRow {
  readonly row: "frameworks" | "exports";
  readonly name: string;
}

/** A message out of its wrapper. */
export interface Unwrapped {
  readonly message: Fields;
  /** Pointer from the element to the message. */
  readonly base: string;
  /** The class or type that the wrapper names: `AIMessage`, `human`. */
  readonly kind: string | undefined;
}

export interface ReplyForm {
  /** The certainty that an object is such a reply; `undefined` for no. */
  recognize(peek: Peek): number | undefined;
  /** `undefined` for replies of any other form. */
  decode(body: Fields, messages: MessageReader): ReplyContent | undefined;
}

export interface ReplyContent {
  readonly items: Item[];
  readonly finish: Finish | undefined;
}

/** Reads the messages inside a reply, in any framework's form; `base` is the pointer to the message. */
export interface MessageReader {
  items(message: unknown, base: string): Item[];
  finish(message: unknown, base: string): Finish | undefined;
}
