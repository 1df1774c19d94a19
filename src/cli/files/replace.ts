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
 * Writes a file so that it is either there whole or not at all: beside its place first, then moved there. What stands in its place keeps its
 * permissions; a pipe or a device is written to as it is.
 */
export async function writeWhole(shown: string, cwd: string, pieces: Iterable<Uint8Array>): Promise<void> {
  const full = path.resolve(cwd, shown);
  try {
    const there = await statOf(full);
    if (there && !there.isFile()) await fill(await open(full, "w"), pieces);
    else await moveIn(there ? await realpath(full) : full, there, pieces);
  } catch (error) {
    throw systemTrouble(error, `cannot write ${shown}`);
  }
}

/**
 * Puts new content into a file; says where the old one is kept. Whatever happens, one of the two is whole at the file's place. `read` is the state
 * from before the file was read: what was written to it since then is not lost, the repair is refused.
 */
export async function replaceFile(
  shown: string,
  cwd: string,
  pieces: Iterable<Uint8Array>,
  read: FileState,
): Promise<string> {
  const full = path.resolve(cwd, shown);
  try {
    // Behind a symbolic link, the file itself is replaced.
    const real = await realpath(full);
    const refuseChanged = () => {
      if (fileState(real) === read) return;
      throw new Trouble(
        `cannot repair ${shown} in place: it changed while it was repaired, and is left as it is now; run it again when nobody writes to it`,
      );
    };
    refuseChanged();
    // What the owner protects from being written is not replaced behind their back.
    await access(real, constants.W_OK);
    const there = await stat(real);
    const backup = await keep(real);
    await moveIn(real, there, pieces, refuseChanged).catch(async (error) => {
      await unlink(backup).catch((): undefined => undefined);
      throw error;
    });
    return path.join(path.dirname(shown), path.basename(backup));
  } catch (error) {
    if (error instanceof Trouble) throw error;
    throw systemTrouble(error, `cannot repair ${shown} in place`);
  }
}

/** Makes a folder and those above it. */
export async function makeFolder(shown: string, cwd: string): Promise<void> {
  try {
    await mkdir(path.resolve(cwd, shown), { recursive: true });
  } catch (error) {
    throw systemTrouble(error, `cannot make the directory ${shown}`);
  }
}

/** So many backups lie beside a file before somebody should have looked at them. */
const maxBackups = 1000;

/** Copies a file to the first free name: `run.log.bak`, `run.log.bak2` … A backup is never overwritten. */
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
  pieces: Iterable<Uint8Array>,
  beforeMove?: () => void,
): Promise<void> {
  // Not longer than the name that it gets, which the file system took.
  const draft = path.join(path.dirname(full), `.toollint-${process.pid}-${randomUUID().slice(0, 8)}.tmp`);
  try {
    // From its first byte on nobody reads it who may not read the file that it replaces.
    await fill(await open(draft, "wx", there ? there.mode & 0o700 : 0o666), pieces);
    if (there) await giveAccessOf(there, draft);
    beforeMove?.();
    await rename(draft, full);
  } catch (error) {
    await unlink(draft).catch((): undefined => undefined);
    throw error;
  }
}

/** Permissions, and the owner: who repairs somebody else's log with more rights must not take it from them. */
async function giveAccessOf({ mode, uid, gid }: Stats, draft: string): Promise<void> {
  const own = await stat(draft);
  if (own.uid !== uid || own.gid !== gid) {
    await chown(draft, uid, gid).catch((error) => {
      // Without these rights the file is the user's own, as every file that they write.
      if (codeOf(error) !== "EPERM") throw error;
    });
  }
  await chmod(draft, mode & 0o7777);
}

async function fill(file: FileHandle, pieces: Iterable<Uint8Array>): Promise<void> {
  try {
    for (const piece of pieces) await file.appendFile(piece);
    // On the disk before it takes the old one's place.
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
