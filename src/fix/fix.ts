import { type CheckResult, checkFiles } from "../check/check.ts";
import { isTranscript } from "../conversation/conversation.ts";
import type { LogSource } from "../log/log-file.ts";
import { requestsFixer } from "./fix-requests.ts";
import { sessionFixer } from "./fix-session.ts";
import type { FixedLogs, FixedRun } from "./fixed-logs.ts";
import type { FixSettings } from "./settings.ts";
import { settledRun } from "./settle.ts";

export type { FixSettings } from "./settings.ts";

/** A log with more findings of a kind is not repaired: each repair is judged by all that is then found. */
const mostFixed = { perExchange: 2_500, perLog: 50_000 };

/** Computes what the requests of these files should have been. Writes nothing. */
export async function fixLogs(inputs: readonly LogSource[], options: FixSettings = {}): Promise<FixedLogs> {
  return fixChecked(await checkFiles(inputs, { ...options, limits: mostFixed }), inputs, options);
}

/** The same for files that were checked with these options. */
export async function fixChecked(
  checked: CheckResult,
  inputs: readonly LogSource[],
  options: FixSettings = {},
): Promise<FixedLogs> {
  const runs: FixedRun[] = [];
  for (const run of checked.runs)
    runs.push(await settledRun(run, inputs, options, isTranscript(run) ? sessionFixer : requestsFixer));
  return { checked, runs };
}
