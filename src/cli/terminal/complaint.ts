import { printable } from "../../reporters/visible.ts";

/** A sentence about trouble as lines for standard error. It may quote names and arguments that hold anything: credentials in them are masked. */
export function* complaint(message: string): Generator<string> {
  for (const [index, line] of message.split("\n").entries())
    yield `${index === 0 ? "toollint: " : "  "}${printable(line.trim(), false)}`;
}
