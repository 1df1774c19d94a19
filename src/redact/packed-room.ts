import { Density, smallPacked } from "../reading/density.ts";

/** The most bytes that are redacted of what is packed in less than 1 MiB. */
const mostBytes = 8 << 20;

/** Redacting reads, checks and repairs a log twice, so it takes four times as long as reading it. */
const shareOfLooks = 1 / 4;

/** What is packed in a small file, or in the bodies of a small log, as far as it can be redacted in time. */
export class PackedRoom {
  #left = mostBytes;
  readonly #density = new Density(shareOfLooks);

  /** Whether this is still within the bounds, with all that was taken before. */
  take(unpacked: Buffer): boolean {
    this.#left -= unpacked.length;
    return this.#left >= 0 && this.#density.take(unpacked);
  }
}

/** The room in a file of so many bytes; larger ones may hold anything. */
export function packedRoom(size: number): PackedRoom | undefined {
  return size < smallPacked ? new PackedRoom() : undefined;
}

/** What is beyond the room, for messages. */
export const beyondRoom = "holds more than 8 MiB, or very many short values: too much to redact while packed";
