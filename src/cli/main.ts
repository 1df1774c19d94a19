import type { WatchThread } from "./commands/watch-thread.ts";
import type { PartCommand } from "./jobs/part-worker.ts";
import { runProgram } from "./run.ts";
import { guarded, type Io, print, processIo } from "./terminal/io.ts";
import { isOfSystem, reasonOf, Trouble } from "./trouble.ts";

/** Runs the program and returns its exit code. Never throws, and never exits: output may still be pending. */
export async function main(args: readonly string[], given?: Io): Promise<number> {
  const io = given ?? processIo();
  if (given) for (const stream of [given.stdout, given.stderr]) guarded(stream);
  try {
    return await answer(args, io);
  } catch (error) {
    await complain(io, messageOf(error, io)).catch(ignore);
    return 2;
  }
}

function ignore(): void {}

async function answer(args: readonly string[], io: Io): Promise<number> {
  // Scripts ask this most often, so nothing else is loaded.
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
    await print(io.stdout, [__VERSION__]);
    return 0;
  }
  return runProgram(args, io);
}

/** Writes an error to standard error. It may quote any input, so control characters are made visible. */
async function complain(io: Io, message: string): Promise<void> {
  const { note } = await import("./terminal/complaint.ts");
  await note(io, message);
}

function messageOf(error: unknown, io: Io): string {
  if (error instanceof Trouble) return error.message;
  if (isOfSystem(error)) return `${error.syscall} failed: ${reasonOf(error)}`;
  if (io.env["TOOLLINT_DEBUG"] === "1")
    return `internal error: ${(error instanceof Error && error.stack) || error}`;
  const what = error instanceof Error ? error.message : String(error);
  return `internal error: ${what}\nThis is a mistake in toollint, not in your log; please report it. TOOLLINT_DEBUG=1 shows where it happened.`;
}

/** Runs in each thread of `check --jobs`. */
export async function partWorker(command: PartCommand): Promise<void> {
  await (await import("./jobs/part-worker.ts")).answerParts(command);
}

/** Runs in a thread of its own, for `check --watch`. */
export async function watchWorker(thread: WatchThread): Promise<void> {
  await (await import("./commands/watch-thread.ts")).watch(thread, main);
}

/** Runs in a thread of its own, for `record --live`. */
export async function liveWorker(): Promise<void> {
  (await import("./commands/live-worker.ts")).answerChecks();
}
