/**
 * The library behind the command: read logs, check them, write rules of one's own.
 *
 * @packageDocumentation
 */
import { checkFiles, type CheckSettings as FileCheckOptions } from "./check/check.ts";
import { containers } from "./containers/index.ts";
import type { Conversation } from "./conversation/conversation.ts";
import type { Exchange } from "./conversation/exchange.ts";
import type { DiffSettings as LogDiffOptions } from "./diff/diff.ts";
import type { DiffReport } from "./diff/report.ts";
import type { Safety } from "./findings/finding.ts";
import type { CheckReport } from "./findings/report.ts";
import { type FixSettings as FileFixOptions, fixLogs } from "./fix/fix.ts";
import { type FixReport, fixReport } from "./fix/report.ts";
import { bodyOf, writtenLog } from "./fix/written.ts";
import { type LogInput, recordingOf, remember, sourceOf } from "./library/log.ts";
import { openLog } from "./log/open.ts";
import type { LogSource as FileInput } from "./log/read.ts";
import { protocols } from "./protocols/index.ts";
import { namedProfile } from "./protocols/profiles/named.ts";

export interface ReadOptions {
  /** The container's name, when the bytes alone do not tell it (`toollint formats` lists them). */
  readonly container?: string;
  /** The protocol's name, likewise. */
  readonly protocol?: string;
}

export interface CheckOptions
  extends ReadOptions,
    Omit<FileCheckOptions, "container" | "protocol" | "judge" | "settingsOf"> {
  /** The provider that the requests went to, where the log does not tell: a profile's name, or `name/model` (`toollint formats` lists them). */
  readonly profile?: string;
  /** The provider that the history is to go to next: would it be accepted there? Likewise. */
  readonly target?: string;
  /** The name that the report gives to bytes and objects; `log` when left out. */
  readonly name?: string;
}

/** A log that was read; {@link check} takes it, too. */
export interface Log {
  readonly container: string;
  readonly kind: "requests" | "transcript";
  /** In the order of the file. */
  readonly exchanges: readonly Exchange[];
  /** The exchanges put together. */
  readonly conversations: readonly Conversation[];
}

/**
 * Checks a log, as `toollint check` does. Bad input never throws: what could not be read is a finding, and a log in which nothing was
 * understood has no entry in `files`.
 *
 * @throws what the file system throws, when `log` is a path that cannot be read; `RangeError` for a container, protocol or profile that does not exist.
 * @example
 * const report = await check({ model, messages, tools });
 * if (report.summary.error > 0) throw new Error(report.findings[0].message);
 */
export async function check(log: LogInput, options: CheckOptions = {}): Promise<CheckReport> {
  return withInput(log, options, async (input, checking) => (await checkFiles([input], checking)).report);
}

export interface DiffOptions
  extends ReadOptions,
    Omit<LogDiffOptions, "container" | "protocol" | "settingsOf"> {}

/**
 * Compares a failing run with a passing one, as `toollint diff` does: where they part, on whose side, and by which rules.
 * `undefined` when nothing was understood in one of the logs.
 *
 * @throws as {@link check} does.
 * @example
 * const report = await diff("failing.jsonl", "passing.jsonl");
 * expect(report?.verdict).toEqual(["The runs are the same."]);
 */
export async function diff(
  failing: LogInput,
  passing: LogInput,
  options: DiffOptions = {},
): Promise<DiffReport | undefined> {
  const { container, protocol, ...rest } = options;
  const sources = [sourceOf(failing, "failing"), sourceOf(passing, "passing")];
  try {
    const { diffLogs } = await import("./diff/diff.ts");
    const [left, right] = sources.map((source) => ({ path: source.name, source }));
    if (!left || !right) return undefined;
    const { report } = await diffLogs(left, right, { ...rest, ...named(container, protocol) });
    return report;
  } finally {
    for (const source of sources) source.close();
  }
}

/**
 * Reads a log and puts its exchanges together.
 *
 * @throws as {@link check} does.
 */
