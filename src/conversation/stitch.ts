import { type Alignment, align } from "./align.ts";
import { tellsCompaction } from "./compaction.ts";
import {
  type Conversation,
  isCall,
  type LogFacts,
  type Loss,
  type Placed,
  placedItems,
  type Relation,
  replyItems,
  type Step,
} from "./conversation.ts";
import type { Exchange, History } from "./exchange.ts";
import { commonElements, contentOf } from "./identity.ts";
import type { ToolCall, ToolResult } from "./item.ts";
import { lossOf } from "./loss.ts";
import { openCalls, pair, type Walk } from "./pairing.ts";

/**
 * How exchanges of one conversation recognise each other. First by what they say themselves (`previous_response_id`, a conversation id),
 * then by content: a request belongs where most of its history was sent or received before. Its parent is the step whose history and
 * reply it goes on from; against these it is compared once, and all rules read the outcome.
 */
export function stitch(
  exchanges: readonly Exchange[],
  log: { readonly isComplete: boolean; readonly file: string; readonly kind?: Conversation["kind"] },
): Conversation[] {
  const stitcher = new Stitcher(exchanges, log);
  for (const exchange of inOrderOfSending(exchanges)) stitcher.add(exchange);
  return stitcher.finish();
}

/** By time stamps where the log has them for all; else as they stand. */
function inOrderOfSending(exchanges: readonly Exchange[]): readonly Exchange[] {
  if (exchanges.some((exchange) => exchange.time === undefined)) return exchanges;
  return [...exchanges].sort((a, b) => (a.time ?? 0) - (b.time ?? 0) || a.position - b.position);
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Entry {
  readonly step: Mutable<Step> & { children: Step[] };
  readonly walk: Walk;
  readonly thread: Thread;
  /** Its history leans on what the server holds, so that nothing can be compared with it. */
  readonly isLinked: boolean;
}

/** A conversation while it grows. */
interface Thread {
  readonly conversation: Mutable<Conversation> & { steps: Step[] };
  readonly entries: Entry[];
}

interface Choice {
  readonly entry: Entry;
  readonly alignment: Alignment;
  readonly relation: Relation;
}

/** So many steps of a conversation are tried as parents, newest first; branches from further back are conversations of their own. */
const maxTried = 24;
/** So many threads of one beginning are tried. */
const maxThreads = 8;
/** So many newest replies may have been a summary. */
const maxSummaries = 6;

class Stitcher {
  private readonly threads: Thread[] = [];
  private readonly log: Mutable<LogFacts>;
  private readonly byReply = new Map<string, Entry>();
  private readonly byServerKey = new Map<string, Entry>();
  private readonly byOpening = new Map<string, Thread[]>();
  /** Calls of replies and histories by id, the newest first in line. */
  private readonly calls = new Map<string, { readonly entry: Entry; readonly placed: Placed<ToolCall> }>();
  private readonly texts = new Map<string, Entry>();
  private readonly recentReplies: string[] = [];

  private readonly kind: Conversation["kind"];

  constructor(
    exchanges: readonly Exchange[],
    facts: { readonly isComplete: boolean; readonly file: string; readonly kind?: Conversation["kind"] },
  ) {
    this.kind = facts.kind ?? "requests";
    this.log = {
      isComplete: facts.isComplete,
      file: facts.file,
      lastExchange: exchanges.at(-1)?.position ?? 0,
      conversations: [],
    };
  }

  add(exchange: Exchange): void {
    const linked = this.linkedParent(exchange);
    if (linked) this.addLinked(exchange, linked);
    else this.addByContent(exchange);
  }

  finish(): Conversation[] {
    const conversations = this.threads.map((thread) => thread.conversation);
    this.log.conversations = conversations;
    for (const thread of this.threads) this.judgeLosses(thread);
    return conversations;
  }

  /** The step that the request itself names as the one it continues. */
  private linkedParent(exchange: Exchange): Entry | undefined {
    const links = exchange.request?.links;
    if (links?.previousReply !== undefined) return this.byReply.get(links.previousReply);
    return links?.conversation !== undefined ? this.byServerKey.get(links.conversation) : undefined;
  }

  private addLinked(exchange: Exchange, parent: Entry): void {
    const twin = parent.step.children.find(
      (child) =>
        child.request && exchange.request && isSameHistory(child.request.history, exchange.request.history),
    );
    const relation: Relation = twin
      ? hasFailed(twin)
        ? "retry"
        : "repeat"
      : parent.step.children.length > 0
        ? "branch"
        : "continuation";
    const entry = this.place(exchange, parent.thread, {
      parent: parent.step,
      relation,
      isPartial: parent.step.isPartial,
      inherited: openCalls(parent.step),
    });
    if (twin && relation === "retry") (twin as Mutable<Step>).retriedBy = entry.step;
  }

  private addByContent(exchange: Exchange): void {
    const history = exchange.request?.history;
    const isPartial =
      exchange.request?.links.previousReply !== undefined ||
      exchange.request?.links.conversation !== undefined;
    if (!history || history.length === 0) {
      this.place(exchange, this.newThread(exchange), { parent: undefined, relation: "start", isPartial });
      return;
    }
    const probe = draftStep(exchange);
    const choice = isPartial ? undefined : this.chooseParent(probe, history);
    if (choice) this.continueFrom(exchange, choice);
    else this.startThread(exchange, history, isPartial);
  }

  private continueFrom(exchange: Exchange, { entry, alignment, relation }: Choice): void {
    const { step, thread } = entry;
    if (relation === "retry" || relation === "repeat") {
      // The same history again: it goes on from wherever the first attempt went on from.
      const own = this.place(exchange, thread, {
        parent: step.parent,
        relation,
        isPartial: step.isPartial,
        sameAs: entry,
      });
      if (relation === "retry") step.retriedBy = own.step;
      return;
    }
    this.place(exchange, thread, {
      parent: step,
      relation,
      isPartial: step.isPartial,
      alignment,
      parentEntry: entry,
    });
  }

  private startThread(exchange: Exchange, history: History, isPartial: boolean): void {
    const head = [...placedItems(draftStep(exchange), history)].slice(0, 6);
    if (tellsCompaction(head, this.recentReplies)) {
      const parent = this.latestLike(exchange);
      if (parent) {
        this.place(exchange, parent.thread, { parent: parent.step, relation: "compaction", isPartial });
        return;
      }
    }
    this.place(exchange, this.newThread(exchange), { parent: undefined, relation: "start", isPartial });
  }

  /** The newest step whose client, tools and system prompt look the same: what a compacted history goes on from. */
  private latestLike(exchange: Exchange): Entry | undefined {
    const entries = this.threads.flatMap((thread) => thread.entries.at(-1) ?? []);
    const ranked = entries.filter(
      ({ step }) => step.exchange.protocol === exchange.protocol && hasSameTools(step.exchange, exchange),
    );
    return ranked.sort((a, b) => b.step.exchange.position - a.step.exchange.position)[0];
  }

  private chooseParent(probe: Step, history: History): Choice | undefined {
    let best: (Choice & { readonly score: number }) | undefined;
    for (const thread of this.candidates(probe, history)) {
      for (const entry of thread.entries.slice(-maxTried).reverse()) {
        const choice = this.judge(entry, probe, history);
        if (!choice) continue;
        if (!best || choice.score > best.score) best = choice;
        if (choice.isPerfect) break;
      }
    }
    return best;
  }

  /** How well a request goes on from a step; `undefined` when it does not. */
  private judge(
    entry: Entry,
    probe: Step,
    history: History,
  ): (Choice & { readonly score: number; readonly isPerfect: boolean }) | undefined {
    const before = entry.step.request?.history;
    if (!before || entry.isLinked || entry.step.exchange.protocol !== probe.exchange.protocol)
      return undefined;
    const kept = commonElements(before, history);
    if (kept === before.length && kept === history.length) {
      const relation = hasFailed(entry.step) ? "retry" : "repeat";
      // A lone prompt sent twice is two runs of it, unless the first attempt failed.
      const isRerun = relation === "repeat" && !hasAnswered(history);
      return isRerun
        ? undefined
        : { entry, alignment: noAlignment(kept), relation, score: kept + 0.75, isPerfect: true };
    }
    const alignment = align(entry.step, probe, history, kept);
    const isExtension = kept === before.length && countSpoken(before, kept) > 0;
    if (
      !isExtension &&
      !sharesSpeech(alignment) &&
      !hasModelSpeech(before, kept) &&
      !answersReply(entry.step, alignment)
    )
      return undefined;
    const isPerfect =
      kept === before.length && !alignment.missing.some((placed) => placed.item.kind === "call");
    // What both have decides; what is gone only breaks ties, since a window may drop nearly everything.
    const lost = alignment.missing.filter((placed) => placed.item.kind !== "reasoning").length;
    const score =
      kept +
      alignment.matched -
      alignment.changed.length * 3 -
      lost * 0.001 +
      (isPerfect ? 0.25 : 0) +
      (entry === entry.thread.entries.at(-1) ? 0.2 : 0);
    return { entry, alignment, relation: this.relationOf(entry, alignment, history), score, isPerfect };
  }

  private relationOf(entry: Entry, alignment: Alignment, history: History): Relation {
    const before = entry.step.request?.history;
    if (!before) return "continuation";
    const gone = alignment.missing.filter(
      (placed) => placed.item.kind !== "reasoning" && placed.item.role !== "system",
    );
    if (gone.length > 0 && tellsCompaction(alignment.added, this.recentReplies)) return "compaction";
    const isShorter = alignment.kept < before.length;
    const hasLater = alignment.matched > 0 && [...alignment.echoes].length + matchedInHistory(alignment) > 0;
    // Everything after a point is gone and the user speaks there: an edit or another try, made on purpose.
    const next = history.length > alignment.kept ? history.role(alignment.kept) : undefined;
    if (isShorter && !hasLater && (next === "user" || next === undefined)) return "branch";
    if (
      !isShorter &&
      entry.step.children.length > 0 &&
      alignment.echoes.length === 0 &&
      gone.some((placed) => placed.part === "response")
    )
      return "branch";
    return "continuation";
  }

  /** Threads that may go on with this request: they begin alike, or hold a call or a text that it carries. */
  private candidates(probe: Step, history: History): Set<Thread> {
    const found = new Set<Thread>();
    const placed = [...placedItems(probe, history, Math.max(0, history.length - 16))];
    for (const item of placed.reverse()) {
      const id =
        item.item.kind === "call" ? item.item.id : item.item.kind === "result" ? item.item.callId : undefined;
      const known = id === undefined ? undefined : this.calls.get(callKey(probe.exchange, id));
      if (known) found.add(known.entry.thread);
      const speaker = item.item.kind === "message" ? this.texts.get(contentOf(item.item)) : undefined;
      if (speaker) found.add(speaker.thread);
    }
    const opening = openingOf(probe.exchange, history);
    const alike = opening === undefined ? [] : (this.byOpening.get(opening) ?? []);
    for (const thread of alike.slice(-maxThreads).reverse()) found.add(thread);
    return found;
  }

  private newThread(exchange: Exchange): Thread {
    const thread: Thread = {
      conversation: {
        name: `c${this.threads.length + 1}`,
        protocol: exchange.protocol,
        steps: [],
        kind: this.kind,
        log: this.log,
      },
      entries: [],
    };
    this.threads.push(thread);
    return thread;
  }

  private place(
    exchange: Exchange,
    thread: Thread,
    given: {
      readonly parent: Step | undefined;
      readonly relation: Relation;
      readonly isPartial: boolean;
      readonly alignment?: Alignment;
      readonly parentEntry?: Entry;
      readonly sameAs?: Entry;
      readonly inherited?: readonly Placed<ToolCall>[];
    },
  ): Entry {
    const step = draftStep(exchange);
    const { parent, relation, alignment } = given;
    step.conversation = thread.conversation;
    step.number = thread.entries.length + 1;
    step.parent = parent;
    step.relation = relation;
    step.isPartial = given.isPartial || hasUnknownReference(step, this.byReply.size > 0);
    if (alignment && parent) Object.assign(step, restated(alignment, step, relation));
    else if (relation === "start" || given.inherited) step.added = [...placedItems(step)];
    if (parent) (parent.children as Step[]).push(step);
    step.turn = turnOf(step);

    const walkFrom = given.parentEntry
      ? { walk: given.parentEntry.walk, kept: alignment?.kept ?? 0 }
      : given.sameAs
        ? { walk: given.sameAs.walk, kept: exchange.request?.history.length ?? 0 }
        : undefined;
    const find = (result: Placed<ToolResult>): Placed<ToolCall> | undefined => {
      const { callId } = result.item;
      const known = callId === undefined ? undefined : this.calls.get(callKey(exchange, callId))?.placed;
      return known ?? (parent ? openCalls(parent).find((call) => callOf(call, result.item)) : undefined);
    };
    const inherited = given.inherited ?? [];
    const { pairing, walk } = pair(step, walkFrom, inherited, find);
    step.pairing = pairing;

    const entry: Entry = { step, walk, thread, isLinked: given.inherited !== undefined || step.isPartial };
    thread.entries.push(entry);
    thread.conversation.steps.push(step);
    this.remember(entry);
    return entry;
  }

  private remember(entry: Entry): void {
    const { step, thread } = entry;
    const { exchange } = step;
    const { reply, request } = exchange;
    if (reply?.id !== undefined) this.byReply.set(reply.id, entry);
    if (request?.links.conversation !== undefined) this.byServerKey.set(request.links.conversation, entry);
    for (const placed of [...step.added, ...replyItems(step)]) {
      if (isCall(placed) && placed.item.id !== undefined)
        this.calls.set(callKey(exchange, placed.item.id), { entry, placed });
      if (
        placed.item.kind === "message" &&
        placed.item.role !== "system" &&
        placed.item.text.trim().length >= 12
      )
        this.texts.set(contentOf(placed.item), entry);
    }
    const said = replyItems(step)
      .flatMap(({ item }) => (item.kind === "message" ? [item.text] : []))
      .join("\n");
    if (said.trim() !== "") {
      this.recentReplies.unshift(said);
      this.recentReplies.length = Math.min(this.recentReplies.length, maxSummaries);
    }
    const opening = request && openingOf(exchange, request.history);
    if (opening === undefined) return;
    const alike = this.byOpening.get(opening);
    if (!alike) this.byOpening.set(opening, [thread]);
    else if (alike.at(-1) !== thread) {
      const place = alike.indexOf(thread);
      if (place >= 0) alike.splice(place, 1);
      alike.push(thread);
    }
  }

  /** Whether a loss is a habit can only be said when the whole conversation is known. */
  private judgeLosses(thread: Thread): void {
    const losses: Loss[] = [];
    for (const { step } of thread.entries) {
      if (step.missing.length === 0 || step.isPartial) continue;
      const loss = lossOf(step);
      if (!loss) continue;
      step.loss = loss;
      losses.push(loss);
    }
    const cuts = losses.filter((loss) => loss.extent === "older-turns");
    // The same cut again and again is a window that somebody set up.
    if (cuts.length >= 2 && cuts.length === losses.length) {
      for (const { step } of thread.entries) if (step.loss) step.loss = { ...step.loss, extent: "window" };
    }
  }
}

function callKey(exchange: Exchange, id: string): string {
  return `${exchange.protocol} ${id}`;
}

/** A step before anything is known about it. */
function draftStep(exchange: Exchange): Entry["step"] {
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
    added: [],
    echoes: [],
    missing: [],
    changed: [],
    moved: [],
    loss: undefined,
    pairing: {
      pairs: [],
      orphans: [],
      unanswered: [],
      mismatches: [],
      duplicates: [],
      misplaced: [],
      sharedIds: [],
      misnamed: [],
    },
    isPartial: false,
    turn: 1,
  };
}

