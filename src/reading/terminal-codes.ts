import { Segments } from "./segments.ts";
import type { ByteSource } from "./source.ts";
import { offsetInBase, type Patch, type Segment, segmentedView, sourceOver, wholeView } from "./view.ts";

/**
 * Colours, cursor movements and links, as programs write them to a terminal.
 * @see https://ecma-international.org/publications-and-standards/standards/ecma-48/
 */
const code =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what is looked for
  /\u001b(?:\[[\d;?]{0,40}[A-Za-z]|\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\))/g;

/** The same at one place. */
const atStart = new RegExp(code.source, "y");

const ESCAPE = 27;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;

/** Terminal text without its codes. */
export function withoutCodes(text: string): string {
  return text.includes("\u001b") ? text.replace(code, "") : text;
}

/**
 * What a program wrote to a terminal, as a source without the terminal's codes; origins and edits still reach
 * the file. The source itself if it has none. JSON never contains the byte that begins a code.
 */
export function plainSource(source: ByteSource): ByteSource {
  const bytes = source.read(0, source.size);
  if (!bytes.includes(ESCAPE)) return source;
  const plain = new Segments(bytes);
  let from = 0;
  for (let at = bytes.indexOf(ESCAPE); at >= 0; at = bytes.indexOf(ESCAPE, at + 1)) {
    const second = bytes[at + 1];
    if (second !== OPEN_ARRAY && second !== CLOSE_ARRAY) continue;
    const length = second === OPEN_ARRAY ? longestControl : longestLink;
    atStart.lastIndex = 0;
    const found = atStart.exec(bytes.toString("latin1", at, Math.min(bytes.length, at + length)));
    if (!found) continue;
    if (at > from) plain.copy(from, at);
    from = at + found[0].length;
  }
  if (from === 0) return source;
  plain.copy(from, bytes.length);
  const base = wholeView(source);
  const { segments, length } = plain;
  return sourceOver({
    ...segmentedView(base, plain.bytes, segments),
    inverse: { base, mapPatches: (patches) => ({ patches: betweenCodes(patches, length, segments) }) },
  });
}

/** Patches of the file that keep the codes on both sides of what they replace. */
function betweenCodes(patches: readonly Patch[], size: number, segments: readonly Segment[]): Patch[] {
  const inFile = (offset: number): number => offsetInBase(offset, size, segments) ?? 0;
  return patches.map(({ start, end, bytes }) => ({
    start: inFile(start),
    end: end > start ? inFile(end - 1) + 1 : inFile(start),
    bytes,
  }));
}

/** Longer than any code of the two kinds. */
const longestControl = 48;
const longestLink = 2100;
