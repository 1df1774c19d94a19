import { fstatSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { maxInMemory, TooLarge } from "../../reading/limit.ts";
import { systemTrouble } from "../trouble.ts";

/** The program's environment: streams, variables, folder, terminal. Tests pass their own. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Standard output is a terminal. */
  readonly isTTY: boolean;
  /** Standard error is a terminal. */
  readonly isErrorTTY?: boolean;
  /** Columns of the terminal; absent without one. */
  readonly columns?: number | undefined;
  /** The current time; by default that of the clock. */
  readonly now?: Date | undefined;
  /** Set in a thread that watches: what ends the watch, and where the exit code of each check goes. */
  readonly watch?: { readonly signal: AbortSignal; note(exit: number): void };
  /** Measures how long work takes, in milliseconds; by default that of the process. */
  readonly clock?: { now(): number };
}

/** The environment of this process. */
export function processIo(): Io {
  return {
    // Opening it costs time, and few commands read it.
    get stdin() {
      return process.stdin;
    },
    stdout: guarded(process.stdout),
    // The same, and most runs write nothing there: for a pipe, Node loads its network modules first.
    get stderr() {
      return guarded(process.stderr);
    },
    env: process.env,
    cwd: process.cwd(),
    isTTY: process.stdout.isTTY === true,
    get isErrorTTY() {
      const mayBe = process.platform === "win32" || fstatSync(2).isCharacterDevice();
      return mayBe && process.stderr.isTTY === true;
    },
    // A terminal may be resized.
    get columns() {
      return process.stdout.columns;
    },
  };
}

/**
 * Writes report a closed reader (`| head`). The later event would end the process without a listener, so this
 * adds one.
 */
export function guarded<T extends Writable>(stream: T): T {
  if (!stream.listeners("error").includes(ignore)) stream.on("error", ignore);
  return stream;
}

function ignore(): void {}

/** Columns to write for: those of the terminal (at least 40), or 100 without one. */
export function terminalWidth(io: Io): number {
  return io.columns && io.columns > 0 ? Math.max(40, io.columns) : 100;
}

/** Writes lines; see {@link printChunks}. */
export function print(stream: Writable, lines: Iterable<string>): Promise<void> {
  return printChunks(stream, withFeeds(lines));
}

/** Appends a line feed to each line. */
export function* withFeeds(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${line}\n`;
}

const batch = 1 << 16;

/**
 * Writes text and waits until the stream accepts it, so that a slow reader never fills the memory. If the
 * reader has gone away (EPIPE), silently drops the rest; throws {@link Trouble} for any other failure.
 */
export async function printChunks(stream: Writable, chunks: Iterable<string>): Promise<void> {
  let pending = "";
  for (const chunk of chunks) {
    pending += chunk;
    if (pending.length < batch) continue;
    if (!(await isTaken(stream, pending))) return;
    pending = "";
  }
  if (pending) await isTaken(stream, pending);
}

/** Writes bytes unchanged; otherwise like {@link printChunks}. */
export async function printBytes(stream: Writable, chunks: Iterable<Uint8Array>): Promise<void> {
  for (const chunk of chunks) if (!(await isTaken(stream, chunk))) return;
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

/** Reads a stream to its end. Throws {@link TooLarge} above `limit` bytes: a device may have no end. */
export async function readAll(stream: AsyncIterable<string | Buffer>, limit = maxInMemory): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of stream) {
    const bytes = typeof part === "string" ? Buffer.from(part) : part;
    length += bytes.length;
    if (length > limit)
      throw new TooLarge("it is longer than 1 GiB; save it to a file first: toollint reads files in parts");
    parts.push(bytes);
  }
  return Buffer.concat(parts, length);
}
