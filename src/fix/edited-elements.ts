import { pushAll } from "../reading/lists.ts";
import { valueAt } from "../reading/pointer.ts";
import { withValueAt } from "./json.ts";
import type { Elements, FixReason, HistoryEntry } from "./target.ts";

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

/** The elements of one request while they change. They keep the numbers that they have in the log. */
export class EditedElements {
  readonly #entries: (HistoryEntry | undefined)[];
  /** Changed elements. One may hold all that is wrong, so it becomes an entry after its last change. */
  readonly #drafts = new Map<number, Draft>();
  readonly #behind = new Map<number, Inserted[]>();
  readonly #removals: FixReason[] = [];
  readonly #elements: Elements;
  #changes = 0;

  constructor(recorded: readonly HistoryEntry[], elements: Elements) {
    this.#entries = [...recorded];
    this.#elements = elements;
  }

  /** How often elements were changed so far. */
  get changes(): number {
    return this.#changes;
  }

  has(element: number): boolean {
    return this.#entries[element] !== undefined;
  }

  value(element: number): unknown {
    const draft = this.#drafts.get(element);
    return draft ? draft.value : this.#entries[element]?.element.value;
  }

  write(element: number, value: unknown, why: FixReason): void {
    const entry = this.#entries[element];
    if (!entry) return;
    this.#changes++;
    this.#drafts.set(element, { value, whys: [...(this.#drafts.get(element) ?? entry).whys, why] });
  }

  remove(element: number, why: FixReason): void {
    pushAll(this.#removals, [...(this.#settled(element)?.whys ?? []), why]);
    this.#drop(element);
  }

  move(element: number, after: number, why: FixReason): void {
    const entry = this.#settled(element);
    if (!entry) return;
    this.#drop(element);
    this.#put(after, { ...entry, whys: [...entry.whys, why] });
  }

  insert(after: number, value: unknown, why: FixReason): void {
    this.#put(after, { value, whys: [why] });
  }

  /** Appends to a list of the newest element behind `after`; `false` if that is recorded or has no list. */
  join(after: number, list: string, value: unknown, why: FixReason): boolean {
    const last = this.#behind.get(after)?.at(-1);
    if (!last || ("element" in last && last.recorded !== undefined)) return false;
    const whole = "element" in last ? last.element.value : last.value;
    const existing = valueAt(whole, list);
    if (!Array.isArray(existing)) return false;
    const longer = withValueAt(whole, list, [...existing, value]);
    const whys = [...last.whys, why];
    const joined =
      "element" in last ? { ...last, element: this.#elements(longer), whys } : { value: longer, whys };
    this.#behind.get(after)?.splice(-1, 1, joined);
    return true;
  }

  done(): EditedHistory {
    return {
      removals: this.#removals,
      entries: [
        ...this.#inserted(-1),
        ...this.#entries.flatMap((_, index) => {
          const entry = this.#settled(index);
          return [...(entry ? [entry] : []), ...this.#inserted(index)];
        }),
      ],
    };
  }

  #inserted(after: number): HistoryEntry[] {
    return (this.#behind.get(after) ?? []).map((one) =>
      "element" in one ? one : { element: this.#elements(one.value), whys: one.whys },
    );
  }

  /** An element with its changes. */
  #settled(element: number): HistoryEntry | undefined {
    const [entry, draft] = [this.#entries[element], this.#drafts.get(element)];
    return entry && draft ? { ...entry, element: this.#elements(draft.value), whys: draft.whys } : entry;
  }

  #put(after: number, entry: Inserted): void {
    const list = this.#behind.get(after);
    if (list) list.push(entry);
    else this.#behind.set(after, [entry]);
  }

  #drop(element: number): void {
    this.#changes++;
    this.#entries[element] = undefined;
    this.#drafts.delete(element);
  }
}
