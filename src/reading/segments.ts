import type { Segment } from "./view.ts";

/** Collects bytes copied from a file or written in place of it, with the way back to each position. */
export class Segments {
  /** In the order of the collected bytes, for a view of them. */
  readonly segments: Segment[] = [];
  length = 0;
  private readonly file: Buffer;
  /** What stands in a segment that is not copied. */
  private readonly written: (Buffer | string | undefined)[] = [];

  constructor(file: Buffer) {
    this.file = file;
  }

  get bytes(): Buffer {
    const all = Buffer.allocUnsafe(this.length);
    for (const [index, { at, from, length }] of this.segments.entries()) {
      const own = this.written[index];
      if (own === undefined) copyBytes(this.file, all, at, from, length);
      else if (typeof own === "string") all.write(own, at);
      else own.copy(all, at);
    }
    return all;
  }

  /** Copies bytes of the file unchanged. */
  copy(from: number, to: number): void {
    const end = Math.min(to, this.file.length);
    this.push({ at: this.length, from, length: Math.max(0, end - from) }, undefined);
  }

  /** Writes what replaces the bytes of the file from `from` up to but not including `to`. */
  write(own: Buffer | string, from: number, to: number): void {
    const width = to - from;
    const at = this.length;
    // Identical bytes map one to one.
    if (this.isSame(own, from, width)) this.push({ at, from, length: width }, undefined);
    else this.push({ at, from, length: 0, width }, own);
  }

  /** A mark for {@link goBack}. */
  mark(): { readonly parts: number; readonly length: number } {
    return { parts: this.segments.length, length: this.length };
  }

  /** Discards what was collected since the mark. */
  goBack({ parts, length }: ReturnType<Segments["mark"]>): void {
    this.written.length = parts;
    this.segments.length = parts;
    this.length = length;
  }

  private isSame(own: Buffer | string, from: number, width: number): boolean {
    if (own.length !== width) return false;
    if (typeof own !== "string") return this.file.compare(own, 0, width, from, from + width) === 0;
    for (let at = 0; at < width; at++) {
      const code = own.charCodeAt(at);
      if (code > 127 || code !== this.file[from + at]) return false;
    }
    return true;
  }

  private push(segment: Segment, own: Buffer | string | undefined): void {
    this.segments.push(segment);
    this.written.push(own);
    this.length += own === undefined ? segment.length : byteLength(own);
  }
}

/** Most segments of printed values are a few bytes long, for which a call costs more than the copy. */
const fewBytes = 16;

function copyBytes(from: Buffer, to: Buffer, at: number, start: number, length: number): void {
  if (length > fewBytes) from.copy(to, at, start, start + length);
  else for (let index = 0; index < length; index++) to[at + index] = from[start + index] as number;
}

function byteLength(own: Buffer | string): number {
  return typeof own !== "string"
    ? own.length
    : own.length <= 1 && own < "\x80"
      ? own.length
      : Buffer.byteLength(own);
}
