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
  /** How often elements of the request were changed so far. */
  changes(): number;
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

/** An element that changes. */
interface Draft {
  readonly value: unknown;
  readonly whys: readonly FixReason[];
}

/** An element behind a recorded one: a new one, or one that was moved there and keeps its form. */
type Inserted = Draft | HistoryEntry;

export function createHistoryEditor(
  step: Step,
  recorded: readonly HistoryEntry[],
  from: number,
  protocol: Protocol,
  elements: Elements,
): HistoryEditor & { done(): EditedHistory } {
  const entries: (HistoryEntry | undefined)[] = [...recorded];
  /** Changed elements. One may hold all that is wrong, so it becomes an entry after its last change. */
  const drafts = new Map<number, Draft>();
  const behind = new Map<number, Inserted[]>();
  const removals: FixReason[] = [];
  let changes = 0;
  /** The items of elements, with the value that has them. */
  const decoded = new Map<number, { readonly value: unknown; readonly items: readonly Item[] }>();
  /** What stands in the place of a recorded part since it was set. */
  const replaced = new Map<unknown, unknown>();
  /** Items that were removed: without ids, thousands of findings can mean the same thousands of items. */
  const removed = new Set<Item>();
  /** Removals from and insertions into lists, by element, in order. */
  const shifts = new Map<number, Shift[]>();

  const editor: HistoryEditor = {
    step,
    protocol,
    from,
    answered: new Set(),
    changes: () => changes,
    value: (element) => {
      const draft = drafts.get(element);
      return draft ? draft.value : entries[element]?.element.value;
    },
    items(element) {
      if (!entries[element]) return [];
      const value = editor.value(element);
      const known = decoded.get(element);
      if (known && known.value === value) return known.items;
      const { items } = protocol.decodeElement(value);
      decoded.set(element, { value, items });
      return items;
    },
    at: (placed) => known(placed)?.pointer,
    write(element, value, why) {
      const entry = entries[element];
      if (!entry || element < from) return;
      changes++;
      drafts.set(element, { value, whys: [...(drafts.get(element) ?? entry).whys, why] });
    },
    set(placed, below, value, why) {
      const { element } = placed;
      const item = known(placed);
      if (!item || !entries[element] || element < from) return;
      const whole = withValueAt(editor.value(element), `${item.pointer}${below}`, value);
      editor.write(element, whole, why);
      if (item.pointer !== "") replaced.set(wireOf(placed), valueAt(whole, item.pointer));
    },
    remove(placed, why) {
      const { element } = placed;
      const item = element < from || removed.has(placed.item) ? undefined : known(placed);
      if (!item) return undefined;
      removed.add(placed.item);
      const whole = editor.value(element);
      const taken = valueAt(whole, item.pointer);
      shift(element, { pointer: item.pointer, by: -1 });
      const rest = withoutItem(whole, item, () => editor.items(element).length);
      if (rest !== undefined) editor.write(element, rest, why);
      else {
        pushAll(removals, [...(settled(element)?.whys ?? []), why]);
        drop(element);
      }
      return taken;
    },
    move(element, after, why) {
      const entry = settled(element);
      if (!entry || element < from) return;
      drop(element);
      put(after, { ...entry, whys: [...entry.whys, why] });
    },
    insert: (after, value, why) => put(after, { value, whys: [why] }),
    join(after, list, value, why) {
      const last = behind.get(after)?.at(-1);
      if (!last || ("element" in last && last.recorded !== undefined)) return false;
      const whole = "element" in last ? last.element.value : last.value;
      const existing = valueAt(whole, list);
      if (!Array.isArray(existing)) return false;
      const longer = withValueAt(whole, list, [...existing, value]);
      const whys = [...last.whys, why];
      const joined =
        "element" in last ? { ...last, element: elements(longer), whys } : { value: longer, whys };
      behind.get(after)?.splice(-1, 1, joined);
      return true;
    },
    add(element, list, index, value, why) {
      shift(element, { pointer: `${list}/${index}`, by: 1 });
      editor.write(element, withInserted(editor.value(element), `${list}/${index}`, value), why);
    },
  };

  /** The item at its current pointer; `undefined` if it was removed. */
  function known(placed: Placed): Item | undefined {
    const { element, item } = placed;
    const place = entries[element] ? placeOf(placed) : undefined;
    if (place !== undefined) return { ...item, pointer: place };
    const pointer = shifted(item.pointer, shifts.get(element) ?? []);
    if (pointer === undefined) return undefined;
    const items = editor.items(element);
    const here = items.find((other) => other.pointer === pointer && other.kind === item.kind);
    if (here && contentOf(here) === contentOf(item)) return here;
    return items.find((other) => contentOf(other) === contentOf(item)) ?? here;
  }

  /** Where a recorded part of a list stands now, without decoding a long list again for each edit. */
  function placeOf(placed: Placed): string | undefined {
    const { pointer } = placed.item;
    const list = pointer.slice(0, Math.max(0, pointer.lastIndexOf("/")));
    const parts = valueAt(editor.value(placed.element), list);
    if (list === "" || !Array.isArray(parts)) return undefined;
    const recorded = wireOf(placed);
    const part = replaced.get(recorded) ?? recorded;
    // A part seldom moves: before it is searched for, it is looked up where it was.
    const was = Number(pointer.slice(list.length + 1));
    const index =
      typeof part !== "object" || part === null ? -1 : parts[was] === part ? was : parts.indexOf(part);
    return index < 0 ? undefined : `${list}/${index}`;
  }

  function shift(element: number, step: Shift): void {
    const steps = shifts.get(element);
    if (steps) steps.push(step);
    else shifts.set(element, [step]);
  }

  function put(after: number, entry: Inserted): void {
    const list = behind.get(after);
    if (list) list.push(entry);
    else behind.set(after, [entry]);
  }

  /** An element with its changes. */
  function settled(element: number): HistoryEntry | undefined {
    const [entry, draft] = [entries[element], drafts.get(element)];
    return entry && draft ? { ...entry, element: elements(draft.value), whys: draft.whys } : entry;
  }

  function drop(element: number): void {
    changes++;
    entries[element] = undefined;
    drafts.delete(element);
  }

  return {
    ...editor,
    done: () => {
      const inserted = (after: number): HistoryEntry[] =>
        (behind.get(after) ?? []).map((one) =>
          "element" in one ? one : { element: elements(one.value), whys: one.whys },
        );
      return {
        removals,
        entries: [
          ...inserted(-1),
          ...entries.flatMap((_, index) => {
            const entry = settled(index);
            return [...(entry ? [entry] : []), ...inserted(index)];
          }),
        ],
      };
    },
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
