import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { isSameRecord } from "./pairing.ts";

/**
 * The candidates of a log in the order in which they happened. Log services list the newest record first: if
 * requests and replies are records of their own there, each reply stands before its request. Such a log is
 * read from its end; any other one as it comes, as soon as a second time tells.
 */
export class InOrder implements Iterable<PayloadCandidate> {
  /** The last record happened first; known after the iteration. */
  isNewestFirst = false;
  readonly #candidates: Iterable<PayloadCandidate>;

  constructor(candidates: Iterable<PayloadCandidate>) {
    this.#candidates = candidates;
  }

  *[Symbol.iterator](): Generator<PayloadCandidate> {
    let waiting: PayloadCandidate[] | undefined = [];
    let latest: number | undefined;
    let falls = false;
    for (const candidate of this.#candidates) {
      if (!waiting) {
        yield candidate;
        continue;
      }
      waiting.push(candidate);
      const { time = latest } = candidate.record;
      const rises = latest !== undefined && time !== undefined && time > latest;
      if (latest !== undefined && time !== undefined && time < latest) falls = true;
      if (rises || waiting.length > (falls ? mostInOrder : mostUndecided)) {
        yield* waiting;
        waiting = undefined;
      }
      latest = time;
    }
    if (!waiting) return;
    const records = byRecord(waiting);
    this.isNewestFirst = falls && records.length > 2 && areHalves(records);
    yield* this.isNewestFirst ? records.reverse().flat() : waiting;
  }
}

/** The candidates that may be held before one of another time tells the order. */
const mostUndecided = 50;

/** The longest log that is read from its end, as its candidates are all held until then. */
const mostInOrder = 50_000;

function byRecord(candidates: readonly PayloadCandidate[]): PayloadCandidate[][] {
  const records: PayloadCandidate[][] = [];
  for (const candidate of candidates) {
    const last = records.at(-1);
    if (last?.[0] && isSameRecord(last[0].record, candidate.record)) last.push(candidate);
    else records.push([candidate]);
  }
  return records;
}

/** Whether requests and replies stand in records of their own. */
function areHalves(records: readonly (readonly PayloadCandidate[])[]): boolean {
  const asks = (record: readonly PayloadCandidate[]): boolean =>
    record.some(({ part }) => part === "request");
  return records.some(asks) && !records.every(asks);
}
