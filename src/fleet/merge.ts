import {
  joinedRuns,
  numberedFrom,
  type RunReport,
  type TimeSpan,
  type UnreadFile,
} from "../check/run-report.ts";
import type { CheckReport, Suppression } from "../findings/report.ts";
import type { PlaceRecord } from "../reporters/kept-places.ts";
import type { Blob, BlobHead, BlobRun, BlobTrouble } from "./blob.ts";

/** What the shards of a check found together. */
export interface Merged {
  /** All findings, also those that are to be suppressed. */
  readonly report: CheckReport;
  /** When a finding occurred; `undefined` where the log does not say. */
  timeOf(id: string): TimeSpan | undefined;
  /** Why a finding is suppressed; `undefined` for one that is not. */
  suppressionOf(id: string): Suppression | undefined;
  /** The runs in report order; their findings are named as in the report, suppressed ones included. */
  readonly runs: readonly RunReport[];
  /** What could not be read or found, in the order of the list. */
  readonly troubles: readonly BlobTrouble[];
  /** Files in which nothing was understood, in report order. */
  readonly unreadFiles: readonly UnreadFile[];
  /** What is said of those of them that were named, by path. */
  readonly unreadNamed: ReadonlyMap<string, string>;
  /** How many files nobody named were read, and how many of them were not understood. */
  readonly searched: { readonly read: number; readonly skipped: number; readonly binaries: number };
  readonly places: readonly PlaceRecord[];
  /** The head of the first shard; all are equal, but for the shard. */
  readonly head: BlobHead;
}

/** Joins the blobs of shards, which are of one check, in any order. */
export function mergedBlobs(blobs: readonly [Blob, ...Blob[]]): Merged {
  const [{ head }] = blobs;
  const ordered = blobs.flatMap(({ runs }) => runs).sort((a, b) => a.place - b.place);
  const suppressions = new Map<string, Suppression>();
  const times = new Map<string, TimeSpan>();
  const runs: RunReport[] = [];
  let number = 1;
  for (const run of ordered) {
    const report = numberedFrom(number, run.report);
    for (const [index, { id }] of report.findings.entries()) {
      const suppression = run.suppressed[index];
      if (suppression) suppressions.set(id, suppression);
      const time = report.times[index];
      if (time) times.set(id, time);
    }
    runs.push(report);
    number += report.findings.length;
  }
  const joined = joinedRuns(runs);
  return {
    head,
    runs,
    report: { ...joined.report, tool: head.tool },
    timeOf: (id) => times.get(id),
    suppressionOf: (id) => suppressions.get(id),
    troubles: troublesOf(blobs),
    unreadFiles: joined.unreadFiles,
    unreadNamed: new Map(ordered.flatMap(({ unread }) => Object.entries(unread))),
    searched: { ...foundIn(ordered), binaries: blobs.reduce((sum, blob) => sum + blob.head.binaries, 0) },
    places: ordered.flatMap(({ places }) => places),
  };
}

/** Each trouble once: what is not there was found missing by all shards. */
function troublesOf(blobs: readonly Blob[]): BlobTrouble[] {
  const byPlace = new Map<string, BlobTrouble>();
  for (const trouble of blobs.flatMap(({ troubles }) => troubles))
    byPlace.set(JSON.stringify([trouble.place, trouble.message]), trouble);
  return [...byPlace.values()].sort((a, b) => a.place - b.place);
}

function foundIn(runs: readonly BlobRun[]): { read: number; skipped: number } {
  let [read, skipped] = [0, 0];
  for (const { named, report, unread } of runs) {
    for (const outcome of [...report.files, ...report.sidecars]) {
      const { path } = outcome.kind === "read" ? outcome.report : outcome.file;
      if (named.includes(path)) continue;
      read++;
      if (outcome.kind === "unread" && unread[path] === undefined) skipped++;
    }
  }
  return { read, skipped };
}
