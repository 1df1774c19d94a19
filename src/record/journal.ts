import { type FileHandle, open } from "node:fs/promises";

/** An append-only file of lines; an added line survives the end of the process and of the machine. */
export interface Journal {
  /** Resolves when the line is on disk; rejects with the file system's error. Lines keep their order. */
  add(line: string): Promise<void>;
  /** Resolves when all lines are on disk and the file is closed. */
  close(): Promise<void>;
}

/** Opens or creates a journal. A new one is readable by its owner only: it contains whole conversations. */
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
      // One failed write must not block the next line.
      last = added.catch(() => {});
      return added;
    },
    async close() {
      await last;
      await file.close();
    },
  };
}

/** A killed recorder may have left half a line: the next one starts on a line of its own. */
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
