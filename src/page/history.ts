import type { HistoryRun, Occurrence, PageConversation } from "./data.ts";

/**
 * The items of a request's history, in order. Each has the place where the log has it first: a later request
 * repeats it elsewhere.
 *
 * @param step index of the step in {@link PageConversation.steps}
 */
export function historyAt(conversation: PageConversation, step: number): Occurrence[] {
  const found: Occurrence[] = [];
  // Thousands of requests continue each other, so what is left to resolve is a list, not calls.
  const open: (HistoryRun | Occurrence)[] = [{ from: step, start: 0, count: Number.POSITIVE_INFINITY }];
  for (let part = open.pop(); part; part = open.pop()) {
    if (isRun(part)) for (const inner of partsOf(conversation, part).reverse()) open.push(inner);
    else found.push(part);
  }
  return found;
}

/** What a range of a step's history consists of. */
function partsOf(
  { steps }: PageConversation,
  { from, start, count }: HistoryRun,
): (HistoryRun | Occurrence)[] {
  const parts: (HistoryRun | Occurrence)[] = [];
  let at = 0;
  for (const part of steps[from]?.request?.history ?? []) {
    const size = isRun(part) ? part.count : 1;
    const low = Math.max(start, at);
    const high = Math.min(start + count, at + size);
    if (low < high)
      parts.push(isRun(part) ? { ...part, start: part.start + low - at, count: high - low } : part);
    at += size;
  }
  return parts;
}

function isRun(part: HistoryRun | Occurrence): part is HistoryRun {
  return "count" in part;
}
