import type { Piece } from "../../../reading/view.ts";

/** Bytes that are collected from several places of a file, with the way back to each place. */
export class Segments {
  /** In the order of the collected bytes, for a view of them. */
  readonly pieces: Piece[] = [];
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
  add(from: number, to: number): void {
    this.push({ at: this.length, from, length: to - from }, this.file.subarray(from, to));
  }

  /** One byte, for which `width` bytes stand in the file from `from` on; the byte is the first of them. */
  addEscaped(from: number, width: number): void {
    this.push({ at: this.length, from, length: 0, width }, this.file.subarray(from, from + 1));
  }

  private push(piece: Piece, part: Buffer): void {
    this.pieces.push(piece);
    this.parts.push(part);
    this.length += part.length;
  }
}
