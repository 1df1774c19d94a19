import { Segments } from "./segments.ts";

/** Members that are objects, also where they are empty: some languages print an empty list alike. */
export const isObject = /^(?:input|arguments|args|parameters|properties)$/;

/** Reads a value in a printed notation, and writes the equivalent JSON as it goes. */
export abstract class PrintReader {
  /** The current offset: in the end behind the value, or where reading failed. */
  at: number;
  /** The bytes ended inside the value. */
  protected isCut = false;
  protected readonly bytes: Buffer;
  protected readonly end: number;
  protected readonly json: Segments;

  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
    this.json = new Segments(bytes);
  }

  /** Writes JSON for the next `width` bytes, and steps over them. */
  protected write(json: string, width: number): true {
    this.json.write(Buffer.from(json), this.at, this.at + width);
    this.at += width;
    return true;
  }

  protected cut(): true {
    this.isCut = true;
    return true;
  }

  protected space(): void {
    while (this.at < this.end && /\s/.test(this.byte())) this.at++;
  }

  protected byte(): string {
    return this.at < this.end ? String.fromCharCode(this.bytes[this.at] ?? 0) : "";
  }

  /** Up to `length` bytes from an offset on. */
  protected ahead(from: number, length: number): string {
    return this.bytes.toString("latin1", from, Math.min(this.end, from + length));
  }
}
