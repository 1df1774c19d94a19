import type { Line } from "./lines.ts";

/** Offsets in the file. */
interface Extent {
  readonly start: number;
  readonly end: number;
}

/** A longer text before a value is no head. */
const maxHead = 200;

/** How many heads are remembered, and how many values of each wait. */
const maxHeads = 256;
const maxWaiting = 64;

/** A word, or the status that a log prints before what came back. */
const telling = /[A-Za-z]{3}|^\s*[1-5]\d\d\s+$/;

/**
 * Values that are no JSON, by the words before them. Where other values behind the same words are traffic,
 * these were traffic too: one place in a program writes one kind of value.
 */
export class AlikeValues {
  private readonly bytes: Buffer;
  private readonly tell: (extent: Extent) => void;
  /** Heads of traffic. */
  private readonly heads = new Set<string>();
  private readonly waiting = new Map<string, Extent[]>();

  /** @param tell receives each value that was traffic. */
  constructor(bytes: Buffer, tell: (extent: Extent) => void) {
    this.bytes = bytes;
    this.tell = tell;
  }

  /** Traffic begins at an offset of a line. */
  traffic(begin: number, line: Line): void {
    const head = this.headOf(begin, line);
    if (head === undefined || this.heads.has(head) || this.heads.size >= maxHeads) return;
    this.heads.add(head);
    for (const extent of this.waiting.get(head) ?? []) this.tell(extent);
    this.waiting.delete(head);
  }

  /** A value that is no JSON begins there. */
  broken(begin: number, line: Line, end: number): void {
    const head = this.headOf(begin, line);
    if (head === undefined) return;
    const extent = { start: begin, end };
    if (this.heads.has(head)) this.tell(extent);
    else {
      const others = this.waiting.get(head) ?? [];
      if (others.length >= maxWaiting || (others.length === 0 && this.waiting.size >= maxHeads)) return;
      this.waiting.set(head, [...others, extent]);
    }
  }

  /**
   * What stands before a value on its line, without what differs from line to line; `undefined` without a
   * word or a status, since a line may begin with any value.
   */
  private headOf(begin: number, { start }: Line): string | undefined {
    if (begin - start > maxHead) return undefined;
    const head = this.bytes.toString("latin1", start, begin);
    return telling.test(head) ? head.replace(/\d+/g, "0") : undefined;
  }
}
