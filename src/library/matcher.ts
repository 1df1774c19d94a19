import { exitCode, type FailOn } from "../findings/gate.ts";
import type { CheckReport } from "../findings/report.ts";
import { type CheckOptions, check } from "../index.ts";
import { unreadSentence } from "../log/unsupported-inputs.ts";
import type { ByteSource } from "../reading/source.ts";
import { shellWord } from "../reporters/shell.ts";
import { reportText } from "../reporters/text.ts";
import { ruleTable } from "../rules/index.ts";
import { type LogInput, recordingOf, sourceOf } from "./log.ts";

/** What {@link toHaveHealthyConversations} may be told. */
export interface HealthOptions extends CheckOptions {
  /** The least severity that fails; `error` when left out. */
  readonly failOn?: Exclude<FailOn, "never">;
  /** More warnings than this fail, too. */
  readonly maxWarnings?: number;
}

/** What test runners want of a matcher. */
interface MatcherResult {
  readonly pass: boolean;
  message(): string;
}

/**
 * A matcher for `expect.extend`: nothing at or above `failOn` is found in a log. The log is a path, a text, bytes, a request body or a list
 * of messages, a list of exchanges, or what `read` gave; the failure message is the report.
 *
 * @throws `TypeError` for anything else, `Error` for a log in which no conversation is understood: neither is healthy, nor is it sick.
 * @example
 * expect.extend({ toHaveHealthyConversations });
 * await expect("logs/run.jsonl").toHaveHealthyConversations();
 */
export async function toHaveHealthyConversations(
  received: unknown,
  { failOn = "error", maxWarnings, ...options }: HealthOptions = {},
): Promise<MatcherResult> {
  const log = logOf(received);
  const report = await check(log, options);
  const source = recordingOf(log)?.source ?? sourceOf(log, options.name);
  try {
    if (report.files.length === 0) {
      const retry = `toollint check --container NAME ${shellWord(source.name)}`;
      throw new Error(unreadSentence(source, { retry }));
    }
    const pass = exitCode(report, { failOn, maxWarnings }, false) === 0;
    // Made now, while the file is open.
    const lines = pass ? "" : linesOf(report, source);
    return {
      pass,
      message: () =>
        pass
          ? `expected ${source.name} not to have healthy conversations, and nothing is wrong with them`
          : `expected ${source.name} to have healthy conversations\n\n${lines}`,
    };
  } finally {
    if (!recordingOf(log)) source.close();
  }
}

/** A text is told from a path by its line feeds, or by how JSON and streams begin. */
function logOf(received: unknown): LogInput {
  if (typeof received === "string")
    return /\n|^\s*[{[]|^(?:data|event|id):/.test(received) ? Buffer.from(received) : received;
  if (typeof received === "object" && received !== null) return received;
  throw new TypeError(
    `toHaveHealthyConversations() takes a path, a text, a request body, a list of exchanges or what read() gave, not ${String(received)}`,
  );
}

function linesOf(report: CheckReport, source: ByteSource): string {
  const summaries = new Map(ruleTable.map(({ name, summary }) => [name, summary]));
  const lines = reportText(report, {
    sources: new Map([[source.name, source]]),
    color: false,
    width: 100,
    showValues: false,
    quiet: false,
    pageSummary: (rule) => summaries.get(rule),
  });
  return [...lines].join("\n");
}
