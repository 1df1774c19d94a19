import type { CheckResult } from "../check/check.ts";
import { budgetFor, costOfJudging, costOfReading } from "../check/cost.ts";
import type { CheckReport } from "../findings/report.ts";
import { fixChecked } from "../fix/fix.ts";
import type { FixSettings } from "../fix/settings.ts";
import type { LogFile, LogSource } from "../log/log-file.ts";
import { whyReadOnly } from "../reading/read-only.ts";
import { type ByteSource, memorySource, storedSize } from "../reading/source.ts";
import { isArchive } from "./archive.ts";
import { withoutHeaders } from "./credentials.ts";
import { type Facts, findingFacts, repairFacts } from "./proof.ts";
import { toolNames } from "./tool-names.ts";
import { Unredactable } from "./unredactable.ts";

/** A log as it is, of which no more is kept than its redacted form needs. */
export interface OriginalLog {
  readonly path: string;
  readonly container: string;
  readonly source: ByteSource;
  /** Its bytes, with what is secret outside of bodies masked; those of an archive as they are. */
  readonly masked: Buffer;
}

/** Logs as they are, and what their redacted forms have to show, too. */
export interface Originals {
  readonly report: CheckReport;
  readonly logs: readonly OriginalLog[];
  readonly facts: Facts;
  /** The names of the tools that they offer and call. */
  readonly tools: ReadonlySet<string>;
  /** What those keep that hold the log of a program or the rows of a database in a form of their own. */
  readonly kept: ReadonlyMap<string, ByteSource>;
  /** Why some of their bodies cannot be written, in plain words; absent if all can. */
  readonly whyReadOnly?: string;
}

/**
 * What checking and repairing logs gives for their redacted forms. The conversations go before those of the
 * redacted logs are read, which are as large.
 *
 * @param opened the inputs, and all files beside them that were opened
 */
export async function originalsOf(
  result: CheckResult,
  inputs: readonly LogSource[],
  opened: readonly LogSource[],
  settings: FixSettings,
): Promise<Originals> {
  const repairs = isTooLong(result, inputs)
    ? undefined
    : repairFacts(await fixChecked(result, inputs, settings));
  const why = readOnlyIn(result);
  const read = new Map(result.files.map((file) => [file.path, file]));
  return {
    report: result.report,
    logs: opened.map((input) => originalOf(input, read.get(input.path))),
    facts: { findings: findingFacts(result), ...(repairs && { repairs }) },
    tools: toolNames(result),
    kept: new Map(
      result.files.flatMap(({ path, source, kept }) =>
        kept && !source.packed && !source.segments ? [[path, kept] as const] : [],
      ),
    ),
    ...(why !== undefined && { whyReadOnly: why }),
  };
}

/** What a check of a log below a megabyte may cost whose repairs are compared. */
const mostToRepair = 40e6;

/**
 * Whether its repairs are not compared. To make them takes as long as a check, and to read them back another
 * one, for the log and for its redacted form; that is long where a small log is dense with mistakes.
 */
function isTooLong(result: CheckResult, inputs: readonly LogSource[]): boolean {
  let size = 0;
  let cost = costOfJudging(result);
  for (const { source } of inputs) {
    size += storedSize(source);
    cost += costOfReading(source);
  }
  return cost > budgetFor(size, mostToRepair);
}

function readOnlyIn({ files }: CheckResult): string | undefined {
  for (const { exchanges } of files)
    for (const { request, reply } of exchanges) {
      const place = (request ?? reply)?.place;
      const why = place && whyReadOnly(place.span.view);
      if (why !== undefined) return why;
    }
  return undefined;
}

/** The longest text that is held several times, in bytes. */
const longest = 400_000_000;

function originalOf({ path, source }: LogSource, read: LogFile | undefined): OriginalLog {
  const container = read?.container ?? "unknown";
  if (source.size > longest)
    throw new Unredactable(
      `${path} is too large to be redacted at once: split it, or \`toollint shrink\` it first`,
    );
  if (container === "parquet")
    throw new Unredactable(
      `${path} is a Parquet file: toollint can read it, but not write it; copy its rows with DuckDB, and redact these: \`duckdb -c "COPY (FROM '${path}') TO 'rows.jsonl' (FORMAT json)"\``,
    );
  const own = source.read(0, source.size);
  // The files within an archive are masked one by one.
  const masked = isArchive(own) ? own : withoutHeaders(memorySource(path, own), read?.exchanges ?? []);
  return { path, container, source, masked };
}
