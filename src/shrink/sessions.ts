import type { Exchange } from "../conversation/exchange.ts";
import type { Item, Role } from "../conversation/item.ts";
import { rangeAround } from "../reading/lists.ts";
import { linesOf } from "../reading/origin.ts";
import { originOf, type Span } from "../reading/place.ts";
import type { Session } from "../traffic/session.ts";
import { Groups } from "./groups.ts";
import { itemName } from "./histories.ts";
import { namedLines, namedLoci } from "./named.ts";
import type { FailingLog } from "./oracle.ts";
import { type FileRecord, fileRecords, type Records } from "./records.ts";
import { callIdsNamed } from "./subject.ts";
import { namedAndNear, type Pass, type Unit } from "./sweep.ts";

/** Records of a session that belong together: a round, a message, or a note of the agent. */
interface SessionUnit extends Unit {
  readonly records: readonly FileRecord[];
  readonly role: Role | undefined;
  readonly callIds: readonly string[];
  readonly spans: readonly Span[];
}

/** Takes rounds out of the file of a session; records that follow each other by name are linked again. */
export const sessionPass: Pass<SessionUnit> = {
  strictness: "errors",

  unitsOf(log) {
    const units = allUnits(log);
    const first = units.find(({ role }) => role === "user");
    return units.filter((unit) => unit !== first);
  },

  without(log, units) {
    const found = sessionRecordsOf(log);
    if (!found) return { why: "nothing can be taken out of a file of this kind" };
    return found.without(new Set(units.flatMap(({ records }) => records)));
  },

  *selections(log, units) {
    const ids = new Set(callIdsNamed(log.subject));
    const spans = new Set(
      namedLoci(log).flatMap(({ exchange: { session }, pointer }) => keyOf(session?.recordAt(pointer)?.span)),
    );
    const isOnLine = isOnLines(log);
    const isNamed = (unit: SessionUnit): boolean =>
      unit.callIds.some((id) => ids.has(id)) ||
      unit.spans.some((span) => keyOf(span).some((key) => spans.has(key))) ||
      unit.records.some(isOnLine);
    const named = units.filter(isNamed);
    const head = units.slice(
      0,
      Math.max(
        0,
        units.findIndex(({ role }) => role !== undefined),
      ),
    );
    yield new Set([...head, ...named]);
    const notes = units.filter(({ role }) => role === undefined);
    yield new Set([...notes, ...named]);
    const chosen = new Set(named);
    const near = units.filter((_, index) =>
      units.slice(Math.max(0, index - 1), index + 2).some((unit) => chosen.has(unit)),
    );
    yield new Set([...notes, ...near]);
  },
};

/** Takes single records out of the rounds that are left. */
export const sessionRecordPass: Pass<SessionUnit> = {
  strictness: "errors",
  unitsOf(log) {
    const lines = linesOf(log.file.source);
    return sessionPass
      .unitsOf(log)
      .filter(({ records }) => records.length > 1)
      .flatMap((unit) =>
        unit.records.map((record) => ({
          ...unit,
          records: [record],
          name: `line ${lines.at(record.start).line}`,
        })),
      );
  },
  without: sessionPass.without,
  *selections(log, units) {
    const isNamed = isOnLines(log);
    const named = units.map(({ records }) => records.some(isNamed));
    if (named.includes(true)) yield* namedAndNear(units, named);
  },
};

/** Whether a record begins on a line that the finding names. */
function isOnLines(log: FailingLog): (record: FileRecord) => boolean {
  const { from, to } = namedLines(log);
  const lines = linesOf(log.file.source);
  return ({ start }) => {
    const { line } = lines.at(start);
    return line >= from && line <= to;
  };
}

function keyOf(span: Span | undefined): string[] {
  if (!span) return [];
  const { start, end } = originOf(span);
  return [`${start} ${end}`];
}

/** One entry of a session, in its record. */
interface SessionEntry {
  readonly span: Span;
  readonly role: Role;
  readonly items: readonly Item[];
  readonly made: readonly string[];
  readonly answered: readonly string[];
}

const entriesOfLogs = new WeakMap<FailingLog, readonly SessionEntry[]>();

