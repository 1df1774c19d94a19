import type { ItemNumber, PageData } from "../data.ts";
import { type FirstPlace, firstPlaces } from "./places.ts";
import type { TextBlocks } from "./text-blocks.ts";

/** Something that the search found: an item where it first appears, or a finding. */
export type Hit =
  | { readonly is: "item"; readonly item: ItemNumber; readonly place: FirstPlace }
  | { readonly is: "finding"; readonly finding: number };

/** Searches items and findings; the texts in blocks come later, since they have to be decoded. */
export class PageSearch {
  readonly #data: PageData;
  readonly #texts: TextBlocks;
  readonly #places: ReadonlyMap<ItemNumber, FirstPlace>;
  readonly #itemOfText = new Map<number, ItemNumber>();

  constructor(data: PageData, texts: TextBlocks) {
    this.#data = data;
    this.#texts = texts;
    this.#places = firstPlaces(data);
    for (const [item, { text }] of data.items.entries())
      if (text !== undefined) this.#itemOfText.set(text, item);
  }

  /** The hits in the order of the run: first those in beginnings of items, then, as they come, all. */
  async *hits(pattern: RegExp): AsyncIterable<Hit[]> {
    const items = new Set<ItemNumber>();
    const isIn = (text: string | undefined): boolean => {
      pattern.lastIndex = 0;
      return text !== undefined && pattern.test(text);
    };
    for (const [number, item] of this.#data.items.entries())
      if (isIn(item.preview) || isIn(item.tool) || isIn(item.callId)) items.add(number);
    const findings = this.#data.findings.flatMap(({ message, rule }, finding): Hit[] =>
      isIn(message) || isIn(rule) ? [{ is: "finding", finding }] : [],
    );
    yield [...this.#inOrder(items), ...findings];
    const known = items.size;
    let shown = known;
    for await (const texts of this.#texts.search(pattern)) {
      for (const text of texts) {
        const item = this.#itemOfText.get(text);
        if (item !== undefined) items.add(item);
      }
      // Sorting thousands of hits for each block would take longer than decoding it.
      if (items.size > shown * 1.2 + 20) {
        shown = items.size;
        yield [...this.#inOrder(items), ...findings];
      }
    }
    if (items.size > shown || shown === known) yield [...this.#inOrder(items), ...findings];
  }

  #inOrder(items: ReadonlySet<ItemNumber>): Hit[] {
    return [...items]
      .flatMap((item) => {
        const place = this.#places.get(item);
        return place ? [{ is: "item" as const, item, place }] : [];
      })
      .sort(
        (a, b) =>
          a.place.conversation - b.place.conversation || a.place.step - b.place.step || a.item - b.item,
      );
  }
}
