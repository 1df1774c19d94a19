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

/** Logs of this many bytes, and longer ones, may hold any number of exchanges that say something. */
const smallLog = 1 << 20;

/** More exchanges than a small log has, or most others: each has some 200 bytes of a small one. */
const mostOfSmall = 5_000;
const manyExchanges = 10_000;

/** The line of the shortest request that says something, one letter to a model. */
const leastExchange = 56;

/**
 * What is said of the rest of a log with this many exchanges, if that is more than its size lets one expect.
 * An exchange costs as much as some hundred values, and a command may read a log twice and look at each
 * repair, so a small log takes seconds only if it holds nothing but short requests. Sizes are in bytes:
 * `held` is that of what was unpacked, `stored` that of the file.
 */
export function exchangeCrowd(exchanges: number, held: number, stored: number): string | undefined {
  if (exchanges >= manyExchanges && held < exchanges * leastExchange)
    return `the log has too many requests and replies for its size, less than ${leastExchange} bytes for each: the rest was not read`;
  if (exchanges < mostOfSmall || stored >= smallLog) return undefined;
  const next = held > stored ? "unpack or split the log" : "split the log";
  return `a log below 1 MiB is read up to ${mostOfSmall / 1000},000 requests and replies: the rest was not read; ${next} to have it checked`;
}
