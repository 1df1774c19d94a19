import { createHash } from "node:crypto";
import type { RunReport } from "../../check/run-report.ts";
import type { Suppression } from "../../findings/report.ts";
import { type Blob, type BlobRun, blobLines, blobVersion } from "../../fleet/blob.ts";
import { smallest } from "../../reading/lists.ts";
import { placeRecords } from "../../reporters/kept-places.ts";
import type { ConfigFile } from "../config/file.ts";
import type { Inputs } from "../files/inputs.ts";
import { unreadNamedByPath } from "../files/logs.ts";
import type { Share } from "../files/shards.ts";
import type { Invocation } from "../usage/parse.ts";
import { type CheckedInputs, namedProfile } from "./check-once.ts";
import type { Settings } from "./check-settings.ts";

/** Options that change how a report looks or where it goes, not what it says. */
const ofLooks = new Set([
  ...["format", "output", "open", "color", "config", "no-config", "shard", "jobs"],
  ...["quiet", "all", "statistics", "show-values", "fail-on", "max-warnings", "keep-going"],
]);

/** A hash of what decides what a check finds: equal for all shards of one check. */
function settingsHash(invocation: Invocation, file: ConfigFile | undefined): string {
  const options = invocation.command.options
    .filter(({ name }) => !ofLooks.has(name))
    .map(({ name }) => [name, invocation.flag(name) ?? invocation.all(name)]);
  const { outputs: _, ...config } = file?.config ?? {};
  return createHash("sha256")
    .update(JSON.stringify([options, config]))
    .digest("hex");
}

/** What a blob says of the command line, from which a check of all files can be made again. */
export interface AskedFor {
  /** A hash of what decides what the check finds. */
  readonly settings: string;
  readonly options: readonly string[];
  readonly paths: readonly string[];
}

/** What the command line asks a check for, without its looks. */
export function askedFor(invocation: Invocation, file: ConfigFile | undefined): AskedFor {
  const { command, words } = invocation;
  return {
    settings: settingsHash(invocation, file),
    options: command.options
      .filter(({ name }) => !ofLooks.has(name) || name === "config" || name === "no-config")
      .flatMap(({ name }) => {
        const flag = invocation.flag(name);
        return flag === undefined
          ? invocation.all(name).map((value) => `--${name}=${value}`)
          : [flag ? `--${name}` : `--${name}=false`];
      }),
    paths: words.length > 0 ? words : ["."],
  };
}

/** The report of one shard, for `toollint merge`, in chunks that include their line feeds. */
export async function blobChunks(
  { whole, result }: CheckedInputs,
  inputs: Inputs,
  settings: Settings,
  { list }: Share,
  asked: AskedFor,
): Promise<Iterable<string>> {
  const { shard = { number: 1, count: 1 }, failOn, maxWarnings, keepGoing, check } = settings;
  const profile = namedProfile(settings);
  const placeOf = (path: string): number => list.places.get(path) ?? 0;
  const suppressions = new Map(
    (result.report.suppressed ?? []).map(({ id, suppression }) => [id, suppression]),
  );
  const unread = await unreadNamedByPath("check", inputs, whole, check.settingsOf);
  const named = new Set(inputs.files.flatMap(({ path, isNamed }) => (isNamed ? [path] : [])));
  const sources = new Map(inputs.files.map(({ path, source }) => [path, source]));
  const runOf = (report: RunReport): BlobRun => {
    const paths = pathsOf(report);
    return {
      type: "run",
      place: smallest(paths.map(placeOf)),
      report,
      suppressed: report.findings.map(({ id }): Suppression | null => suppressions.get(id) ?? null),
      named: paths.filter((path) => named.has(path)),
      unread: Object.fromEntries(
        paths.flatMap((path) => [[path, unread.get(path)]].filter(([, text]) => text !== undefined)),
      ),
      places: placeRecords(report, sources),
    };
  };
  const blob: Blob = {
    head: {
      type: "toollint-blob",
      schemaVersion: blobVersion,
      tool: whole.report.tool,
      shard,
      list: { hash: list.hash, files: list.files, bytes: list.bytes },
      ...asked,
      policy: { failOn, ...(maxWarnings !== undefined && { maxWarnings }), keepGoing },
      searched: inputs.searched,
      binaries: inputs.binaries,
      ...(profile && { profile }),
      separate: check.separate === true,
      suppresses: result.report.suppressed !== undefined,
    },
    troubles: inputs.troubles.map((trouble) => ({
      type: "trouble",
      place: placeOf(trouble.path),
      ...trouble,
    })),
    runs: whole.reports.map(runOf),
  };
  return blobLines(blob);
}

/** The paths of a run's files, its sidecars last. */
function pathsOf({ files, sidecars }: RunReport): string[] {
  return [...files, ...sidecars].map((outcome) =>
    outcome.kind === "read" ? outcome.report.path : outcome.file.path,
  );
}
