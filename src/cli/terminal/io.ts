import type { Readable, Writable } from "node:stream";
import { systemTrouble } from "../trouble.ts";

/** All that the program has of the world: streams, environment, folder, terminal. Tests hand over their own. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Standard output is a terminal. */
  readonly isTTY: boolean;
  /** Columns of that terminal; absent when there is none. */
  readonly columns?: number | undefined;
  /** The time; that of the clock when absent. */
  readonly now?: Date | undefined;
}

/** The world of this process. */
export function processIo(): Io {
  return {
    // Made when first read: to have it costs time, and few commands read it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    isTTY: process.stdout.isTTY === true,
    columns: process.stdout.columns,
  };
}

/** Columns to write for: the terminal's, or 100 where there is none. */
export function terminalWidth(io: Io): number {
  return io.columns && io.columns > 0 ? Math.max(40, io.columns) : 100;
}

/** Writes lines; see {@link printChunks}. */
export function print(stream: Writable, lines: Iterable<string>): Promise<void> {
  return printChunks(stream, withFeeds(lines));
}

/** Lines as text, each with its line feed. */
export function* withFeeds(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${line}\n`;
}

const batch = 1 << 16;

/**
 * Writes text and waits until it is taken, so that a slow reader never fills the memory. When the reader has gone away (EPIPE),
 * the rest is dropped without a word; any other failure is thrown as a sentence.
 */
export async function printChunks(stream: Writable, pieces: Iterable<string>): Promise<void> {
  let pending = "";
  for (const piece of pieces) {
    pending += piece;
    if (pending.length < batch) continue;
    if (!(await isTaken(stream, pending))) return;
    pending = "";
  }
  if (pending) await isTaken(stream, pending);
}

/** Writes bytes as they are; otherwise like {@link printChunks}. */
export async function printBytes(stream: Writable, pieces: Iterable<Uint8Array>): Promise<void> {
  for (const piece of pieces) if (!(await isTaken(stream, piece))) return;
}

function isTaken(stream: Writable, text: string | Uint8Array): Promise<boolean> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (!error) resolve(true);
      else if (isReaderGone(error)) resolve(false);
      else reject(systemTrouble(error, "cannot write the output"));
    });
  });
}

function isReaderGone(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EPIPE" || code === "ERR_STREAM_DESTROYED" || code === "ERR_STREAM_WRITE_AFTER_END";
}

/** Everything that stands on standard input, once it ends. */
export async function readAll(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(typeof part === "string" ? Buffer.from(part) : part);
  return Buffer.concat(parts);
}
