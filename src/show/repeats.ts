import type { Conversation, Relation, Step } from "../conversation/conversation.ts";
import { callText } from "../conversation/identity.ts";
import type { ToolCall } from "../conversation/item.ts";
import type { ShownRepeat } from "./shown.ts";

/** The same request sent again gets the same calls again: that repeats nothing. */
const again: ReadonlySet<Relation> = new Set(["retry", "repeat", "branch"]);

/** Sets of calls that replies of a conversation made more than once, the most frequent first. */
export function repeatsOf({ steps }: Conversation): ShownRepeat[] {
  const groups = new Map<string, Step[]>();
  for (const step of steps) {
    const calls = clientCalls(step);
    if (calls.length === 0 || again.has(step.relation)) continue;
    const key = calls.map(callText).sort().join("\n");
    const group = groups.get(key);
    if (group) group.push(step);
    else groups.set(key, [step]);
  }
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .sort((a, b) => b.length - a.length)
    .map((group) => ({
      calls: group
        .slice(0, 1)
        .flatMap(clientCalls)
        .map(({ name, argumentsText }) => ({ tool: name, arguments: argumentsText })),
      exchanges: group.map(({ exchange }) => exchange.number),
      results: new Set(group.flatMap(resultsOf)).size,
      cost: {
        tokens: sum(
          group
            .slice(1)
            .map(({ reply }) => reply?.usage && (reply.usage.input ?? 0) + (reply.usage.output ?? 0)),
        ),
        durationMs: sum(group.slice(1).map(({ exchange }) => exchange.durationMs)),
      },
    }));
}

function clientCalls(step: Step): ToolCall[] {
  return (step.reply?.items ?? []).filter((item): item is ToolCall => item.kind === "call" && !item.isHosted);
}

/** What came back for a step's calls, as one text for each set of results. */
function resultsOf(step: Step): string[] {
  const ids = new Set(clientCalls(step).flatMap(({ id }) => id ?? []));
  return step.children.flatMap(({ pairing }) => {
    const results = pairing.pairs.filter(({ call }) => call.item.id !== undefined && ids.has(call.item.id));
    return results.length > 0 ? [results.map(({ result }) => result.item.text).join("\n")] : [];
  });
}

/** The sum of the numbers that are known; `null` when none is. */
export function sum(numbers: readonly (number | undefined)[]): number | null {
  const known = numbers.filter((number) => number !== undefined);
  return known.length > 0 ? known.reduce((total, number) => total + number, 0) : null;
}
