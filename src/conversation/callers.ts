import {
  type Conversation,
  isCall,
  type LogFacts,
  type Placed,
  placedItems,
  replyItems,
} from "./conversation.ts";
import type { ToolCall } from "./item.ts";

/**
 * The call for which a sub-agent does its work in this conversation: the one that the log names, or the one that was given the very words
 * with which the conversation begins. `undefined` for conversations that somebody else began.
 */
export function callerOf(conversation: Conversation): Placed<ToolCall> | undefined {
  const first = conversation.steps[0];
  if (!first?.request || first.relation !== "start") return undefined;
  const calls = callsIn(conversation.log);
  const named = first.exchange.lineage?.calledBy;
  const isElsewhere = (call: Placed<ToolCall> | undefined): boolean =>
    call !== undefined && call.step.conversation !== conversation;
  const known = named === undefined ? undefined : calls.byId.get(named);
  if (isElsewhere(known)) return known;
  for (const { item } of placedItems(first)) {
    if (item.kind !== "message" || item.role !== "user") continue;
    const call = calls.byWords.get(item.text.trim());
    if (isElsewhere(call)) return call;
  }
  return undefined;
}

interface Calls {
  readonly byId: ReadonlyMap<string, Placed<ToolCall>>;
  /** By each text among their arguments that is long enough to be an order; none where two calls were given the same. */
  readonly byWords: ReadonlyMap<string, Placed<ToolCall> | undefined>;
}

/** A shorter text may be anything: a path, a city. */
const shortestOrder = 16;

const known = new WeakMap<LogFacts, Calls>();

function callsIn(log: LogFacts): Calls {
  const found = known.get(log);
  if (found) return found;
  const byId = new Map<string, Placed<ToolCall>>();
  const byWords = new Map<string, Placed<ToolCall> | undefined>();
  for (const { steps } of log.conversations)
    for (const call of steps.flatMap(replyItems).filter(isCall)) {
      const { id, arguments: given } = call.item;
      if (id !== undefined) byId.set(id, call);
      if (typeof given !== "object" || given === null) continue;
      for (const value of Object.values(given)) {
        const words = typeof value === "string" ? value.trim() : "";
        if (words.length >= shortestOrder) byWords.set(words, byWords.has(words) ? undefined : call);
      }
    }
  const calls = { byId, byWords };
  known.set(log, calls);
  return calls;
}
