/** The list that is empty everywhere: a session of ten thousand replies does not need a list of nothing for each of its facts. */
export const emptyList: readonly never[] = Object.freeze([]);

/** The list with one more at its end: the same list, but a new one in place of an empty list, which others may share. */
export function append<T>(list: readonly T[], item: T): T[] {
  // What is pushed to an empty list makes room for sixteen more.
  if (list.length === 0) return [item];
  (list as T[]).push(item);
  return list as T[];
}
