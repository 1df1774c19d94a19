/** Thrown when the work for one value is spent. */
export class Spent extends Error {}

/** Credit of each value for the first values of a call, of each further one, and of each character. */
const firstValues = 20;
const perFirstValue = 30;
const perValue = 10;
const perCharacter = 5;
/** What all calls share beyond their own credit, and how much of it one call may take. */
const shared = 5_000_000;
const maxShare = 500_000;

/**
 * Counts the steps of checking arguments, so a log decides about the work only in proportion to its size.
 * Each call brings a credit for its own values, which no other call can use up; beyond it calls share a pool.
 */
export class Work {
  private pool = shared;
  private credit = 0;
  private share = 0;
  private total = 0;

  /** All steps so far. */
  get spent(): number {
    return this.total;
  }

  /** Fills the pool again, for the next log. */
  refill(): void {
    this.pool = Math.max(this.pool, shared);
  }

  /** Begins with the next call. */
  begin({ values, characters }: { readonly values: number; readonly characters: number }): void {
    // What earlier calls did not need.
    this.pool += this.credit;
    const first = Math.min(values, firstValues);
    this.credit = perFirstValue * first + perValue * (values - first) + perCharacter * characters;
    this.share = maxShare;
  }

  /** Counts steps, of some 200 ns each. Throws {@link Spent} before work that is too much. */
  spend(steps: number): void {
    const beyond = steps - this.credit;
    if (beyond <= 0) {
      this.credit = -beyond;
      this.total += steps;
      return;
    }
    if (beyond > Math.min(this.share, this.pool)) throw new Spent();
    this.credit = 0;
    this.share -= beyond;
    this.pool -= beyond;
    this.total += steps;
  }
}
