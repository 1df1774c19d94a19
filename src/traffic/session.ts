import type { Span } from "../reading/place.ts";
import type { ByteSource } from "../reading/source.ts";
import type { SessionWriter } from "./session-writer.ts";

/** The session that an exchange was read from: what its records contain, and how its agent uses them. */
export interface Session {
  /**
   * The records are what is sent, and new ones can be written: in the protocol's form, or with {@link
   * writer}.
   */
  readonly takesRecords: boolean;
  /** The agent sends the history as kept: a call without a result is sent without one. */
  readonly isSentAsKept: boolean;
  /** How records are written, where the agent has its own format. */
  readonly writer?: SessionWriter;
  /** The record that holds the value at a pointer into a request or a reply. */
  recordAt(pointer: string): RecordPlace | undefined;
  /** The ids of the calls that the entry at `index` makes, and of those that it answers. */
  callIds(index: number): CallIds;
  /** The files that contain the records of this branch of the session. */
  sources(): ReadonlySet<ByteSource>;
}

export interface CallIds {
  readonly made: readonly string[];
  readonly answered: readonly string[];
}

/** A value in a record of a session. */
export interface RecordPlace {
  /** The JSON that holds the value, and the RFC 6901 pointer from it to the value: for writing back. */
  readonly span: Span;
  readonly within: string;
  /** The pointer from the record's whole body, as reports show it. */
  readonly pointer: string;
}
