import type { Change, Loss, Relation } from "../conversation/conversation.ts";
import type { Item, Role } from "../conversation/item.ts";
import type { FinishMeaning } from "../conversation/reply.ts";
import type { LogReport } from "../log/report.ts";

/** A log as `toollint show --format json` writes it: its conversations, step by step. Plain data. */
export interface ShownLog {
  readonly schemaVersion: "1.0";
  readonly tool: { readonly name: "toollint"; readonly version: string };
  readonly file: LogReport;
  readonly conversations: readonly ShownConversation[];
}

/** What the description of a step needs of an item, whatever else is described of it. */
export type Described = Pick<ShownItem, "kind" | "line" | "column">;

export interface ShownConversation<T extends Described = ShownItem> {
  /** `c1`, as `--conversation` takes it. */
  readonly name: string;
  readonly protocol: string;
  /** The beginning of the first user message; `null` if the log does not contain it. */
  readonly opening: string | null;
  /** The call that started this sub-agent; `null` if no call did. */
  readonly calledBy: {
    readonly conversation: string;
    readonly exchange: number;
    readonly tool: string;
    readonly callId: string | null;
  } | null;
  /** Totals of the whole conversation, including steps that were not selected. */
  readonly totals: Totals;
  readonly steps: readonly ShownStep<T>[];
  readonly repeats: readonly ShownRepeat[];
}

export interface Totals {
  readonly steps: number;
  readonly turns: number;
  readonly calls: number;
  /** Sums over the replies that state them; `null` if none does. */
  readonly tokens: Tokens | null;
  readonly durationMs: number | null;
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
  /** How many of the input tokens came from a cache. */
  readonly cached: number;
}

export interface ShownStep<T extends Described = ShownItem> {
  readonly step: number;
  readonly exchange: number;
  readonly turn: number;
  readonly relation: Relation;
  /** A request beside the conversation: a title, a check, a summary. */
  readonly isAside: boolean;
  /** The number of the exchange that it continues; `null` for the first. */
  readonly after: number | null;
  readonly model: string | null;
  readonly time: string | null;
  readonly durationMs: number | null;
  readonly status: number | null;
  readonly isAborted: boolean;
  /** Part of the history is stored by the server and missing from the log. */
  readonly isPartial: boolean;
  /** `null` if the log contains only the reply. */
  readonly request: ShownRequest<T> | null;
  /** `null` if the log contains only the request. */
  readonly reply: ShownReply<T> | null;
}

export interface ShownRequest<T extends Described = ShownItem> {
  /** The file that contains it, if the log has several. */
  readonly file?: string;
  readonly line: number;
  /** Number of history elements. */
  readonly length: number;
  /** A new or changed system prompt outside the history; `null` if it was dropped, absent if unchanged. */
  readonly system?: string | null;
  /** The names of the offered tools, if changed; `null` if they were dropped, absent if unchanged. */
  readonly tools?: readonly string[] | null;
  /** Items in neither the previous history nor the previous reply. */
  readonly added: readonly T[];
  /** Items of the previous history or reply that are missing. */
  readonly gone: readonly T[];
  /** The extent of `gone`; `null` if nothing important is missing. */
  readonly loss: Loss["extent"] | null;
  readonly changed: readonly {
    readonly what: Change["what"];
    readonly before: T;
    readonly after: T;
  }[];
  /** Newly unanswered calls: this request contains no result for them. */
  readonly unanswered: readonly T[];
  /** Items that came back in another order. */
  readonly moved: readonly T[];
}

export interface ShownReply<T extends Described = ShownItem> {
  /** The file that contains it, if the log has several. */
  readonly file?: string;
  readonly line: number;
  readonly form: "json" | "stream";
  readonly state: "complete" | "open";
  readonly items: readonly T[];
  /** It contains calls that the client must answer, regardless of its stop reason. */
  readonly wantsTools: boolean;
  readonly stop: { readonly reason: string; readonly meaning: FinishMeaning } | null;
  readonly tokens: Tokens | null;
  readonly error: {
    readonly message: string;
    readonly type: string | null;
    readonly code: string | null;
  } | null;
}

export interface ShownItem {
  readonly kind: Item["kind"];
  readonly role: Role;
  /** Its content: text, arguments, the result. */
  readonly text: string;
  /** The tool of a call or a result. */
  readonly tool?: string;
  /** The id of a call, or of the call that a result answers. */
  readonly callId?: string;
  /** Peculiarities in words (`answers no call`, `missing type`). */
  readonly remarks: readonly string[];
  readonly exchange: number;
  readonly part: "request" | "response";
  readonly line: number;
  readonly column: number;
  /** RFC 6901 pointer into the body. */
  readonly pointer: string;
}

/** The same calls made again. */
export interface ShownRepeat {
  readonly calls: readonly { readonly tool: string; readonly arguments: string }[];
  /** The exchanges whose replies made them, including the first. */
  readonly exchanges: readonly number[];
  /** Number of different results; 0 if the log has none. */
  readonly results: number;
  /** The cost of all but the first; `null` if the log does not state it. */
  readonly cost: { readonly tokens: number | null; readonly durationMs: number | null };
}
