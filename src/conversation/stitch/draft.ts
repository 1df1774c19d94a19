import { emptyList } from "../../reading/lists.ts";
import { type Conversation, type Placed, placedItems, replyItems, type Step } from "../conversation.ts";
import type { Exchange } from "../exchange.ts";
import { noPairing, type Walk } from "../pairing/pairing.ts";

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A step with what only stitching has to know of it. */
export interface DraftEntry {
  readonly step: DraftStep;
  readonly walk: Walk;
  readonly thread: ConversationDraft;
  /** Its history leans on what the server holds, so that nothing can be compared with it. */
  readonly isLinked: boolean;
}

/** A conversation while it grows. */
export interface ConversationDraft {
  readonly conversation: Mutable<Conversation> & { steps: Step[] };
  readonly entries: DraftEntry[];
}

/** A step while its conversation grows: before anything is known about it, it begins a conversation, and later steps still become its children. */
export class DraftStep implements Mutable<Step> {
  number = 0;
  readonly exchange: Exchange;
  // Set as soon as the step is placed.
  conversation = undefined as unknown as Conversation;
  request: Step["request"];
  reply: Step["reply"];
  parent: Step["parent"] = undefined;
  relation: Step["relation"] = "start";
  children: Step["children"] = emptyList;
  retriedBy: Step["retriedBy"] = undefined;
  kept = 0;
  added: Step["added"] = emptyList;
  missing: Step["missing"] = emptyList;
  changed: Step["changed"] = emptyList;
  moved: Step["moved"] = emptyList;
  loss: Step["loss"] = undefined;
  pairing: Step["pairing"] = noPairing;
  isPartial = false;
  turn = 1;
  #echoes: Step["echoes"] | undefined;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
    this.request = exchange.request;
    this.reply = exchange.reply;
  }

  /** Nobody asks for the echoes of most steps of a transcript, which tells where they are. */
  get echoes(): Step["echoes"] {
    this.#echoes ??= lineageEchoes(this);
    return this.#echoes;
  }

  set echoes(echoes: Step["echoes"]) {
    this.#echoes = echoes;
  }
}

/** A step of which some facts are others. To spread a step would leave out what it finds out only when asked. */
export function changedStep(step: Step, facts: Partial<Step>): Step {
  return { ...step, echoes: step.echoes, ...facts };
}

/** The items of a reply beside those of the next history of a transcript, which hold them in the same order. */
function lineageEchoes(step: Step): Step["echoes"] {
  const { lineage, request } = step.exchange;
  if (!lineage || !step.parent || lineage.relation !== "continuation") return emptyList;
  const said = replyItems(step.parent);
  const echoes: { before: Placed; after: Placed }[] = [];
  for (const after of placedItems(step, request?.history, step.kept, lineage.known.to)) {
    const before = said[echoes.length];
    if (before) echoes.push({ before, after });
  }
  return echoes;
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
  let spoken = 0;
  for (const { item } of step.added)
    if (item.kind === "message" && item.role === "user" && item.text.trim() !== "") spoken++;
  return Math.max(
    1,
    (step.parent?.turn ?? 0) + (step.relation === "retry" || step.relation === "repeat" ? 0 : spoken),
  );
}
