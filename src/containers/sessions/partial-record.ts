import { endOfText, LazyString } from "../../reading/lazy-string.ts";
import { parseJson } from "../../reading/parse.ts";
import type { ByteSource } from "../../reading/source.ts";
import type { Fields } from "../../reading/values.ts";

/** Parts of records that decoding does not need. Only records with the bytes `mark` have them. */
export interface LeftOut {
  readonly mark: string;
  /** The last member, where a client repeats the record's content. */
  readonly copy: string;
  /** Long texts under `key` in the objects that `holders` returns. */
  readonly texts: {
    readonly key: string;
    holders(record: Fields): readonly unknown[];
  };
}

export interface Outline {
  readonly value: unknown;
  /** Some of its texts are {@link LazyString}s. */
  readonly hasLazyTexts: boolean;
}

/** Shorter records are read whole, because leaving a part out saves no time. */
const minRecord = 512;
/** Shorter texts are read with their record: to find their end and return to them later costs more. */
const minText = 1 << 14;

/** Replaces a text while its record is parsed. A record that contains this number itself is read whole. */
const standIn = "1e-307";

/**
 * Returns a function that reads a record without the parts to leave out. It returns `undefined` for a record
 * that has to be read whole. `shift` turns offsets in `bytes` into offsets in the source.
 */
export function outliner(
  source: ByteSource,
  { mark, copy, texts }: LeftOut,
): (bytes: Buffer, start: number, end: number, shift: number) => Outline | undefined {
  const copyMark = Buffer.from(`,"${copy}":`);
  const seam = Buffer.from('}{"');
  const markBytes = Buffer.from(mark);
  const key = Buffer.from(`"${texts.key}":"`);
  const placeholder = Number(standIn);

  /** The bounds of long texts. A match is never inside a string, where its quotes would be escaped. */
  const longTexts = (line: Buffer): readonly number[] => {
    const found: number[] = [];
    let copyAt: number | undefined;
    for (let at = line.indexOf(key); at >= 0 && at < (copyAt ?? line.length); at = line.indexOf(key, at)) {
      const first = at + key.length;
      if (line.length - first < minText) break;
      at = endOfText(line, first, line.length);
      if (at < 0) return [];
      if (at - first < minText) continue;
      found.push(first, at);
      // Texts in the copy do not count.
      if (copyAt === undefined) {
        const mark = line.indexOf(copyMark, at);
        copyAt = mark < 0 ? line.length : mark;
      }
    }
    return found;
  };

  return (bytes, start, end, shift) => {
    if (end - start < minRecord) return undefined;
    const line = bytes.subarray(start, end);
    if (line.indexOf(markBytes) < 0) return undefined;
    const places = longTexts(line);
    // After the texts, the first match is the copy. Without texts, earlier matches may be inside it: take the
    // last.
    const rest = places.at(-1);
    const copyAt = rest === undefined ? line.lastIndexOf(copyMark) : line.indexOf(copyMark, rest);
    if (copyAt < 0 && places.length === 0) return undefined;
    // Two records share this line. Inside a string, the quote would be escaped.
    if (copyAt >= 0 && line.indexOf(seam, copyAt) >= 0) return undefined;
    let text = "";
    let at = 0;
    for (let index = 0; index < places.length; index += 2) {
      text += line.toString("utf8", at, (places[index] as number) - 1) + standIn;
      at = (places[index + 1] as number) + 1;
    }
    text += copyAt < 0 ? line.toString("utf8", at) : endedAt(line, at, copyAt);
    const value = parseJson(text);
    if (typeof value !== "object" || value === null) return undefined;
    let next = 0;
    if (places.length > 0)
      for (const holder of texts.holders(value as Fields)) {
        if (typeof holder !== "object" || holder === null || !(texts.key in holder)) continue;
        const own = holder as Record<string, unknown>;
        if (own[texts.key] !== placeholder || next === places.length) continue;
        const [first, last] = [places[next] as number, places[next + 1] as number];
        own[texts.key] = new LazyString(source, first + start + shift, last + start + shift);
        next += 2;
      }
    return next === places.length ? { value, hasLazyTexts: next > 0 } : undefined;
  };
}

/** The text up to the copy, with the record closed there. For a nested copy this is not valid JSON. */
function endedAt(bytes: Buffer, start: number, end: number): string {
  // Appending the brace to the text would copy the text, so the buffer holds it briefly.
  const comma = bytes[end] as number;
  bytes[end] = 125;
  const text = bytes.toString("utf8", start, end + 1);
  bytes[end] = comma;
  return text;
}
