/** Replies that a server keeps: more than a test refers to, and few enough for one that runs for days. */
export const mostReplies = 1000;

/** A map with room for so many entries. A new one takes the place of the oldest. */
export class RecentMap<Value> extends Map<string, Value> {
  private readonly most: number;

  constructor(most: number) {
    super();
    this.most = most;
  }

  override set(key: string, value: Value): this {
    super.set(key, value);
    for (const oldest of this.keys()) {
      if (this.size <= this.most) break;
      this.delete(oldest);
    }
    return this;
  }
}
