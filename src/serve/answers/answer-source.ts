import type { Exchange, Request } from "../../conversation/exchange.ts";
import type { Framing, ServedEvent, ServedReply } from "../../protocols/server-side.ts";
import type { Fields } from "../../protocols/wire.ts";

/** A turn that was not refused and wants an answer. */
export interface AskedTurn {
  /** The number among all turns of this run, from 1, in order of arrival. */
  readonly number: number;
  readonly exchange: Exchange;
  readonly request: Request;
  /** The members of the body. */
  readonly fields: Fields;
  readonly isStreaming: boolean;
}

/** What the model says in answer to a turn. */
export type ServedAnswer =
  /** A reply that the protocol's server writes. */
  | {
      readonly kind: "reply";
      readonly reply: ServedReply;
      /** What goes wrong while it is sent, as users write it: `KIND[,option]`. */
      readonly fault?: string;
    }
  | RecordedAnswer
  /** Nothing was planned for this turn. */
  | {
      readonly kind: "miss";
      /** What differs from what was planned; a sentence without full stop. */
      readonly why: string;
    };

/** A reply as it was recorded in the turn's own protocol. */
export interface RecordedAnswer {
  readonly kind: "recorded";
  /** What it says: sent where the form that the client wants was not recorded. */
  readonly reply: ServedReply;
  /** The whole body; absent where it was not recorded. */
  readonly body?: Fields;
  /** The events of a stream; absent where none was recorded. */
  readonly stream?: { readonly framing: Framing; readonly events: readonly ServedEvent[] };
}

/** Where a model server's answers come from. */
export interface AnswerSource {
  answer(turn: AskedTurn): ServedAnswer;
  /** Called when an answer was sent to its end. */
  sent?(turn: AskedTurn): void;
  /** Called when an answer was not sent to its end: the client may ask again. */
  unsent?(turn: AskedTurn): void;
  /** Whether an answer has this id, of itself or of something in it. */
  usesId?(id: string): boolean;
  /** What the user should know at the end; sentences. */
  notes?(): readonly string[];
}

/** Answers every turn with one short text, so that only histories are checked. */
export const shortAnswers: AnswerSource = {
  answer: () => ({ kind: "reply", reply: { items: [{ kind: "text", text: "All done." }] } }),
};
