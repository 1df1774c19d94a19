import type { Range } from "../reading/lists.ts";
import { parseJson } from "../reading/parse.ts";
import type { Span } from "../reading/place.ts";
import { pointerToken, pointerTokens } from "../reading/pointer.ts";
import { scanJson } from "../reading/scan.ts";
import { fields, isFields } from "../reading/values.ts";
import { wholeView } from "../reading/view.ts";
import { bodyAt, changeOf } from "./bodies.ts";
import { edited, placeOf } from "./edited.ts";
import { exchangesOn, fileRecordsOf, halvesOf, overlaps } from "./exchanges.ts";
import { editableRequests } from "./histories.ts";
import type { FailingLog } from "./oracle.ts";
import type { Pass, Unit } from "./sweep.ts";

/** A member of all requests, or of all records of a log of lines. */
interface IdleMember extends Unit {
  readonly member: string;
}

/** What every request needs, whatever the finding is. */
const needed = /^(?:model|stream|system|instructions|max_tokens)$|tool/i;

/** Takes settings out of requests: what is neither the history nor the prompt, the model or the tools. */
export const settingPass: Pass<IdleMember> = {
  strictness: "warnings",
  unitsOf(log) {
    const members = new Set<string>();
    for (const { request } of editableRequests(log))
      for (const { value } of bodyAt(request.place))
        for (const key of Object.keys(fields(value)))
          if (!needed.test(key) && pointerTokens(request.historyPointer)[0] !== key) members.add(key);
    return [...members].map((member) => ({ member, name: `the member ${member} of the requests` }));
  },
  without(log, units) {
    const gone = new Set(units.map(({ member }) => member));
    const changes = editableRequests(log).flatMap(({ request }) =>
      bodyAt(request.place, request.copies).flatMap((body) =>
        changeOf(body, removals(fields(body.value), gone)),
      ),
    );
    return edited(log, changes);
  },
};

function removals(
  value: Readonly<Record<string, unknown>>,
  gone: ReadonlySet<string>,
): { readonly op: "remove"; readonly pointer: string }[] {
  return Object.keys(value)
    .filter((key) => gone.has(key))
    .map((key) => ({ op: "remove", pointer: `/${pointerToken(key)}` }));
}

/** Takes out members of records in which no traffic stands: times, headers, notes of the logger. */
export const notePass: Pass<IdleMember> = {
  strictness: "warnings",
  unitsOf(log) {
    const busy = new Set<string>();
    const members = new Set<string>();
    for (const { idle, others } of lineRecords(log)) {
      for (const key of idle) members.add(key);
      for (const key of others) busy.add(key);
    }
    return [...members]
      .filter((member) => !busy.has(member))
      .map((member) => ({ member, name: `the member ${member} of the records` }));
  },
  without(log, units) {
    const gone = new Set(units.map(({ member }) => member));
    const changes = lineRecords(log).flatMap(({ span, value }) => {
      const edits = removals(value, gone);
      return edits.length > 0 ? [{ place: placeOf(span), edits }] : [];
    });
    return edited(log, changes);
  },
};

/** A reply that the finding does not need. */
interface IdleReply extends Unit {
  readonly exchange: number;
  readonly span: Span;
  readonly member: string;
}

/** Takes replies out of records that hold a request and its reply. */
export const replyPass: Pass<IdleReply> = {
  strictness: "errors",
  unitsOf: (log) =>
    lineRecords(log).flatMap(({ span, replies }) =>
      replies.map(({ exchange, member }) => ({
        exchange,
        member,
        span,
        name: `the reply of exchange ${exchange}`,
      })),
    ),
  without: (log, units) =>
    edited(
      log,
      units.map(({ span, member }) => ({
        place: placeOf(span),
        edits: [{ op: "remove", pointer: `/${pointerToken(member)}` }],
      })),
    ),
};

/** A record that is a line with a JSON object, and what its members hold. */
interface LineRecord {
  readonly span: Span;
  readonly value: Readonly<Record<string, unknown>>;
  /** Members without traffic, and all others. */
  readonly idle: readonly string[];
  readonly others: readonly string[];
  readonly replies: readonly { readonly exchange: number; readonly member: string }[];
}

/** The lines of JSON lines with traffic; a document alone is what is left when all other lines are gone. */
function recordRanges(log: FailingLog): readonly Range[] {
  const { container, source } = log.file;
  if (container === "json" && fileRecordsOf(log) === undefined) return [{ start: 0, end: source.size }];
  if (container !== "jsonl") return [];
  return (fileRecordsOf(log)?.records ?? []).filter(({ isIdle }) => !isIdle);
}

const linesOfLogs = new WeakMap<FailingLog, readonly LineRecord[]>();

function lineRecords(log: FailingLog): readonly LineRecord[] {
  let found = linesOfLogs.get(log);
  if (!found) {
    found = findLineRecords(log);
    linesOfLogs.set(log, found);
  }
  return found;
}

function findLineRecords(log: FailingLog): LineRecord[] {
  const { file } = log;
  if (file.kind === "transcript" || log.run.files.length + log.run.sidecars.length > 1) return [];
  const view = wholeView(file.source);
  const records = recordRanges(log);
  const held = exchangesOn(records, file.exchanges);
  return records.flatMap((record): LineRecord[] => {
    const bytes = file.source.read(record.start, record.end);
    const root = scanJson(bytes, 0, bytes.length);
    const value = root && parseJson(bytes.toString("utf8", root.start, root.end));
    if (!root?.members || !isFields(value)) return [];
    const within = held.get(record) ?? [];
    const payloads = within.flatMap((each) => halvesOf(each).map(({ origin }) => origin));
    const ranges = root.members.map(({ key, node }) => ({
      key,
      start: record.start + node.start,
      end: record.start + node.end,
    }));
    const idle = ranges.filter((range) => !payloads.some((origin) => overlaps(range, origin)));
    // A record that is a body itself has members of the body.
    if (payloads.some(({ start }) => start === record.start + root.start)) return [];
    const span: Span = { view, start: record.start + root.start, end: record.start + root.end, level: 0 };
    const replies = within.flatMap(({ number, request, reply }) => {
      const holder = reply && ranges.find((range) => overlaps(range, reply.place.origin));
      const isApart = holder && request && !overlaps(holder, request.place.origin);
      return isApart ? [{ exchange: number, member: holder.key }] : [];
    });
    const keys = new Set(idle.map(({ key }) => key));
    const others = ranges.flatMap(({ key }) => (keys.has(key) ? [] : key));
    return [{ span, value, idle: [...keys], others, replies }];
  });
}
