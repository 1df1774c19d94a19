import type { Placed } from "./conversation.ts";
import type { ToolCall } from "./item.ts";

/** A call that waits for its result. */
export interface Open {
  readonly call: Placed<ToolCall>;
  /** The assistant turn in which it was made, counted along the history. */
  readonly turn: number;
}

const none: readonly Open[] = [];

/** So many calls are looked through one by one. */
const few = 8;

/**
 * The calls that wait for their results, in the order in which they were made. A hostile reply makes thousands of them: they are found
 * by id without a look at the others, and how they changed is noted in place of copies.
 */
export class OpenCalls {
  readonly #all: Set<Open>;
  /** Made when there are more than a few. */
  #byId: Map<string | undefined, Open[]> | undefined;
  readonly #changes: Open[] = [];
  #list: readonly Open[] | undefined;

  constructor(start: readonly Open[]) {
    this.#all = new Set(start);
  }

  get size(): number {
    return this.#all.size;
  }

  has(entry: Open): boolean {
    return this.#all.has(entry);
  }

  /** All that are open now; another list after a change. */
  get list(): readonly Open[] {
    this.#list ??= [...this.#all];
    return this.#list;
  }

  /** What was opened or closed so far, in order: an entry opens when it is named first, unless it was open at the start. */
  get changes(): readonly Open[] {
    return this.#changes;
  }

  /** Those whose calls have this id, as long as nothing changes; `undefined`: those without one. */
  withId(id: string | undefined): readonly Open[] {
    if (!this.#byId && this.size <= few) return this.list.filter(({ call }) => call.item.id === id);
    if (!this.#byId) {
      this.#byId = new Map();
      for (const entry of this.#all) addTo(this.#byId, entry);
    }
    return this.#byId.get(id) ?? none;
  }

  add(entry: Open): void {
    this.#all.add(entry);
    this.#note(entry);
    if (this.#byId) addTo(this.#byId, entry);
  }

  delete(entry: Open): void {
    if (!this.#all.delete(entry)) return;
    this.#note(entry);
    const alike = this.#byId?.get(entry.call.item.id);
    alike?.splice(alike.indexOf(entry), 1);
  }

  #note(entry: Open): void {
    this.#changes.push(entry);
    this.#list = undefined;
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
