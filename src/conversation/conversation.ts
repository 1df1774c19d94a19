import { emptyList } from "../reading/lists.ts";
import type { HistoryGap } from "../traffic/payload.ts";
import type { Exchange, History, Request } from "./exchange.ts";
import type { Item, ToolCall, ToolResult } from "./item.ts";
import type { Reply } from "./reply.ts";

/** An item in one of its places: the history of a step's request, or the step's reply. */
export interface Placed<T extends Item = Item> {
  readonly item: T;
  readonly step: Step;
  readonly part: "request" | "response";
  /** Index of its history element, from 0; -1 in a reply. */
  readonly element: number;
}

/**
 * How a step came about.
 * - `start`: the first of its conversation
 * - `continuation`: continues its parent's history and reply
 * - `retry`: resends the same history after a failure
 * - `repeat`: resends the same history although the first attempt succeeded
 * - `branch`: continues from an earlier point on purpose (an edit, a regeneration, a fork, a side request)
 * - `compaction`: replaces the history by a summary
 */
export type Relation = "start" | "continuation" | "retry" | "repeat" | "branch" | "compaction";

/** An item that came back with different content. */
export interface Change {
  readonly before: Placed;
  readonly after: Placed;
  readonly what: "text" | "arguments" | "name" | "id" | "result" | "reasoning" | "kind";
}

/** Items that the log says a history should contain, but that the client left out. */
export interface Loss {
  /** All missing items, in order. */
  readonly items: readonly Placed[];
  /**
   * How much is missing.
   * - `current-turn`: something after the last user message, or a user message itself
   * - `older-turns`: whole older turns, pairs intact
   * - `window`: a deliberate cut at the front
   * - `pruned`: old calls and results removed in pairs, everything else kept
   * - `note`: text meant for one request only, at its end
   */
  readonly extent: "current-turn" | "older-turns" | "window" | "pruned" | "note";
  /**
   * The missing items are the beginning of the history, behind the prompts or the first user message, and the
   * rest is still there: the client trims it. How many elements the history had and has.
   */
  readonly trim?: { readonly from: number; readonly to: number };
}

/** One request and its reply within a conversation. */
export interface Step {
  /** Number within the conversation, from 1. */
  readonly number: number;
  readonly exchange: Exchange;
  readonly conversation: Conversation;
  readonly request: Request | undefined;
  readonly reply: Reply | undefined;
  /** The step whose history and reply this request continues; absent for the first. */
  readonly parent: Step | undefined;
  readonly relation: Relation;
  /**
   * A request beside the conversation that carries its history: a title, a check, a summary. It has a model,
   * a prompt or tools of its own, and the conversation goes on without its reply.
   */
  readonly isAside: boolean;
  /** Steps that continue this one, without those beside it; empty when the log has no continuation. */
  readonly children: readonly Step[];
  /** The later step that resent the same history after this one failed. */
  readonly retriedBy: Step | undefined;
  /** How many leading history elements equal those of the parent's request. */
  readonly kept: number;
  /** Items found neither in the parent's history nor in its reply. */
  readonly added: readonly Placed[];
  /** Items of the parent's reply, each paired with its copy in this history. */
  readonly echoes: readonly { readonly before: Placed; readonly after: Placed }[];
  /** Parent items that this history lacks, in order; empty for branches, retries and compactions. */
  readonly missing: readonly Placed[];
  readonly changed: readonly Change[];
  /** Items whose order changed between the parent and this request. */
  readonly moved: readonly { readonly before: Placed; readonly after: Placed }[];
  /** What `missing` amounts to; absent when nothing that matters is missing. */
  readonly loss: Loss | undefined;
  readonly pairing: Pairing;
  /** The server stores part of the history and the log lacks it: absence proves nothing. */
  readonly isPartial: boolean;
  /** Of a partial step: where its history lacks something; `undefined` if nobody knows. */
  readonly gaps: readonly HistoryGap[] | undefined;
  /** Number of user messages with text so far; steps of one turn share it. */
  readonly turn: number;
}

/** Whether the log may lack a call or result of the request's history behind an element. */
export function mayLackBehind({ isPartial, gaps }: Step, element: number): boolean {
  return isPartial && (gaps?.some((gap) => gap.lacks !== "value" && gap.element > element) ?? true);
}

/** The same for what stands before an element, and for the element itself. */
export function mayLackBefore({ isPartial, gaps }: Step, element: number): boolean {
  return isPartial && (gaps?.some((gap) => gap.lacks !== "value" && gap.element <= element) ?? true);
}

/** Whether an element of the request's history was recorded as it was sent. */
export function isWholeElement({ request }: Step, element: number): boolean {
  if (!request?.isCut) return true;
  return request.gaps?.every((gap) => gap.lacks === "before" || gap.element !== element) ?? false;
}

