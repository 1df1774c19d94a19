import type { Exchange } from "../conversation/exchange.ts";
import { headerMasks } from "../fix/masks.ts";
import type { ByteSource } from "../reading/source.ts";
import { patched } from "../reading/view.ts";
import { allCredentials } from "../secrets/kept.ts";

/** The bytes of a log with auth headers, cookies and keys in URLs masked that stand outside its bodies. */
export function withoutHeaders(source: ByteSource, exchanges: readonly Exchange[]): Buffer {
  return patched(source.read(0, source.size), headerMasks(source, exchanges));
}

/** Texts are searched in parts of this length, which overlap. */
const [partSize, overlap] = [4 << 20, 64 << 10];

/** Where credentials stand in a text, in no order; they may overlap. */
export function* placesOfCredentials(text: string): Generator<Place> {
  for (let from = 0; from < text.length; from += partSize)
    for (const { start, end } of allCredentials(text.slice(from, from + partSize + overlap)))
      yield { start: from + start, end: from + end };
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/**
 * The words that credentials in a text are made of. Their pseudonyms hide them as well as asterisks do, and
 * a credential that a history repeats is the same in all places.
 */
export function* wordsOfCredentials(text: string): Generator<string> {
  for (const { start, end } of placesOfCredentials(text))
    for (const [word] of text.slice(start, end).matchAll(/[\p{L}\p{N}]{3,}/gu)) yield word;
}
