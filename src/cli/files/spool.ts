import { randomUUID } from "node:crypto";
import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { TooLarge } from "../../reading/limit.ts";
import { type ByteSource, fileSource } from "../../reading/source.ts";
import { systemTrouble } from "../trouble.ts";

/** The most bytes of a pipe, which may have no end. */
const maxSpooled = 16 * 2 ** 30;

/**
 * A pipe's bytes in a temporary file that only this user may read, and that is gone when it is closed, or at
 * once where the system allows it.
 * @param before what was read of the pipe already
 */
export async function spooled(
  name: string,
  before: readonly Buffer[],
  rest: AsyncIterable<Buffer>,
  limit = maxSpooled,
): Promise<ByteSource> {
  const file = path.join(tmpdir(), `toollint-${randomUUID()}`);
  let length = 0;
  const write = (fd: number, bytes: Buffer): void => {
    length += bytes.length;
    if (length > limit)
      throw new TooLarge("it is longer than 16 GiB; save it to a file first: toollint reads files in parts");
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  };
  try {
    const fd = openSync(file, "wx", 0o600);
    try {
      for (const bytes of before) write(fd, bytes);
      for await (const bytes of rest) write(fd, bytes);
    } finally {
      closeSync(fd);
    }
    const source = fileSource(file, name);
    const isGone = remove(file);
    return {
      ...source,
      close() {
        source.close();
        if (!isGone) remove(file);
      },
    };
  } catch (error) {
    remove(file);
    if (error instanceof TooLarge) throw error;
    throw systemTrouble(error, `cannot keep ${name === "-" ? "standard input" : name} in ${tmpdir()}`);
  }
}

/** Whether the file is removed; some systems keep it as long as it is open. */
function remove(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch {
    return false;
  }
}
