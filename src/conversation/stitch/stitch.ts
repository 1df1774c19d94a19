import { append, emptyList } from "../../reading/lists.ts";
import type { Mutable } from "../../reading/mutable.ts";
import {
  type Conversation,
  type LogFacts,
  type Loss,
  type Placed,
  placedItems,
  type Relation,
  type Step,
} from "../conversation.ts";
import { type Exchange, type History, type Lineage, turnsAmong } from "../exchange.ts";
import { commonElements } from "../identity.ts";
import type { Item, ToolCall, ToolResult } from "../item.ts";
import { deferredCalls, openCalls, pair } from "../pairing/pairing.ts";
import { continuesStored } from "../server-history.ts";
import type { Alignment } from "./align.ts";
import { markAsides, type ReplySteps, repliesOf } from "./asides.ts";
import { announcesCompaction } from "./compaction.ts";
import { type ConversationDraft, type DraftEntry, DraftStep, hasFailed, turnOf } from "./draft.ts";
import { heldResults } from "./held-results.ts";
import { lossOf } from "./loss.ts";
import { createMemory, type Memory } from "./memory.ts";
import { chooseParent, isCallOf, type ParentChoice } from "./parents.ts";

export interface StitchOptions {
  readonly isComplete: boolean;
  /** The last record of the log is incomplete. */
  readonly breaksOff?: boolean;
  /** Parts of the log could not be read. */
  readonly hasUnread?: boolean;
  readonly file: string;
  readonly kind?: Conversation["kind"];
}

/**
 * Groups exchanges into conversations: first by their own references (`previous_response_id`, a conversation
 * id), then by content: a request belongs where most of its history was sent or received before. Its parent
 * is the step whose history and reply it continues; the two are compared once, for all rules. Requests that
 * are no turns of a model belong to no conversation, unless the log has nothing else.
 */
export function stitch(exchanges: readonly Exchange[], options: StitchOptions): Conversation[] {
  const turns = turnsAmong(exchanges);
  const log: Mutable<LogFacts> = {
    isComplete: options.isComplete,
    breaksOff: options.breaksOff ?? false,
    hasUnread: options.hasUnread ?? false,
    file: options.file,
    lastExchange: turns.findLast(({ request }) => request !== undefined)?.position ?? 0,
    conversations: [],
  };
  const stitcher = new Stitcher(log, options.kind ?? "requests");
  for (const exchange of inOrderOfSending(turns)) stitcher.add(exchange);
  let said: ReplySteps | undefined;
  const replies = (): ReplySteps => {
    said ??= repliesOf(stitcher.threads);
    return said;
  };
  for (const thread of stitcher.threads) markAsides(thread, replies);
  const conversations = stitcher.threads.map(({ conversation }) => conversation);
  log.conversations = conversations;
  for (const thread of stitcher.threads) judgeLosses(thread);
  return conversations;
}

/** A summary stands within this many elements from the beginning of a history. */
const maxHead = 10;
/** A history is compacted by a request without tools, and perhaps others, since the newest step with them. */
const maxSince = 3;

/** Adds each exchange to the conversation that it continues. */
class Stitcher {
  readonly threads: ConversationDraft[] = [];
  private readonly log: LogFacts;
  private readonly kind: Conversation["kind"];
  /** Steps of transcripts, which name what they continue. */
  private readonly byLineage = new Map<Lineage, DraftEntry>();
  /** The other steps of the part, by everything that identifies an exchange. */
  private memory = createMemory();
  /** The newest exchange that is no step of a transcript. */
  private newest: Exchange | undefined;

  constructor(log: LogFacts, kind: Conversation["kind"]) {
    this.log = log;
    this.kind = kind;
  }

  add(exchange: Exchange): void {
    if (exchange.lineage) {
      this.addFromTranscript(exchange, exchange.lineage);
      return;
    }
    if (this.newest && !isInPartOf(this.newest, exchange)) this.memory = createMemory();
    this.newest = exchange;
    if (exchange.purpose !== undefined && exchange.purpose !== "compaction") {
      this.start(exchange, reliesOnServer(exchange));
      return;
    }
    const linked = this.memory.linkedParent(exchange);
    if (linked) this.addLinked(exchange, linked);
    else this.addByContent(exchange);
  }

