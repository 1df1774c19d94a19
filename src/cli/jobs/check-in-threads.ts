import path from "node:path";
import { checkInParts } from "../../check/parts.ts";
import { type CheckOutcome, joinedRuns } from "../../check/run-report.ts";
import { pushAll } from "../../reading/lists.ts";
import type { Inputs, InputTrouble } from "../files/inputs.ts";
import { statsOf } from "../files/output.ts";
import type { ProgressLine } from "../terminal/progress.ts";
import type { PartCommand } from "./part-worker.ts";
import { startPool } from "./pool.ts";

/** What threads found, and the inputs without what no thread could check, whose troubles are added. */
export interface CheckedInThreads {
  readonly inputs: Inputs;
  readonly outcome: CheckOutcome;
}

/** Checks files in several threads; finds what a check in this one would find. */
export async function checkInThreads(
  inputs: Inputs,
  command: PartCommand,
  separate: boolean,
  progress: Pick<ProgressLine, "checking">,
): Promise<CheckedInThreads> {
  const { files, threads = 1 } = inputs;
  const done = new Set<string>();
  const pool = startPool(command, {
    width: threads,
    separate,
    onChecked(paths) {
      for (const each of paths) done.add(each);
      progress.checking(done.size, files.length);
    },
  });
  try {
    const sized = files.map((file) => ({
      path: file.path,
      size: statsOf(path.resolve(command.cwd, file.path))?.size ?? 0,
    }));
    const runs = await checkInParts(sized, pool);
    return { inputs: withFailures(inputs, pool.failures), outcome: joinedRuns(runs) };
  } finally {
    await pool.close();
  }
}

/** The inputs without those that failed; messages stand in the order of the files. */
function withFailures(inputs: Inputs, failures: ReadonlyMap<string, InputTrouble | undefined>): Inputs {
  if (failures.size === 0) return inputs;
  const troubles: InputTrouble[] = [];
  let listed = 0;
  for (const { path: shown, troublesBefore } of inputs.files) {
    pushAll(troubles, inputs.troubles.slice(listed, troublesBefore));
    listed = Math.max(listed, troublesBefore);
    const trouble = failures.get(shown);
    if (trouble) troubles.push(trouble);
  }
  pushAll(troubles, inputs.troubles.slice(listed));
  return { ...inputs, troubles, files: inputs.files.filter(({ path: shown }) => !failures.has(shown)) };
}
