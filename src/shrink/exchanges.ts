import type { Step } from "../conversation/conversation.ts";
import type { Exchange } from "../conversation/exchange.ts";
import { indexOfRange, type Range } from "../reading/lists.ts";
import { linesOf } from "../reading/origin.ts";
import type { PayloadPlace } from "../traffic/place.ts";
import { Groups } from "./groups.ts";
import { namedExchanges, namedLines, stepsOf } from "./named.ts";
import type { FailingLog } from "./oracle.ts";
import { type FileRecord, fileRecords, type Records } from "./records.ts";
import type { Pass, Unit } from "./sweep.ts";

/** Records of a file that only make sense together: those of an exchange. */
interface RecordUnit extends Unit {
  readonly records: readonly FileRecord[];
  readonly exchanges: readonly Exchange[];
  /** Of any record of the file, those of exchanges that continue its own by the id of a response. */
  readonly followers: ReadonlyMap<FileRecord, readonly FileRecord[]>;
}

/**
 * Takes whole exchanges out of a log of requests, and lines without traffic. What continues an exchange by
 * the id of its response goes with it: the server keeps what was said before, so a chain of responses is
 * whole from its beginning to its last exchange.
 */
export const exchangePass: Pass<RecordUnit> = {
  strictness: "errors",

  unitsOf(log) {
    const found = fileRecordsOf(log);
    if (!found) return [];
    const units = unitsIn(log, found.records);
    const exchanges = units.flatMap((unit) => unit.exchanges);
    // The last exchange stays: a log without traffic shows nothing.
    return new Set(exchanges).size > 1 || units.some((unit) => unit.exchanges.length === 0) ? units : [];
  },

  without(log, units) {
    const found = fileRecordsOf(log);
    if (!found) return { why: "nothing can be taken out of a file of this kind" };
    const gone = new Set(units.flatMap(({ records }) => records));
    for (const record of gone) for (const each of units[0]?.followers.get(record) ?? []) gone.add(each);
    return found.without(gone);
  },

  *selections(log, units) {
    for (const chosen of exchangeSelections(log)) yield withContext(log, units, chosen);
  },
};

/**
 * The exchanges to begin with, the smallest selection first: those that the finding names, with those that
 * they continue, and all of their conversations up to there. Chains of responses are whole.
 */
export function* exchangeSelections(log: FailingLog): Generator<ReadonlySet<Exchange>> {
  const named = namedExchanges(log);
  const steps = stepsOf(log);
  const withChains = (chosen: Iterable<Exchange>): ReadonlySet<Exchange> => {
    const all = new Set(chosen);
    for (const exchange of all) {
      const step = steps.get(exchange);
      const before = step && continuedBy(step);
      if (before) all.add(before);
    }
    return all;
  };
  const conversations = new Set([...named].map((each) => steps.get(each)?.conversation));
  const last = [...named].reduce((most, { position }) => Math.max(most, position), 0);
  yield withChains(named);
  yield withChains([...named].flatMap((each) => [steps.get(each)?.parent?.exchange ?? [], each].flat()));
  yield withChains(
    log.run.exchanges.filter(
      (each) => each.position <= last && conversations.has(steps.get(each)?.conversation),
    ),
  );
}

const cached = new WeakMap<FailingLog, Records | "none">();

/** The records of the file of a log, where some can be taken out of it. */
export function fileRecordsOf(log: FailingLog): Records | undefined {
  let found = cached.get(log);
  if (!found) {
    found = findRecords(log) ?? "none";
    cached.set(log, found);
  }
  return found === "none" ? undefined : found;
}

function findRecords({ file, run }: FailingLog): Records | undefined {
  if (run.files.length + run.sidecars.length > 1) return undefined;
  const places = file.exchanges.flatMap(halvesOf);
  if (places.some(({ origin }) => origin.source !== file.source)) return undefined;
  return fileRecords(
    file.source,
    file.container,
    places.map(({ origin }) => origin),
    false,
  );
}

/** Where the halves of an exchange stand, with all copies. */
export function halvesOf({ request, reply }: Exchange): PayloadPlace[] {
  return [
    ...(request ? [request.place, ...(request.copies ?? []).map(({ place }) => place)] : []),
    ...(reply ? [reply.place] : []),
  ];
}

