import { createInterface } from "node:readline/promises";
import type { Io } from "./io.ts";

/** Asks on the terminal and resolves with the answer; empty at the end of input. */
export async function answer(io: Io, question: string): Promise<string> {
  const terminal = createInterface({ input: io.stdin, output: io.stderr });
  const closed = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
  try {
    return await Promise.race([terminal.question(question), closed]);
  } finally {
    terminal.close();
  }
}
