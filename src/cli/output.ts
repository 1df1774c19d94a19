import { statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { systemTrouble, Trouble } from "./trouble.ts";

const batch = 1 << 16;

/** Writes a report to a file. The sentence of a failure names it. */
export async function writeOutput(shown: string, cwd: string, pieces: Iterable<string>): Promise<void> {
  let file: FileHandle | undefined;
  try {
    file = await open(path.resolve(cwd, shown), "w");
    let pending = "";
    for (const piece of pieces) {
      pending += piece;
      if (pending.length < batch) continue;
      await file.appendFile(pending);
      pending = "";
    }
    await file.appendFile(pending);
  } catch (error) {
    throw systemTrouble(error, `cannot write ${shown}`);
  } finally {
    await file?.close();
  }
}

/** Refuses to overwrite one of the files that are read. */
export function refuseInput(shown: string, cwd: string, inputs: readonly { readonly path: string }[]): void {
  const output = identityOf(path.resolve(cwd, shown));
  if (output === undefined) return;
  for (const input of inputs) {
    if (input.path !== "-" && identityOf(path.resolve(cwd, input.path)) === output) {
      throw new Trouble(`\`--output\` would overwrite the log ${input.path}: name another file`);
    }
  }
}

function identityOf(full: string): string | undefined {
  const stats = statSync(full, { throwIfNoEntry: false });
  return stats?.isFile() ? `${stats.dev} ${stats.ino}` : undefined;
}
