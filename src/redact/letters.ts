/** Letters and figures that stand for each other in pseudonyms: of one script, and of one length in UTF-8. */
export interface Alphabet {
  readonly characters: readonly string[];
  readonly places: ReadonlyMap<string, number>;
}

function alphabetOf(characters: readonly string[]): Alphabet {
  return { characters, places: new Map(characters.map((character, place) => [character, place])) };
}

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, offset) => String.fromCodePoint(from + offset));

export const letters: Alphabet = alphabetOf(range(0x61, 0x7a));
export const hexLetters: Alphabet = alphabetOf(range(0x61, 0x66));
export const figures: Alphabet = alphabetOf(range(0x30, 0x39));
export const leadingFigures: Alphabet = alphabetOf(range(0x31, 0x39));

const others = new Map<string, Alphabet>();

/** What tells letters of other scripts apart: their case. */
const categories = [/\p{Lu}/u, /\p{Ll}/u, /\p{N}/u, /\p{L}/u];

/** The alphabet of a letter beyond ASCII: the letters of its kind in its part of Unicode. */
export function alphabetBeyond(character: string): Alphabet {
  const code = character.codePointAt(0) ?? 0;
  const [from, to] = blockOf(code);
  const category = categories.findIndex((each) => each.test(character));
  const id = `${from} ${category}`;
  let alphabet = others.get(id);
  if (!alphabet) {
    const kind = (each: string): boolean => categories.findIndex((one) => one.test(each)) === category;
    alphabet = alphabetOf(range(from, to).filter(kind));
    others.set(id, alphabet);
  }
  return alphabet;
}

/** Whole scripts of syllables and ideographs; elsewhere the runs that have one length in UTF-8. */
function blockOf(code: number): readonly [number, number] {
  if (code >= 0x4e00 && code <= 0x9fff) return [0x4e00, 0x9fff];
  if (code >= 0xac00 && code <= 0xd7a3) return [0xac00, 0xd7a3];
  const size = code < 0x800 ? 0x80 : 0x100;
  const from = code - (code % size);
  return [Math.max(from, 0x80), from + size - 1];
}
