import { endOfText, HeldText } from "../../reading/lazy-string.ts";
import { parseJson } from "../../reading/parse.ts";
import type { ByteSource } from "../../reading/source.ts";
import type { Fields } from "../../reading/values.ts";

/** What of some records need not be read to know what was said: of those that hold the bytes `mark`. */
export interface LeftOut {
  readonly mark: string;
  /** A last member in which a client keeps again what the record says: it is not read, and whatever follows it is not either. */
  readonly copy: string;
  /** Long texts under `key` in the objects that `holders` finds in the record. */
  readonly texts: {
    readonly key: string;
    holders(record: Fields): readonly unknown[];
  };
}

export interface Outline {
  readonly value: unknown;
  /** Some of its texts are {@link HeldText}s. */
  readonly isPart: boolean;
}

/** Shorter texts, and what is in shorter records, are as quickly read as left out. */
const minText = 512;

/** Stands for a text while the rest of its record is read; a record that says it itself is read whole. */
const standIn = "1e-307";

/**
 * Reads records without what is left out of them; `undefined` where that is not possible, and the record is to be read whole. Offsets
 * are those of `bytes`, to which `shift` is added for those of the source.
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

  /** Where the long texts begin and end. In a string, the quotes of what is looked for would be escaped. */
  const longTexts = (line: Buffer): readonly number[] => {
    const found: number[] = [];
    let copyAt: number | undefined;
    for (let at = line.indexOf(key); at >= 0 && at < (copyAt ?? line.length); at = line.indexOf(key, at)) {
      const first = at + key.length;
      at = endOfText(line, first, line.length);
      if (at < 0) return [];
      if (at - first < minText) continue;
      found.push(first, at);
      // What stands in the copy is none of the record's own.
      if (copyAt === undefined) {
        const mark = line.indexOf(copyMark, at);
        copyAt = mark < 0 ? line.length : mark;
      }
    }
    return found;
  };

  return (bytes, start, end, shift) => {
    if (end - start < minText) return undefined;
    const line = bytes.subarray(start, end);
    if (line.indexOf(markBytes) < 0) return undefined;
    const places = longTexts(line);
    // Behind the texts, the first is the copy; without them, what it holds is not known, and it is the last.
    const rest = places.at(-1);
    const copyAt = rest === undefined ? line.lastIndexOf(copyMark) : line.indexOf(copyMark, rest);
    if (copyAt < 0 && places.length === 0) return undefined;
    // Two records that share a line have no line feed between them; in a string, the quote would be escaped.
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
        own[texts.key] = new HeldText(source, first + start + shift, last + start + shift);
        next += 2;
      }
    return next === places.length ? { value, isPart: next > 0 } : undefined;
  };
}

/** The text up to a member that ends the record too soon. Where it stood deeper, this is no JSON. */
function endedAt(bytes: Buffer, start: number, end: number): string {
  // The brace is put into the buffer for as long as the text is made: texts that are put together are copied once more.
  const comma = bytes[end] as number;
  bytes[end] = 125;
  const text = bytes.toString("utf8", start, end + 1);
  bytes[end] = comma;
  return text;
}
