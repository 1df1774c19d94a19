/** A shared empty list: a session with ten thousand replies needs no empty list of its own for each fact. */
export const emptyList: readonly never[] = Object.freeze([]);

/** Appends to the list in place. An empty list may be shared, so it is replaced by a new one. */
export function append<T>(list: readonly T[], item: T): T[] {
  // A literal of one item: the first push to an empty array would reserve room for sixteen.
  if (list.length === 0) return [item];
  (list as T[]).push(item);
  return list as T[];
}

/** Adds all items at the end. Spread into arguments, the 120,000 that a log may hold overflow the stack. */
export function pushAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}

/** Adds all items at the beginning, like {@link pushAll}. */
export function prepend<T>(list: T[], items: Iterable<T>): void {
  const all = [...items, ...list];
  list.length = 0;
  pushAll(list, all);
}

/** The smallest number; infinity if there is none. */
export function smallest(numbers: Iterable<number>): number {
  let least = Number.POSITIVE_INFINITY;
  for (const number of numbers) if (number < least) least = number;
  return least;
}

/** The largest number; negative infinity if there is none. */
export function largest(numbers: Iterable<number>): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const number of numbers) if (number > most) most = number;
  return most;
}

/** A range of bytes or characters. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The first index for which a condition holds that holds for all later ones; `length` if none. */
export function firstIndex(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The index of the first range that ends behind an offset; the ranges are in order and disjoint. */
export function indexOfRange(ranges: readonly Range[], offset: number): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.end ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The range that an offset stands in. */
export function rangeAround<R extends Range>(ranges: readonly R[], offset: number): R | undefined {
  const found = ranges[indexOfRange(ranges, offset)];
  return found && found.start <= offset ? found : undefined;
}
