import type { Placed, Step } from "../conversation/conversation.ts";
import { contentOf } from "../conversation/identity.ts";
import type { Item } from "../conversation/item.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { pushAll } from "../reading/lists.ts";
import { valueAt } from "../reading/pointer.ts";
import { withInserted, withValueAt } from "./json.ts";
import type { Elements, FixReason, HistoryEntry } from "./target.ts";

/** Edits one request's elements. Positions are those of the recorded request; earlier edits are mapped. */
export interface HistoryEditor {
  readonly step: Step;
  readonly protocol: Protocol;
  /** Elements before this index come from the parent, and are fixed there. */
  readonly from: number;
  /** Calls that were given a result. Without ids, several findings can mean the same call. */
  readonly answered: Set<Item>;
  /** The current value of an element; `undefined` if it was removed or never existed. */
  value(element: number): unknown;
  /** The current items of an element. */
  items(element: number): readonly Item[];
  /** The current pointer from the element to an item; `undefined` if the item was removed. */
  at(placed: Placed): string | undefined;
  /** Replaces an element. */
  write(element: number, value: unknown, why: FixReason): void;
  /** Sets a value below an item. */
  set(placed: Placed, below: string, value: unknown, why: FixReason): void;
  /** Removes an item, and its element if nothing else is left in it. Returns what was removed. */
  remove(placed: Placed, why: FixReason): unknown;
  /** Moves a whole element after another one. */
  move(element: number, after: number, why: FixReason): void;
  /** Inserts a new element after another one. */
  insert(after: number, value: unknown, why: FixReason): void;
  /** Appends a value to a list of the element inserted after `after`; `false` if there is no such list. */
  join(after: number, list: string, value: unknown, why: FixReason): boolean;
  /** Inserts a value into a list of an element. */
  add(element: number, list: string, index: number, value: unknown, why: FixReason): void;
}

export interface EditedHistory {
  readonly entries: HistoryEntry[];
  readonly removals: FixReason[];
}

export function createHistoryEditor(
  step: Step,
  recorded: readonly HistoryEntry[],
  from: number,
  protocol: Protocol,
  elements: Elements,
): HistoryEditor & { done(): EditedHistory } {
  const entries: (HistoryEntry | undefined)[] = [...recorded];
  const behind = new Map<number, HistoryEntry[]>();
  const removals: FixReason[] = [];
  /** The items of entries; a changed element is another entry. */
  const decoded = new WeakMap<HistoryEntry, readonly Item[]>();
  /** Removals from and insertions into lists, by element, in order. */
  const shifts = new Map<number, Shift[]>();

  const editor: HistoryEditor = {
    step,
    protocol,
    from,
    answered: new Set(),
    value: (element) => entries[element]?.element.value,
    items(element) {
      const entry = entries[element];
      if (!entry) return [];
      const known = decoded.get(entry);
      if (known) return known;
      const { items } = protocol.decodeElement(entry.element.value);
      decoded.set(entry, items);
      return items;
    },
    at: (placed) => known(placed)?.pointer,
    write(element, value, why) {
      const entry = entries[element];
      if (!entry || element < from) return;
      entries[element] = { ...entry, element: elements(value), whys: [...entry.whys, why] };
    },
    set(placed, below, value, why) {
      const { element } = placed;
      const item = known(placed);
      if (item)
        editor.write(element, withValueAt(editor.value(element), `${item.pointer}${below}`, value), why);
    },
    remove(placed, why) {
      const { element } = placed;
      const item = element < from ? undefined : known(placed);
      if (!item) return undefined;
      const whole = editor.value(element);
      const taken = valueAt(whole, item.pointer);
      shift(element, { pointer: item.pointer, by: -1 });
      const rest = withoutItem(whole, item, editor.items(element).length);
      if (rest !== undefined) editor.write(element, rest, why);
      else {
        pushAll(removals, [...(entries[element]?.whys ?? []), why]);
        entries[element] = undefined;
      }
      return taken;
    },
    move(element, after, why) {
      const entry = entries[element];
      if (!entry || element < from) return;
      entries[element] = undefined;
      put(after, { ...entry, whys: [...entry.whys, why] });
    },
    insert: (after, value, why) => put(after, { element: elements(value), whys: [why] }),
    join(after, list, value, why) {
      const entries = behind.get(after) ?? [];
      const last = entries.at(-1);
      const existing = last && last.recorded === undefined ? valueAt(last.element.value, list) : undefined;
      if (!last || !Array.isArray(existing)) return false;
      const whole = elements(withValueAt(last.element.value, list, [...existing, value]));
      entries[entries.length - 1] = { ...last, element: whole, whys: [...last.whys, why] };
      return true;
    },
    add(element, list, index, value, why) {
      shift(element, { pointer: `${list}/${index}`, by: 1 });
      editor.write(element, withInserted(editor.value(element), `${list}/${index}`, value), why);
    },
  };

  /** The item at its current pointer; `undefined` if it was removed. */
  function known({ element, item }: Placed): Item | undefined {
    const pointer = shifted(item.pointer, shifts.get(element) ?? []);
    if (pointer === undefined) return undefined;
    const items = editor.items(element);
    const here = items.find((other) => other.pointer === pointer && other.kind === item.kind);
    if (here && contentOf(here) === contentOf(item)) return here;
    return items.find((other) => contentOf(other) === contentOf(item)) ?? here;
  }

  function shift(element: number, step: Shift): void {
    shifts.set(element, [...(shifts.get(element) ?? []), step]);
  }

  function put(after: number, entry: HistoryEntry): void {
    behind.set(after, [...(behind.get(after) ?? []), entry]);
  }

  return {
    ...editor,
    done: () => ({
      removals,
      entries: [
        ...(behind.get(-1) ?? []),
        ...entries.flatMap((entry, index) => [...(entry ? [entry] : []), ...(behind.get(index) ?? [])]),
      ],
    }),
  };
}

/** The items of the request that do not come from the parent. */
export function* editableItems({ step, from }: HistoryEditor): Generator<Placed> {
  const history = step.request?.history;
  for (let element = from; history && element < history.length; element++)
    for (const item of history.items(element)) yield { item, step, part: "request", element };
}

/** The recorded wire form of an item. */
export function wireOf({ step, element, item }: Placed): unknown {
  return valueAt(step.request?.history.element(element).value, item.pointer);
}

export function hasFlaw({ flaws }: Item, kind: string): boolean {
  return flaws?.some((flaw) => flaw.kind === kind) ?? false;
}

/** A list element removed from, or inserted at, this pointer. */
interface Shift {
  readonly pointer: string;
  readonly by: -1 | 1;
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

/** An element without one of its items; `undefined` if nothing would be left. */
function withoutItem(value: unknown, { pointer, kind }: Item, count: number): unknown {
  if (pointer === "") return undefined;
  const slash = pointer.lastIndexOf("/");
  const list = valueAt(value, pointer.slice(0, slash));
  if (Array.isArray(list)) return list.length > 1 ? withValueAt(value, pointer, undefined) : undefined;
  if (count <= 1) return undefined;
  // A message with calls may have no text, but must keep the member for it.
  return withValueAt(value, pointer, kind === "message" ? null : undefined);
}
