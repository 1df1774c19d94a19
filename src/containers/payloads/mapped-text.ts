import type { Segment } from "../../reading/view.ts";

/** Text with the places of its bytes. */
export interface MappedText {
  readonly bytes: Buffer;
  readonly segments: readonly Segment[];
}

/** Builds such a text from others. */
export class MappedBuilder {
  readonly #chunks: Buffer[] = [];
  readonly #segments: Segment[] = [];
  #length = 0;

  /** Adds text that has no place. */
  glue(text: string): void {
    this.#push(Buffer.from(text));
  }

  /** Adds text that maps to the byte at `from`. */
  mark(text: string, from: number): void {
    this.#segments.push({ at: this.#length, from, length: 1 });
    this.glue(text);
  }

  /** Adds bytes as they stand at `from`. */
  copy(bytes: Buffer, from: number): void {
    this.#segments.push({ at: this.#length, from, length: bytes.length });
    this.#push(bytes);
  }

  /** Adds a text whose places count from `from`. */
  embed({ bytes, segments }: MappedText, from: number): void {
    for (const segment of segments)
      this.#segments.push({ ...segment, at: this.#length + segment.at, from: from + segment.from });
    this.#push(bytes);
  }

  finish(): MappedText {
    return { bytes: Buffer.concat(this.#chunks, this.#length), segments: this.#segments };
  }

  #push(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
  }
}

/** A text whose places count from `start` in another one, with the places of that one. */
export function mappedThrough(inner: MappedText, { segments }: MappedText, start: number): MappedText {
  const composed: Segment[] = [];
  let next = 0;
  for (const { at, from, length } of inner.segments) {
    const [first, end] = [start + from, start + from + length];
    while (next < segments.length && endOf(segments[next]) <= first) next++;
    for (let index = next; index < segments.length; index++) {
      const outer = segments[index] as Segment;
      if (outer.at >= end) break;
      const low = Math.max(first, outer.at);
      const size = Math.min(end, endOf(outer)) - low;
      composed.push({ at: at + low - first, from: outer.from + low - outer.at, length: size });
    }
  }
  return { bytes: inner.bytes, segments: composed };
}

function endOf(segment: Segment | undefined): number {
  return segment ? segment.at + segment.length : 0;
}
