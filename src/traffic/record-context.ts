import type { Fidelity } from "./fidelity.ts";

/** The context of a payload: where and when it was sent, and what links it to its request or reply. */
export interface RecordContext {
  /** The number of the record in its file, from 0; payloads of one record belong together. */
  readonly index: number;
  /** The number of the part of the file that stands by itself: a cell of a notebook runs alone, and again. */
  readonly part?: number;
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
  /** The name of the separate file that contains the reply body, where there is one. */
  readonly replyFile?: string;
  /** The id of the trace span that contains it. */
  readonly spanId?: string;
  /** Whether the span says that it is a call of a model; absent where it does not say what it is. */
  readonly isModelCall?: boolean;
  /** The number of the span inside the record: a request and its reply share one. */
  readonly span?: number;
  /** The half of the exchange that it stands in, where its key or its container says so. */
  readonly half?: "request" | "reply";
  /** The half that a tool's report keeps under this key. What stands there may be about something else. */
  readonly reportedHalf?: "request" | "reply";
  /** `reported`: a tool's description of the traffic. Absent: `wire`. */
  readonly fidelity?: Fidelity;
}
