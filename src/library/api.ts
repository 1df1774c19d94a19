import { type CheckResult, type CheckSettings, checkFiles } from "../check/check.ts";
import { containers } from "../containers/index.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { Exchange } from "../conversation/exchange.ts";
import type { DiffReport } from "../diff/report.ts";
import type { Safety, Severity } from "../findings/finding.ts";
import type { CheckReport } from "../findings/report.ts";
import { type FixSettings, fixLogs } from "../fix/fix.ts";
import type { FixedLogs } from "../fix/fixed-logs.ts";
import { type FixReport, fixReport } from "../fix/report.ts";
import { bodyOf, writtenLog } from "../fix/written.ts";
import type { LogSource as FileInput } from "../log/log-file.ts";
import { openLog } from "../log/open.ts";
import { protocols } from "../protocols/index.ts";
import { namedProfile } from "../protocols/profiles/named.ts";
import { notUnderstood } from "../rules/reading/unreadable-record.ts";
import { type LogInput, recordingOf, remember, sourceOf } from "./log-inputs.ts";
import { notUnderstoodIn } from "./unread.ts";

export interface ReadOptions {
  /** The container's name, if the bytes alone do not identify it (`toollint formats` lists all names). */
  readonly container?: string;
  /** The protocol's name, likewise. */
  readonly protocol?: string;
}

export interface CheckOptions extends ReadOptions {
  /** The provider that received the requests, if the log does not say: a profile, or `name/model`. */
  readonly profile?: string;
  /** The provider to receive the history next: would it accept it? A profile, or `name/model`. */
  readonly target?: string;
  /** The report's name for bytes and objects; default `log`. */
  readonly name?: string;
  /** Levels by rule id. */
  readonly levels?: Readonly<Record<string, Severity | "off">>;
  /** Option values (thresholds) by rule id: `{ "runaway-loop": { maxRounds: 80 } }`. */
  readonly ruleOptions?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The log is a complete, finished run: what is still open at its end is an error. */
  readonly isComplete?: boolean;
  /** Report only findings of this conversation (`c2`). */
  readonly conversation?: string;
  /** Report only findings in these exchanges, counted from 1, both ends included. */
  readonly exchanges?: { readonly from: number; readonly to: number };
}

/** A log that was read; {@link check} also accepts it. */
export interface Log {
  readonly container: string;
  readonly kind: "requests" | "transcript";
  /** In file order. */
  readonly exchanges: readonly Exchange[];
  /** The exchanges grouped into conversations. */
  readonly conversations: readonly Conversation[];
}

/**
 * Checks a log, as `toollint check` does. A part that cannot be read becomes a finding. A log in which no
 * conversation was understood has no entry in `files` and an error, so it is never clean.
 * @throws file system errors if `log` is an unreadable path; `NotUnderstoodError` for a value that cannot be
 * a log, such as `undefined`; `RangeError` for an unknown container, protocol or profile.
 * @example
 * const report = await check({ model, messages, tools });
 * if (report.summary.error > 0) throw new Error(report.findings[0].message);
 */
export async function check(log: LogInput, options: CheckOptions = {}): Promise<CheckReport> {
  const { report, unread, files } = await checkLog(log, options);
  const [path] = unread;
  if (report.files.length > 0 || path === undefined) return report;
  const finding = { ...notUnderstood(path, files[0]?.advice), id: `f${report.findings.length + 1}` };
  const { summary } = report;
  return {
    ...report,
    findings: [...report.findings, finding],
    summary: { ...summary, error: summary.error + 1 },
  };
}

/** Like {@link check}, with all that is known of the files: why one has nothing readable, for instance. */
export async function checkLog(log: LogInput, options: CheckOptions = {}): Promise<CheckResult> {
  return withInput(log, options, (input, checking) => checkFiles([input], checking));
}

export interface DiffOptions extends ReadOptions {
  /** Also compare volatile content: dates, ids, white space, spelling of arguments, the model's wording. */
  readonly isStrict?: boolean;
  /** The number of equal items kept around each difference. Default: 2. */
  readonly context?: number;
  /** Compare only this conversation of the failing log (`c2`). */
  readonly conversation?: string;
}

/**
 * Compares a failing run with a passing one, as `toollint diff` does: where they diverge, on whose side, and
 * which rules explain it.
 * @throws as {@link check} does; `NotUnderstoodError` if no conversation was understood in one of the logs.
 * @example
 * const report = await diff("failing.jsonl", "passing.jsonl");
 * expect(report.verdict).toEqual(["The runs are the same."]);
 */
