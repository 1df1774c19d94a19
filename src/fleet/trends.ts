import type { TimeSpan } from "../check/run-report.ts";
import type {
  CheckReport,
  DiagnosisReport,
  FindingReport,
  FindingTrend,
  HabitTrend,
  RuleTrend,
  Seen,
  Trends,
} from "../findings/report.ts";
import { unlistedBy } from "../findings/unlisted.ts";
import { groupBy } from "../reading/group-by.ts";
import { rootsOf } from "../reporters/roots.ts";

/** A report to group, with what its logs say of the times. */
export interface Period {
  readonly report: CheckReport;
  /** When a finding occurred, by its id; `undefined` where the log does not say. */
  timeOf(id: string): TimeSpan | undefined;
}

/** The last report, to compare with. */
export interface Before extends Period {
  /** Its path as typed. */
  readonly path: string;
}

/** What is counted of one mistake in one report. */
interface Tally {
  readonly count: number;
  readonly files: ReadonlySet<string>;
  readonly seen: TimeSpan | undefined;
}

/**
 * Groups the findings that count by rule, by what the client does wrong and by fingerprint. With a report
 * from before, says what is new, known and gone. What is gone cannot be said of an incomplete report.
 */
export function trendsOf(now: Period, before?: Before): Trends {
  const { missingShards = [], unread = [] } = now.report;
  const isWhole = missingShards.length === 0 && !unread.some(({ kind }) => kind === "unreadable");
  const own = { now: rootsIn(now), before: before && rootsIn(before) };
  return {
    ...(before && { since: { path: before.path, saysGone: isWhole } }),
    findings: compared(
      own,
      ({ finding }) => finding.fingerprint,
      isWhole,
      (key, { finding }): FindingLike => ({
        fingerprint: key,
        rule: finding.rule,
        severity: finding.severity,
        message: finding.message,
      }),
    ),
    habits: compared(
      { now: diagnosesIn(now), before: before && diagnosesIn(before) },
      ({ diagnosis }) => JSON.stringify([diagnosis.rule, diagnosis.title]),
      isWhole,
      (_, { diagnosis }): HabitLike => ({
        title: diagnosis.title,
        rule: diagnosis.rule,
        change: diagnosis.change,
      }),
    ),
    rules: compared(
      own,
      ({ finding }) => finding.rule,
      isWhole,
      (key): RuleLike => ({ rule: key }),
    ),
  };
}

type FindingLike = Omit<FindingTrend, keyof Seen>;
type HabitLike = Omit<HabitTrend, keyof Seen>;
type RuleLike = Omit<RuleTrend, keyof Seen>;

/** One occurrence of what is counted. */
interface Occurrence {
  readonly file: string;
  readonly times: number;
  readonly seen: TimeSpan | undefined;
}

function rootsIn({ report, timeOf }: Period): (Occurrence & { readonly finding: FindingReport })[] {
  return rootsOf(report).map(({ finding }) => ({
    finding,
    file: finding.location.file,
    times: unlistedBy(finding) || 1,
    seen: timeOf(finding.id),
  }));
}

/** A habit occurs once in each file that shows it. */
function diagnosesIn({ report, timeOf }: Period): (Occurrence & { readonly diagnosis: DiagnosisReport })[] {
  return report.diagnoses.map((diagnosis) => ({
    diagnosis,
    file: diagnosis.file,
    times: 1,
    seen: union(diagnosis.findings.map(timeOf)),
  }));
}

/** Groups occurrences by key: new ones first, then known, then gone; the most frequent first. */
function compared<O extends Occurrence, T extends object>(
  { now, before }: { readonly now: readonly O[]; readonly before: readonly O[] | undefined },
  keyOf: (occurrence: O) => string,
  saysGone: boolean,
  describe: (key: string, first: O) => T,
): (T & Seen)[] {
  const [newer, older] = [groupBy(now, keyOf), groupBy(before ?? [], keyOf)];
  const trends: (T & Seen)[] = [];
  for (const [key, group] of newer) {
    const known = older.get(key);
    const [first] = group;
    if (!first) continue;
    const status = before && (known ? "known" : "new");
    trends.push({ ...describe(key, first), ...seenIn(tallyOf(group), status, known && tallyOf(known)) });
  }
  for (const [key, group] of older) {
    const [first] = group;
    if (newer.has(key) || !first || !saysGone) continue;
    trends.push({ ...describe(key, first), ...seenIn(undefined, "gone", tallyOf(group)) });
  }
  const rank = { new: 0, known: 1, gone: 2 };
  const rankOf = ({ status }: Seen): number => (status ? rank[status] : 0);
  const weightOf = ({ count, before: last = 0 }: Seen): number => count || last;
  return trends.sort((a, b) => rankOf(a) - rankOf(b) || weightOf(b) - weightOf(a));
}

function tallyOf(group: readonly Occurrence[]): Tally {
  return {
    count: group.reduce((sum, { times }) => sum + times, 0),
    files: new Set(group.map(({ file }) => file)),
    seen: union(group.map(({ seen }) => seen)),
  };
}

function seenIn(now: Tally | undefined, status: Seen["status"], before: Tally | undefined): Seen {
  const seen = union([now?.seen, before?.seen]);
  return {
    ...(status && { status }),
    count: now?.count ?? 0,
    ...(status && { before: before?.count ?? 0 }),
    files: now?.files.size ?? 0,
    ...(seen && { first: new Date(seen[0]).toISOString(), last: new Date(seen[1]).toISOString() }),
  };
}

function union(spans: readonly (TimeSpan | undefined)[]): TimeSpan | undefined {
  let all: TimeSpan | undefined;
  for (const span of spans)
    if (span?.every(isDate)) all = all ? [Math.min(all[0], span[0]), Math.max(all[1], span[1])] : span;
  return all;
}

/** Numbers that a log gives as times may be none. */
function isDate(time: number): boolean {
  return Math.abs(time) <= 8.64e15;
}
