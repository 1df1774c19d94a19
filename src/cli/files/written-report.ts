import { note } from "../terminal/complaint.ts";
import type { Io } from "../terminal/io.ts";
import { writeWhole } from "./atomic.ts";

/** Writes a report into a file, and says so to whoever sits at a terminal: programs expect nothing there. */
export async function writeReport(
  file: string,
  chunks: Iterable<string>,
  io: Io,
  isQuiet = false,
): Promise<void> {
  await writeWhole(file, io.cwd, chunks);
  if (!isQuiet && io.isErrorTTY) await note(io, `wrote ${file}`);
}
