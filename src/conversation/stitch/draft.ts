import { emptyList } from "../../reading/lists.ts";
import type { Mutable } from "../../reading/mutable.ts";
import { type Conversation, type Placed, placedItems, replyItems, type Step } from "../conversation.ts";
import type { Exchange } from "../exchange.ts";
import { noPairing, type Walk } from "../pairing/pairing.ts";

/** A step and what only stitching needs to know of it. */
export interface DraftEntry {
  readonly step: DraftStep;
  readonly walk: Walk;
  readonly thread: ConversationDraft;
  /** Its history refers to what the server stores, so its content cannot be compared. */
  readonly isLinked: boolean;
}

/** A conversation under construction. */
export interface ConversationDraft {
  readonly conversation: Mutable<Conversation> & { steps: Step[] };
  readonly entries: DraftEntry[];
}

/** A step under construction: it begins as a conversation of its own, and later steps become its children. */
export class DraftStep implements Mutable<Step> {
  number = 0;
  readonly exchange: Exchange;
  // Set when the step is placed.
  conversation = undefined as unknown as Conversation;
  request: Step["request"];
  reply: Step["reply"];
  parent: Step["parent"] = undefined;
  relation: Step["relation"] = "start";
  isAside = false;
  /** The earlier step with the same history, of a retry or a repeat. */
  resends: DraftStep | undefined = undefined;
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
  gaps: Step["gaps"] = undefined;
  turn = 1;
  #echoes: Step["echoes"] | undefined;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
    this.request = exchange.request;
    this.reply = exchange.reply;
  }

  /** Computed on demand: for most steps of a transcript nothing asks for them. */
  get echoes(): Step["echoes"] {
    this.#echoes ??= lineageEchoes(this);
    return this.#echoes;
  }

  set echoes(echoes: Step["echoes"]) {
    this.#echoes = echoes;
  }
}

/** A copy of a step with other facts. Spreading a step would lose its lazy getters. */
export function changedStep(step: Step, facts: Partial<Step>): Step {
  return { ...step, echoes: step.echoes, ...facts };
}

/** The items of a reply with their copies in a transcript's next history, which keeps the order. */
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

/** The attempt produced nothing to continue from, so resending is right. */
export function hasFailed(step: Step): boolean {
  const { exchange, reply } = step;
  if (!reply || reply.error || reply.state === "open" || exchange.isCut) return true;
  // Some clients close the connection as soon as they have read the end of a stream.
  if (exchange.isAborted && step.children.length === 0) return true;
  const meaning = reply.finish?.meaning;
  if (meaning === "refusal" || meaning === "filter" || meaning === "malformed-call") return true;
  return exchange.status !== undefined && exchange.status >= 400;
}

/** User messages with text begin turns; results and reminders do not. */
export function turnOf(step: Step): number {
  let spoken = 0;
  for (const { item } of step.added)
    if (item.kind === "message" && item.role === "user" && item.text.trim() !== "") spoken++;
  return Math.max(
    1,
    (step.parent?.turn ?? 0) + (step.relation === "retry" || step.relation === "repeat" ? 0 : spoken),
  );
}
