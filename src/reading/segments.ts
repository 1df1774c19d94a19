import type { Segment } from "./view.ts";

/** Bytes that are collected from places of a file, as they stand there or rewritten, with the way back to each place. */
export class Segments {
  /** In the order of the collected bytes, for a view of them. */
  readonly pieces: Segment[] = [];
  length = 0;
  private readonly file: Buffer;
  private readonly parts: Buffer[] = [];

  constructor(file: Buffer) {
    this.file = file;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.parts, this.length);
  }

  /** Bytes of the file as they stand there. */
  copy(from: number, to: number): void {
    this.push({ at: this.length, from, length: to - from }, this.file.subarray(from, to));
  }

  /** Bytes that stand for those of the file from `from` up to and without `to`. */
  write(bytes: Buffer, from: number, to: number): void {
    const width = to - from;
    // Positions inside of what is the same in both count one by one.
    const isSame = bytes.length === width && this.file.compare(bytes, 0, width, from, to) === 0;
    const at = this.length;
    this.push(isSame ? { at, from, length: width } : { at, from, length: 0, width }, bytes);
  }

  /** A place to go back to. */
  mark(): { readonly parts: number; readonly length: number } {
    return { parts: this.parts.length, length: this.length };
  }

  /** Takes back what was collected since. */
  goBack({ parts, length }: ReturnType<Segments["mark"]>): void {
    this.parts.length = parts;
    this.pieces.length = parts;
    this.length = length;
  }

  private push(piece: Segment, part: Buffer): void {
    this.pieces.push(piece);
    this.parts.push(part);
    this.length += part.length;
  }
}