export async function read(
  log: LogInput,
  options: ReadOptions & { readonly name?: string } = {},
): Promise<Log> {
  const source = sourceOf(log, options.name);
  const run = await openLog({ path: source.name, source }, named(options.container, options.protocol));
  const { container, kind } = run.files[0];
  const result: Log = { container, kind, exchanges: run.exchanges, conversations: run.conversations };
  remember(result, { source, container: options.container, protocol: options.protocol });
  return result;
}

export interface FixOptions extends CheckOptions {
  /** The classes of repair that may be made; `["safe"]` when left out. */
  readonly classes?: readonly Safety[];
}

/** A repaired log. */
export interface FixedLog {
  /** The log in its own container; where nothing had to be repaired, the bytes as they were. */
  readonly bytes: Uint8Array;
  readonly report: FixReport;
}

/**
 * Gives the requests of a log the history that they should have had, as `toollint fix` does. Nothing is written to disk.
 *
 * @throws as {@link check} does.
 * @example
 * const { bytes, report } = await fix("run.log");
 * if (report.summary.applied > 0) await writeFile("fixed.log", bytes);
 */
export async function fix(log: LogInput, options: FixOptions = {}): Promise<FixedLog> {
  return withInput(log, options, async (input, fixing) => {
    const repaired = await fixLogs([input], fixing);
    const written = writtenLog(repaired, input.path, input.source);
    return { bytes: written.bytes, report: fixReport(repaired, new Map([[input.path, { written }]])) };
  });
}

/**
 * The body of one request as it should have been, as JSON text; as it was recorded where nothing has to be repaired. `undefined` for an
 * exchange that the log does not have, or of which it has no request.
 *
 * @param exchange counted from 1, as reports count.
 * @throws as {@link check} does.
 */
export async function repairedRequest(
  log: LogInput,
  exchange: number,
  options: FixOptions = {},
): Promise<string | undefined> {
  return withInput(log, options, async (input, fixing) => bodyOf(await fixLogs([input], fixing), exchange));
}

/** Opens a log for some work, and closes it; what `read` gave looks up its places later, and stays open. */
async function withInput<T>(
  log: LogInput,
  { name, container, protocol, profile, target, ...rest }: FixOptions,
  work: (input: FileInput, options: FileFixOptions) => Promise<T>,
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
): Pick<FileCheckOptions, "container" | "protocol"> {
  const container = containers.find(({ name }) => name === containerName);
  const protocol = protocols.find(({ name }) => name === protocolName);
  if (containerName !== undefined && !container)
    throw new RangeError(`no container is called \`${containerName}\``);
  if (protocolName !== undefined && !protocol)
    throw new RangeError(`no protocol is called \`${protocolName}\``);
  return { ...(container && { container }), ...(protocol && { protocol }) };
}

/** The target decides where both are given: it is asked for on purpose. */
function judgedBy(profile: string | undefined, target: string | undefined): Pick<FileCheckOptions, "judge"> {
  const name = target ?? profile;
  if (name === undefined) return {};
  const judge = namedProfile(name, target === undefined ? "profile" : "target");
  if (!judge) throw new RangeError(`no profile is called \`${name}\``);
  return { judge };
}

export type {
  Change,
  Conversation,
  Loss,
  Pairing,
  Placed,
  Relation,
  Step,
} from "./conversation/conversation.ts";
export type {
  Demands,
  Exchange,
  Finish,
  History,
  Reply,
  Request,
  ToolDefinition,
} from "./conversation/exchange.ts";
export type { Item, Message, Reasoning, ToolCall, ToolResult } from "./conversation/item.ts";
export type { DiffReport, DivergenceReport } from "./diff/report.ts";
export type { Fix, Safety, Severity } from "./findings/finding.ts";
export type {
  CheckReport,
  DiagnosisReport,
  FileReport,
  FindingReport,
  Location,
  NotChecked,
  Summary,
  SuppressedFinding,
} from "./findings/report.ts";
export type { EditReport, FixedFile, FixReport } from "./fix/report.ts";
export type { LogInput } from "./library/log.ts";
export {
  defineRule,
  type OptionValues,
  type Rule,
  type RuleDefinition,
  type RuleOption,
} from "./rules/rule.ts";
export type { Fidelity } from "./traffic/fidelity.ts";