  /** Adds an exchange that names its parent. */
  private addLinked(exchange: Exchange, { step: parent, thread, walk }: DraftEntry): void {
    const twin = parent.children.find((child) =>
      isSameHistory(child.request?.history, exchange.request?.history),
    );
    const again = twin && (hasFailed(twin) ? "retry" : "repeat");
    const relation = again ?? (parent.children.length > 0 ? "branch" : "continuation");
    const { isPartial } = parent;
    const { step } = this.place(exchange, thread, {
      parent,
      relation,
      isPartial,
      inherited: [...deferredCalls(walk), ...openCalls(parent)],
    });
    if (twin && relation === "retry") (twin as Mutable<Step>).retriedBy = step;
  }

  /** Adds a message of a transcript, which names what it continues, so nothing has to be compared. */
  private addFromTranscript(exchange: Exchange, fact: Lineage): void {
    const before = fact.from && this.byLineage.get(fact.from);
    const thread = before?.thread ?? this.newThread(exchange);
    const goesOn = fact.relation !== "compaction";
    const entry = this.place(exchange, thread, {
      parent: before?.step,
      relation: before ? fact.relation : "start",
      isPartial: fact.isPartial,
      ...(before && { lineage: fact }),
      ...(before && goesOn && { parentEntry: before }),
    });
    this.byLineage.set(fact, entry);
  }

  private addByContent(exchange: Exchange): void {
    const { history } = exchange.request ?? {};
    const isPartial = reliesOnServer(exchange);
    if (!history || history.length === 0) {
      this.start(exchange, isPartial);
      return;
    }
    const choice = isPartial ? undefined : this.choose(exchange, history);
    if (choice) this.continueFrom(exchange, choice);
    else this.startOrCompact(exchange, history, isPartial);
  }

  private choose(exchange: Exchange, history: History): ParentChoice | undefined {
    const probe = new DraftStep(exchange);
    return chooseParent(this.memory.candidates(probe, history), probe, history, this.memory);
  }

  private continueFrom(exchange: Exchange, { entry, alignment, relation }: ParentChoice): void {
    const { step, thread } = entry;
    // What the log lost of one request is in the next.
    const isPartial = step.isPartial && step.request?.isCut !== true;
    if (relation === "repeat" && step.relation === "compaction" && step.children.length > 0) {
      // The work since the last compaction ended in an equal summary.
      const parent = newestOf(step);
      this.place(exchange, thread, { parent, relation: "compaction", isPartial, sameAs: entry });
    } else if (relation === "retry" || relation === "repeat") {
      // A resent history continues what its first attempt continued.
      const { parent } = step;
      const again = this.place(exchange, thread, { parent, relation, isPartial, sameAs: entry });
      if (relation === "retry") step.retriedBy = again.step;
    } else {
      this.place(exchange, thread, { parent: step, relation, isPartial, alignment, parentEntry: entry });
    }
  }

  private startOrCompact(exchange: Exchange, history: History, isPartial: boolean): void {
    const head = [...placedItems(new DraftStep(exchange), history, 0, Math.min(maxHead, history.length))];
    const parent = announcesCompaction(head, this.memory.recentReplies)
      ? this.latestLike(exchange)
      : undefined;
    if (!parent) this.start(exchange, isPartial);
    else this.place(exchange, parent.thread, { parent: parent.step, relation: "compaction", isPartial });
  }

  private start(exchange: Exchange, isPartial: boolean): void {
    this.place(exchange, this.newThread(exchange), { parent: undefined, relation: "start", isPartial });
  }

  /** The newest step of a client with the same tools, which a compacted history continues. */
  private latestLike(exchange: Exchange): DraftEntry | undefined {
    const isAlike = ({ step }: DraftEntry): boolean =>
      step.exchange.protocol === exchange.protocol && hasSameTools(step.exchange, exchange);
    return this.threads
      .flatMap(({ entries }) => entries.slice(-maxSince).findLast(isAlike) ?? [])
      .sort((a, b) => b.step.exchange.position - a.step.exchange.position)[0];
  }

  private newThread({ protocol }: Exchange): ConversationDraft {
    const { kind, log } = this;
    const name = `c${this.threads.length + 1}`;
    const thread: ConversationDraft = { conversation: { name, protocol, steps: [], kind, log }, entries: [] };
    this.threads.push(thread);
    return thread;
  }

