import type { ReplyFlaw } from "../conversation/exchange.ts";
import type { Extent, Fragments } from "../conversation/item.ts";
import type { StreamBody } from "./protocol.ts";

/** Notes a deviation in the form of a stream. */
export type AddFlaw = (
  kind: ReplyFlaw["kind"],
  isHarmless: boolean,
  detail: string,
  at: Extent,
  pointer?: string,
) => void;

/** Gathers the flaws of one stream. One flaw of a kind is enough, unless the next one is worse: servers repeat themselves in every event. */
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

/** Notes what is wrong with the frames themselves, whatever they say. */
export function checkFraming(body: StreamBody, flaw: AddFlaw): void {
  for (const { flaw: kind, extent } of body.frames) {
    if (kind === "cut" && !body.isCut) flaw("cut-frame", false, "an event ends in the middle", extent);
    if (kind === "glued") flaw("unseparated-frames", true, "no blank line between events", extent);
  }
}

/** The fragments of a value with one more. */
export function grown(fragments: Fragments | undefined, extent: Extent): Fragments {
  return { count: (fragments?.count ?? 0) + 1, first: fragments?.first ?? extent, last: extent };
}
