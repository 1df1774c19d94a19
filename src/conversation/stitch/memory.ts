import { isCall, type Placed, placedItems, replyItems, type Step } from "../conversation.ts";
import type { Exchange, History } from "../exchange.ts";
import { callText, contentOf } from "../identity.ts";
import type { Message, ToolCall } from "../item.ts";
import { summaryProbe } from "./compaction.ts";
import type { ConversationDraft, DraftEntry } from "./draft.ts";

/** What the log has shown so far, indexed by the ways a later request may refer to it. */
export interface Memory {
  remember(entry: DraftEntry): void;
  /** The step that a request names as the one it continues. */
  linkedParent(exchange: Exchange): DraftEntry | undefined;
  /** Threads that may continue with a request: same opening, or a call or text in common. */
  candidates(step: Step, history: History): Iterable<ConversationDraft>;
  /** The newest call with an id. */
  findCall(exchange: Exchange, callId: string): Placed<ToolCall> | undefined;
  /** The beginnings of the newest replies, newest first; one of them may be a summary. */
  readonly recentReplies: readonly string[];
  readonly knowsReplies: boolean;
}

/** How many of the newest replies are kept as possible summaries. */
const maxSummaries = 6;
/** How many threads with the same opening are tried. */
const maxThreads = 8;
/** How many of a request's newest items serve to recognise it. */
const maxItems = 16;
/** Shorter texts ("ok", "yes") recur in every conversation. */
const minText = 12;

export function createMemory(): Memory {
  const byReply = new Map<string, DraftEntry>();
  const byServerKey = new Map<string, DraftEntry>();
  const byOpening = new Map<string, ConversationDraft[]>();
  const calls = new Map<string, { readonly thread: ConversationDraft; readonly placed: Placed<ToolCall> }>();
  /** Calls without ids, by their arguments. */
  const asked = new Map<string, ConversationDraft>();
  const texts = new Map<string, ConversationDraft>();
  const recentReplies: string[] = [];

  const rememberItem = (placed: Placed, { step, thread }: DraftEntry): void => {
    const { item } = placed;
    if (isCall(placed)) {
      if (placed.item.id !== undefined) calls.set(callKey(step.exchange, placed.item.id), { thread, placed });
      else asked.set(`${step.exchange.protocol} ${callText(placed.item)}`, thread);
    }
    if (item.kind === "message" && item.role !== "system" && item.text.trim().length >= minText)
      texts.set(textKey(item), thread);
  };

  const rememberItems = (entry: DraftEntry): void => {
    const { step, thread } = entry;
    for (const placed of step.added) rememberItem(placed, entry);
    for (const placed of replyItems(step)) rememberItem(placed, entry);
    // Ids that the client made up for calls without one occur in requests only.
    for (const { before, after } of step.echoes) {
      if (
        !isCall(after) ||
        after.item.id === undefined ||
        !isCall(before) ||
        before.item.id === after.item.id
      )
        continue;
      const key = callKey(step.exchange, after.item.id);
      if (!calls.has(key)) calls.set(key, { thread, placed: after });
    }
  };

  const rememberReply = (step: Step): void => {
    const items = replyItems(step);
    if (items.length === 0) return;
    const said = items.flatMap(({ item }) => (item.kind === "message" ? [item.text] : []));
    const probe = summaryProbe(said.join("\n"));
    if (probe === "") return;
    recentReplies.unshift(probe);
    recentReplies.length = Math.min(recentReplies.length, maxSummaries);
  };

  const rememberOpening = ({ step, thread }: DraftEntry): void => {
    const opening = step.request && openingOf(step.exchange, step.request.history);
    if (opening === undefined) return;
    const others = (byOpening.get(opening) ?? []).filter((other) => other !== thread);
    byOpening.set(opening, [...others, thread].slice(-maxThreads));
  };

  return {
    recentReplies,
    get knowsReplies() {
      return byReply.size > 0;
    },

    remember(entry) {
      const { reply, request } = entry.step;
      if (reply?.id !== undefined) byReply.set(reply.id, entry);
      if (request?.links.conversation !== undefined) byServerKey.set(request.links.conversation, entry);
      rememberItems(entry);
      rememberReply(entry.step);
      rememberOpening(entry);
    },

    linkedParent({ request }) {
      const { previousReply, conversation } = request?.links ?? {};
      if (previousReply !== undefined) return byReply.get(previousReply);
      return conversation !== undefined ? byServerKey.get(conversation) : undefined;
    },

    candidates(step, history) {
      const found = new Set<ConversationDraft>();
      const newest = [...placedItems(step, history, Math.max(0, history.length - maxItems))].reverse();
      for (const { item } of newest) {
        const id = item.kind === "call" ? item.id : item.kind === "result" ? item.callId : undefined;
        const known = id === undefined ? undefined : calls.get(callKey(step.exchange, id))?.thread;
        const speaker = item.kind === "message" ? texts.get(textKey(item)) : undefined;
        const asker =
          item.kind === "call" && item.id === undefined
            ? asked.get(`${step.exchange.protocol} ${callText(item)}`)
            : undefined;
        for (const thread of [known, speaker, asker]) if (thread) found.add(thread);
      }
      const opening = openingOf(step.exchange, history);
      const alike = opening === undefined ? [] : (byOpening.get(opening) ?? []);
      for (const thread of [...alike].reverse()) found.add(thread);
      return found;
    },

    findCall: (exchange, callId) => calls.get(callKey(exchange, callId))?.placed,
  };
}

function callKey(exchange: Exchange, id: string): string {
  return `${exchange.protocol} ${id}`;
}

/** Enough of a text to find its thread; the comparison follows there. */
function textKey({ role, text }: Message): string {
  return `${role} ${text.length} ${text.slice(0, 120)}`;
}

/** The first user message: requests of one conversation share it until something is cut. */
function openingOf(exchange: Exchange, history: History): string | undefined {
  for (let index = 0; index < Math.min(history.length, 8); index++) {
    if (history.role(index) !== "user") continue;
    const first = history.items(index)[0];
    return first && `${exchange.protocol} ${contentOf(first)}`;
  }
  return undefined;
}
