import type { Segment } from "./view.ts";

/** Collects bytes copied from a file or written in place of it, with the way back to each position. */
export class Segments {
  /** In the order of the collected bytes, for a view of them. */
  readonly segments: Segment[] = [];
  length = 0;
  private readonly file: Buffer;
  private readonly parts: Buffer[] = [];

  constructor(file: Buffer) {
    this.file = file;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.parts, this.length);
  }

  /** Copies bytes of the file unchanged. */
  copy(from: number, to: number): void {
    this.push({ at: this.length, from, length: to - from }, this.file.subarray(from, to));
  }

  /** Writes bytes that replace those of the file from `from` up to but not including `to`. */
  write(bytes: Buffer, from: number, to: number): void {
    const width = to - from;
    // Identical bytes map one to one.
    const isSame = bytes.length === width && this.file.compare(bytes, 0, width, from, to) === 0;
    const at = this.length;
    this.push(isSame ? { at, from, length: width } : { at, from, length: 0, width }, bytes);
  }

  /** A mark for {@link goBack}. */
  mark(): { readonly parts: number; readonly length: number } {
    return { parts: this.parts.length, length: this.length };
  }

  /** Discards what was collected since the mark. */
  goBack({ parts, length }: ReturnType<Segments["mark"]>): void {
    this.parts.length = parts;
    this.segments.length = parts;
    this.length = length;
  }

  private push(segment: Segment, part: Buffer): void {
    this.segments.push(segment);
    this.parts.push(part);
    this.length += part.length;
  }
}