/** An alignment was made with a probe in place of the step: its places are put right. */
function restated(alignment: Alignment, step: Step, relation: Relation): Partial<Mutable<Step>> {
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

function noAlignment(kept: number): Alignment {
  return { kept, added: [], missing: [], changed: [], moved: [], echoes: [], matched: 0, spoken: 0 };
}

function isSameHistory(a: History, b: History): boolean {
  return a.length === b.length && commonElements(a, b) === a.length;
}

/** The attempt gave nothing to go on from, so sending it again is right. */
function hasFailed(step: Step): boolean {
  const { exchange, reply } = step;
  if (!reply || reply.error || reply.state === "open" || exchange.isAborted || exchange.isCut) return true;
  return exchange.status !== undefined && exchange.status >= 400;
}

function hasAnswered(history: History): boolean {
  for (let index = 0; index < history.length; index++)
    if (history.role(index) === "assistant" || history.role(index) === "tool") return true;
  return false;
}

/** How many of the first `kept` elements are not system prompts: these alone make nobody the same. */
function countSpoken(history: History, kept: number): number {
  let spoken = 0;
  for (let index = 0; index < kept; index++)
    if (history.role(index) !== "system" && history.items(index).length > 0) spoken++;
  return spoken;
}

/** The model, or a tool, has spoken within the common beginning. */
function hasModelSpeech(history: History, kept: number): boolean {
  for (let index = 0; index < kept; index++)
    if (history.role(index) === "assistant" || history.role(index) === "tool") return true;
  return false;
}

/** Calls, results or texts of the model that both have, beyond a common beginning. */
function sharesSpeech(alignment: Alignment): boolean {
  return alignment.echoes.length > 0 || alignment.spoken > 0;
}

/** Something was said before that both have, and the request sends a result for a call of the step's reply. */
function answersReply(step: Step, alignment: Alignment): boolean {
  if (alignment.matched + alignment.kept === 0) return false;
  const calls = openCalls(step);
  return alignment.added.some(
    ({ item }) => item.kind === "result" && calls.some((call) => callOf(call, item)),
  );
}

/** Whether a result names a call: by its id, or, where there are no ids, by the tool. */
function callOf(call: Placed<ToolCall>, result: ToolResult): boolean {
  if (result.callId !== undefined && call.item.id !== undefined) return result.callId === call.item.id;
  return result.name !== undefined && result.name === call.item.name;
}

function matchedInHistory(alignment: Alignment): number {
  return alignment.matched - alignment.echoes.length;
}

/** The first words of the user: requests of one conversation begin with them, as long as nothing is cut off. */
function openingOf(exchange: Exchange, history: History): string | undefined {
  for (let index = 0; index < Math.min(history.length, 8); index++) {
    if (history.role(index) !== "user") continue;
    const first = history.items(index)[0];
    return first && `${exchange.protocol} ${contentOf(first)}`;
  }
  return undefined;
}

function hasSameTools(a: Exchange, b: Exchange): boolean {
  const names = (exchange: Exchange): string =>
    (exchange.request?.tools ?? []).map((tool) => tool.name).join(" ");
  return names(a) === names(b);
}

/** References to items that no reply of the log holds: the server knows more than the log. */
function hasUnknownReference(step: Step, knowsReplies: boolean): boolean {
  return step.added.some((placed) => placed.item.kind === "reference") && !knowsReplies;
}

/** User messages with words begin turns; results and reminders do not. */
function turnOf(step: Step): number {
  const spoken = step.added.filter(
    ({ item }) => item.kind === "message" && item.role === "user" && item.text.trim() !== "",
  ).length;
  return Math.max(
    1,
    (step.parent?.turn ?? 0) + (step.relation === "retry" || step.relation === "repeat" ? 0 : spoken),
  );
}