  private place(exchange: Exchange, thread: ConversationDraft, placing: Placing): DraftEntry {
    const { memory } = this;
    const { parent, relation, inherited } = placing;
    const step = new DraftStep(exchange);
    step.conversation = thread.conversation;
    step.number = thread.entries.length + 1;
    step.parent = parent;
    step.relation = relation;
    step.resends = placing.sameAs?.step;
    recordDifferences(step, placing);
    const isStored = placing.isPartial || hasUnknownReference(step, memory.knowsReplies);
    step.isPartial = isStored || step.request?.isCut === true;
    if (!isStored && step.request?.gaps) step.gaps = step.request.gaps;
    if (parent) (parent as Mutable<Step>).children = append(parent.children, step);
    step.turn = turnOf(step);

    const findCall = exchange.lineage ? undefined : callFinder(step, memory);
    const { pairing, walk } = pair(
      step,
      walkToResume(placing, exchange),
      inherited ?? emptyList,
      findCall,
      inherited && heldResults(step),
    );
    step.pairing = pairing;

    const isLinked = inherited !== undefined || (!exchange.lineage && reliesOnServer(exchange));
    const entry: DraftEntry = { step, walk, thread, isLinked };
    thread.entries.push(entry);
    thread.conversation.steps = append(thread.conversation.steps, step);
    if (!exchange.lineage) memory.remember(entry);
    return entry;
  }
}

/** Whether two exchanges stand in the same part of a file, or in files without parts. */
function isInPartOf(before: Exchange, after: Exchange): boolean {
  return before.part === after.part && (after.part === undefined || before.file === after.file);
}

/** Records what is new in a step and, against its parent, what became of the rest. */
function recordDifferences(
  step: DraftStep,
  { parent, relation, alignment, lineage, inherited }: Placing,
): void {
  if (lineage && parent) addTranscriptNews(step, lineage, parent);
  else if (alignment && parent) Object.assign(step, withFinalStep(alignment, step, relation));
  else if (relation === "start" || inherited)
    for (const placed of placedItems(step)) step.added = append(step.added, placed);
}

/** The newest step that continues a step, directly or through others. */
function newestOf(step: Step): Step {
  let newest = step;
  for (let next = step.children.at(-1); next; next = next.children.at(-1)) newest = next;
  return newest;
}

/** Finds a result's call elsewhere in the log: by id, or among the parent's calls that this request lacks. */
function callFinder(
  step: Step,
  { findCall }: Memory,
): (result: Placed<ToolResult>) => Placed<ToolCall> | undefined {
  const { exchange, parent } = step;
  let found: Set<Placed<ToolCall>> | undefined;
  let waiting: readonly Placed<ToolCall>[] | undefined;
  let echoed: ReadonlySet<Item> | undefined;
  return (result) => {
    const { callId, name } = result.item;
    const known = callId === undefined ? undefined : findCall(exchange, callId);
    if (known || !parent) return known;
    waiting ??= openCalls(parent.retriedBy ?? parent);
    echoed ??= new Set(step.echoes.map(({ before }) => before.item));
    const isOpen = (call: Placed<ToolCall>): boolean => !found?.has(call) && !echoed?.has(call.item);
    // Without a name, and without a real id, order decides.
    const isMadeUp = exchange.demands.pairsBy === "order" && name === undefined;
    const call =
      waiting.find((other) => isCallOf(other, result.item) && isOpen(other)) ??
      (isMadeUp ? waiting.find((other) => other.item.id === undefined && isOpen(other)) : undefined);
    if (!call) return undefined;
    found ??= new Set();
    found.add(call);
    return call;
  };
}

/** Where and how a step joins its conversation. */
interface Placing {
  readonly parent: Step | undefined;
  readonly relation: Relation;
  readonly isPartial: boolean;
  readonly alignment?: Alignment;
  /** What the transcript states, instead of an alignment. */
  readonly lineage?: Lineage;
  readonly parentEntry?: DraftEntry;
  /** The earlier step with the same history. */
  readonly sameAs?: DraftEntry;
  /** Open calls that the server stores. */
  readonly inherited?: readonly Placed<ToolCall>[];
}

