import { type CheckResult, checkFiles } from "../../check/check.ts";
import type { CheckOutcome } from "../../check/run-report.ts";
import { exitCode } from "../../findings/gate.ts";
import type { CheckReport } from "../../findings/report.ts";
import { counted } from "../../reporters/numbers.ts";
import type { TextContext } from "../../reporters/text.ts";
import { type CheckVerdict, verdictOn } from "../../reporters/verdict.ts";
import { ruleSummary } from "../../rules/rule-summary.ts";
import { unmatched } from "../config/file-settings.ts";
import type { Inputs } from "../files/inputs.ts";
import { messagesOf, nothingUnderstood, unreadNamed } from "../files/logs.ts";
import type { TerminalStyle } from "../terminal/paint.ts";
import type { ProgressLine } from "../terminal/progress.ts";
import type { SettingAside, Settings } from "./check-settings.ts";
import { unspoken } from "./unspoken.ts";

/** What one check of files found. */
export interface CheckedInputs {
  /** All that was found, also what is suppressed. */
  readonly whole: CheckOutcome;
  /** Without what is suppressed. */
  readonly result: CheckOutcome;
  /** With the logs themselves; absent if other threads have read them. */
  readonly withLogs?: CheckResult;
  readonly verdict: CheckVerdict;
  readonly exit: 0 | 1 | 2;
  /** What of the work could not be done, a message each. */
  readonly failures: readonly string[];
  /** Nothing that was asked for was judged: a clean report would mislead. */
  readonly isOfNothing: boolean;
  /** Messages about the work: what could not be done, and what was skipped. */
  readonly notes: readonly string[];
  /** Messages about the baseline and ignored findings. */
  readonly asideNotes: readonly string[];
}

/** Checks files as they are now. */
export async function checkInputs(
  inputs: Inputs,
  settings: Settings,
  setAside: SettingAside,
  progress?: Pick<ProgressLine, "checking">,
): Promise<CheckedInputs> {
  const whole = await checkFiles(inputs.files, {
    ...settings.check,
    ...(progress && { onRun: progress.checking }),
  });
  return { ...(await judged(inputs, whole, settings, setAside)), withLogs: whole };
}

/** What the outcome of a check means for the command. */
export async function judged(
  inputs: Inputs,
  whole: CheckOutcome,
  settings: Settings,
  setAside: SettingAside,
): Promise<CheckedInputs> {
  const isPart = (settings.shard?.count ?? 1) > 1;
  const missed = unmatched(whole, settings.check);
  // A part of the files says nothing of all of them.
  const mute = isPart ? [] : unspoken(whole.report.files, namedProfile(settings));
  const troubles = [
    ...(await unreadNamed("check", inputs, whole, settings.check.settingsOf)),
    ...missed,
    ...mute,
  ];
  const isOfNoFile = whole.report.files.length === 0;
  const keepsGoing = settings.keepGoing && (isPart || !isOfNoFile);
  const failures = keepsGoing ? [...missed, ...mute] : [...messagesOf(inputs), ...troubles];
  if (isOfNoFile && !isPart && failures.length === 0) failures.push(nothingUnderstood(inputs));
  const hadTrouble = failures.length > 0;
  const listed = settings.keepGoing ? await keptGoing(whole, inputs) : whole.report;
  const { report, notes } = await setAside.from(listed, hadTrouble);
  return {
    whole,
    result: { ...whole, report },
    verdict: verdictOn(report, settings, failures),
    exit: exitCode(report, settings, hadTrouble),
    failures,
    isOfNothing: isOfNoFile || missed.length > 0,
    notes: [...troubles, ...skippedNotes(inputs, whole, settings)],
    asideNotes: notes,
  };
}

async function keptGoing({ report, unreadFiles }: CheckOutcome, inputs: Inputs): Promise<CheckReport> {
  const { withUnread } = await import("./kept-going.ts");
  const named = new Set(inputs.files.flatMap(({ path, isNamed }) => (isNamed ? [path] : [])));
  return withUnread(report, inputs.troubles, unreadFiles, (path) => named.has(path));
}

/** The profile that the user named. */
export function namedProfile({ check: { judge } }: Settings) {
  if (judge?.as !== "profile") return undefined;
  return { name: judge.profile.name, protocols: Object.keys(judge.profile.protocols) };
}

/** One line about files that were not understood; if no file was, that is the error. */
function skippedNotes(
  inputs: Inputs,
  { unreadFiles, report }: CheckOutcome,
  { outputs, isQuiet, shard }: Settings,
): string[] {
  const { searched } = inputs;
  const skipped = skippedIn(inputs, unreadFiles);
  if (report.files.length === 0 && searched.length > 0 && !shard) return [nothingUnderstood(inputs)];
  // The text report already says so.
  if (skipped === 0 || isQuiet || outputs.screen === "text") return [];
  return [
    `${counted(skipped, "file")} skipped: no conversation was understood in ${skipped === 1 ? "it" : "them"}`,
  ];
}

/** How many files that nobody named were not understood. */
function skippedIn({ files }: Inputs, unread: CheckOutcome["unreadFiles"]): number {
  const paths = new Set(unread.map(({ path }) => path));
  return files.filter(({ path, isNamed }) => !isNamed && paths.has(path)).length;
}

/** How the findings are printed for people. */
export function textContext(
  { result: { unreadFiles }, verdict }: CheckedInputs,
  inputs: Inputs,
  { isQuiet, isAll, statistics }: Settings,
  look: TerminalStyle,
): TextContext {
  return {
    ...look,
    verdict,
    sources: new Map(inputs.files.map(({ path, source }) => [path, source])),
    quiet: isQuiet,
    all: isAll,
    ...(statistics && { statistics }),
    pageSummary: ruleSummary,
    fixCommand: "toollint fix",
    skippedFiles: skippedIn(inputs, unreadFiles),
  };
}
