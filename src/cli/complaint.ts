import { visible } from "../reporters/visible.ts";

/** A sentence about trouble as lines for standard error. It may quote names that hold anything. */
export function* complaint(message: string): Generator<string> {
  for (const [index, line] of message.split("\n").entries())
    yield `${index === 0 ? "toollint: " : "  "}${visible(line.trim())}`;
}
