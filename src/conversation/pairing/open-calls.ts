import { append, emptyList } from "../../reading/lists.ts";
import type { Placed } from "../conversation.ts";
import type { ToolCall } from "../item.ts";

/** A call waiting for its result. */
export interface Open {
  readonly call: Placed<ToolCall>;
  /** Number of the assistant turn that made it, counted along the history. */
  readonly turn: number;
}

/** Up to this many calls a linear search is fine. */
const few = 8;

/**
 * The calls waiting for their results, in call order. A hostile reply makes thousands of them, so calls are
 * indexed by id and changes are logged instead of copying the list.
 */
export class OpenCalls {
  /** Rebuilt on demand after a change, never mutated: every reply is walked, and few leave calls open. */
  #list: readonly Open[] | undefined;
  /** Built for more than {@link few} calls; {@link #byId} follows at the first lookup by id. */
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

  /** All open calls; a new list after each change. */
  get list(): readonly Open[] {
    this.#list ??= [...(this.#all ?? emptyList)];
    return this.#list;
  }

  /** Every opening and closing, in order. Unless open at the start, an entry opens at its first mention. */
  get changes(): readonly Open[] {
    return this.#changes;
  }

  /** The open calls with this id (`undefined`: without an id). Valid until the next change. */
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

/** The calls open after the first `count` changes. */
export function openAfter(start: readonly Open[], changes: readonly Open[], count: number): readonly Open[] {
  if (count === 0) return start;
  const open = new Set(start);
  for (let index = 0; index < count; index++) {
    const entry = changes[index] as Open;
    if (!open.delete(entry)) open.add(entry);
  }
  return [...open];
}
