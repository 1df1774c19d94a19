import type { Placed, Step } from "../conversation/conversation.ts";
import type { Item } from "../conversation/item.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { valueAt } from "../reading/pointer.ts";
import { EditedElements, type EditedHistory } from "./edited-elements.ts";
import { ItemPlaces } from "./item-places.ts";
import { withInserted, withValueAt } from "./json.ts";
import type { Elements, FixReason, HistoryEntry } from "./target.ts";

/** Edits one request's elements. Positions are those of the recorded request; earlier edits are mapped. */
export class HistoryEditor {
  readonly step: Step;
  readonly protocol: Protocol;
  /** Elements before this index come from the parent, and are fixed there. */
  readonly from: number;
  /** Calls that were given a result. Without ids, several findings can mean the same call. */
  readonly answered = new Set<Item>();
  readonly #elements: EditedElements;
  readonly #places: ItemPlaces;
  /** Items that were removed: without ids, thousands of findings can mean the same thousands of items. */
  readonly #removed = new Set<Item>();

  constructor(
    step: Step,
    recorded: readonly HistoryEntry[],
    from: number,
    protocol: Protocol,
    elements: Elements,
  ) {
    this.step = step;
    this.protocol = protocol;
    this.from = from;
    this.#elements = new EditedElements(recorded, elements);
    this.#places = new ItemPlaces(this.#elements, protocol);
  }

  /** How often elements of the request were changed so far. */
  changes(): number {
    return this.#elements.changes;
  }

  /** The current value of an element; `undefined` if it was removed or never existed. */
  value(element: number): unknown {
    return this.#elements.value(element);
  }

  /** The current items of an element. */
  items(element: number): readonly Item[] {
    return this.#places.items(element);
  }

  /** The current pointer from the element to an item; `undefined` if the item was removed. */
  at(placed: Placed): string | undefined {
    return this.#places.find(placed)?.pointer;
  }

  /** Replaces an element. */
  write(element: number, value: unknown, why: FixReason): void {
    if (element >= this.from) this.#elements.write(element, value, why);
  }

  /** Sets a value below an item. */
  set(placed: Placed, below: string, value: unknown, why: FixReason): void {
    const { element } = placed;
    const item = this.#places.find(placed);
    if (!item || !this.#elements.has(element) || element < this.from) return;
    const whole = withValueAt(this.value(element), `${item.pointer}${below}`, value);
    this.write(element, whole, why);
    if (item.pointer !== "") this.#places.replace(placed, valueAt(whole, item.pointer));
  }

  /** Removes an item, and its element if nothing else is left in it. Returns what was removed. */
  remove(placed: Placed, why: FixReason): unknown {
    const { element } = placed;
    const isDone = element < this.from || this.#removed.has(placed.item);
    const item = isDone ? undefined : this.#places.find(placed);
    if (!item) return undefined;
    this.#removed.add(placed.item);
    const whole = this.value(element);
    const taken = valueAt(whole, item.pointer);
    this.#places.shift(element, item.pointer, -1);
    const rest = withoutItem(whole, item, () => this.items(element).length);
    if (rest !== undefined) this.write(element, rest, why);
    else this.#elements.remove(element, why);
    return taken;
  }

  /** Moves a whole element after another one. */
  move(element: number, after: number, why: FixReason): void {
    if (element >= this.from) this.#elements.move(element, after, why);
  }

  /** Inserts a new element after another one. */
  insert(after: number, value: unknown, why: FixReason): void {
    this.#elements.insert(after, value, why);
  }

  /** Appends a value to a list of the element inserted after `after`; `false` if there is no such list. */
  join(after: number, list: string, value: unknown, why: FixReason): boolean {
    return this.#elements.join(after, list, value, why);
  }

  /** Inserts a value into a list of an element. */
  add(element: number, list: string, index: number, value: unknown, why: FixReason): void {
    this.#places.shift(element, `${list}/${index}`, 1);
    this.write(element, withInserted(this.value(element), `${list}/${index}`, value), why);
  }

  done(): EditedHistory {
    return this.#elements.done();
  }
}

/** The items of the request that do not come from the parent. */
export function* editableItems({ step, from }: HistoryEditor): Generator<Placed> {
  const history = step.request?.history;
  for (let element = from; history && element < history.length; element++)
    for (const item of history.items(element)) yield { item, step, part: "request", element };
}

export function hasFlaw({ flaws }: Item, kind: string): boolean {
  return flaws?.some((flaw) => flaw.kind === kind) ?? false;
}

/** An element without one of its items; `undefined` if nothing would be left. `count`: its items. */
function withoutItem(value: unknown, { pointer, kind }: Item, count: () => number): unknown {
  if (pointer === "") return undefined;
  const slash = pointer.lastIndexOf("/");
  const list = valueAt(value, pointer.slice(0, slash));
  if (Array.isArray(list)) return list.length > 1 ? withValueAt(value, pointer, undefined) : undefined;
  if (count() <= 1) return undefined;
  // A message with calls may have no text, but must keep the member for it.
  return withValueAt(value, pointer, kind === "message" ? null : undefined);
}
