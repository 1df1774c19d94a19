/** More entries than a list of any conversation has. */
export const maxCrowd = 20_000;

/** In such a list an entry is as long as the shortest message, which names a role. */
const leastEntry = 16;

/**
 * Whether a list with this many entries is no list of messages, calls or parts: 300,000 empty objects take a
 * megabyte of the log, and gigabytes when each is looked at as a message. `size` is in bytes.
 */
export function isCrowd(entries: number, size: number): boolean {
  return entries >= maxCrowd && size < entries * leastEntry;
}

/** What is said of the end of such a list. */
export const crowdMessage = `the list has more than ${maxCrowd / 1000},000 entries, most of them empty: the rest was not read`;