/** By time stamp if the log has them all, else in file order. Transcripts state their order. */
function inOrderOfSending(exchanges: readonly Exchange[]): readonly Exchange[] {
  if (exchanges.some(({ time, lineage }) => time === undefined || lineage)) return exchanges;
  return [...exchanges].sort((a, b) => (a.time ?? 0) - (b.time ?? 0) || a.position - b.position);
}

/** The walk over calls and results that this step's walk may resume. */
function walkToResume(
  { alignment, lineage, parentEntry, sameAs }: Placing,
  exchange: Exchange,
): Parameters<typeof pair>[1] {
  if (parentEntry)
    return { walk: parentEntry.walk, kept: lineage ? lengthOf(parentEntry.step) : (alignment?.kept ?? 0) };
  return sameAs && { walk: sameAs.walk, kept: exchange.request?.history.length ?? 0 };
}

/** Replaces the probe of an alignment by the real step in all places. */
function withFinalStep(alignment: Alignment, step: Step, relation: Relation): Partial<Mutable<Step>> {
  const own = (placed: Placed): Placed => ({ ...placed, step });
  const echoes = alignment.echoes.map(({ before, after }) => ({ before, after: own(after) }));
  const added = alignment.added.map(own);
  if (relation !== "continuation") return { kept: alignment.kept, added, echoes };
  return {
    kept: alignment.kept,
    added,
    echoes,
    missing: alignment.missing,
    changed: alignment.changed.map((change) => ({ ...change, after: own(change.after) })),
    moved: alignment.moved.map(({ before, after }) => ({ before, after: own(after) })),
  };
}

function lengthOf(step: Step): number {
  return step.request?.history.length ?? 0;
}

/** Adds what is new in a transcript's message, compared with its history and the previous reply. */
function addTranscriptNews(step: DraftStep, { relation, known }: Lineage, parent: Step): void {
  step.kept = relation === "compaction" ? 0 : lengthOf(parent);
  const { history } = step.request ?? {};
  for (let element = step.kept; history && element < history.length; element++) {
    if (element >= known.from && element < known.to) continue;
    for (const item of history.items(element))
      step.added = append(step.added, { item, step, part: "request", element });
  }
}

/** The request holds only new items; the server has the rest. */
function reliesOnServer(exchange: Exchange): boolean {
  return continuesStored(exchange.request) || lacksBeginning(exchange);
}

/**
 * A recorder of requests with server history may show only the new results without saying so. Where the model
 * speaks after them, the request carries its history itself.
 */
function lacksBeginning({ fidelity, request }: Exchange): boolean {
  return (
    fidelity === "reported" &&
    request !== undefined &&
    request.history.length > 0 &&
    beginsWithResult(request.history) &&
    !holdsModelItems(request.history)
  );
}

function holdsModelItems(history: History): boolean {
  for (let element = 0; element < history.length; element++)
    if (history.items(element).some(({ role }) => role === "assistant")) return true;
  return false;
}

function beginsWithResult(history: History): boolean {
  return history.items(0)[0]?.kind === "result";
}

function isSameHistory(a: History | undefined, b: History | undefined): boolean {
  return a !== undefined && b !== undefined && a.length === b.length && commonElements(a, b) === a.length;
}

function hasSameTools(a: Exchange, b: Exchange): boolean {
  const names = (exchange: Exchange): string =>
    (exchange.request?.tools ?? []).map((tool) => tool.name).join(" ");
  return names(a) === names(b);
}

/** References to items that no reply in the log holds: the server knows more than the log. */
function hasUnknownReference(step: Step, knowsReplies: boolean): boolean {
  return step.added.some((placed) => placed.item.kind === "reference") && !knowsReplies;
}

/** A loss is a habit only in view of the whole conversation. */
function judgeLosses(thread: ConversationDraft): void {
  const losses: Loss[] = [];
  for (const { step } of thread.entries) {
    if (step.missing.length === 0 || step.isPartial) continue;
    const loss = lossOf(step);
    if (!loss) continue;
    step.loss = loss;
    if (loss.extent !== "note") losses.push(loss);
  }
  const cuts = losses.filter(({ extent }) => extent === "older-turns" || extent === "window");
  // The same cut every time is a configured window.
  if (cuts.length >= 2 && cuts.length === losses.length) {
    for (const { step } of thread.entries)
      if (step.loss && step.loss.extent !== "note") step.loss = { ...step.loss, extent: "window" };
  }
}
