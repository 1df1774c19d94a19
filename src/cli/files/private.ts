import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Io } from "../terminal/io.ts";
import { systemTrouble, Trouble } from "../trouble.ts";

/** Only its owner reads it. */
const mode = 0o600;

/** A shorter key could be guessed. */
const shortestKey = 16;

/** The key in a file, in bytes as they stand there. A file that does not exist is made, with a random key. */
export function keyIn(shown: string, io: Io): { readonly key: Buffer; readonly isNew: boolean } {
  const full = path.resolve(io.cwd, shown);
  try {
    const isNew = !existsSync(full);
    if (isNew) writeFileSync(full, `${randomBytes(32).toString("hex")}\n`, { mode, flag: "wx" });
    const key = readFileSync(full);
    if (key.length < shortestKey)
      throw new Trouble(`${shown} is too short for a key: name a file that does not exist, and it is made`);
    return { key, isNew };
  } catch (error) {
    if (error instanceof Trouble) throw error;
    throw systemTrouble(error, `cannot use the key ${shown}`);
  }
}

/** Writes a file that only its owner reads, also where another one stood. */
export function writePrivate(shown: string, text: string, io: Io): void {
  const full = path.resolve(io.cwd, shown);
  try {
    if (existsSync(full)) chmodSync(full, mode);
    writeFileSync(full, text, { mode });
  } catch (error) {
    throw systemTrouble(error, `cannot write ${shown}`);
  }
}
