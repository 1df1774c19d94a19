import type { ByteSource } from "./source.ts";

/** Only line starts at least this many bytes apart are kept: a log may have millions of short lines. */
const reach = 1 << 12;

/** Where the lines of a source begin, in bytes. The lines between those kept are counted again on demand. */
export class LineStarts {
  readonly #source: ByteSource;
  /** The offsets of the lines kept, and their indexes. */
  readonly #offsets: number[] = [];
  readonly #indexes: number[] = [];
  #count = 0;
  /** The line found last: most places are looked up in the order of the log. */
  #latest = { kept: -1, index: 0, start: 0 };

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Adds the next line. */
  add(offset: number): void {
    const last = this.#offsets.at(-1);
    if (last === undefined || offset - last >= reach) {
      this.#offsets.push(offset);
      this.#indexes.push(this.#count);
    }
    this.#count++;
  }

  get count(): number {
    return this.#count;
  }

  /** The offset of a line (from 0); `undefined` after the last. */
  offset(index: number): number | undefined {
    if (index < 0 || index >= this.#count) return undefined;
    const kept = lastUpTo(this.#indexes, index);
    let left = index - (this.#indexes[kept] ?? 0);
    let found = this.#offsets[kept] ?? 0;
    for (const start of left > 0 ? this.#startsAfter(found) : []) {
      found = start;
      if (--left === 0) break;
    }
    return found;
  }

  /** The line (from 0) that holds an offset, and where it begins. */
  lineAt(offset: number): { readonly index: number; readonly start: number } {
    const kept = lastUpTo(this.#offsets, offset);
    let index = this.#indexes[kept] ?? 0;
    let start = this.#offsets[kept] ?? 0;
    const first = start;
    const latest = this.#latest;
    if (latest.kept === kept && latest.start <= offset) ({ index, start } = latest);
    const last = (this.#indexes[kept + 1] ?? this.#count) - 1;
    if (index < last) {
      const bytes = this.#source.read(start, first + reach - 1);
      const from = start;
      for (let at = bytes.indexOf(10); at >= 0 && from + at < offset; at = bytes.indexOf(10, at + 1)) {
        index++;
        start = from + at + 1;
      }
    }
    this.#latest = { kept, index, start };
    return { index, start };
  }

  /** The starts of the lines after one that is kept, up to the next that is. */
  *#startsAfter(kept: number): Generator<number> {
    const bytes = this.#source.read(kept, kept + reach - 1);
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) yield kept + at + 1;
  }
}

/** The index of the last of ascending numbers that is no greater than `most`; 0 where none is. */
function lastUpTo(ascending: readonly number[], most: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((ascending[middle] ?? 0) <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}
