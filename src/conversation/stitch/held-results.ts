import type { Placed, Step } from "../conversation.ts";
import type { ToolResult } from "../item.ts";

/** The results up to a step of a chain of stored replies, by the ids of their calls. */
interface Held {
  /** The step up to which they are known. */
  tip: Step;
  readonly results: Map<string, Placed<ToolResult>>;
}

/** A chain that grows takes its results with it, so that a long one is not walked for each of its steps. */
const heldAt = new WeakMap<Step, Held>();

/** Finds the first result for a call among those of the steps that a request leaves to its server. */
export function heldResults({
  parent,
}: Step): (result: Placed<ToolResult>) => Placed<ToolResult> | undefined {
  return ({ item: { callId } }) =>
    callId === undefined || !parent ? undefined : heldUpTo(parent).get(callId);
}

function heldUpTo(step: Step): ReadonlyMap<string, Placed<ToolResult>> {
  const news: Step[] = [];
  let held: Held | undefined;
  for (let each: Step | undefined = step; each && !held; each = each.parent) {
    const known = heldAt.get(each);
    // The chain of another branch may have gone on from there.
    if (known?.tip === each) held = known;
    else news.push(each);
  }
  held ??= { tip: step, results: new Map() };
  for (const { pairing } of news.reverse())
    for (const { result } of pairing.pairs) {
      const { callId } = result.item;
      if (callId !== undefined && !held.results.has(callId)) held.results.set(callId, result);
    }
  held.tip = step;
  heldAt.set(step, held);
  return held.results;
}