export async function diff(
  failing: LogInput,
  passing: LogInput,
  options: DiffOptions = {},
): Promise<DiffReport> {
  const { container, protocol, ...rest } = options;
  const reading = named(container, protocol);
  const failingSource = sourceOf(failing, "failing");
  const sources = [failingSource];
  try {
    const passingSource = sourceOf(passing, "passing");
    sources.push(passingSource);
    const { diffLogs } = await import("../diff/diff.ts");
    const left = { path: failingSource.name, source: failingSource };
    const right = { path: passingSource.name, source: passingSource };
    const { report, ...runs } = await diffLogs(left, right, { ...rest, ...reading });
    if (report) return report;
    const unread = [runs.left, runs.right].find((run) => run.exchanges.length === 0) ?? runs.left;
    throw notUnderstoodIn(unread.files[0].source, reading, unread.files[0].advice);
  } finally {
    for (const source of sources) source.close();
  }
}

/**
 * Reads a log and groups its exchanges into conversations.
 *
 * @throws as {@link check} does; `NotUnderstoodError` if no conversation was understood in it.
 */
export async function read(
  log: LogInput,
  options: ReadOptions & { readonly name?: string } = {},
): Promise<Log> {
  const source = sourceOf(log, options.name);
  const reading = named(options.container, options.protocol);
  const run = await openLog({ path: source.name, source }, reading);
  const { container, kind, advice } = run.files[0];
  if (run.exchanges.length === 0) {
    source.close();
    throw notUnderstoodIn(source, reading, advice);
  }
  const result: Log = { container, kind, exchanges: run.exchanges, conversations: run.conversations };
  remember(result, { source, container: options.container, protocol: options.protocol });
  return result;
}

export interface FixOptions extends CheckOptions {
  /** The classes of fixes to apply; default `["safe"]`. */
  readonly classes?: readonly Safety[];
}

/** A repaired log. */
export interface FixedLog {
  /** The log in its own container; the original bytes if there was nothing to repair. */
  readonly bytes: Uint8Array;
  readonly report: FixReport;
}

/**
 * Repairs the history in a log's requests, as `toollint fix` does. Writes nothing to disk.
 * @throws as {@link check} does; `NotUnderstoodError` if no conversation was understood in it.
 * @example
 * const { bytes, report } = await fix("run.log");
 * if (report.summary.applied > 0) await writeFile("fixed.log", bytes);
 */
export async function fix(log: LogInput, options: FixOptions = {}): Promise<FixedLog> {
  return withInput(log, options, async (input, fixing) => {
    const repaired = await understoodFix(input, fixing);
    const written = writtenLog(repaired, input.path, input.source);
    return { bytes: written.bytes, report: fixReport(repaired, new Map([[input.path, { written }]])) };
  });
}

/**
 * The repaired body of one request as JSON text; the recorded body if there is nothing to repair. `undefined`
 * when the log lacks the exchange or its request.
 * @param exchange counted from 1, as in reports.
 * @throws as {@link fix} does.
 */
export async function repairedRequest(
  log: LogInput,
  exchange: number,
  options: FixOptions = {},
): Promise<string | undefined> {
  return withInput(log, options, async (input, fixing) =>
    bodyOf(await understoodFix(input, fixing), exchange),
  );
}

async function understoodFix(input: FileInput, options: FixSettings): Promise<FixedLogs> {
  const repaired = await fixLogs([input], options);
  const { report, files } = repaired.checked;
  if (report.files.length === 0) throw notUnderstoodIn(input.source, options, files[0]?.advice);
  return repaired;
}

/** Opens a log, runs `work`, and closes it. A log from `read` stays open for later lookups. */
async function withInput<T>(
  log: LogInput,
  { name, container, protocol, profile, target, ...rest }: FixOptions,
  work: (input: FileInput, options: FixSettings) => Promise<T>,
): Promise<T> {
  const recorded = recordingOf(log);
  const source = recorded?.source ?? sourceOf(log, name);
  try {
    return await work(
      { path: source.name, source },
      {
        ...rest,
        ...named(container ?? recorded?.container, protocol ?? recorded?.protocol),
        ...judgedBy(profile, target),
      },
    );
  } finally {
    if (!recorded) source.close();
  }
}

function named(
  containerName: string | undefined,
  protocolName: string | undefined,
): Pick<CheckSettings, "container" | "protocol"> {
  const container = containers.find(({ name }) => name === containerName);
  const protocol = protocols.find(({ name }) => name === protocolName);
  if (containerName !== undefined && !container)
    throw new RangeError(`no container is called \`${containerName}\``);
  if (protocolName !== undefined && !protocol)
    throw new RangeError(`no protocol is called \`${protocolName}\``);
  return { ...(container && { container }), ...(protocol && { protocol }) };
}

/** The target wins over the profile: it is the explicit question. */
function judgedBy(profile: string | undefined, target: string | undefined): Pick<CheckSettings, "judge"> {
  const name = target ?? profile;
  if (name === undefined) return {};
  const judge = namedProfile(name, target === undefined ? "profile" : "target");
  if (!judge) throw new RangeError(`no profile is called \`${name}\``);
  return { judge };
}
