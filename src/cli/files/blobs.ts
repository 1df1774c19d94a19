import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import path from "node:path";
import { readBlob } from "../../fleet/read-blob.ts";
import type { ShardBlob } from "../../fleet/shards.ts";
import { looksLikeBlob } from "../../log/shard-report.ts";
import type { Io } from "../terminal/io.ts";
import { codeOf, systemTrouble, Trouble } from "../trouble.ts";

/** The blobs that are named or lie in named directories; throws {@link Trouble} for a file that is none. */
export async function blobsIn(paths: readonly string[], { cwd }: Pick<Io, "cwd">): Promise<ShardBlob[]> {
  const blobs = new Map<string, ShardBlob>();
  for (const shown of paths) {
    const full = path.resolve(cwd, shown);
    const found = isDirectory(full, shown) ? blobFiles(full, shown) : [shown];
    if (found.length === 0)
      throw new Trouble(
        `there are no reports of shards in ${shown}: \`toollint check --format blob\` writes them`,
      );
    for (const file of found) {
      const whole = path.resolve(cwd, file);
      if (!blobs.has(whole)) blobs.set(whole, blobOf(whole, file));
    }
  }
  return [...blobs.values()];
}

function blobOf(full: string, shown: string): ShardBlob {
  const blob = readBlob(orTrouble(shown, () => readFileSync(full, "utf8")));
  if (typeof blob === "string") throw new Trouble(`${shown} ${blob}`);
  return { ...blob, path: shown };
}

/** The files below a directory that begin as blobs do. */
function blobFiles(full: string, shown: string): string[] {
  const entries = orTrouble(shown, () => readdirSync(full, { withFileTypes: true }));
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const [below, name] = [path.join(full, entry.name), path.join(shown, entry.name)];
    if (entry.isDirectory()) return blobFiles(below, name);
    return entry.isFile() && looksLikeBlob(orTrouble(name, () => headOf(below))) ? [name] : [];
  });
}

function headOf(full: string): string {
  const fd = openSync(full, "r");
  try {
    const head = Buffer.alloc(64);
    return head.toString("utf8", 0, readSync(fd, head, 0, head.length, 0));
  } finally {
    closeSync(fd);
  }
}

function isDirectory(full: string, shown: string): boolean {
  return orTrouble(shown, () => statSync(full)).isDirectory();
}

function orTrouble<T>(shown: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw systemTrouble(error, `cannot read ${shown}`);
  }
}
