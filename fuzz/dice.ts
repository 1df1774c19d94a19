/** Numbers that look random and are the same in every run with the same seed. */
export class Dice {
  #state: number;

  /** @param seeds together choose the numbers: the run's seed and the mutant's number, for instance. */
  constructor(...seeds: readonly number[]) {
    this.#state = 0x9e3779b9;
    for (const seed of seeds) {
      this.#state = Math.imul(this.#state ^ seed, 0x85ebca6b) >>> 0;
      this.#next();
    }
  }

  /** mulberry32 */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** A whole number from 0 to below `sides`. */
  below(sides: number): number {
    return sides <= 1 ? 0 : this.#next() % sides;
  }

  /** A whole number from `low` to `high`. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** One of the values; throws for an empty list. */
  pick<T>(values: readonly T[]): T {
    if (values.length === 0) throw new RangeError("there is nothing to pick from");
    return values[this.below(values.length)] as T;
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  shuffled<T>(values: readonly T[]): T[] {
    const all = [...values];
    for (let place = all.length - 1; place > 0; place--) {
      const other = this.below(place + 1);
      [all[place], all[other]] = [all[other] as T, all[place] as T];
    }
    return all;
  }
}
