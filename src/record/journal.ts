import { constants, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";

/** An append-only file of lines; an added line survives the end of the process and of the machine. */
export interface Journal {
  /** Resolves when the line is on disk; rejects with the file system's error. Lines keep their order. */
  add(line: string): Promise<void>;
  /** Empties the file, in the order of the lines. */
  clear(): Promise<void>;
  /** Resolves when all lines are on disk and the file is closed. */
  close(): Promise<void>;
}

/** What another program did to a journal: moved or removed it (lines go on in a new file), or changed it. */
export type Meddling = "moved" | "changed";

/**
 * Opens or creates a journal; what is in it stays. A new one is readable by its owner only: it contains whole
 * conversations.
 * @param meddled called when another program has done something to the file
 */
export async function openJournal(
  path: string,
  meddled: (how: Meddling) => void = () => {},
): Promise<Journal> {
  const journal = new OpenJournal(path, await openFile(path), meddled);
  let last: Promise<void> = Promise.resolve();
  const inTurn = (step: () => Promise<void>): Promise<void> => {
    const done = last.then(step);
    // One failed write must not block the next line.
    last = done.catch(() => {});
    return done;
  };
  return {
    add: (line) => inTurn(() => journal.add(Buffer.from(line))),
    clear: () => inTurn(() => journal.clear()),
    close: () => inTurn(() => journal.close()),
  };
}

function openFile(path: string): Promise<FileHandle> {
  return open(path, "a", 0o600);
}

/**
 * Opens or creates the file that has taken the place of a journal. It waits for nobody: what has taken the
 * place may be a pipe without a reader.
 */
async function openAgain(path: string): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw Object.assign(new Error(`${path} is not a file any more`), { code: "ENXIO" });
}

class OpenJournal {
  readonly #path: string;
  readonly #meddled: (how: Meddling) => void;
  #file: FileHandle;
  /** Where the last line ended; absent before the first one, and after a write that failed. */
  #end: number | undefined;

  constructor(path: string, file: FileHandle, meddled: (how: Meddling) => void) {
    this.#path = path;
    this.#file = file;
    this.#meddled = meddled;
  }

  async add(line: Buffer): Promise<void> {
    const stats = await this.#followed();
    if (!stats.isFile()) {
      await writeAll(this.#file, line);
      return;
    }
    if (this.#end !== undefined && this.#end !== stats.size) this.#meddled("changed");
    const start = this.#end === stats.size ? stats.size : await this.#endLine(stats.size);
    this.#end = undefined;
    try {
      await writeAll(this.#file, line);
      await this.#file.datasync();
    } catch (error) {
      await this.#takeBack(start, line.length).catch(() => {});
      throw error;
    }
    this.#end = start + line.length;
  }

  async clear(): Promise<void> {
    const stats = await this.#followed();
    if (stats.isFile()) await this.#file.truncate(0);
    this.#end = undefined;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Removes the beginning of a line for which the disk had no room. */
  async #takeBack(start: number, length: number): Promise<void> {
    const { size } = await this.#file.stat();
    if (size > start && size < start + length) await this.#file.truncate(start);
  }

  /** The state of the file that has the journal's name: what is written to a removed file is lost. */
  async #followed(): Promise<Stats> {
    const mine = await this.#file.stat();
    const named = await stat(this.#path).catch(() => undefined);
    if (named?.ino === mine.ino && named.dev === mine.dev) return mine;
    const file = await openAgain(this.#path);
    await this.#file.close().catch(() => {});
    this.#file = file;
    this.#end = undefined;
    this.#meddled("moved");
    return file.stat();
  }

  /** A killed recorder may have left half a line: the next one starts on a line of its own. */
  async #endLine(size: number): Promise<number> {
    if (size === 0) return 0;
    const reader = await open(this.#path, "r").catch(() => undefined);
    try {
      const last = Buffer.alloc(1);
      // A file that may be written only is taken to end in half a line: an empty line is no loss.
      await reader?.read(last, 0, 1, size - 1);
      if (last[0] === 10) return size;
      await writeAll(this.#file, Buffer.from("\n"));
      return size + 1;
    } finally {
      await reader?.close();
    }
  }
}

/** In one call where the system allows it, so that lines of two recorders do not mix. */
async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
}
