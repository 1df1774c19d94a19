import { exitCode } from "../../findings/gate.ts";
import type { CheckReport } from "../../findings/report.ts";
import { suppress } from "../../findings/suppress.ts";
import { type Merged, mergedBlobs } from "../../fleet/merge.ts";
import { type ShardBlob, shardName, shardSet } from "../../fleet/shards.ts";
import { pushAll } from "../../reading/lists.ts";
import { keptSources } from "../../reporters/kept-places.ts";
import { findingsText, reportText, type TextContext } from "../../reporters/text.ts";
import { verdictOn } from "../../reporters/verdict.ts";
import { ruleSummary } from "../../rules/rule-summary.ts";
import { blobsIn } from "../files/blobs.ts";
import { nothingUnderstoodIn } from "../files/logs.ts";
import { outputsOf, refuseInput, refusePageOnTerminal } from "../files/output.ts";
import { writeReport } from "../files/written-report.ts";
import { onlyErrors } from "../quiet.ts";
import { note } from "../terminal/complaint.ts";
import { type Io, print, printChunks, withFeeds } from "../terminal/io.ts";
import { type TerminalStyle, terminalStyle } from "../terminal/paint.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { choice, type ReportFormat, wholeNumber } from "../usage/values.ts";
import { withUnread } from "./kept-going.ts";
import { unspoken } from "./unspoken.ts";

/** Runs `toollint merge`: one report of the reports of shards. Returns its exit code. */
export async function mergeCommand(invocation: Invocation, io: Io): Promise<number> {
  const outputs = outputsOf(invocation, undefined, io);
  const formats = [outputs.screen, ...outputs.files.map(({ format }) => format)];
  const hasTrends = invocation.has("trends") || invocation.one("since") !== undefined;
  if (formats.includes("blob"))
    throw new Trouble("`merge` reads blobs and writes none: `toollint check --format blob` does");
  if (outputs.screen === "html") refusePageOnTerminal("toollint merge BLOBS", io);
  const given = await blobsIn(invocation.words, io);
  for (const { file } of outputs.files) refuseInput(file, io.cwd, given);
  const { blobs, missing } = checkedSet(given, invocation.has("partial"));
  const merged = mergedBlobs(blobs);
  const gate = {
    failOn: choice(invocation, "fail-on", ["error", "warning", "info", "never"]) ?? merged.head.policy.failOn,
    maxWarnings: wholeNumber(invocation, "max-warnings") ?? merged.head.policy.maxWarnings,
  };
  const { report: found, failures, hasFiles } = outcomeOf(merged, missing);
  for (const sentence of failures) await note(io, sentence);
  // Formats made for other programs may have no place for it.
  if (missing.length > 0 && outputs.screen !== "text")
    await note(io, `${listOf(missing)} ${missing.length === 1 ? "is" : "are"} missing`);
  if (!hasFiles) return 2;
  const report = hasTrends
    ? await (await import("./merge-trends.ts")).withTrends(found, merged.timeOf, invocation, io)
    : found;
  const verdict = verdictOn(report, gate, failures);
  const hadTrouble = failures.length > 0;
  const isQuiet = invocation.has("quiet");
  const visible = isQuiet ? onlyErrors(report) : report;
  const context = await contextOf(merged, invocation);
  const trendWriters = hasTrends && (await import("../../reporters/trends.ts"));
  function* lines(look: TerminalStyle): Generator<string> {
    const text = { ...look, ...context, quiet: isQuiet, verdict };
    if (!trendWriters || !visible.trends) return yield* reportText(report, text);
    if (context.all) yield* findingsText(report, text);
    yield* trendWriters.trendsText(report, visible.trends, text);
  }
  const style = { ...terminalStyle(invocation, io), showValues: false };
  const plain = { ...style, color: false, width: 100 };
  const chunksOf = async (format: ReportFormat): Promise<Iterable<string>> => {
    const { trends } = visible;
    if (format === "html" && trends)
      return (await import("../../page/trends-page.ts")).trendsPage(report, trends, verdict);
    if (format === "html") {
      if (missing.length > 0)
        throw new Trouble(
          `a page is made of all shards, and ${listOf(missing)} ${missing.length === 1 ? "is" : "are"} missing; with \`--trends\`, a page can do without`,
        );
      const { mergedPage } = await import("./merge-page.ts");
      return mergedPage({ head: merged.head, found: merged.report, shown: visible, verdict }, io);
    }
    if (format === "text" || format === "blob") return withFeeds(lines(plain));
    if (format === "markdown" && trends && trendWriters)
      return trendWriters.trendsMarkdown(report, trends, verdict);
    return (await import("../reports.ts")).reportChunks(format, visible, { hadTrouble, verdict }, io);
  };
  for (const { format, file } of outputs.files) await writeReport(file, await chunksOf(format), io, isQuiet);
  const exit = exitCode(report, gate, hadTrouble);
  if (outputs.screen === undefined) return exit;
  if (outputs.screen !== "text") await printChunks(io.stdout, await chunksOf(outputs.screen));
  else if (report.files.length > 0) await print(io.stdout, lines(style));
  if (outputs.screen === "github") await (await import("../reports.ts")).summarize(visible, verdict, io);
  return exit;
}

