import type { Change, Loss, Relation } from "../conversation/conversation.ts";
import type { FinishMeaning } from "../conversation/exchange.ts";
import type { Item, Role } from "../conversation/item.ts";
import type { LogReport } from "../log/report.ts";

/** A log as `toollint show --format json` writes it: its conversations, step by step. Plain data. */
export interface ShownLog {
  readonly schemaVersion: "1.0";
  readonly tool: { readonly name: "toollint"; readonly version: string };
  readonly file: LogReport;
  readonly conversations: readonly ShownConversation[];
}

export interface ShownConversation {
  /** `c1`, as `--conversation` takes it. */
  readonly name: string;
  readonly protocol: string;
  /** The beginning of what the user first said; `null` when the log has nothing of it. */
  readonly opening: string | null;
  /** The call for which a sub-agent does its work here; `null` where nobody's call began it. */
  readonly calledBy: {
    readonly conversation: string;
    readonly exchange: number;
    readonly tool: string;
    readonly callId: string | null;
  } | null;
  /** Totals of the conversation, also over steps that were not asked for. */
  readonly totals: Totals;
  readonly steps: readonly ShownStep[];
  readonly repeats: readonly ShownRepeat[];
}

export interface Totals {
  readonly steps: number;
  readonly turns: number;
  readonly calls: number;
  /** Sums over the replies that say them; `null` when none does. */
  readonly tokens: Tokens | null;
  readonly durationMs: number | null;
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
  /** How many of the input tokens came from a cache. */
  readonly cached: number;
}

export interface ShownStep {
  readonly step: number;
  readonly exchange: number;
  readonly turn: number;
  readonly relation: Relation;
  /** The number of the exchange that it goes on from; `null` for the first. */
  readonly after: number | null;
  readonly model: string | null;
  readonly time: string | null;
  readonly durationMs: number | null;
  readonly status: number | null;
  readonly isAborted: boolean;
  /** A part of the history is held by the server and not in the log. */
  readonly isPartial: boolean;
  /** `null` when the log holds only the reply. */
  readonly request: ShownRequest | null;
  /** `null` when the log holds only the request. */
  readonly reply: ShownReply | null;
}

export interface ShownRequest {
  /** The file that it stands in, where the log is more than one. */
  readonly file?: string;
  readonly line: number;
  /** Elements of its history. */
  readonly length: number;
  /**
   * A system prompt outside the history, where it is new or changed; `null` where it is gone; else absent.
   */
  readonly system?: string | null;
  /** The names of the tools offered, where these changed; `null` where they are gone; else absent. */
  readonly tools?: readonly string[] | null;
  /** Items that neither the history nor the reply before had. */
  readonly added: readonly ShownItem[];
  /** Items of the history or the reply before that are not there any more. */
  readonly gone: readonly ShownItem[];
  /** What `gone` amounts to; `null` when nothing that matters is gone. */
  readonly loss: Loss["extent"] | null;
  readonly changed: readonly {
    readonly what: Change["what"];
    readonly before: ShownItem;
    readonly after: ShownItem;
  }[];
  /** Calls that no result in this request answers, where that is new. */
  readonly unanswered: readonly ShownItem[];
  /** Items that came back in another order. */
  readonly moved: readonly ShownItem[];
}

export interface ShownReply {
  /** The file that it stands in, where the log is more than one. */
  readonly file?: string;
  readonly line: number;
  readonly form: "json" | "stream";
  readonly state: "complete" | "open";
  readonly items: readonly ShownItem[];
  /** It holds calls that the client has to answer, whatever its stop reason says. */
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
  /** What it says: text, arguments, the result. */
  readonly text: string;
  /** The tool of a call or a result. */
  readonly tool?: string;
  /** The id of a call, or of the call that a result answers. */
  readonly callId?: string;
  /** What is peculiar about it, in words (`answers no call`, `missing type`). */
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
  /** The exchanges whose replies made them, the first one included. */
  readonly exchanges: readonly number[];
  /** How many different results came back; 0 when the log has none. */
  readonly results: number;
  /** What all but the first of them took; `null` where the log does not say. */
  readonly cost: { readonly tokens: number | null; readonly durationMs: number | null };
}
