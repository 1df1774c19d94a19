import { outputOf, type Runtime } from "../../reading/container-logs.ts";
import type { ByteSource } from "../../reading/source.ts";
import { level } from "../../traffic/certainty.ts";
import type { Recording, Skipped } from "../../traffic/container.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import { jsonl } from "./jsonl.ts";
import { text } from "./text/text.ts";

/** Enough of the output to tell its form, in bytes. */
const headSize = 64 << 10;

/** Reads what a program printed, as its runtime kept it, like the program's own log. */
export function readOutput(
  source: ByteSource,
  runtime: Runtime,
  recognizer: Recognizer,
  container: string,
): Recording {
  const kept = outputOf(source, runtime);
  const output = kept?.source ?? source;
  const head = output.read(0, Math.min(output.size, headSize));
  const isJsonLines = jsonl.recognize(head, head.length === output.size) >= level.plausible;
  const read = (isJsonLines ? jsonl : text).read(output, recognizer);
  const { cut } = kept ?? {};
  if (!cut) return { ...read, container };
  const end: Skipped = { origin: { source, ...cut }, reason: "the log ends in the middle of a record" };
  return {
    ...read,
    container,
    // What else was skipped is known only when the output has been read.
    get skipped() {
      return [...read.skipped, end];
    },
  };
}
