import { finished } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { parentPort } from "node:worker_threads";
import { bundleWorker } from "../jobs/bundle-worker.ts";
import { type Io, processIo } from "../terminal/io.ts";
import { untilStopped } from "./client-command.ts";

/** How long a watch may take to print its last line, in milliseconds. A check is not waited for. */
const graceMs = 500;

/** What a thread that watches gets: plain data. */
export interface WatchThread {
  readonly args: readonly string[];
  readonly isTTY: boolean;
  readonly isErrorTTY: boolean;
  /** Shared: the exit code of the last check, and the columns of the terminal (0 without one). */
  readonly state: Int32Array;
}

/**
 * Runs `check --watch` in a thread of its own, so that Ctrl-C ends it in the middle of a check, too. Returns
 * the exit code of the last check.
 */
export async function watchInThread(bundle: URL, args: readonly string[], io: Io): Promise<number> {
  const state = new Int32Array(new SharedArrayBuffer(8));
  state.set([2, io.columns ?? 0]);
  const measure = (): void => {
    Atomics.store(state, 1, io.columns ?? 0);
  };
  io.stdout.on("resize", measure);
  const data: WatchThread = { args, isTTY: io.isTTY, isErrorTTY: io.isErrorTTY === true, state };
  const worker = bundleWorker(bundle, "watchWorker", data);
  worker.stdout.pipe(io.stdout, { end: false });
  worker.stderr.pipe(io.stderr, { end: false });
  const isDone = new AbortController();
  const ended = new Promise<void>((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", () => resolve());
  }).finally(() => isDone.abort());
  const stopped = Promise.race([
    untilStopped(),
    new Promise<void>((resolve) => io.stdout.once("error", () => resolve())),
  ]).then(async () => {
    worker.postMessage("stop");
    // Rejects only when the watch has ended.
    await setTimeout(graceMs, undefined, { signal: isDone.signal }).catch(() => {});
    if (isDone.signal.aborted) return;
    await worker.terminate();
    if (io.isTTY) io.stdout.write("\n");
  });
  await Promise.race([ended, stopped]);
  await Promise.all([finished(worker.stdout), finished(worker.stderr)]);
  io.stdout.off("resize", measure);
  return Atomics.load(state, 0);
}

/**
 * Runs in the thread.
 * @param main the program
 */
export async function watch(
  { args, isTTY, isErrorTTY, state }: WatchThread,
  main: (args: readonly string[], io: Io) => Promise<number>,
): Promise<void> {
  const stop = new AbortController();
  parentPort?.once("message", () => stop.abort());
  // A watch that nobody stops is what keeps the thread.
  parentPort?.unref();
  const { stdout, stderr, env, cwd } = processIo();
  const exit = await main(args, {
    stdin: process.stdin,
    stdout,
    stderr,
    env,
    cwd,
    isTTY,
    isErrorTTY,
    get columns() {
      return Atomics.load(state, 1) || undefined;
    },
    watch: {
      signal: stop.signal,
      note(exit) {
        Atomics.store(state, 0, exit);
      },
    },
  });
  Atomics.store(state, 0, exit);
}
