import { runProgram } from "./run.ts";
import { type Io, print, processIo } from "./terminal/io.ts";
import { isOfSystem, reasonOf, Trouble } from "./trouble.ts";

/** Runs the program with these arguments and says its exit code. Never throws, never exits: what is printed is still on its way. */
export async function main(args: readonly string[], io: Io = processIo()): Promise<number> {
  // A reader that goes away (`| head`) is told to whoever writes; without a listener the event, which comes later, would end the process.
  for (const stream of [io.stdout, io.stderr]) {
    if (!stream.listeners("error").includes(ignore)) stream.on("error", ignore);
  }
  try {
    return await answer(args, io);
  } catch (error) {
    await complain(io, messageOf(error, io)).catch(ignore);
    return 2;
  }
}

function ignore(): void {}

async function answer(args: readonly string[], io: Io): Promise<number> {
  // Nothing else is done for the question that scripts ask most.
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
    await print(io.stdout, [__VERSION__]);
    return 0;
  }
  return runProgram(args, io);
}

/** Says on standard error what went wrong. Names in it may come from anywhere: what a terminal would obey is made visible. */
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
