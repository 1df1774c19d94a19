import type { Placed } from "./conversation.ts";
import type { Item, ToolCall, ToolResult } from "./item.ts";

/** A call of a round under construction. */
export interface DraftCall {
  readonly call: Placed<ToolCall>;
  result: Placed<ToolResult> | undefined;
}

/** The calls of a round by what a result may name: a round of thousands must not be searched for each. */
export class WaitingCalls {
  /** The ids under which a client sends calls, where they are not the reply's. */
  readonly #aliases: ReadonlyMap<Item, string>;
  /** Calls in order; `passed` of them are answered. */
  readonly #lists = new Map<string, { readonly calls: DraftCall[]; passed: number }>();

  constructor(aliases: ReadonlyMap<Item, string>) {
    this.#aliases = aliases;
  }

  add(entry: DraftCall): void {
    const { item } = entry.call;
    const alias = this.#aliases.get(item);
    this.#put("any", entry);
    this.#put(`any ${item.name}`, entry);
    if (item.id === undefined) {
      this.#put("nameless", entry);
      this.#put(`nameless ${item.name}`, entry);
    } else this.#put(`id ${item.id}`, entry);
    if (alias !== undefined && alias !== item.id) this.#put(`id ${alias}`, entry);
  }

  /** The call that a result answers: by id, even a client's own; else by name, in order. */
  answeredBy({ callId, name }: ToolResult): DraftCall | undefined {
    const byId = callId === undefined ? undefined : this.#first(`id ${callId}`);
    const which = callId === undefined ? "any" : "nameless";
    return byId ?? this.#first(name === undefined ? which : `${which} ${name}`);
  }

  #first(key: string): DraftCall | undefined {
    const list = this.#lists.get(key);
    if (!list) return undefined;
    while (list.calls[list.passed]?.result) list.passed++;
    return list.calls[list.passed];
  }

  #put(key: string, entry: DraftCall): void {
    const list = this.#lists.get(key);
    if (list) list.calls.push(entry);
    else this.#lists.set(key, { calls: [entry], passed: 0 });
  }
}
