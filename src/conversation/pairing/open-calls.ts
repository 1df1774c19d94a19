import { append, emptyList } from "../../reading/lists.ts";
import type { Placed } from "../conversation.ts";
import type { ToolCall } from "../item.ts";

/** A call waiting for its result. */
export interface Open {
  readonly call: Placed<ToolCall>;
  /** Number of the assistant turn that made it, counted along the history. */
  readonly turn: number;
  /** Of the other calls that were open in this turn with the same id, the first. */
  readonly twinOf?: Open;
}

/** Up to this many calls a linear search is fine. */
const few = 8;

/** What calls are looked up by. Calls without an id have names of their own. */
const keys = {
  id: (id: string) => `id ${id}`,
  name: (name: string) => `name ${name}`,
  nameless: "no id",
  namelessTo: (name: string) => `no id, name ${name}`,
  stored: (id: string) => `stored ${id}`,
  item: (itemId: string, id: string) => `item ${itemId} ${id}`,
} as const;

/**
 * The calls waiting for their results, in call order. A hostile log makes thousands of them, so calls are
 * indexed, and changes are logged instead of copying the list.
 */
export class OpenCalls {
  /** Rebuilt on demand after a change, never mutated: every reply is walked, and few leave calls open. */
  #list: readonly Open[] | undefined;
  /** Built for more than {@link few} calls; {@link #index} follows at the first lookup. */
  #all: Set<Open> | undefined;
  #index: Index | undefined;
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

  /** The first open call. */
  first(): Open | undefined {
    return this.#all ? this.#indexed(this.#all).first() : this.list[0];
  }

  /** The first open call to this tool. */
  firstNamed(name: string): Open | undefined {
    if (!this.#all) return this.list.find(({ call }) => call.item.name === name);
    return this.#indexed(this.#all).firstAt(keys.name(name));
  }

  /** The first open call with this id. */
  firstWithId(id: string): Open | undefined {
    if (!this.#all) return this.list.find(({ call }) => call.item.id === id);
    return this.#indexed(this.#all).firstAt(keys.id(id));
  }

  /** The first call with this id in the newest turn that has one. */
  newestWithId(id: string): Open | undefined {
    if (this.#all) return this.#indexed(this.#all).newestWithId(id);
    const newest = this.list.findLast(({ call }) => call.item.id === id);
    return newest && this.list.find(({ call, turn }) => turn === newest.turn && call.item.id === id);
  }

  /** The first open call without an id, to this tool if there is a name. */
  firstNameless(name?: string): Open | undefined {
    if (!this.#all)
      return this.list.find(
        ({ call }) => call.item.id === undefined && (name === undefined || call.item.name === name),
      );
    return this.#indexed(this.#all).firstAt(name === undefined ? keys.nameless : keys.namelessTo(name));
  }

  /** Whether no open call has an id, and each is of a kind that is accepted. */
  areNameless(accepts: (wireType: string) => boolean): boolean {
    if (!this.#all)
      return this.list.every(({ call: { item } }) => item.id === undefined && accepts(item.wireType));
    const { nameless } = this.#indexed(this.#all);
    let count = 0;
    for (const [wireType, open] of nameless) {
      if (open > 0 && !accepts(wireType)) return false;
      count += open;
    }
    return count === this.#all.size;
  }

  /** The open calls that another call sends again: those that the server stores, or the same item. */
  resentAs({ id, itemId }: ToolCall): readonly Open[] {
    if (id === undefined) return emptyList;
    if (!this.#all)
      return this.list.filter(
        ({ call: { item, part } }) =>
          item.id === id && (part === "response" || (itemId !== undefined && item.itemId === itemId)),
      );
    return this.#indexed(this.#all).resentAs(id, itemId);
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
    this.#index?.add(entry);
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
    this.#index?.delete(entry);
  }

  #indexed(all: ReadonlySet<Open>): Index {
    this.#index ??= new Index(all);
    return this.#index;
  }
}

/** Calls in order, of which the first is asked for. Closed ones are passed once, never searched again. */
class Queue {
  readonly #calls: Open[] = [];
  #passed = 0;

  add(entry: Open): void {
    this.#calls.push(entry);
  }

  first(open: ReadonlySet<Open>): Open | undefined {
    while (this.#passed < this.#calls.length && !open.has(this.#calls[this.#passed] as Open)) this.#passed++;
    return this.#calls[this.#passed];
  }

  all(open: ReadonlySet<Open>): Open[] {
    return this.#calls.slice(this.#passed).filter((entry) => open.has(entry));
  }
}

/** Open calls by what they are looked up by. */
class Index {
  readonly #open: ReadonlySet<Open>;
  readonly #every = new Queue();
  readonly #queues = new Map<string, Queue>();
  /** The calls of each id, by turn. */
  readonly #turns = new Map<string, { readonly turn: number; readonly queue: Queue }[]>();
  /** How many open calls without an id there are of each kind. */
  readonly nameless = new Map<string, number>();

  constructor(open: ReadonlySet<Open>) {
    this.#open = open;
    for (const entry of open) this.add(entry);
  }

  first(): Open | undefined {
    return this.#every.first(this.#open);
  }

  firstAt(key: string): Open | undefined {
    return this.#queues.get(key)?.first(this.#open);
  }

  newestWithId(id: string): Open | undefined {
    const turns = this.#turns.get(id) ?? [];
    for (;;) {
      const newest = turns.at(-1);
      const found = newest?.queue.first(this.#open);
      if (found || !newest) return found;
      turns.pop();
    }
  }

  resentAs(id: string, itemId: string | undefined): Open[] {
    const stored = this.#queues.get(keys.stored(id))?.all(this.#open) ?? [];
    if (itemId === undefined) return stored;
    const same = this.#queues.get(keys.item(itemId, id))?.all(this.#open) ?? [];
    return [...stored, ...same.filter(({ call }) => call.part !== "response")];
  }

  add(entry: Open): void {
    const { part, item } = entry.call;
    const { id, itemId, name, wireType } = item;
    this.#every.add(entry);
    this.#put(keys.name(name), entry);
    if (id === undefined) {
      this.#put(keys.nameless, entry);
      this.#put(keys.namelessTo(name), entry);
      this.nameless.set(wireType, (this.nameless.get(wireType) ?? 0) + 1);
      return;
    }
    this.#put(keys.id(id), entry);
    if (part === "response") this.#put(keys.stored(id), entry);
    if (itemId !== undefined) this.#put(keys.item(itemId, id), entry);
    const turns = this.#turns.get(id) ?? [];
    this.#turns.set(id, turns);
    if (turns.at(-1)?.turn !== entry.turn) turns.push({ turn: entry.turn, queue: new Queue() });
    turns.at(-1)?.queue.add(entry);
  }

  delete({ call: { item } }: Open): void {
    if (item.id === undefined) this.nameless.set(item.wireType, (this.nameless.get(item.wireType) ?? 1) - 1);
  }

  #put(key: string, entry: Open): void {
    const known = this.#queues.get(key);
    if (known) known.add(entry);
    else {
      const queue = new Queue();
      queue.add(entry);
      this.#queues.set(key, queue);
    }
  }
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
