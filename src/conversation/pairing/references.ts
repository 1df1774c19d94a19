import type { Placed, Step } from "../conversation.ts";
import type { ToolCall } from "../item.ts";
import { newItems } from "../new-items.ts";

/** The ids of items that requests refer to; rules ask for each of thousands of results. */
const idsByStep = new WeakMap<Step, ReadonlySet<string>>();

/** Whether a request names a call of an earlier reply by its item id, in place of sending it. */
export function isReferenced(step: Step, { item: { itemId } }: Placed<ToolCall>): boolean {
  if (itemId === undefined) return false;
  let ids = idsByStep.get(step);
  if (!ids) {
    ids = new Set(newItems(step).flatMap(({ item }) => (item.kind === "reference" ? item.id : [])));
    idsByStep.set(step, ids);
  }
  return ids.has(itemId);
}