/** All entries of all branches, each once, in the order of the first branch that has them. */
export function sessionEntries(log: FailingLog): readonly SessionEntry[] {
  let entries = entriesOfLogs.get(log);
  if (!entries) {
    entries = findEntries(log);
    entriesOfLogs.set(log, entries);
  }
  return entries;
}

function findEntries({ file }: FailingLog): SessionEntry[] {
  const longest = new Map<Session, Exchange>();
  for (const exchange of file.exchanges) if (exchange.session) longest.set(exchange.session, exchange);
  const seen = new Set<string>();
  const entries: SessionEntry[] = [];
  for (const [session, { request, reply }] of longest) {
    const history = request?.history;
    for (let index = 0; ; index++) {
      const place = session.recordAt(`/${index}`);
      if (!place) break;
      const { span, within } = place;
      const key = `${keyOf(span)} ${within}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const isSent = history !== undefined && index < history.length;
      const items = isSent
        ? history.items(index)
        : (reply?.items ?? []).filter(
            ({ pointer }) => pointer.startsWith(`/${index}/`) || pointer === `/${index}`,
          );
      entries.push({
        span,
        role: isSent ? history.role(index) : "assistant",
        items,
        ...session.callIds(index),
      });
    }
  }
  return entries;
}

const recordsOfLogs = new WeakMap<FailingLog, Records | "none">();

function sessionRecordsOf(log: FailingLog): Records | undefined {
  let found = recordsOfLogs.get(log);
  if (!found) {
    const origins = sessionEntries(log).map(({ span }) => originOf(span));
    const isAlone = log.run.files.length + log.run.sidecars.length === 1;
    const isWhole = origins.every(({ source }) => source === log.file.source);
    const { source, container } = log.file;
    found = (isAlone && isWhole ? fileRecords(source, container, origins, true) : undefined) ?? "none";
    recordsOfLogs.set(log, found);
  }
  return found === "none" ? undefined : found;
}

const unitsOfLogs = new WeakMap<FailingLog, readonly SessionUnit[]>();

function allUnits(log: FailingLog): readonly SessionUnit[] {
  let units = unitsOfLogs.get(log);
  if (!units) {
    units = findUnits(log);
    unitsOfLogs.set(log, units);
  }
  return units;
}

function findUnits(log: FailingLog): SessionUnit[] {
  const found = sessionRecordsOf(log);
  if (!found) return [];
  const groups = new Groups<FileRecord>();
  const held = new Map<FileRecord, SessionEntry[]>();
  const byCall = new Map<string, FileRecord>();
  let before: { readonly record: FileRecord; readonly role: Role } | undefined;
  for (const entry of sessionEntries(log)) {
    const record = rangeAround(found.records, originOf(entry.span).start);
    if (!record) continue;
    held.set(record, [...(held.get(record) ?? []), entry]);
    if (before && before.role === "assistant" && entry.role === "assistant")
      groups.join(before.record, record);
    const isCompaction = entry.items.some(({ kind }) => kind === "compaction");
    if (before && isCompaction) groups.join(before.record, record);
    for (const id of [...entry.made, ...entry.answered]) {
      const other = byCall.get(id);
      if (other) groups.join(other, record);
      else byCall.set(id, record);
    }
    before = { record, role: entry.role };
  }
  const lines = linesOf(log.file.source);
  return groups.of(found.records).map((records) => {
    const entries = records.flatMap((record) => held.get(record) ?? []);
    const names = entries.flatMap(({ items }) => items.map(itemName));
    const line = lines.at(records[0]?.start ?? 0).line;
    return {
      records,
      role: entries[0]?.role,
      callIds: entries.flatMap(({ made, answered }) => [...made, ...answered]),
      spans: entries.map(({ span }) => span),
      name: names.length > 0 ? `${names.slice(0, 3).join(", ")} (line ${line})` : `the note in line ${line}`,
    };
  });
}

/** The rounds and messages of a session, without the notes of its agent. */
export function conversationUnits(log: FailingLog): readonly Unit[] {
  return allUnits(log).filter(({ role }) => role !== undefined);
}
