import type { PageTexts, TextNumber } from "../data.ts";

/** The bytes of a base64 text: a loop is faster than `Uint8Array.from` by a factor of ten. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** The text that was compressed with gzip and written in base64. */
export function inflated(base64: string): Promise<string> {
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

/** Blocks that stay decoded; a page of 20 MB would be some hundred MB of text. */
const keptBlocks = 24;

/** The long texts of the page, decoded when they are asked for. */
export class TextBlocks {
  readonly #index: PageTexts;
  readonly #blockSource: (block: number) => string;
  readonly #decoded = new Map<number, Promise<string>>();
  /** For each text its start within its block, in UTF-16 code units. */
  readonly #starts: readonly number[];
  /** First and one past the last text of each block. */
  readonly #ranges: readonly { readonly from: number; to: number }[];

  /** `blockSource` gives a block in base64. */
  constructor(index: PageTexts, blockSource: (block: number) => string) {
    this.#index = index;
    this.#blockSource = blockSource;
    const starts: number[] = [];
    const ends: number[] = [];
    const ranges: { from: number; to: number }[] = [];
    for (const [text, block] of index.blocks.entries()) {
      const start = ends[block] ?? 0;
      starts.push(start);
      if (block < 0) continue;
      ends[block] = start + (index.sizes[text] ?? 0);
      const range = ranges[block];
      if (range) range.to = text + 1;
      else ranges[block] = { from: text, to: text + 1 };
    }
    this.#starts = starts;
    this.#ranges = ranges;
  }

  /** Length in UTF-16 code units. */
  size(text: TextNumber): number {
    return this.#index.sizes[text] ?? 0;
  }

  isLeftOut(text: TextNumber): boolean {
    return (this.#index.blocks[text] ?? -1) < 0;
  }

  /** The text; the caller has asked whether it is left out. */
  async read(text: TextNumber): Promise<string> {
    const block = await this.#block(this.#index.blocks[text] ?? -1);
    const start = this.#starts[text] ?? 0;
    return block.slice(start, start + this.size(text));
  }

  /** The numbers of the texts in which `pattern` (global) occurs, block by block. */
  async *search(pattern: RegExp): AsyncIterable<TextNumber[]> {
    for (let block = 0; block < this.#ranges.length; block++) {
      const range = this.#ranges[block];
      if (!range) continue;
      const source = await this.#block(block);
      const found: TextNumber[] = [];
      let text = range.from;
      let from = 0;
      while (text < range.to) {
        pattern.lastIndex = from;
        const match = pattern.exec(source);
        if (!match) break;
        while (text < range.to && this.#end(text, block) <= match.index) text++;
        if (text >= range.to) break;
        from = this.#end(text, block);
        // A match across the border of two texts is none.
        if (match.index + match[0].length <= from) found.push(text);
        text++;
      }
      yield found;
    }
  }

  /** Where a text ends in this block; 0 if it stands in no block. */
  #end(text: TextNumber, block: number): number {
    return this.#index.blocks[text] === block ? (this.#starts[text] ?? 0) + this.size(text) : 0;
  }

  #block(number: number): Promise<string> {
    const known = this.#decoded.get(number);
    if (known) {
      // The oldest is the first of the map.
      this.#decoded.delete(number);
      this.#decoded.set(number, known);
      return known;
    }
    const decoded = inflated(this.#blockSource(number));
    this.#decoded.set(number, decoded);
    const [oldest] = this.#decoded.keys();
    if (oldest !== undefined && this.#decoded.size > keptBlocks) this.#decoded.delete(oldest);
    return decoded;
  }
}
