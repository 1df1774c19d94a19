import type { Finish } from "../../../conversation/exchange.ts";
import type { Item } from "../../../conversation/item.ts";
import type { DecodedElement, Listing, Peek } from "../../protocol.ts";
import type { Fields } from "../../wire.ts";

/**
 * A framework, a program or a tracing tool that keeps messages in a form of its own: all that is known about
 * its dumps.
 */
export interface Framework {
  /**
   * The row of `toollint formats`, or its name in a row that several share. Absent where another entry or a
   * container is listed for it.
   */
  readonly listed?: Listing | SharedRow;
  /**
   * Keys of a message in its bare lists: a list whose first element has all keys of one group is looked at as
   * a history, wherever it stands. Needed only where the messages have no `role`.
   */
  readonly messageKeys?: readonly (readonly string[])[];
  /** Reads an element of a history that has a form of its own; `undefined` for elements of any other form. */
  decode?(element: Fields): DecodedElement | undefined;
  /** Takes a message out of what is wrapped around it. */
  unwrap?(element: Fields): Unwrapped | undefined;
  /** What a call of a model gives back, where that is no list of messages. */
  readonly reply?: ReplyForm;
}

export interface SharedRow {
  readonly row: "frameworks" | "exports";
  readonly name: string;
}

/** A message out of whatever its keeper wrapped around it. */
export interface Unwrapped {
  readonly message: Fields;
  /** Pointer from the element to the message. */
  readonly base: string;
  /** The class or type that the wrapper names: `AIMessage`, `human`. */
  readonly kind: string | undefined;
}

export interface ReplyForm {
  /** How sure it is that an object is such a reply; `undefined` for no. */
  recognize(peek: Peek): number | undefined;
  /** `undefined` for replies of any other form. */
  decode(body: Fields, messages: MessageReader): ReplyContent | undefined;
}

export interface ReplyContent {
  readonly items: Item[];
  readonly finish: Finish | undefined;
}

/** Reads the messages inside a reply, which may be of any framework; `base` is the pointer to the message. */
export interface MessageReader {
  items(message: unknown, base: string): Item[];
  finish(message: unknown, base: string): Finish | undefined;
}
