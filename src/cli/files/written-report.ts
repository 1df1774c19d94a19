import { note } from "../terminal/complaint.ts";
import type { Io } from "../terminal/io.ts";
import { writeWhole } from "./atomic.ts";

/** Writes a report into a file and says so, unless only errors are to be said. */
export async function writeReport(
  file: string,
  chunks: Iterable<string>,
  io: Io,
  isQuiet = false,
): Promise<void> {
  await writeWhole(file, io.cwd, chunks);
  if (!isQuiet) await note(io, `wrote ${file}`);
}
