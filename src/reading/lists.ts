/** A shared empty list: a session with ten thousand replies needs no empty list of its own for each fact. */
export const emptyList: readonly never[] = Object.freeze([]);

/** Appends to the list in place. An empty list may be shared, so it is replaced by a new one. */
export function append<T>(list: readonly T[], item: T): T[] {
  // A literal of one item: the first push to an empty array would reserve room for sixteen.
  if (list.length === 0) return [item];
  (list as T[]).push(item);
  return list as T[];
}
