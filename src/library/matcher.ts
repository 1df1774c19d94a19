import { exitCode, type FailOn } from "../findings/gate.ts";
import type { CheckReport } from "../findings/report.ts";
import type { ByteSource } from "../reading/source.ts";
import { reportText } from "../reporters/text.ts";
import { ruleSummary } from "../rules/rule-summary.ts";
import { type CheckOptions, checkLog } from "./api.ts";
import { type LogInput, recordingOf, sourceOf } from "./log-inputs.ts";
import { notUnderstoodIn } from "./unread.ts";

/** Options of {@link toHaveHealthyConversations}. */
export interface HealthOptions extends CheckOptions {
  /** The lowest severity that fails; default `error`. */
  readonly failOn?: Exclude<FailOn, "never">;
  /** More warnings than this also fail. */
  readonly maxWarnings?: number;
}

/** The result that test runners expect of a matcher. */
export interface MatcherResult {
  readonly pass: boolean;
  message(): string;
}

/**
 * A matcher for `expect.extend`: a log has no finding at or above `failOn`. The log is a path, a text, bytes,
 * a request body, a list of messages or exchanges, or the result of `read`. The failure message is the
 * report.
 * @throws `TypeError` for anything else; `NotUnderstoodError` for a log without a readable conversation: it
 * is neither healthy nor unhealthy.
 * @example
 * expect.extend({ toHaveHealthyConversations });
 * await expect("logs/run.jsonl").toHaveHealthyConversations();
 */
export async function toHaveHealthyConversations(
  received: unknown,
  { failOn = "error", maxWarnings, ...options }: HealthOptions = {},
): Promise<MatcherResult> {
  const log = logOf(received);
  const { report, files } = await checkLog(log, options);
  const source = recordingOf(log)?.source ?? sourceOf(log, options.name);
  try {
    if (report.files.length === 0) throw notUnderstoodIn(source, {}, files[0]?.advice);
    const pass = exitCode(report, { failOn, maxWarnings }, false) === 0;
    // Render now, while the file is open.
    const lines = pass ? "" : linesOf(report, source);
    return {
      pass,
      message: () =>
        pass
          ? `expected ${source.name} not to have healthy conversations, but found nothing wrong`
          : `expected ${source.name} to have healthy conversations\n\n${lines}`,
    };
  } finally {
    if (!recordingOf(log)) source.close();
  }
}

function logOf(received: unknown): LogInput {
  if (typeof received === "string" || (typeof received === "object" && received !== null)) return received;
  throw new TypeError(
    `toHaveHealthyConversations() takes a path, text, a request body, a list of exchanges or the result of read(), not ${String(received)}`,
  );
}

function linesOf(report: CheckReport, source: ByteSource): string {
  const lines = reportText(report, {
    sources: new Map([[source.name, source]]),
    color: false,
    width: 100,
    showValues: false,
    quiet: false,
    hasOptions: false,
    pageSummary: ruleSummary,
  });
  return [...lines].join("\n");
}
