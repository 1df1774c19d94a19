import { outputOf, type Runtime } from "../../reading/container-logs.ts";
import type { ByteSource } from "../../reading/source.ts";
import { level } from "../../traffic/certainty.ts";
import type { Recording } from "../../traffic/container.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import { jsonl } from "./jsonl.ts";
import { text } from "./text/text.ts";

/** Enough of the output to tell its form, in bytes. */
const headSize = 64 << 10;

/** Reads what a program printed, as its runtime kept it, like the program's own log. */
export function readOutput(source: ByteSource, runtime: Runtime, recognizer: Recognizer): Recording {
  const output = outputOf(source, runtime) ?? source;
  const head = output.read(0, Math.min(output.size, headSize));
  const isJsonLines = jsonl.recognize(head, head.length === output.size) >= level.plausible;
  return (isJsonLines ? jsonl : text).read(output, recognizer);
}
