import type { Conversation, Pairing, Step } from "./conversation.ts";
import type { Exchange } from "./exchange.ts";
import type { Walk } from "./pairing.ts";

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A step while its conversation grows: later steps still become its children. */
export type DraftStep = Mutable<Step> & { children: Step[] };

/** A step with what only stitching has to know of it. */
export interface Entry {
  readonly step: DraftStep;
  readonly walk: Walk;
  readonly thread: Thread;
  /** Its history leans on what the server holds, so that nothing can be compared with it. */
  readonly isLinked: boolean;
}

/** A conversation while it grows. */
export interface Thread {
  readonly conversation: Mutable<Conversation> & { steps: Step[] };
  readonly entries: Entry[];
}

/** Most steps lose and change nothing: a session of ten thousand replies does not need a list of nothing for each. */
const none: readonly never[] = Object.freeze([]);

const noPairing: Pairing = Object.freeze({
  pairs: none,
  orphans: none,
  unanswered: none,
  mismatches: none,
  duplicates: none,
  misplaced: none,
  sharedIds: none,
  misnamed: none,
});

/** A step before anything is known about it. */
export function draftStep(exchange: Exchange): DraftStep {
  return {
    number: 0,
    exchange,
    conversation: undefined as unknown as Conversation, // set as soon as the step is placed
    request: exchange.request,
    reply: exchange.reply,
    parent: undefined,
    relation: "start",
    children: [],
    retriedBy: undefined,
    kept: 0,
    added: none,
    echoes: none,
    missing: none,
    changed: none,
    moved: none,
    loss: undefined,
    pairing: noPairing,
    isPartial: false,
    turn: 1,
  };
}

/** The attempt gave nothing to go on from, so sending it again is right. */
export function hasFailed(step: Step): boolean {
  const { exchange, reply } = step;
  if (!reply || reply.error || reply.state === "open" || exchange.isAborted || exchange.isCut) return true;
  const meaning = reply.finish?.meaning;
  if (meaning === "refusal" || meaning === "filter" || meaning === "malformed-call") return true;
  return exchange.status !== undefined && exchange.status >= 400;
}

/** User messages with words begin turns; results and reminders do not. */
export function turnOf(step: Step): number {
  const spoken = step.added.filter(
    ({ item }) => item.kind === "message" && item.role === "user" && item.text.trim() !== "",
  ).length;
  return Math.max(
    1,
    (step.parent?.turn ?? 0) + (step.relation === "retry" || step.relation === "repeat" ? 0 : spoken),
  );
}
