import { type CheckedLog, type CheckInput, type CheckOptions, checkFiles } from "../check/check.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { DiagnosisReport } from "../findings/report.ts";
import { compareLogs } from "./compare.ts";
import { describe } from "./describe.ts";
import type { DiffReport } from "./report.ts";
import { type SuccessionReport, successionOf } from "./successive.ts";
import { judge } from "./verdict.ts";

export interface DiffOptions extends Pick<CheckOptions, "container" | "protocol"> {
  /** Compare what is volatile, too: dates, ids, white space, the spelling of arguments, a model's choice of words. */
  readonly isStrict?: boolean;
  /** So many equal items are kept around those that differ; 2 when left out. */
  readonly context?: number;
  /** Only this conversation of the failing log (`c2`). */
  readonly conversation?: string;
}

/** Two logs compared, or what could not be. */
export interface Diffed {
  /** `undefined` when nothing was understood in one of the logs. */
  readonly report: DiffReport | undefined;
  /** What the failing client does wrong where the runs part, as `check` says it. */
  readonly diagnoses: readonly DiagnosisReport[];
  readonly left: CheckedLog;
  readonly right: CheckedLog;
}

const defaultContext = 2;

/** Compares each request of one log with the one that it goes on from: the whole of `toollint diff --steps`. */
export async function diffSteps(
  input: CheckInput,
  options: Pick<DiffOptions, "container" | "protocol" | "conversation"> = {},
): Promise<{ readonly report: SuccessionReport; readonly log: CheckedLog }> {
  const { conversation, ...reading } = options;
  const { logs, report } = await checkFiles([input], reading);
  const log = logs[0] as CheckedLog;
  return { report: successionOf(log, report, conversation), log };
}

/** Compares a failing run (left) with a passing one (right): the whole of `toollint diff` but for arguments and printing. */
export async function diffLogs(
  left: CheckInput,
  right: CheckInput,
  options: DiffOptions = {},
): Promise<Diffed> {
  const reading = {
    ...(options.container && { container: options.container }),
    ...(options.protocol && { protocol: options.protocol }),
  };
  const [one, other] = [await checkFiles([left], reading), await checkFiles([right], reading)];
  const logs = { left: one.logs[0] as CheckedLog, right: other.logs[0] as CheckedLog };
  if (one.unread.length > 0 || other.unread.length > 0) return { report: undefined, diagnoses: [], ...logs };
  const { conversation } = options;
  const chosen: readonly Conversation[] = logs.left.conversations.filter(
    ({ name }) => conversation === undefined || name === conversation,
  );
  const comparison = compareLogs(chosen, logs.right.conversations, { isStrict: options.isStrict ?? false });
  const verdict = judge(comparison, one.report, other.report);
  return {
    report: describe(comparison, verdict, logs, options.context ?? defaultContext),
    diagnoses: verdict.diagnoses,
    ...logs,
  };
}