/** The blobs in order, if they are whole and of one check; otherwise throws {@link Trouble}. */
function checkedSet(
  given: readonly ShardBlob[],
  isPartial: boolean,
): { blobs: [ShardBlob, ...ShardBlob[]]; missing: string[] } {
  const { blobs, missing, refusals } = shardSet(given);
  const [first, ...others] = blobs;
  if (refusals.length > 0 || !first) throw new Trouble(refusals.join("\n"));
  const names = missing.map((number) => `${number}/${first.head.shard.count}`);
  if (names.length > 0 && !isPartial)
    throw new Trouble(
      `${listOf(names)} ${names.length === 1 ? "is" : "are"} missing: there ${blobs.length === 1 ? "is only" : "are only"} ${blobs.map(shardName).slice(0, mostNamed).join(", ")}${blobs.length > mostNamed ? ", …" : ""}\n\`--partial\` reports on the available shards and names the missing ones.`,
    );
  return { blobs: [first, ...others], missing: names };
}

const mostNamed = 8;

function listOf(names: readonly string[]): string {
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
  return `${names.length === 1 ? "shard" : "shards"} ${names.slice(0, mostNamed).join(", ")}${more}`;
}

/** What a check of all files at once would have come to. */
function outcomeOf(
  merged: Merged,
  missing: readonly string[],
): { report: CheckReport; failures: string[]; hasFiles: boolean } {
  const { runs, troubles, unreadFiles, unreadNamed, searched, head, suppressionOf } = merged;
  const { files } = merged.report;
  const mute = unspoken(files, head.profile);
  const unread = [
    ...troubles.map(({ message }) => message),
    ...unreadFiles.flatMap(({ path }) => unreadNamed.get(path) ?? []),
  ];
  const { keepGoing } = head.policy;
  const failures = keepGoing && files.length > 0 ? mute : [...unread, ...mute];
  if (runs.length === 0)
    pushAll(
      failures,
      head.searched.map((each) => `${each} has no files that could be logs`),
    );
  else if (files.length === 0 && failures.length === 0)
    failures.push(nothingUnderstoodIn(head.searched, searched.read, searched.binaries));
  const whole = withMissing(
    keepGoing
      ? withUnread(merged.report, troubles, unreadFiles, (path) => unreadNamed.has(path))
      : merged.report,
    missing,
  );
  const report = head.suppresses ? suppress(whole, ({ id }) => suppressionOf(id)) : whole;
  return { report, failures, hasFiles: runs.length > 0 };
}

function withMissing({ summary, ...report }: CheckReport, missing: readonly string[]): CheckReport {
  return { ...report, ...(missing.length > 0 && { missingShards: missing }), summary };
}

async function contextOf(
  { places, searched }: Merged,
  invocation: Invocation,
): Promise<Omit<TextContext, "color" | "width" | "showValues" | "quiet">> {
  return {
    sources: keptSources(places),
    all: invocation.has("all"),
    ...(invocation.has("statistics") && {
      statistics: (await import("../terminal/tables.ts")).numberTable,
    }),
    pageSummary: ruleSummary,
    fixCommand: "toollint fix",
    skippedFiles: searched.skipped,
  };
}
