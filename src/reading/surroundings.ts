import type { View } from "./view.ts";

/** Flags of what bytes show of their writer; those of two parts together are those of the whole. */
export type Traits = (bytes: Buffer) => number;

/** More text of the same writer, as far as it has such traits. */
export type Surroundings = (traits: Traits) => number;

/** How far the text around a place reaches, and the blocks that it is read in. */
const reach = 1 << 18;
const blockSize = 1 << 16;
/** The longest escape: two units of a surrogate pair. It may stand across the end of a block. */
const longest = 12;

/** By the text, the traits and the number of the block. Repairs write thousands of bodies close together. */
const known = new WeakMap<object, Map<Traits, Map<number, number>>>();

/** The text around a position of a view. */
export function textAround(view: View, at: number): Surroundings {
  return (traits) => {
    const blocks = blocksOf(view, traits);
    const last = Math.floor(Math.min(view.size, at + reach) / blockSize);
    let found = 0;
    for (let index = Math.floor(Math.max(0, at - reach) / blockSize); index <= last; index++) {
      let own = blocks.get(index);
      if (own === undefined) {
        const start = index * blockSize;
        own = traits(view.read(start, Math.min(view.size, start + blockSize + longest)));
        blocks.set(index, own);
      }
      found |= own;
    }
    return found;
  };
}

function blocksOf(view: View, traits: Traits): Map<number, number> {
  const text = view.isFile ? view.source : view;
  const byTraits = known.get(text) ?? new Map<Traits, Map<number, number>>();
  known.set(text, byTraits);
  const blocks = byTraits.get(traits) ?? new Map<number, number>();
  byTraits.set(traits, blocks);
  return blocks;
}
