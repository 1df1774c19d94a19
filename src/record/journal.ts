import { type FileHandle, open } from "node:fs/promises";

/** A file that grows line by line; a line that was added survives the end of the process and of the machine. */
export interface Journal {
  /** Resolves when the line is on the disk; rejects with what the file system says. Lines keep their order. */
  add(line: string): Promise<void>;
  /** Resolves when all lines are on the disk and the file is closed. */
  close(): Promise<void>;
}

/** Opens a journal at its end, and makes the file if there is none. Only its owner may read a new one: it holds whole conversations. */
export async function openJournal(path: string): Promise<Journal> {
  const file = await open(path, "a", 0o600);
  await endLine(file, path);
  let last: Promise<void> = Promise.resolve();
  return {
    add(line) {
      const added = last.then(async () => {
        await file.appendFile(line);
        await file.datasync();
      });
      // One line that cannot be written must not keep the next from being tried.
      last = added.catch(() => {});
      return added;
    },
    async close() {
      await last;
      await file.close();
    },
  };
}

/** A recorder that was killed may have left half a line: what follows begins on a line of its own. */
async function endLine(file: FileHandle, path: string): Promise<void> {
  const { size } = await file.stat();
  if (size === 0) return;
  const reader = await open(path, "r");
  try {
    const last = Buffer.alloc(1);
    await reader.read(last, 0, 1, size - 1);
    if (last[0] !== 10) await file.appendFile("\n");
  } finally {
    await reader.close();
  }
}
