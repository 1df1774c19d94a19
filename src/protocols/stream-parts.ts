import { lacksValue } from "../conversation/call-arguments.ts";
import type { Extent, Fragments, Item } from "../conversation/item.ts";
import type { Finish, Novelty, ReplyFlaw } from "../conversation/reply.ts";

/** Notes a deviation in the form of a stream. */
export type AddFlaw = (
  kind: ReplyFlaw["kind"],
  isHarmless: boolean,
  detail: string,
  at: Extent,
  pointer?: string,
) => void;

/** Collects the flaws of a stream, one per kind and severity: servers repeat a flaw in every event. */
export function flawList(): { readonly flaws: ReplyFlaw[]; readonly flaw: AddFlaw } {
  const flaws: ReplyFlaw[] = [];
  const seen = new Set<string>();
  return {
    flaws,
    flaw(kind, isHarmless, detail, extent, pointer = "") {
      const key = `${kind} ${isHarmless}`;
      if (seen.has(key)) return;
      seen.add(key);
      flaws.push({ kind, isHarmless, detail, pointer, extent });
    },
  };
}

/** Collects the events that a protocol does not know, one of each kind. Absent where there is none. */
export function unknownEvents(): {
  readonly found: Novelty[] | undefined;
  add(name: string, extent: Extent): void;
} {
  const events = new Map<string, Novelty>();
  return {
    get found() {
      return events.size === 0 ? undefined : [...events.values()];
    },
    add(name, extent) {
      if (!events.has(name) && events.size < maxNovelties)
        events.set(name, { what: "event", name, pointer: "", extent });
    },
  };
}

/** A stream of another API has hardly any event that this one knows. */
const maxNovelties = 20;

/** The fragments of a value, extended by one. */
export function withFragment(fragments: Fragments | undefined, extent: Extent): Fragments {
  return { count: (fragments?.count ?? 0) + 1, first: fragments?.first ?? extent, last: extent };
}

/** A copy of an item with the positions of its fragments. */
export function withFragments<Kind extends Item>(item: Kind, fragments: Fragments): Kind {
  // V8 gives each `{ ...item, fragments }` a hidden class of its own, which is larger than the item.
  return Object.assign({}, item, { fragments });
}

/** A block of a reply, as its events have built it. */
interface StreamedBlock {
  readonly startedAt: Extent;
  readonly isClosed: boolean;
  readonly fragments: Fragments | undefined;
}

/** The item of a block, with its fragments. A call is open if its arguments broke off. */
export function streamedItem(
  item: Item,
  block: StreamedBlock,
  isStopped: boolean,
  finish: Finish | undefined,
): Item {
  const fragments = block.fragments ?? withFragment(undefined, block.startedAt);
  if (item.kind !== "call") return withFragments(item, fragments);
  const isBroken = lacksValue(item);
  // What does not even begin as JSON was not broken off.
  const mayBeCut = isBroken && /^\s*(?:$|[{["])/.test(item.argumentsText);
  const wasCut = isStopped ? isBroken && finish?.meaning === "length" : !block.isClosed || mayBeCut;
  // Arguments that are not JSON yet are text only because the model or the stream broke off.
  const { flaws, ...call } = item;
  const rest = flaws?.filter((found) => found.kind !== "arguments-type");
  const state = wasCut ? "open" : "complete";
  return withFragments({ ...call, ...(rest && rest.length > 0 && { flaws: rest }), state }, fragments);
}
