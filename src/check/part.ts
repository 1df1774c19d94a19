import { endsOf, type FileEnds } from "../log/ends.ts";
import type { LogSource } from "../log/log-file.ts";
import { openFiles } from "../log/open.ts";
import { endsAlone, plainEnds } from "../log/plain-ends.ts";
import { groupRuns } from "../log/runs.ts";
import type { ReplyPlaces } from "../log/sidecar-replies.ts";
import { type CheckSettings, checkRun } from "./check.ts";
import type { RunReport } from "./run-report.ts";

/** A file of a part of a check, with what decides which other files it belongs to. Plain data. */
export interface PartFile {
  readonly ends: FileEnds;
  /** The inputs that it was read from: itself, or all parts of one log. */
  readonly inputs: readonly string[];
  /** The inputs that hold nothing but replies to its requests. */
  readonly sidecars: readonly string[];
  /** For a part of a log: a key that all its parts share. */
  readonly key?: string;
  readonly replies: ReplyPlaces;
}

/** What was found in some of the files of a check. Plain data. */
export interface CheckedPart {
  readonly files: readonly PartFile[];
  readonly runs: readonly {
    /** The paths of its files, in order. */
    readonly files: readonly string[];
    /** Its findings are numbered from 1. */
    readonly report: RunReport;
  }[];
}

/**
 * Checks some of the files of a check, as if there were no others.
 * @param known the runs, as the paths of their files in order, where they are known already
 */
export async function checkPart(
  inputs: readonly LogSource[],
  options: CheckSettings,
  known?: readonly (readonly string[])[],
): Promise<CheckedPart> {
  const opened = await openFiles(inputs, { ...options, isSome: true });
  const byPath = new Map(opened.files.map((file) => [file.path, file]));
  const groups = known
    ? known.map((paths) => paths.flatMap((path) => byPath.get(path) ?? []))
    : options.separate
      ? opened.files.map((file) => [file])
      : groupRuns(opened.files, endsOf);
  const runs: CheckedPart["runs"][number][] = [];
  for (const [index, run] of opened.runsOf(groups).entries()) {
    const { report } = await checkRun(run, options, 1);
    runs.push({ files: (groups[index] ?? []).map(({ path }) => path), report });
  }
  const files = opened.files.map((file): PartFile => {
    const key = opened.partOf(file);
    return {
      ends: options.separate ? endsAlone(endsOf(file)) : plainEnds(endsOf(file)),
      ...opened.inputsOf(file),
      ...(key !== undefined && { key }),
      replies: options.separate ? { paths: [], stems: [] } : opened.repliesOf(file),
    };
  });
  return { files, runs };
}
