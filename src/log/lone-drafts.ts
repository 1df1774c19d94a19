import { fencedBlocks, holdsVariables } from "../containers/files/text/code-blocks.ts";
import type { Defect } from "../traffic/container.ts";
import type { Draft } from "./decode-pair.ts";

/** Longer texts are logs, in which nobody looks for what was pasted. */
const longestPaste = 1 << 20;

/**
 * Lone messages in a text, if they are what it, or a block of code in it, is about: a program's source has
 * such literals, too. What the file holds behind a `crowd` was not read.
 */
export function loneIn(lone: readonly Draft[], crowd?: Defect): readonly Draft[] {
  // A source that was rewritten on the way is not the file.
  const source = lone[0]?.exchange.reply?.place.origin.source;
  if (!source || sizeOf(lone) > (crowd?.origin.start ?? source.size) / 2) return lone;
  if (source.size > longestPaste) return [];
  // Offsets in the text are those in the bytes.
  const text = source.read(0, source.size).toString("latin1");
  const placed = lone.flatMap((draft) => {
    const origin = draft.exchange.reply?.place.origin;
    return origin?.source === source ? [{ draft, origin }] : [];
  });
  placed.sort((a, b) => a.origin.start - b.origin.start);
  let next = 0;
  // Blocks stand one behind the other, so each message is compared with those around it only.
  return fencedBlocks(text).flatMap(({ start, end }) => {
    while ((placed[next]?.origin.start ?? end) < start) next++;
    const own: Draft[] = [];
    for (; (placed[next]?.origin.start ?? end) < end; next++) {
      const found = placed[next];
      if (found && found.origin.end <= end && !holdsVariables(text, found.origin)) own.push(found.draft);
    }
    return sizeOf(own) > text.slice(start, end).trim().length / 2 ? own : [];
  });
}

function sizeOf(lone: readonly Draft[]): number {
  return lone.reduce((sum, { exchange: { reply } }) => {
    const { start, end } = reply?.place.origin ?? { start: 0, end: 0 };
    return sum + end - start;
  }, 0);
}
