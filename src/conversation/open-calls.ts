import type { Placed } from "./conversation.ts";
import type { ToolCall } from "./item.ts";

/** A call that waits for its result. */
export interface Open {
  readonly call: Placed<ToolCall>;
  /** The assistant turn in which it was made, counted along the history. */
  readonly turn: number;
}

const none: readonly Open[] = [];

/**
 * The calls that wait for their results, in the order in which they were made. A hostile reply makes thousands of them: they are found
 * by id without a look at the others, and how they changed is noted in place of copies.
 */
export class OpenCalls {
  readonly #all: Set<Open>;
  readonly #byId = new Map<string, Open[]>();
  #nameless: Set<Open> | undefined;
  readonly #changes: Open[] = [];
  #list: readonly Open[] | undefined;

  constructor(start: readonly Open[]) {
    this.#all = new Set(start);
    for (const entry of start) this.#index(entry);
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

  /** Those whose calls have this id. */
  withId(id: string): readonly Open[] {
    return this.#byId.get(id) ?? none;
  }

  /** Those whose calls have no id. */
  get nameless(): readonly Open[] {
    return this.#nameless ? [...this.#nameless] : none;
  }

  add(entry: Open): void {
    this.#all.add(entry);
    this.#index(entry);
    this.#note(entry);
  }

  delete(entry: Open): void {
    if (!this.#all.delete(entry)) return;
    const { id } = entry.call.item;
    this.#nameless?.delete(entry);
    if (id !== undefined) {
      const rest = this.withId(id).filter((other) => other !== entry);
      if (rest.length > 0) this.#byId.set(id, rest);
      else this.#byId.delete(id);
    }
    this.#note(entry);
  }

  #index(entry: Open): void {
    const { id } = entry.call.item;
    const alike = id === undefined ? undefined : this.#byId.get(id);
    if (id === undefined) {
      this.#nameless ??= new Set();
      this.#nameless.add(entry);
    } else if (alike) alike.push(entry);
    else this.#byId.set(id, [entry]);
  }

  #note(entry: Open): void {
    this.#changes.push(entry);
    this.#list = undefined;
  }
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
