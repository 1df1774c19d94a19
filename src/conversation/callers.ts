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
 * The call whose sub-agent runs this conversation: the call that the log names, or the only one with an
 * argument equal to a user message of the first request. `undefined` for other conversations.
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
  /** Keyed by each argument text long enough to be a task; `undefined` where two calls share the text. */
  readonly byWords: ReadonlyMap<string, Placed<ToolCall> | undefined>;
}

/** Shorter texts match by chance: a path, a city. */
const shortestTask = 16;

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
        if (words.length >= shortestTask) byWords.set(words, byWords.has(words) ? undefined : call);
      }
    }
  const calls = { byId, byWords };
  known.set(log, calls);
  return calls;
}
