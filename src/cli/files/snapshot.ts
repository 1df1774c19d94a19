import path from "node:path";
import { codeOf } from "../trouble.ts";
import { type FileState, fileState } from "./file-state.ts";
import { foundBy } from "./inputs.ts";

/** The files that paths lead to at one moment, with their states, by path as reports show it. */
export type Snapshot = ReadonlyMap<string, FileState>;

/** Looks at the files without opening them. A file that cannot be looked at has no state. */
export async function snapshotOf(paths: readonly string[], cwd: string): Promise<Snapshot> {
  const states = new Map<string, FileState>();
  for await (const found of foundBy(paths, cwd)) {
    if ("path" in found) states.set(found.path, stateOf(path.resolve(cwd, found.path)));
  }
  return states;
}

/** Whether two snapshots show the same files with the same content. */
export function areSame(a: Snapshot, b: Snapshot): boolean {
  return a.size === b.size && [...a].every(([file, state]) => b.has(file) && b.get(file) === state);
}

function stateOf(full: string): FileState {
  try {
    return fileState(full);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
