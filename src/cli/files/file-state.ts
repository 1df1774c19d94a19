import { statSync } from "node:fs";

/** Identifies a file and its content at one moment: another file or other content has another state. */
export type FileState = string | undefined;

/** The current state of a file; `undefined` if it does not exist. */
export function fileState(full: string): FileState {
  const stats = statSync(full, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}
