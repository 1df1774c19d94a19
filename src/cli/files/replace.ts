import { constants } from "node:fs";
import { access, mkdir, realpath, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { systemTrouble, Trouble } from "../trouble.ts";
import { type Chunks, copyToFreeName, replaceWith } from "./atomic.ts";
import { type FileState, fileState } from "./file-state.ts";

/**
 * Replaces a file's content and returns the path of its backup: `run.log.bak`, `run.log.bak2` … A complete
 * file, old or new, is always there. `read` is the state before the file was read; throws {@link Trouble} if
 * the file has changed since.
 */
export async function replaceFile(
  shown: string,
  cwd: string,
  chunks: Chunks,
  read: FileState,
): Promise<string> {
  const full = path.resolve(cwd, shown);
  try {
    // Replace the target of a symbolic link, not the link.
    const real = await realpath(full);
    const refuseChanged = () => {
      if (fileState(real) === read) return;
      throw new Trouble(
        `cannot repair ${shown} in place: another program changed it in the meantime, so toollint did not write it; run the command again when no program writes to the file`,
      );
    };
    refuseChanged();
    // A file that its owner write-protected is not replaced.
    await access(real, constants.W_OK);
    const there = await stat(real);
    const backup = await copyToFreeName(real, (number) => `${real}.bak${number === 1 ? "" : number}`);
    let isTouched = false;
    const beforeMove = () => {
      refuseChanged();
      isTouched = true;
    };
    await replaceWith(real, there, chunks, { beforeMove }).catch(async (error) => {
      if (!isTouched) await unlink(backup).catch((): undefined => undefined);
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
