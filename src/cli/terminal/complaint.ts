import { printable } from "../../reporters/visible.ts";
import { type Io, print } from "./io.ts";

/** A message as lines for standard error, with credentials masked: it may quote names and arguments. */
function* complaint(message: string): Generator<string> {
  for (const [index, line] of message.split("\n").entries())
    yield `${index === 0 ? "toollint: " : "  "}${printable(line.trim(), false)}`;
}

/** Writes messages to the user on standard error. */
export async function note(io: Io, ...sentences: readonly string[]): Promise<void> {
  for (const sentence of sentences) await print(io.stderr, complaint(sentence));
}
