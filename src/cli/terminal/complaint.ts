import { masked, printable } from "../../reporters/visible.ts";
import { type Io, print } from "./io.ts";

/** A message as lines for standard error, with credentials masked: it may quote names and arguments. */
function* complaint(message: string): Generator<string> {
  // A credential may reach over several lines.
  for (const [index, line] of masked(message).split("\n").entries())
    yield `${index === 0 ? "toollint: " : "  "}${printable(line.trim(), false)}`;
}

/** Writes messages to the user on standard error. */
export async function note(io: Io, ...sentences: readonly string[]): Promise<void> {
  for (const sentence of sentences) await print(io.stderr, complaint(sentence));
}

/** Tells the user of a running server something. Never rejects: what the server does is worth more. */
export interface Noter {
  (message: string): Promise<void>;
  /** Says it only if it has not been said before. */
  readonly once: (message: string) => void;
}

export function noter(io: Io): Noter {
  const said = new Set<string>();
  const tell = (message: string): Promise<void> => note(io, message).catch(() => {});
  return Object.assign(tell, {
    once(message: string) {
      if (said.has(message) || said.size >= maxNotes) return;
      said.add(message);
      void tell(message);
    },
  });
}

/** Nobody reads more, and a stranger decides what some of them say. */
const maxNotes = 200;
