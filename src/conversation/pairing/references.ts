import type { Placed, Step } from "../conversation.ts";
import type { ToolCall } from "../item.ts";
import { newItems } from "../new-items.ts";

/** Whether a request names a call of an earlier reply by its item id, in place of sending it. */
export function isReferenced(step: Step, { item: { itemId } }: Placed<ToolCall>): boolean {
  return (
    itemId !== undefined &&
    [...newItems(step)].some(({ item }) => item.kind === "reference" && item.id === itemId)
  );
}
