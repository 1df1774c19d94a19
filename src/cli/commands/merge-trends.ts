import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { CheckReport } from "../../findings/report.ts";
import { mergedBlobs } from "../../fleet/merge.ts";
import { readReport } from "../../fleet/read-report.ts";
import { shardSet } from "../../fleet/shards.ts";
import { type Before, type Period, trendsOf } from "../../fleet/trends.ts";
import { looksLikeBlob } from "../../log/shard-report.ts";
import { blobsIn } from "../files/blobs.ts";
import type { Io } from "../terminal/io.ts";
import { codeOf, systemTrouble, Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";

/** The report with its trends, if asked for. Throws {@link Trouble} for a wrong report from before. */
export async function withTrends(
  report: CheckReport,
  timeOf: Period["timeOf"],
  invocation: Invocation,
  io: Io,
): Promise<CheckReport> {
  const shown = invocation.one("since");
  if (shown === undefined && !invocation.has("trends")) return report;
  const before = shown === undefined ? undefined : await beforeIn(shown, io);
  const { summary, ...rest } = report;
  return { ...rest, trends: trendsOf({ report, timeOf }, before), summary };
}

/** A report in JSON, the blob of a shard, or a directory with blobs. */
async function beforeIn(shown: string, io: Io): Promise<Before> {
  const full = path.resolve(io.cwd, shown);
  const text = textOf(full, shown);
  if (text === undefined || looksLikeBlob(text)) {
    const { blobs, refusals } = shardSet(await blobsIn([shown], io));
    const [first, ...others] = blobs;
    if (refusals.length > 0 || !first) throw new Trouble(refusals.join("\n"));
    const { report, timeOf, suppressionOf } = mergedBlobs([first, ...others]);
    const findings = report.findings.filter(({ id }) => suppressionOf(id) === undefined);
    return { path: shown, report: { ...report, findings }, timeOf };
  }
  const period = readReport(text);
  if (typeof period === "string") throw new Trouble(`${shown} ${period}`);
  return { path: shown, ...period };
}

/** The text of a file; `undefined` for a directory. */
function textOf(full: string, shown: string): string | undefined {
  try {
    return statSync(full).isDirectory() ? undefined : readFileSync(full, "utf8");
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw systemTrouble(error, `cannot read ${shown}`);
  }
}
