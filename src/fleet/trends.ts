import type { TimeSpan } from "../check/run-report.ts";
import { steadyFactsIn } from "../findings/fingerprint.ts";
import type {
  CheckReport,
  DiagnosisReport,
  Example,
  FindingReport,
  FindingTrend,
  HabitTrend,
  MistakeTrend,
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
 * Groups the findings that count by what the client does wrong, by what they say, by fingerprint and by rule.
 * With a report from before, says what is new, known and gone. What is gone cannot be said of an incomplete
 * report.
 */
export function trendsOf(now: Period, before?: Before): Trends {
  const { missingShards = [], unread = [] } = now.report;
  const saysGone = missingShards.length === 0 && !unread.some(({ kind }) => kind === "unreadable");
  const files = { now: now.report.files.length, before: before?.report.files.length ?? 0 };
  const [own, older] = [occurrencesIn(now), before && occurrencesIn(before)];
  const roots = { now: own.roots, before: older?.roots, files, saysGone };
  const habits = { now: own.habits, before: older?.habits, files, saysGone };
  return {
    ...(before && { since: { path: before.path, saysGone } }),
    files: { count: files.now, ...(before && { before: files.before }) },
    habits: compared(habits, habitKey, (group): HabitLike => {
      const { title, change, changeIn } = group[0].diagnosis;
      return { title, ...exampleOf(group), change, ...(changeIn && { changeIn }) };
    }),
    mistakes: compared(roots, mistakeKey, (group): MistakeLike => {
      const [{ finding, title }] = group;
      return {
        ...exampleOf(group),
        kind: finding.kind,
        data: Object.fromEntries(steadyFactsIn(finding.data)),
        ...(title !== undefined && { habit: title }),
      };
    }),
    findings: compared(
      roots,
      ({ finding }) => finding.fingerprint,
      (group): FindingLike => ({ fingerprint: group[0].finding.fingerprint, ...exampleOf(group) }),
    ),
    rules: compared(
      roots,
      ({ finding }) => finding.rule,
      ([{ finding }]): RuleLike => ({ rule: finding.rule }),
    ),
  };
}

type FindingLike = Omit<FindingTrend, keyof Seen>;
type MistakeLike = Omit<MistakeTrend, keyof Seen>;
type HabitLike = Omit<HabitTrend, keyof Seen>;
type RuleLike = Omit<RuleTrend, keyof Seen>;

/** One occurrence of what is counted. */
interface Occurrence {
  readonly finding: FindingReport;
  readonly times: number;
  readonly seen: TimeSpan | undefined;
}

/** A finding without a cause. */
interface RootOccurrence extends Occurrence {
  /** The title of its habit. */
  readonly title: string | undefined;
}

/** A habit occurs once in each file that shows it. */
interface HabitOccurrence extends Occurrence {
  readonly diagnosis: DiagnosisReport;
}

function occurrencesIn({ report, timeOf }: Period): { roots: RootOccurrence[]; habits: HabitOccurrence[] } {
  const byId = new Map(report.findings.map((finding) => [finding.id, finding]));
  const titles = new Map(
    report.diagnoses.flatMap(({ findings, title }) => findings.map((id) => [id, title] as const)),
  );
  return {
    roots: rootsOf(report).map(({ finding }) => ({
      finding,
      title: titles.get(finding.id),
      times: unlistedBy(finding) || 1,
      seen: timeOf(finding.id),
    })),
    habits: report.diagnoses.flatMap((diagnosis) => {
      // Suppressed findings are in no report.
      const own = diagnosis.findings.flatMap((id) => byId.get(id) ?? []);
      const [finding] = own;
      return finding ? { diagnosis, finding, times: 1, seen: union(own.map(({ id }) => timeOf(id))) } : [];
    }),
  };
}

/** What a title quotes differs from log to log. */
function habitKey({ diagnosis: { rule, title } }: HabitOccurrence): string {
  return JSON.stringify([rule, withoutQuotes(title)]);
}

function mistakeKey({ finding: { rule, kind, data }, title = "" }: RootOccurrence): string {
  return JSON.stringify([rule, kind, withoutQuotes(title), steadyFactsIn(data).map(inOrder)]);
}

/** Calls of one reply come in any order. */
function inOrder([name, value]: [name: string, value: unknown]): [name: string, value: unknown] {
  return [name, Array.isArray(value) ? [...value].sort() : value];
}

function withoutQuotes(sentence: string): string {
  return sentence.replace(/`[^`]*`/g, "``");
}

type Group<O> = readonly [O, ...O[]];

/** The most severe finding of a group stands for it. */
function exampleOf([first, ...others]: Group<Occurrence>): Example {
  let { finding } = first;
  for (const other of others)
    if (severities.indexOf(other.finding.severity) < severities.indexOf(finding.severity))
      finding = other.finding;
  const { rule, severity, message, location } = finding;
  return { rule, severity, message, location };
}

const severities = ["error", "warning", "info"] as const;

interface Comparison<O> {
  readonly now: readonly O[];
  readonly before: readonly O[] | undefined;
  /** How many files there are. */
  readonly files: { readonly now: number; readonly before: number };
  readonly saysGone: boolean;
}

/**
 * Groups occurrences by key: new ones first, then known ones, of which the one comes first that has spread
 * most, then gone ones; otherwise the most frequent first.
 */
function compared<O extends Occurrence, T extends object>(
  { now, before, files, saysGone }: Comparison<O>,
  keyOf: (occurrence: O) => string,
  describe: (group: Group<O>) => T,
): (T & Seen)[] {
  const [newer, older] = [groupBy(now, keyOf), groupBy(before ?? [], keyOf)];
  const trends: (T & Seen)[] = [];
  for (const [key, group] of newer) {
    const known = older.get(key);
    if (!isGroup(group)) continue;
    const status = before && (known ? "known" : "new");
    trends.push({ ...describe(group), ...seenIn(tallyOf(group), status, known && tallyOf(known)) });
  }
  for (const [key, group] of older) {
    if (newer.has(key) || !isGroup(group) || !saysGone) continue;
    trends.push({ ...describe(group), ...seenIn(undefined, "gone", tallyOf(group)) });
  }
  const rank = { new: 0, known: 1, gone: 2 };
  const rankOf = ({ status }: Seen): number => (status ? rank[status] : 0);
  const growthOf = ({ status, files: own, filesBefore = 0 }: Seen): number =>
    status === "known" ? own / Math.max(1, files.now) - filesBefore / Math.max(1, files.before) : 0;
  const weightOf = ({ count, before: last = 0 }: Seen): number => count || last;
  return trends.sort(
    (a, b) => rankOf(a) - rankOf(b) || growthOf(b) - growthOf(a) || weightOf(b) - weightOf(a),
  );
}

function isGroup<O>(group: readonly O[]): group is Group<O> {
  return group.length > 0;
}

function tallyOf(group: readonly Occurrence[]): Tally {
  return {
    count: group.reduce((sum, { times }) => sum + times, 0),
    files: new Set(group.map(({ finding }) => finding.location.file)),
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
    ...(status && { filesBefore: before?.files.size ?? 0 }),
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
