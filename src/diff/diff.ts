import { type CheckedRun, type CheckSettings, checkFiles } from "../check/check.ts";
import type { CheckReport, DiagnosisReport } from "../findings/report.ts";
import { unreadPlaces } from "../findings/unlisted.ts";
import type { LogSource } from "../log/log-file.ts";
import { counted } from "../reporters/numbers.ts";
import { compareLogs } from "./compare.ts";
import { describeDiff } from "./describe.ts";
import type { DiffReport } from "./report.ts";
import { type StepsReport, stepsReport } from "./steps-report.ts";
import { judge } from "./verdict.ts";

export interface DiffSettings extends Pick<CheckSettings, "container" | "protocol" | "settingsOf"> {
  /** Also compare volatile content: dates, ids, white space, spelling of arguments, the model's wording. */
  readonly isStrict?: boolean;
  /** The number of equal items kept around each difference. Default: 2. */
  readonly context?: number;
  /** Compare only this conversation of the failing log (`c2`). */
  readonly conversation?: string;
}

/** Two compared logs. */
export interface Diffed {
  /** `undefined` if one of the logs could not be read. */
  readonly report: DiffReport | undefined;
  /** What the failing client does wrong where the runs part, as reported by `check`. */
  readonly diagnoses: readonly DiagnosisReport[];
  readonly left: CheckedRun;
  readonly right: CheckedRun;
}

const defaultContext = 2;

/** Compares each request of one log with its predecessor, as `toollint diff --steps` does. */
export async function diffSteps(
  input: LogSource,
  { conversation, ...reading }: Omit<DiffSettings, "isStrict" | "context"> = {},
): Promise<{ readonly report: StepsReport; readonly run: CheckedRun }> {
  const checked = await checkFiles([input], reading);
  const run = checked.runs[0] as CheckedRun;
  return { report: stepsReport(run, checked.report, conversation), run };
}

/** Compares a failing run (left) with a passing one (right), as `toollint diff` does. */
export async function diffLogs(
  left: LogSource,
  right: LogSource,
  { isStrict = false, context = defaultContext, conversation, ...reading }: DiffSettings = {},
): Promise<Diffed> {
  const [one, other] = [await checkFiles([left], reading), await checkFiles([right], reading)];
  const runs = { left: one.runs[0] as CheckedRun, right: other.runs[0] as CheckedRun };
  if (one.unread.length > 0 || other.unread.length > 0) return { report: undefined, diagnoses: [], ...runs };
  const chosen = runs.left.conversations.filter(
    ({ name }) => conversation === undefined || name === conversation,
  );
  const compared = compareLogs(chosen, runs.right.conversations, { isStrict });
  const unread = [...unreadOf("failing", one.report), ...unreadOf("passing", other.report)];
  const comparison = { ...compared, notCompared: [...compared.notCompared, ...unread] };
  const verdict = judge(comparison, one.report, other.report);
  return { report: describeDiff(comparison, verdict, runs, context), diagnoses: verdict.diagnoses, ...runs };
}

/** What cannot be compared of a log, because it was not read. */
function unreadOf(side: "failing" | "passing", { findings }: CheckReport): string[] {
  const places = unreadPlaces(findings);
  return places === 0 ? [] : [`what could not be read of the ${side} log (${counted(places, "place")})`];
}