/**
 * How a request's calls and results match, found by an ordered walk: a call opens an id, a result closes the
 * open call. Lists only what is new or different since the parent's request, except `unanswered`,
 * `undecided` and `pending`, which list every call that is open at the end.
 */
export interface Pairing {
  readonly pairs: readonly { readonly call: Placed<ToolCall>; readonly result: Placed<ToolResult> }[];
  /** Results that answer no open call anywhere in the request. */
  readonly orphans: readonly Orphan[];
  /** Calls without a result anywhere in the request, although they need one there. */
  readonly unanswered: readonly Placed<ToolCall>[];
  /** Calls without a result so far, of tools whose results may come in any later request. */
  readonly pending: readonly Placed<ToolCall>[];
  /** A result whose id differs from that of the one open call it can belong to. */
  readonly mismatches: readonly {
    readonly call: Placed<ToolCall>;
    readonly result: Placed<ToolResult>;
    readonly how: "item-id" | "case" | "prefix" | "truncated" | "missing-id" | "other";
  }[];
  /** A second result for one call in the same run of results. */
  readonly duplicates: readonly {
    readonly call: Placed<ToolCall>;
    readonly first: Placed<ToolResult>;
    readonly second: Placed<ToolResult>;
  }[];
  /** A result in a place that its protocol does not allow. */
  readonly misplaced: readonly {
    readonly call: Placed<ToolCall>;
    readonly result: Placed<ToolResult>;
    readonly how: "before-call" | "not-adjacent" | "not-first" | "split";
    /** The item between call and result, if any. */
    readonly between: Placed | undefined;
  }[];
  /** Calls of one assistant turn with the same id. */
  readonly sharedIds: readonly { readonly first: Placed<ToolCall>; readonly second: Placed<ToolCall> }[];
  /** Those of `unanswered` whose result a call of the turn with the same id may have: only order decides. */
  readonly undecided: readonly Placed<ToolCall>[];
  /** A result whose name or kind differs from its call's. */
  readonly misnamed: readonly {
    readonly call: Placed<ToolCall>;
    readonly result: Placed<ToolResult>;
    readonly what: "name" | "kind";
  }[];
  /** There are too many unmatched results and open calls to compare all of their ids in full. */
  readonly isBounded?: boolean;
}

export interface Orphan {
  readonly result: Placed<ToolResult>;
  /** The result, in an earlier round, of a call with this id. */
  readonly answeredBefore: Placed<ToolResult> | undefined;
  /** The matching call, if the log has it outside this request: in a reply or an earlier request. */
  readonly lostCall: Placed<ToolCall> | undefined;
  /** The history begins with this result, so it was probably cut there. */
  readonly isAtCut: boolean;
}

/** Exchanges that continue each other. */
export interface Conversation {
  /** `c1`, `c2` … by first exchange. */
  readonly name: string;
  readonly protocol: string;
  /** In sending order. */
  readonly steps: readonly Step[];
  /** The family of the log. Only `requests` proves what was sent. */
  readonly kind: "requests" | "transcript";
  readonly log: LogFacts;
}

/** Facts about the whole log that a conversation needs. */
export interface LogFacts {
  /** The log is declared a finished run, so calls still open at its end stay open. */
  readonly isComplete: boolean;
  /** The last record of the log is incomplete: its writer was interrupted. */
  readonly breaksOff: boolean;
  /** Parts of the log could not be read: what continues a reply may have stood there. */
  readonly hasUnread: boolean;
  /** Position of the run's last exchange with a request; a reply alone may answer any request. */
  readonly lastExchange: number;
  readonly conversations: readonly Conversation[];
  /** The path as reports show it. */
  readonly file: string;
}

/** The history items of elements `from` up to, but not including, `to`, each with its place. */
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

const placedReplies = new WeakMap<Step, readonly Placed[]>();

/** The items of a step's reply, each with its place. One list for all rules: most of them ask for it. */
export function replyItems(step: Step): readonly Placed[] {
  const said = step.reply?.items ?? emptyList;
  if (said.length === 0) return emptyList;
  let items = placedReplies.get(step);
  if (!items) {
    items = said.map((item) => ({ item, step, part: "response", element: -1 }));
    placedReplies.set(step, items);
  }
  return items;
}

export function isCall(placed: Placed): placed is Placed<ToolCall> {
  return placed.item.kind === "call";
}

export function isResult(placed: Placed): placed is Placed<ToolResult> {
  return placed.item.kind === "result";
}

/** RFC 6901 pointer from the body to a placed item, extended by the part of `below` under the item. */
export function pointerOf(placed: Placed, below = placed.item.pointer): string {
  if (placed.part === "response") return below;
  return `${placed.step.request?.historyPointer ?? ""}/${placed.element}${below}`;
}

/** Whether a run has a session's conversations, which contain each message once. */
export function isTranscript(run: { readonly conversations: readonly Conversation[] }): boolean {
  return run.conversations.some(({ kind }) => kind === "transcript");
}
