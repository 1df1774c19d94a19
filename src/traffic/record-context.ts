import type { Fidelity } from "./fidelity.ts";

/**
 * What stands around a payload: who sent it where, when, and how it can be told which reply belongs to it.
 */
export interface RecordContext {
  /** Counts the records of a file from 0; payloads of one record belong together. */
  readonly index: number;
  readonly url?: string;
  readonly method?: string;
  readonly status?: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly time?: number;
  readonly durationMs?: number;
  /** Values under keys that end in "id", by key: they join the records of one exchange. */
  readonly ids: ReadonlyMap<string, string>;
  readonly isAborted?: boolean;
  /** The name of the file in which the body of the reply is kept, where it has one of its own. */
  readonly replyFile?: string;
  /** The id of the span of a trace that it stands in. */
  readonly spanId?: string;
  /** Counts the spans inside a record: what was sent and what came back stand in one of them. */
  readonly span?: number;
  /** `reported`: a tool keeps here what it knows of the traffic. Absent: `wire`. */
  readonly fidelity?: Fidelity;
}
