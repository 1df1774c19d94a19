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

/** More exchanges than most logs have. */
const manyExchanges = 10_000;

/** The line of the shortest request that says something, one letter to a model. */
const leastExchange = 56;

/** Whether a log with this many exchanges has hardly a word in them. `size` is in bytes. */
export function isExchangeCrowd(exchanges: number, size: number): boolean {
  return exchanges >= manyExchanges && size < exchanges * leastExchange;
}

/** What is said of the end of such a log. */
export const exchangeCrowdMessage = `the log has too many requests and replies for its size, less than ${leastExchange} bytes for each: the rest was not read`;
