import { constants, type Stats } from "node:fs";
import { access, chmod, chown, type FileHandle, link, open, rename, stat } from "node:fs/promises";
import path from "node:path";
import { shellWord } from "../../reporters/shell.ts";
import { codeOf, systemTrouble, Trouble } from "../trouble.ts";
import { dropDraft, keepDraft, newDraft } from "./drafts.ts";
import { realPath } from "./real-path.ts";

/** The one writer of whole files: reports, repaired logs, baselines, backups, config files. */

export type Chunks = Iterable<string | Uint8Array>;

/** Who may read a written file. */
export interface Readers {
  /** Only its owner, also where others could read the file that stood there. */
  readonly isPrivate?: boolean;
  /** A new file: nobody who may not read all of these, of whose content it is made. `-` limits nothing. */
  readonly copyOf?: readonly string[];
}

/**
 * Writes a file atomically: first next to its destination, then moved there, so that a full disk or a kill
 * leaves the old file whole. An existing file keeps its permissions, its owner and its links, symbolic and
 * hard. A pipe, a device and a file in a folder that takes no new files are written to directly. `shown` is
 * the path as typed.
 */
export async function writeWhole(
  shown: string,
  cwd: string,
  chunks: Chunks,
  { isPrivate = false, copyOf = [] }: Readers = {},
): Promise<void> {
  const full = path.resolve(cwd, shown);
  try {
    const there = await statOf(full);
    const real = realPath(full);
    // A file that its owner write-protected is not replaced.
    if (there) await access(real, constants.W_OK);
    if (there?.isFile() && isPrivate) {
      await chmod(real, there.mode & 0o700);
      there.mode &= ~0o077;
    }
    const isDirect = there && (!there.isFile() || !(await mayWriteIn(path.dirname(real))));
    const mode = isPrivate ? 0o600 : 0o600 | (0o066 & (await commonMode(copyOf, cwd)));
    if (isDirect) await fill(await open(full, "w"), chunks);
    else await replaceWith(real, there, chunks, { mode });
  } catch (error) {
    throw error instanceof Trouble ? error : writeTrouble(error, shown);
  }
}

/** A system's error at writing a file as {@link Trouble}; what is missing is its directory, not the file. */
export function writeTrouble(error: unknown, shown: string): Trouble {
  const folder = path.dirname(shown);
  return codeOf(error) === "ENOENT"
    ? new Trouble(
        `cannot write ${shown}: there is no directory ${folder}; create it first: \`mkdir -p ${shellWord(folder)}\``,
      )
    : systemTrouble(error, `cannot write ${shown}`);
}

/** What all of these files permit; those that are none permit everything. */
async function commonMode(files: readonly string[], cwd: string): Promise<number> {
  let mode = 0o777;
  for (const file of files) {
    const there = file === "-" ? undefined : await statOf(path.resolve(cwd, file));
    if (there?.isFile()) mode &= there.mode;
  }
  return mode;
}

/** Writes a private file that must not exist yet; `false` if it does, or is made at the same moment. */
export async function createWhole(full: string, chunks: Chunks): Promise<boolean> {
  const draft = newDraft(path.dirname(full));
  try {
    await fill(await open(draft, "wx", 0o600), chunks);
    return await isNamed(draft, full, false);
  } finally {
    dropDraft(draft);
  }
}

interface Replacing {
  /** The permissions of a new file, before the user's mask. */
  readonly mode?: number;
  /** May throw to leave everything as it is. */
  beforeMove?(): void;
}

/**
 * Replaces the content of the file `full`, or creates it; `there` is its state, `undefined` if it does not
 * exist.
 */
export async function replaceWith(
  full: string,
  there: Stats | undefined,
  chunks: Chunks,
  { mode = 0o666, beforeMove }: Replacing = {},
): Promise<void> {
  const draft = newDraft(path.dirname(full));
  try {
    // Never readable by more users than the file it replaces, not even while it is written.
    await fill(await open(draft, "wx", there ? there.mode & 0o700 : mode), chunks);
    const isAlike = !there || (there.nlink === 1 && (await giveAccessOf(there, draft)));
    beforeMove?.();
    if (isAlike && (await movedTo(full, draft))) return keepDraft(draft);
  } catch (error) {
    dropDraft(draft);
    throw error;
  }
  await copyInto(full, draft);
}

