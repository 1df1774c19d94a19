import { constants } from "node:fs";
import {
  chmod,
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
import { codeOf, systemTrouble } from "./trouble.ts";

/**
 * Writes a file so that it is either there whole or not at all: beside its place first, then moved there. What stands in its place keeps its
 * permissions; a pipe or a device is written to as it is.
 */
export async function writeWhole(shown: string, cwd: string, pieces: Iterable<Uint8Array>): Promise<void> {
  const full = path.resolve(cwd, shown);
  try {
    const there = await statOf(full);
    if (there && !there.isFile()) await fill(await open(full, "w"), pieces);
    else await moveIn(there ? await realpath(full) : full, there?.mode, pieces);
  } catch (error) {
    throw systemTrouble(error, `cannot write ${shown}`);
  }
}

/** Puts new content into a file; says where the old one is kept. Whatever happens, one of the two is whole at the file's place. */
export async function replaceFile(shown: string, cwd: string, pieces: Iterable<Uint8Array>): Promise<string> {
  const full = path.resolve(cwd, shown);
  try {
    // Behind a symbolic link, the file itself is replaced.
    const real = await realpath(full);
    const { mode } = await stat(real);
    const backup = await keep(real);
    await moveIn(real, mode, pieces);
    return path.join(path.dirname(shown), path.basename(backup));
  } catch (error) {
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

async function moveIn(full: string, mode: number | undefined, pieces: Iterable<Uint8Array>): Promise<void> {
  const draft = path.join(path.dirname(full), `.${path.basename(full)}.${process.pid}.tmp`);
  try {
    await fill(await open(draft, "wx"), pieces);
    if (mode !== undefined) await chmod(draft, mode & 0o7777);
    await rename(draft, full);
  } catch (error) {
    await unlink(draft).catch((): undefined => undefined);
    throw error;
  }
}

async function fill(file: FileHandle, pieces: Iterable<Uint8Array>): Promise<void> {
  try {
    for (const piece of pieces) await file.appendFile(piece);
    const { isFile } = await file.stat().then((stats) => ({ isFile: stats.isFile() }));
    // On the disk before it takes the old one's place.
    if (isFile) await file.sync();
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
