import type { Said } from "./said.ts";

/** A point that conversations have come to, by all that was said before it. */
export class Point<Ending> {
  /** What was said last; absent at the beginning. */
  readonly said: Said | undefined;
  /** The conversations that end here. */
  readonly endings: Ending[] = [];
  private readonly next = new Map<string, Point<Ending>>();

  constructor(said?: Said) {
    this.said = said;
  }

  /** How conversations go on from here. */
  get following(): Iterable<Point<Ending>> {
    return this.next.values();
  }

  /** The point that something said leads to, made where it is new. */
  extend(said: Said): Point<Ending> {
    let next = this.next.get(said.key);
    if (!next) {
      next = new Point(said);
      this.next.set(said.key, next);
    }
    return next;
  }

  /** The last point that a conversation shares with others, and how much of it leads there. */
  follow(conversation: readonly Said[]): { readonly point: Point<Ending>; readonly length: number } {
    let point: Point<Ending> = this;
    for (const [length, said] of conversation.entries()) {
      const next = point.next.get(said.key);
      if (!next) return { point, length };
      point = next;
    }
    return { point, length: conversation.length };
  }
}