/**
 * Copies a file to the first free name that `nameOf` gives for 1, 2, … and returns it. The copy has the
 * permissions and the owner of the file and never overwrites another; half a copy never bears the name.
 */
export async function copyToFreeName(full: string, nameOf: (number: number) => string): Promise<string> {
  const draft = newDraft(path.dirname(full));
  try {
    const there = await stat(full);
    const from = await open(full, "r");
    await copy(from, await open(draft, "wx", there.mode & 0o700));
    await giveAccessOf(there, draft);
    for (let number = 1; ; number++) {
      const name = nameOf(number);
      if (await isNamed(draft, name, number >= maxNames)) return name;
    }
  } finally {
    dropDraft(draft);
  }
}

/** Maximum number of names that are tried. */
const maxNames = 1000;

/** Gives a draft a second, final name; `false` if that is taken. */
async function isNamed(draft: string, name: string, isLast: boolean): Promise<boolean> {
  try {
    await link(draft, name);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") {
      if (isLast) throw error;
      return false;
    }
    if (code === undefined || !noLinks.has(code)) throw error;
  }
  // A file system without hard links, such as that of a memory stick.
  try {
    const { mode } = await stat(draft);
    await copy(await open(draft, "r"), await open(name, "wx", mode & 0o777));
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST" && !isLast) return false;
    throw error;
  }
}

const noLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "UNKNOWN"]);

/**
 * Moves a draft to its destination; `false` where only its content may change: a mount point of its own, as
 * in a container, or another user's file in a shared folder.
 */
async function movedTo(full: string, draft: string): Promise<boolean> {
  try {
    await rename(draft, full);
    return true;
  } catch (error) {
    if (["EBUSY", "EXDEV", "EPERM", "EACCES"].includes(codeOf(error) ?? "")) return false;
    throw error;
  }
}

async function mayWriteIn(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Writes a draft's content into an existing file, which keeps everything but its content: other names (hard
 * links), an owner that only root could give. If that fails, the draft stays under a name of its own.
 */
async function copyInto(full: string, draft: string): Promise<void> {
  try {
    await copy(await open(draft, "r"), await open(full, constants.O_WRONLY));
  } catch (error) {
    const saved = await copyToFreeName(draft, (number) => `${full}.new${number === 1 ? "" : number}`);
    dropDraft(draft);
    throw new Trouble(
      `${systemTrouble(error, `cannot write ${full}`).message}; its new content is in ${saved}`,
    );
  }
  dropDraft(draft);
}

async function copy(from: FileHandle, to: FileHandle): Promise<void> {
  try {
    const slice = Buffer.allocUnsafe(batch);
    let at = 0;
    for (;;) {
      const { bytesRead } = await from.read(slice, 0, slice.length, at);
      if (bytesRead === 0) break;
      await to.writeFile(slice.subarray(0, bytesRead));
      at += bytesRead;
    }
    await to.truncate(at);
    await to.sync();
  } finally {
    await from.close();
    await to.close();
  }
}

/**
 * Copies permissions and owner: fixing another user's log as root must not take it from them. Returns `false`
 * if the owner cannot be given.
 */
async function giveAccessOf({ mode, uid, gid }: Stats, draft: string): Promise<boolean> {
  const own = await stat(draft);
  let isGiven = true;
  if (own.uid !== uid || own.gid !== gid) {
    await chown(draft, uid, gid).catch((error) => {
      if (codeOf(error) !== "EPERM") throw error;
      isGiven = false;
    });
  }
  await chmod(draft, mode & 0o7777);
  return isGiven;
}

/** Small chunks are written together: about this many bytes. */
const batch = 1 << 16;

async function fill(file: FileHandle, chunks: Chunks): Promise<void> {
  try {
    let pending = "";
    for (const chunk of chunks) {
      if (typeof chunk === "string" && pending.length < batch) {
        pending += chunk;
        continue;
      }
      if (pending !== "") await file.appendFile(pending);
      pending = "";
      await file.appendFile(chunk);
    }
    if (pending !== "") await file.appendFile(pending);
    // Flush it to disk before it replaces the old file.
    if ((await file.stat()).isFile()) await file.sync();
  } finally {
    await file.close();
  }
}

async function statOf(full: string): Promise<Stats | undefined> {
  try {
    return await stat(full);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
