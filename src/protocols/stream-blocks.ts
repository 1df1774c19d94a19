import type { Extent, Fragments, Item } from "../conversation/item.ts";
import type { Finish } from "../conversation/reply.ts";
import { type AddFlaw, streamedItem } from "./stream-parts.ts";

/** A block of a reply, as its events have built it so far. */
export interface StreamBlock {
  /** Position in the message, counted from 0. */
  readonly place: number;
  readonly isCall: boolean;
  readonly startedAt: Extent;
  isClosed: boolean;
  fragments: Fragments | undefined;
}

/** The blocks of a streamed reply, in their order. Events name them by an index, which some servers omit. */
export class StreamBlocks<Block extends StreamBlock> {
  readonly list: Block[] = [];
  /** The newest block with each index. */
  readonly #byIndex = new Map<number, Block>();
  /** Calls that have begun but are not closed. */
  readonly #openCalls = new Set<Block>();
  /** RFC 6901 pointer of the list of blocks in the reply. */
  readonly #pointer: string;

  constructor(pointer: string) {
    this.#pointer = pointer;
  }

  /** Adds the block of an event that announces it. */
  announce(block: Block, index: number | undefined, flaw: AddFlaw): void {
    const isRepeated = index !== undefined && this.#byIndex.has(index);
    this.add(block, index);
    const pointer = this.pointerOf(block);
    if (index === undefined) flaw("missing-index", true, "the block has no index", block.startedAt, pointer);
    if (isRepeated) flaw("repeated-index", true, `two blocks share index ${index}`, block.startedAt, pointer);
  }

  add(block: Block, index: number | undefined): void {
    this.list.push(block);
    if (block.isCall) this.#openCalls.add(block);
    this.rename(block, index);
  }

  /** From here on the index means this block. */
  rename(block: Block, index: number | undefined): void {
    if (index !== undefined) this.#byIndex.set(index, block);
  }

  close(block: Block): void {
    block.isClosed = true;
    this.#openCalls.delete(block);
  }

  /** The newest block with an index; without one, the newest block. */
  at(index: number | undefined): Block | undefined {
    return index === undefined ? this.list.at(-1) : this.#byIndex.get(index);
  }

  /** The call that unannounced arguments must belong to: the only open one. */
  get onlyOpenCall(): Block | undefined {
    const [first] = this.#openCalls;
    return this.#openCalls.size === 1 ? first : undefined;
  }

  pointerOf({ place }: Block): string {
    return `${this.#pointer}/${place}`;
  }

  /** Adds to the items of these blocks what the stream says of them. */
  streamed(items: readonly Item[], isStopped: boolean, finish: Finish | undefined): Item[] {
    return items.map((item) => {
      const block = this.list[Number(item.pointer.slice(this.#pointer.length + 1))];
      return block ? streamedItem(item, block, isStopped, finish) : item;
    });
  }
}
