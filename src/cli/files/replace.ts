import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import {
  access,
  chmod,
  chown,
  copyFile,
  type FileHandle,
  mkdir,
  open,
  realpath,
  rename,
  stat,
  unlink,
} from "node:fs/promises";
import path from "node:path";
import { codeOf, systemTrouble, Trouble } from "../trouble.ts";
import { type FileState, fileState } from "./file-state.ts";

/**
 * Writes a file atomically: first next to its destination, then moved there. An existing file keeps its
 * permissions; a pipe or a device is written to directly.
 */
export async function writeWhole(shown: string, cwd: string, chunks: Iterable<Uint8Array>): Promise<void> {
  const full = path.resolve(cwd, shown);
  try {
    const there = await statOf(full);
    if (there && !there.isFile()) await fill(await open(full, "w"), chunks);
    else await moveIn(there ? await realpath(full) : full, there, chunks);
  } catch (error) {
    throw systemTrouble(error, `cannot write ${shown}`);
  }
}

/**
 * Replaces a file's content and returns the path of its backup. A complete file, old or new, is always there.
 * `read` is the state before the file was read; throws {@link Trouble} if the file has changed since.
 */
export async function replaceFile(
  shown: string,
  cwd: string,
  chunks: Iterable<Uint8Array>,
  read: FileState,
): Promise<string> {
  const full = path.resolve(cwd, shown);
  try {
    // Replace the target of a symbolic link, not the link.
    const real = await realpath(full);
    const refuseChanged = () => {
      if (fileState(real) === read) return;
      throw new Trouble(
        `cannot repair ${shown} in place: it changed while it was repaired, and is left as it is now; run it again when nobody writes to it`,
      );
    };
    refuseChanged();
    // A file that its owner write-protected is not replaced.
    await access(real, constants.W_OK);
    const there = await stat(real);
    const backup = await keep(real);
    await moveIn(real, there, chunks, refuseChanged).catch(async (error) => {
      await unlink(backup).catch((): undefined => undefined);
      throw error;
    });
    return path.join(path.dirname(shown), path.basename(backup));
  } catch (error) {
    if (error instanceof Trouble) throw error;
    throw systemTrouble(error, `cannot repair ${shown} in place`);
  }
}

/** Creates a folder and its parents. */
export async function makeFolder(shown: string, cwd: string): Promise<void> {
  try {
    await mkdir(path.resolve(cwd, shown), { recursive: true });
  } catch (error) {
    throw systemTrouble(error, `cannot make the directory ${shown}`);
  }
}

/** Maximum number of backups next to a file. */
const maxBackups = 1000;

/** Copies a file to the first free name: `run.log.bak`, `run.log.bak2` … Never overwrites a backup. */
async function keep(file: string): Promise<string> {
  for (let number = 1; ; number++) {
    const backup = `${file}.bak${number === 1 ? "" : number}`;
    try {
      await copyFile(file, backup, constants.COPYFILE_EXCL);
      return backup;
    } catch (error) {
      if (codeOf(error) !== "EEXIST" || number >= maxBackups) throw error;
    }
  }
}

async function moveIn(
  full: string,
  there: Stats | undefined,
  chunks: Iterable<Uint8Array>,
  beforeMove?: () => void,
): Promise<void> {
  // Short, so that it fits where the final name fits.
  const draft = path.join(path.dirname(full), `.toollint-${process.pid}-${randomUUID().slice(0, 8)}.tmp`);
  try {
    // Never readable by more users than the file it replaces, not even while it is written.
    await fill(await open(draft, "wx", there ? there.mode & 0o700 : 0o666), chunks);
    if (there) await giveAccessOf(there, draft);
    beforeMove?.();
    await rename(draft, full);
  } catch (error) {
    await unlink(draft).catch((): undefined => undefined);
    throw error;
  }
}

/** Copies permissions and owner: fixing another user's log as root must not take it from them. */
async function giveAccessOf({ mode, uid, gid }: Stats, draft: string): Promise<void> {
  const own = await stat(draft);
  if (own.uid !== uid || own.gid !== gid) {
    await chown(draft, uid, gid).catch((error) => {
      // Without the right to do so, the file belongs to the user, like every file that they write.
      if (codeOf(error) !== "EPERM") throw error;
    });
  }
  await chmod(draft, mode & 0o7777);
}

async function fill(file: FileHandle, chunks: Iterable<Uint8Array>): Promise<void> {
  try {
    for (const chunk of chunks) await file.appendFile(chunk);
    // Flush it to disk before it replaces the old file.
    if ((await file.stat()).isFile()) await file.sync();
  } finally {
    await file.close();
  }
}

async function statOf(full: string) {
  try {
    return await stat(full);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
