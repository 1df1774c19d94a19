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
