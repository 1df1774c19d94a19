import { statSync } from "node:fs";

/** What a file is at a moment: another one, or other content, has another state. */
export type FileState = string | undefined;

/** The state of a file now; `undefined` when there is none. */
export function fileState(full: string): FileState {
  const stats = statSync(full, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}
