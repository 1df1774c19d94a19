import { printable } from "../../reporters/visible.ts";
import { type Io, print } from "./io.ts";

/** A sentence about trouble as lines for standard error. It may quote names and arguments that hold anything: credentials in them are masked. */
function* complaint(message: string): Generator<string> {
  for (const [index, line] of message.split("\n").entries())
    yield `${index === 0 ? "toollint: " : "  "}${printable(line.trim(), false)}`;
}

/** Says on standard error what the user has to know. */
export async function note(io: Io, ...sentences: readonly string[]): Promise<void> {
  for (const sentence of sentences) await print(io.stderr, complaint(sentence));
}
