import { outputOf, type Runtime } from "../../reading/container-logs.ts";
import { unescapeBytes } from "../../reading/escapes.ts";
import type { Range } from "../../reading/lists.ts";
import type { Segments } from "../../reading/segments.ts";
import type { ByteSource } from "../../reading/source.ts";
import { plainSource } from "../../reading/terminal-codes.ts";
import { type SegmentWriter, wholeView } from "../../reading/view.ts";
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
  // Whoever printed the file may have coloured its lines: the codes stand outside of the records.
  const plain = plainSource(source);
  const kept = outputOf(plain, runtime);
  const read = readPrinted(kept?.source ?? source, recognizer, container);
  const torn: readonly Skipped[] = [
    ...skippedPart(plain, kept?.begun, "the log begins in the middle of a record"),
    ...skippedPart(plain, kept?.cut, "the log ends in the middle of a record"),
    ...skippedPart(
      plain,
      kept?.between,
      "a line that is no record: it was taken for one that the program wrote",
    ),
  ];
  if (torn.length === 0) return read;
  return {
    ...read,
    // What else was skipped is known only when the output has been read.
    get skipped() {
      return [...read.skipped, ...torn];
    },
  };
}

/** Reads what a program printed like its own log: lines of JSON, or a text. */
export function readPrinted(output: ByteSource, recognizer: Recognizer, container: string): Recording {
  const head = output.read(0, Math.min(output.size, headSize));
  const isJsonLines = jsonl.recognize(head, head.length === output.size) >= level.plausible;
  // What a terminal did to the output is no change of the file, in which the output stands.
  const { restored: _, ...read } = (isJsonLines ? jsonl : text).read(output, recognizer);
  return { ...read, container, kept: output };
}

/** Copies the text that stands between the quotes of a JSON string. */
export function copyText(plain: Segments, bytes: Buffer, start: number, end: number): void {
  const { bytes: unescaped, segments } = unescapeBytes(bytes.subarray(start, end));
  for (const [place, { at, from, length, width }] of segments.entries()) {
    if (width === undefined) plain.copy(start + from, start + from + length);
    else {
      const next = segments[place + 1]?.at ?? unescaped.length;
      plain.write(unescaped.subarray(at, next), start + from, start + from + width);
    }
  }
}

/** Writes a change of such a text. */
export const writeText: SegmentWriter = ({ bytes }) =>
  Buffer.from(JSON.stringify(bytes.toString("utf8")).slice(1, -1));

function skippedPart(
  source: ByteSource,
  range: (Range & { readonly count?: number }) | undefined,
  reason: string,
): Skipped[] {
  if (!range) return [];
  const { start, end, count } = range;
  return [{ origin: wholeView(source).origin(start, end), reason, ...(count !== undefined && { count }) }];
}
