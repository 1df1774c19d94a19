import type { Exchange } from "../conversation/exchange.ts";
import { linesOf } from "../reading/origin.ts";
import type { PayloadPlace } from "../traffic/place.ts";
import { Groups } from "./groups.ts";
import { namedExchanges, namedLines, stepsOf } from "./named.ts";
import type { FailingLog } from "./oracle.ts";
import { type FileRecord, fileRecords, type Range, type Records } from "./records.ts";
import type { Pass, Unit } from "./sweep.ts";

/** Records of a file that only make sense together: those of an exchange, or of a chain of responses. */
interface RecordUnit extends Unit {
  readonly records: readonly FileRecord[];
  readonly exchanges: readonly Exchange[];
}

/**
 * Takes whole exchanges out of a log of requests, and lines without traffic. Exchanges of which one continues
 * the other by the id of a response are one unit: the server keeps what was said before.
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
    return found.without(new Set(units.flatMap(({ records }) => records)));
  },

  *selections(log, units) {
    const named = namedExchanges(log);
    const steps = stepsOf(log);
    const withParents = new Set(
      [...named].flatMap((each) => [steps.get(each)?.parent?.exchange ?? [], each].flat()),
    );
    const conversations = new Set([...named].map((each) => steps.get(each)?.conversation));
    const last = Math.max(0, ...[...named].map(({ position }) => position));
    const upToIt = log.run.exchanges.filter(
      (each) => each.position <= last && conversations.has(steps.get(each)?.conversation),
    );
    for (const chosen of [named, withParents, new Set(upToIt)]) yield withContext(log, units, chosen);
  },
};

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
  const holders = new Map<FileRecord, Exchange[]>();
  const byExchange = new Map<Exchange, FileRecord>();
  const busy = records.filter(({ isIdle }) => !isIdle);
  for (const exchange of log.file.exchanges) {
    for (const { origin } of halvesOf(exchange)) {
      for (const record of overlapping(busy, origin)) {
        const first = byExchange.get(exchange);
        if (first) groups.join(first, record);
        else byExchange.set(exchange, record);
        holders.set(record, [...(holders.get(record) ?? []), exchange]);
      }
    }
  }
  for (const [exchange, { parent, request }] of stepsOf(log)) {
    const [own, before] = [byExchange.get(exchange), parent && byExchange.get(parent.exchange)];
    if (own && before && request?.links.previousReply !== undefined) groups.join(before, own);
  }
  return groups.of(records).map((own) => {
    const exchanges = [...new Set(own.flatMap((record) => holders.get(record) ?? []))];
    return { records: own, exchanges, name: nameOf(exchanges, log, own) };
  });
}

/** The records that a range touches; they are in order and disjoint. */
function overlapping(records: readonly FileRecord[], range: Range): FileRecord[] {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((records[middle]?.end ?? 0) <= range.start) low = middle + 1;
    else high = middle;
  }
  const found: FileRecord[] = [];
  for (let at = low; at < records.length; at++) {
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
  if (numbers.length > 1) return `exchanges ${numbers[0]} to ${numbers.at(-1)}, a chain of responses`;
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