export function overlaps(one: Range, other: Range): boolean {
  return one.start < other.end && other.start < one.end;
}

function unitsIn(log: FailingLog, records: readonly FileRecord[]): RecordUnit[] {
  const groups = new Groups<FileRecord>();
  const busy = records.filter(({ isIdle }) => !isIdle);
  const holders = exchangesOn(busy, log.file.exchanges);
  const byExchange = new Map<Exchange, FileRecord>();
  for (const record of busy) {
    for (const exchange of holders.get(record) ?? []) {
      const first = byExchange.get(exchange);
      if (first) groups.join(first, record);
      else byExchange.set(exchange, record);
    }
  }
  const followers = new Map<FileRecord, FileRecord[]>();
  for (const [exchange, step] of stepsOf(log)) {
    const before = continuedBy(step);
    const [own, other] = [byExchange.get(exchange), before && byExchange.get(before)];
    if (!own || !other) continue;
    const known = followers.get(other);
    if (known) known.push(own);
    else followers.set(other, [own]);
  }
  const units = groups.of(records).map((own) => {
    const exchanges = [...new Set(own.flatMap((record) => holders.get(record) ?? []))];
    return { records: own, exchanges, name: nameOf(exchanges, log, own) };
  });
  // All records of an exchange go with the first, whichever was followed.
  for (const { records: own } of units) {
    const next = own.flatMap((record) => followers.get(record) ?? []);
    for (const record of next.length > 0 || own.length > 1 ? own : [])
      followers.set(record, [...next, ...own.filter((each) => each !== record)]);
  }
  return units.map((unit) => ({ ...unit, followers }));
}

/** The exchange whose response a step continues by its id: what was said before is not sent again. */
function continuedBy({ parent, request }: Step): Exchange | undefined {
  return request?.links.previousReply === undefined ? undefined : parent?.exchange;
}

/** The exchanges that each record holds, in whole or in part. The records are in order and disjoint. */
export function exchangesOn<R extends Range>(
  records: readonly R[],
  exchanges: readonly Exchange[],
): ReadonlyMap<R, readonly Exchange[]> {
  const held = new Map<R, Set<Exchange>>();
  for (const exchange of exchanges)
    for (const { origin } of halvesOf(exchange))
      for (const record of overlapping(records, origin)) {
        const own = held.get(record);
        if (own) own.add(exchange);
        else held.set(record, new Set([exchange]));
      }
  return new Map([...held].map(([record, own]) => [record, [...own]]));
}

/** The records that a range touches; they are in order and disjoint. */
function overlapping<R extends Range>(records: readonly R[], range: Range): R[] {
  const found: R[] = [];
  for (let at = indexOfRange(records, range.start); at < records.length; at++) {
    const record = records[at];
    if (!record || !overlaps(record, range)) break;
    found.push(record);
  }
  return found;
}

function nameOf(
  exchanges: readonly Exchange[],
  { file }: FailingLog,
  [first]: readonly FileRecord[],
): string {
  const numbers = exchanges.map(({ number }) => number);
  if (numbers.length > 1) return `exchanges ${numbers[0]} to ${numbers.at(-1)}, in one record`;
  if (numbers.length === 1) return `exchange ${numbers[0]}`;
  return `line ${linesOf(file.source).at(first?.start ?? 0).line}`;
}

/** The units of these exchanges, the lines right before them, and the line that the finding points to. */
function withContext(
  log: FailingLog,
  units: readonly RecordUnit[],
  chosen: ReadonlySet<Exchange>,
): ReadonlySet<RecordUnit> {
  const { from, to } = namedLines(log);
  const lines = linesOf(log.file.source);
  const kept = new Set<RecordUnit>();
  let context: RecordUnit[] = [];
  let isHead = true;
  for (const unit of units) {
    if (unit.exchanges.some((exchange) => chosen.has(exchange))) {
      for (const each of [...context, unit]) kept.add(each);
    }
    if (unit.exchanges.length > 0) {
      context = [];
      isHead = false;
      continue;
    }
    context.push(unit);
    // A first line may say what the file is.
    if (isHead && context.length <= 3) kept.add(unit);
    const line = log.finding ? 0 : lines.at(unit.records[0]?.start ?? 0).line;
    if (line >= from && line <= to) kept.add(unit);
  }
  return kept;
}
