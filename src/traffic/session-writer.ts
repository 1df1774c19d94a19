import type { PlainMessage } from "./plain-message.ts";

/**
 * How an agent writes the records of its sessions, where they are in a form of their own. Fixes change
 * records with it and write new ones. A new record with an empty `id` gets one when it is written, and so
 * does the member that names its parent.
 */
export interface SessionWriter {
  /** The messages in a record, with pointers from the record. */
  messages(record: unknown): readonly PlainMessage[];
  /** A result is a record of its own. Otherwise it is a part of one. */
  readonly hasResultRecords: boolean;
  /** Results have to follow their calls before anybody else speaks. */
  readonly resultsFollow?: boolean;
  /** The agent does not resend a reply that failed or was broken off, even where its calls have results. */
  readonly leavesOutFailed?: boolean;
  /** The agent does not send a result without its call either. */
  readonly leavesOutOrphans?: boolean;
  /** Pointer from a result to the id of its call. */
  readonly resultId: string;
  /** A result for a call of `record`, as a record and, where results are parts, as a part. Absent where {@link closed} is there. */
  result?(call: { readonly id: string; readonly name: string }, text: string, record: unknown): NewPart;
  /**
   * Words of the user in place of `record`, which holds a result; absent where a result always stands with
   * its call.
   */
  words?(text: string, record: unknown): NewPart;
  /** A call with a result beside it, for agents that keep both in one object. */
  closed?(call: unknown, text: string): unknown;
}

/** Something new in a session: a record and, where `list` leads to its parts, the same as a part of one. */
export interface NewPart {
  readonly element: unknown;
  readonly part?: { readonly list: string; readonly value: unknown };
}
