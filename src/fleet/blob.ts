import type { RunReport } from "../check/run-report.ts";
import type { FailOn } from "../findings/gate.ts";
import type { Suppression } from "../findings/report.ts";
import type { PlaceRecord } from "../reporters/kept-places.ts";
import { maskedJson } from "../reporters/masked-json.ts";

/**
 * The report of one shard, as JSON lines (`schemas/blob.schema.json`): a head, what could not be read, the
 * runs, and an end, without which the blob is cut. Credentials are masked.
 */
export interface Blob {
  readonly head: BlobHead;
  readonly troubles: readonly BlobTrouble[];
  readonly runs: readonly BlobRun[];
}

/** The version of the form that this program writes. It reads all of the same major version. */
export const blobVersion = "1.0";

/** What a shard is a part of. */
export interface BlobHead {
  readonly type: "toollint-blob";
  readonly schemaVersion: string;
  readonly tool: { readonly name: "toollint"; readonly version: string };
  readonly shard: { readonly number: number; readonly count: number };
  /** The list of all files: equal hashes mean equal paths and sizes, in one order. */
  readonly list: { readonly hash: string; readonly files: number; readonly bytes: number };
  /** A hash of the options and of the config file. */
  readonly settings: string;
  /** The options that decide what a check finds, with their values: `--profile=groq`. */
  readonly options: readonly string[];
  /** The paths to check, as typed. */
  readonly paths: readonly string[];
  readonly policy: BlobPolicy;
  /** The directories and globs that were searched, as typed. */
  readonly searched: readonly string[];
  /** How many files of this shard are binary, and were not opened. */
  readonly binaries: number;
  /** The profile that the user named, and the protocols that it speaks. */
  readonly profile?: { readonly name: string; readonly protocols: readonly string[] };
  /** Every file was read separately. */
  readonly separate: boolean;
  /** A baseline or a list of findings to ignore was in use. */
  readonly suppresses: boolean;
}

/** What decides the exit code. */
export interface BlobPolicy {
  readonly failOn: FailOn;
  readonly maxWarnings?: number;
  /** What cannot be read is a record of the report, and fails nothing. */
  readonly keepGoing: boolean;
}

/** A path that could not be read or found. What could not be found is in the blobs of all shards. */
export interface BlobTrouble {
  readonly type: "trouble";
  /** In the list of all files, from 0. */
  readonly place: number;
  readonly path: string;
  readonly reason: string;
  readonly message: string;
}

/** One run of the shard. */
export interface BlobRun {
  readonly type: "run";
  /** The first place of its files in the list of all files, from 0. */
  readonly place: number;
  /** Its findings are numbered within the shard. */
  readonly report: RunReport;
  /** Why each finding is suppressed; `null` for one that is not. */
  readonly suppressed: readonly (Suppression | null)[];
  /** The paths of those of its files that were named, not found in a directory. */
  readonly named: readonly string[];
  /** What is said of each named file in which nothing was understood, by its path. */
  readonly unread: Readonly<Record<string, string>>;
  /** The lines of the log that frames show. */
  readonly places: readonly PlaceRecord[];
}

/** The end of a whole blob. */
export interface BlobEnd {
  readonly type: "end";
  readonly runs: number;
  readonly troubles: number;
}

/** A blob as lines, with their line feeds. */
export function* blobLines({ head, troubles, runs }: Blob): Generator<string> {
  yield `${maskedJson(head)}\n`;
  for (const trouble of troubles) yield `${maskedJson(trouble)}\n`;
  for (const run of runs) yield `${maskedJson(run)}\n`;
  yield `${maskedJson({ type: "end", runs: runs.length, troubles: troubles.length } satisfies BlobEnd)}\n`;
}
