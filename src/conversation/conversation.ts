import type { Exchange, History, Reply, Request } from "./exchange.ts";
import type { Item, ToolCall, ToolResult } from "./item.ts";

/** An item at one of the places where it stands: in the history of a step's request, or in its reply. */
export interface Placed<T extends Item = Item> {
  readonly item: T;
  readonly step: Step;
  readonly part: "request" | "response";
  /** The number of its element in the history, from 0; -1 in a reply. */
  readonly element: number;
}

/**
 * How a step came about.
 * `start`: the first of its conversation. `continuation`: it goes on from its parent's history and reply. `retry`: the same history again,
 * after a failure. `repeat`: the same history again although the first attempt succeeded. `branch`: it goes on from an earlier
 * point on purpose (an edit, a regeneration, a fork). `compaction`: the history was replaced by a summary.
 */
export type Relation = "start" | "continuation" | "retry" | "repeat" | "branch" | "compaction";

/** An item that came back with other content than it was sent or received with. */
export interface Change {
  readonly before: Placed;
  readonly after: Placed;
  readonly what: "text" | "arguments" | "name" | "id" | "result" | "reasoning" | "kind";
}

/** What a client's history lacks of what the log says it should hold. */
export interface Loss {
  /** All that is gone, in order. */
  readonly items: readonly Placed[];
  /**
   * `current-turn`: something since the last user message, or with the user's own messages. `older-turns`: whole turns, older, pairs intact.
   * `window`: a deliberate cut at the front. `pruned`: old calls and results removed in pairs, everything else kept.
   * `note`: words for one request alone, at its end.
   */
  readonly extent: "current-turn" | "older-turns" | "window" | "pruned" | "note";
}

/** One request and its reply within a conversation. */
export interface Step {
  /** Counted from 1 within the conversation. */
  readonly number: number;
  readonly exchange: Exchange;
  readonly conversation: Conversation;
  readonly request: Request | undefined;
  readonly reply: Reply | undefined;
  /** The step whose history and reply this request goes on from; absent for the first. */
  readonly parent: Step | undefined;
  readonly relation: Relation;
  /** Steps that go on from this one; empty when nothing in the log continues it. */
  readonly children: readonly Step[];
  /** The later step that sent the same history again, after this one failed. */
  readonly retriedBy: Step | undefined;
  /** So many elements at the beginning of the history are as the parent's request had them. */
  readonly kept: number;
  /** Items that neither the parent's history nor its reply had. */
  readonly added: readonly Placed[];
  /** Items of the parent's reply beside the items of this history that stand for them. */
  readonly echoes: readonly { readonly before: Placed; readonly after: Placed }[];
  /** Items of the parent's history or reply that this history lacks, in order; empty for branches, retries and compactions. */
  readonly missing: readonly Placed[];
  readonly changed: readonly Change[];
  /** Items that came back in another order than they were sent or received. */
  readonly moved: readonly { readonly before: Placed; readonly after: Placed }[];
  /** What `missing` amounts to; absent when nothing that matters is gone. */
  readonly loss: Loss | undefined;
  readonly pairing: Pairing;
  /** A part of the effective history is held by the server and not in the log: absence proves nothing. */
  readonly isPartial: boolean;
  /** Counts the user messages with text up to here: steps of one turn have the same number. */
  readonly turn: number;
}

/**
 * How calls and results of a request meet, found by an ordered walk: a call opens an id, a result closes the open call.
 * Holds what is new or different since the parent's request, except `unanswered`, which holds all that is open at the end.
 */
export interface Pairing {
  readonly pairs: readonly { readonly call: Placed<ToolCall>; readonly result: Placed<ToolResult> }[];
  /** Results that answer no open call, neither here nor elsewhere in the request. */
  readonly orphans: readonly Orphan[];
  /** Calls that no result in the whole request answers. */
  readonly unanswered: readonly Placed<ToolCall>[];
  /** A result whose id differs from the one open call that it can only mean. */
  readonly mismatches: readonly {
    readonly call: Placed<ToolCall>;
    readonly result: Placed<ToolResult>;
    readonly how: "item-id" | "case" | "prefix" | "truncated" | "missing-id" | "other";
  }[];
  /** A second result for a call in the same run of results. */
  readonly duplicates: readonly {
    readonly call: Placed<ToolCall>;
    readonly first: Placed<ToolResult>;
    readonly second: Placed<ToolResult>;
  }[];
  /** A result that is there, but not where its protocol wants it. */
  readonly misplaced: readonly {
    readonly call: Placed<ToolCall>;
    readonly result: Placed<ToolResult>;
    readonly how: "before-call" | "not-adjacent" | "not-first" | "split";
    /** What stands between, where something does. */
    readonly between: Placed | undefined;
  }[];
  /** Calls of one assistant turn that share an id. */
  readonly sharedIds: readonly { readonly first: Placed<ToolCall>; readonly second: Placed<ToolCall> }[];
  /** A result of another name or kind than its call. */
  readonly misnamed: readonly {
    readonly call: Placed<ToolCall>;
    readonly result: Placed<ToolResult>;
    readonly what: "name" | "kind";
  }[];
}

export interface Orphan {
  readonly result: Placed<ToolResult>;
  /** A call with its id was answered in an earlier round. */
  readonly answeredBefore: Placed<ToolResult> | undefined;
  /** The call that it answers, where the log holds it outside this request: in a reply or in an earlier request. */
  readonly lostCall: Placed<ToolCall> | undefined;
  /** The history begins with it, so that it seems to be cut there. */
  readonly isAtCut: boolean;
}

/** Exchanges that continue each other. */
export interface Conversation {
  /** `c1`, `c2` … in the order of their first exchanges. */
  readonly name: string;
  readonly protocol: string;
  /** In the order in which the requests were sent. */
  readonly steps: readonly Step[];
  /** Its family: only in `requests` can one prove what was sent. */
  readonly kind: "requests" | "transcript";
  readonly log: LogFacts;
}

/** What a conversation has to know of the log around it. */
export interface LogFacts {
  /** The log is declared a whole, finished run: what is still open at its end stays open. */
  readonly isComplete: boolean;
  /** Its last record is not whole: more was going to be written. */
  readonly breaksOff: boolean;
  /** The position of the last exchange in the run. */
  readonly lastExchange: number;
  readonly conversations: readonly Conversation[];
  /** The path that reports show. */
  readonly file: string;
}

/** The items of a history from an element on, each with its place; up to and without the element `to`. */
export function* placedItems(
  step: Step,
  history: History | undefined = step.request?.history,
  from = 0,
  to: number = history?.length ?? 0,
): Generator<Placed> {
  if (!history) return;
  for (let element = from; element < to; element++) {
    for (const item of history.items(element)) yield { item, step, part: "request", element };
  }
}

/** The items of a step's reply, each with its place. */
export function replyItems(step: Step): Placed[] {
  return (step.reply?.items ?? []).map((item) => ({ item, step, part: "response", element: -1 }));
}

export function isCall(placed: Placed): placed is Placed<ToolCall> {
  return placed.item.kind === "call";
}

export function isResult(placed: Placed): placed is Placed<ToolResult> {
  return placed.item.kind === "result";
}

/** RFC 6901 pointer from the body to a placed item, plus a rest below it. */
export function pointerOf(placed: Placed, below = placed.item.pointer): string {
  if (placed.part === "response") return below;
  return `${placed.step.request?.historyPointer ?? ""}/${placed.element}${below}`;
}
