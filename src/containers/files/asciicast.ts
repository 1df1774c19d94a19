import type { JsonNode } from "../../reading/json-node.ts";
import type { Range } from "../../reading/lists.ts";
import { rewrittenSource } from "../../reading/rewritten-source.ts";
import { scanJson } from "../../reading/scan.ts";
import { Segments } from "../../reading/segments.ts";
import { textStart } from "../../reading/source.ts";
import { wholeView } from "../../reading/view.ts";
import type { Container, Defect } from "../../traffic/container.ts";
import { copyText, readPrinted, writeText } from "./program-output.ts";
import { asciicastData } from "./runtimes.ts";

/**
 * A recording of a terminal session: what the terminal showed is read like a log, whatever the keys, markers
 * and pauses between its parts.
 * @see https://docs.asciinema.org/manual/asciicast/v3/
 */
export const asciicast: Container = {
  ...asciicastData,
  read(source, recognizer) {
    const bytes = source.read(0, source.size);
    const plain = new Segments(bytes);
    const flaws: Defect[] = [];
    for (const part of partsOf(bytes)) {
      if ("text" in part) copyText(plain, bytes, part.text.start + 1, textEnd(part.text));
      else flaws.push({ ...part, origin: wholeView(source).origin(part.start, part.end) });
    }
    const read = readPrinted(rewrittenSource(source, plain, writeText), recognizer, "asciicast");
    return {
      ...read,
      // The others are known only when the output has been read.
      get defects() {
        return [...flaws, ...read.defects];
      },
    };
  },
};

/** A text that was shown, or what cannot be read. */
type Part = { readonly text: JsonNode } | (Pick<Defect, "kind" | "message"> & Range);

const LINE_FEED = 10;

/** A text that the file ends in has no closing quote. */
function textEnd({ state, end }: JsonNode): number {
  return state === "open" ? end : end - 1;
}

/** Version 1 is a document with a list of pauses and texts; later ones have an event on each line. */
function* partsOf(bytes: Buffer): Generator<Part> {
  const first = textStart(bytes);
  const head = bytes.subarray(first, endOfLine(bytes, first));
  const pairs = scanJson(bytes, first, bytes.length)?.members?.find(({ key }) => key === "stdout")?.node
    .items;
  if (pairs) {
    for (const pair of pairs) yield* shown(pair, bytes, pair);
    return;
  }
  for (let at = first + head.length, next = at; at < bytes.length; at = next) {
    next = endOfLine(bytes, at);
    if (/^\s*(?:#|$)/.test(bytes.toString("latin1", at, Math.min(next, at + 8)))) continue;
    const event = scanJson(bytes, at, next);
    const code = event?.items?.[1];
    const isOther = code?.state === "complete" && bytes.toString("latin1", code.start, code.end) !== '"o"';
    if (!isOther) yield* shown(event, bytes, { start: at, end: next });
  }
}

function endOfLine(bytes: Buffer, at: number): number {
  const feed = bytes.indexOf(LINE_FEED, at);
  return feed < 0 ? bytes.length : feed + 1;
}

/** The text that an event shows, which is its last element; `range` is that of the whole event. */
function* shown(event: JsonNode | undefined, bytes: Buffer, { start, end }: Range): Generator<Part> {
  const text = event?.items?.at(-1);
  if (text?.kind === "string") yield { text };
  if (text?.kind === "string" && event?.state === "complete") return;
  const isLast = end >= bytes.length;
  yield {
    kind: isLast ? "unfinished" : "broken",
    message: isLast ? "the recording ends in the middle of an event" : "this is no event of the recording",
    start,
    end,
  };
}
