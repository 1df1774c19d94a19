import type { Step } from "../conversation/conversation.ts";
import type { ItemRow } from "./items.ts";

/** A boundary between elements, as the number of elements before it in each history. */
export interface Boundary {
  readonly left: number;
  readonly right: number;
}

export const start: Boundary = { left: 0, right: 0 };
const maxEarlier = 12;
const maxOwn = 24;

/**
 * Records how far the histories of two steps have been compared. A request repeats its predecessor, so only
 * new elements need comparing, as long as both sides kept the old ones.
 */
export class Progress {
  private readonly boundaries = new Map<Step, { readonly right: Step; readonly list: readonly Boundary[] }>();

  from(left: Step, right: Step): Boundary {
    return (
      this.inherited(left, right).findLast((one) => one.left <= left.kept && one.right <= right.kept) ?? start
    );
  }

  done(left: Step, right: Step, from: Boundary, rows: readonly ItemRow[]): void {
    const end = { left: left.request?.history.length ?? 0, right: right.request?.history.length ?? 0 };
    const own = [from, ...commonBoundaries(rows), end];
    // Earlier boundaries remain valid, because kept elements were compared. A few of them suffice.
    const earlier = this.inherited(left, right).filter(
      (one) => one.left <= from.left && one.right <= from.right,
    );
    this.boundaries.set(left, { right, list: [...earlier.slice(-maxEarlier), ...own.slice(-maxOwn)] });
  }

  /** The boundaries of the parents, if the parents were compared with each other. */
  private inherited(left: Step, right: Step): readonly Boundary[] {
    const before = left.parent && this.boundaries.get(left.parent);
    return before && before.right === right.parent ? before.list : [];
  }
}

/** Places at which an element ends in both histories, up to the first moved item. */
function commonBoundaries(rows: readonly ItemRow[]): Boundary[] {
  const list: Boundary[] = [];
  for (const [index, { mark, left, right }] of rows.entries()) {
    if (mark === "moved") break;
    if (mark !== "same" || !left || !right) continue;
    const next = rows[index + 1];
    if (
      next &&
      (next.mark !== "same" || next.left?.element === left.element || next.right?.element === right.element)
    )
      continue;
    list.push({ left: left.element + 1, right: right.element + 1 });
  }
  return list;
}
