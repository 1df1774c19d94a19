import type { Placed } from "../conversation/conversation.ts";
import { contentOf } from "../conversation/identity.ts";
import type { Item } from "../conversation/item.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { valueAt } from "../reading/pointer.ts";
import type { EditedElements } from "./edited-elements.ts";

/** A list element removed from, or inserted at, this pointer. */
interface Shift {
  readonly pointer: string;
  readonly by: -1 | 1;
}

/** Where the items of a recorded request stand while its elements change. */
export class ItemPlaces {
  readonly #elements: EditedElements;
  readonly #protocol: Protocol;
  /** The items of elements, with the value that has them. */
  readonly #decoded = new Map<number, { readonly value: unknown; readonly items: readonly Item[] }>();
  /** What stands in the place of a recorded part since it was set. */
  readonly #replaced = new Map<unknown, unknown>();
  /** Removals from and insertions into lists, by element, in order. */
  readonly #shifts = new Map<number, Shift[]>();

  constructor(elements: EditedElements, protocol: Protocol) {
    this.#elements = elements;
    this.#protocol = protocol;
  }

  /** The current items of an element. */
  items(element: number): readonly Item[] {
    if (!this.#elements.has(element)) return [];
    const value = this.#elements.value(element);
    const known = this.#decoded.get(element);
    if (known && known.value === value) return known.items;
    const { items } = this.#protocol.decodeElement(value);
    this.#decoded.set(element, { value, items });
    return items;
  }

  /** The item at its current pointer; `undefined` if it was removed. */
  find(placed: Placed): Item | undefined {
    const { element, item } = placed;
    const place = this.#elements.has(element) ? this.#placeOf(placed) : undefined;
    if (place !== undefined) return { ...item, pointer: place };
    const pointer = shifted(item.pointer, this.#shifts.get(element) ?? []);
    if (pointer === undefined) return undefined;
    const items = this.items(element);
    const here = items.find((other) => other.pointer === pointer && other.kind === item.kind);
    if (here && contentOf(here) === contentOf(item)) return here;
    return items.find((other) => contentOf(other) === contentOf(item)) ?? here;
  }

  /** Notes what stands in the place of an item now. */
  replace(placed: Placed, part: unknown): void {
    this.#replaced.set(wireOf(placed), part);
  }

  /** Notes that a list of an element lost or got a value at this pointer. */
  shift(element: number, pointer: string, by: Shift["by"]): void {
    const steps = this.#shifts.get(element);
    if (steps) steps.push({ pointer, by });
    else this.#shifts.set(element, [{ pointer, by }]);
  }

  /** Where a recorded part of a list stands now, without decoding a long list again for each edit. */
  #placeOf(placed: Placed): string | undefined {
    const { pointer } = placed.item;
    const list = pointer.slice(0, Math.max(0, pointer.lastIndexOf("/")));
    const parts = valueAt(this.#elements.value(placed.element), list);
    if (list === "" || !Array.isArray(parts)) return undefined;
    const recorded = wireOf(placed);
    const part = this.#replaced.get(recorded) ?? recorded;
    // A part seldom moves: before it is searched for, it is looked up where it was.
    const was = Number(pointer.slice(list.length + 1));
    const index =
      typeof part !== "object" || part === null ? -1 : parts[was] === part ? was : parts.indexOf(part);
    return index < 0 ? undefined : `${list}/${index}`;
  }
}

/** The recorded wire form of an item. */
export function wireOf({ step, element, item }: Placed): unknown {
  return valueAt(step.request?.history.element(element).value, item.pointer);
}

/** The pointer after removals and insertions in its list; `undefined` if the value itself was removed. */
function shifted(pointer: string, shifts: readonly Shift[]): string | undefined {
  let now = pointer;
  for (const { pointer: place, by } of shifts) {
    if (by < 0 && (now === place || now.startsWith(`${place}/`))) return undefined;
    const slash = place.lastIndexOf("/");
    const list = place.slice(0, slash + 1);
    const index = Number(place.slice(slash + 1));
    const [, own = "", below = ""] = /^(\d+)(.*)/s.exec(now.slice(list.length)) ?? [];
    if (!now.startsWith(list) || own === "" || Number.isNaN(index) || Number(own) < index) continue;
    now = `${list}${Number(own) + by}${below}`;
  }
  return now;
}
