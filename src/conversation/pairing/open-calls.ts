import { append, emptyList } from "../../reading/lists.ts";
import type { Placed } from "../conversation.ts";
import type { ToolCall } from "../item.ts";

/** A call that waits for its result. */
export interface Open {
  readonly call: Placed<ToolCall>;
  /** The assistant turn in which it was made, counted along the history. */
  readonly turn: number;
}

/** So many calls are looked through one by one. */
const few = 8;

/**
 * The calls that wait for their results, in the order in which they were made. A hostile reply makes thousands of them: they are found
 * by id without a look at the others, and how they changed is noted in place of copies.
 */
export class OpenCalls {
  /** Made anew after a change when asked for; never changed, since there is a walk for each reply of a long session and few keep calls open. */
  #list: readonly Open[] | undefined;
  /** Made when there are more than a few, and {@link #byId} with it when an id is asked for. */
  #all: Set<Open> | undefined;
  #byId: Map<string | undefined, Open[]> | undefined;
  #changes: readonly Open[] = emptyList;

  constructor(start: readonly Open[]) {
    this.#list = start;
    if (start.length > few) this.#all = new Set(start);
  }

  get size(): number {
    return this.#all ? this.#all.size : this.list.length;
  }

  has(entry: Open): boolean {
    return this.#all ? this.#all.has(entry) : this.list.includes(entry);
  }

  /** All that are open now; another list after a change. */
  get list(): readonly Open[] {
    this.#list ??= [...(this.#all ?? emptyList)];
    return this.#list;
  }

  /** What was opened or closed so far, in order: an entry opens when it is named first, unless it was open at the start. */
  get changes(): readonly Open[] {
    return this.#changes;
  }

  /** Those whose calls have this id, as long as nothing changes; `undefined`: those without one. */
  withId(id: string | undefined): readonly Open[] {
    if (!this.#all) return this.list.filter(({ call }) => call.item.id === id);
    if (!this.#byId) {
      this.#byId = new Map();
      for (const entry of this.#all) addTo(this.#byId, entry);
    }
    return this.#byId.get(id) ?? emptyList;
  }

  add(entry: Open): void {
    this.#changes = append(this.#changes, entry);
    if (!this.#all && this.list.length < few) {
      this.#list = [...this.list, entry];
      return;
    }
    this.#all ??= new Set(this.list);
    this.#all.add(entry);
    this.#list = undefined;
    if (this.#byId) addTo(this.#byId, entry);
  }

  delete(entry: Open): void {
    if (!this.has(entry)) return;
    this.#changes = append(this.#changes, entry);
    if (!this.#all) {
      this.#list = this.list.filter((other) => other !== entry);
      return;
    }
    this.#all.delete(entry);
    this.#list = undefined;
    const alike = this.#byId?.get(entry.call.item.id);
    alike?.splice(alike.indexOf(entry), 1);
  }
}

function addTo(byId: Map<string | undefined, Open[]>, entry: Open): void {
  const { id } = entry.call.item;
  const alike = byId.get(id);
  if (alike) alike.push(entry);
  else byId.set(id, [entry]);
}

/** What was open after the first `count` changes. */
export function openAfter(start: readonly Open[], changes: readonly Open[], count: number): readonly Open[] {
  if (count === 0) return start;
  const open = new Set(start);
  for (let index = 0; index < count; index++) {
    const entry = changes[index] as Open;
    if (!open.delete(entry)) open.add(entry);
  }
  return [...open];
}
