import { randomBytes } from "node:crypto";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import path from "node:path";
import type { Io } from "../terminal/io.ts";
import { systemTrouble, Trouble } from "../trouble.ts";
import { createWhole } from "./atomic.ts";

/** A shorter key could be guessed. */
const shortestKey = 16;

/** In bytes; nobody's key is longer, and a device has no end. */
const longestKey = 1 << 16;

/** A key, and whether it was made just now. */
export interface Key {
  readonly key: Buffer;
  readonly isNew: boolean;
}

/**
 * The key in a file, in bytes as they stand there. A file that does not exist is made, with a random key that
 * only its owner may read; of two programs that make it at once, both use the same.
 */
export async function keyIn(shown: string, io: Io): Promise<Key> {
  const full = path.resolve(io.cwd, shown);
  try {
    const isNew = !existsSync(full) && (await createWhole(full, [`${randomBytes(32).toString("hex")}\n`]));
    const key = firstBytes(full, longestKey + 1);
    if (key.length > longestKey) throw new Trouble(`${shown} is too long to be a key file`);
    if (key.length < shortestKey)
      throw new Trouble(
        `${shown} is too short to be a key file: name a file that does not exist, and toollint creates it`,
      );
    return { key, isNew };
  } catch (error) {
    if (error instanceof Trouble) throw error;
    throw systemTrouble(error, `cannot use the key ${shown}`);
  }
}

/** Up to so many bytes of a file, a pipe or a device. */
function firstBytes(full: string, most: number): Buffer {
  const bytes = Buffer.alloc(most);
  const file = openSync(full, "r");
  try {
    let length = 0;
    for (let read = -1; read !== 0 && length < most; length += read)
      read = readSync(file, bytes, length, most - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
