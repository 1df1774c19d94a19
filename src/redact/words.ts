import { type Alphabet, alphabetBeyond, figures, hexLetters, leadingFigures, letters } from "./letters.ts";
import type { Permutation } from "./permutation.ts";

/** Words that stay as they are, wherever they stand. */
export interface KeptWords {
  /** @param word in lower case */
  has(word: string): boolean;
}

/** Kinds of words, each with pseudonyms of its own kind. */
type Form = "word" | "hex" | "number" | "year";

/** Gives each word its pseudonym: of the same length, with letters for letters and figures for figures. */
export class Pseudonyms {
  readonly #permutation: Permutation;
  readonly #kept: KeptWords;
  readonly #hidden = new Set<string>();
  /** Pseudonyms by the word; one word is looked up often. */
  readonly #known = new Map<string, string>();
  /** Words that are known to stay; emptied when another word is hidden. */
  readonly #staying = new Set<string>();

  constructor(permutation: Permutation, kept: KeptWords) {
    this.#permutation = permutation;
    this.#kept = kept;
  }

  /** All words that were replaced, with their pseudonyms, except those of credentials. */
  get replaced(): ReadonlyMap<string, string> {
    return new Map([...this.#known].filter(([word]) => !this.#hidden.has(word)));
  }

  /** Replaces a word from here on, even if it may stay: it is a part of a credential. */
  hide(word: string): void {
    if (this.#hidden.has(word)) return;
    this.#hidden.add(word);
    this.#staying.clear();
    for (const segment of segmentsOf(word)) this.#hidden.add(segment);
  }

  /** Whether a hidden word is no word of a language, so that it is a credential wherever it stands. */
  hidesDrawn(word: string): boolean {
    return this.#hidden.has(word) && isDrawn(word, formOf(word));
  }

  /** The pseudonym of a run of letters and figures; itself if it may stay. */
  of(run: string): string {
    const known = this.#known.get(run);
    if (known !== undefined) return known;
    if (this.#staying.has(run)) return run;
    const segments = run.length > longestWord ? slicesOf(run) : segmentsOf(run);
    const pseudonym =
      segments.length === 1 ? this.#one(run) : segments.map((segment) => this.#segment(segment)).join("");
    if (pseudonym === run) this.#staying.add(run);
    else this.#known.set(run, pseudonym);
    return pseudonym;
  }

  /** The pseudonym of figures that are part of a longer number, also where few of them would stay. */
  ofFigures(run: string): string {
    return this.#walk(run, "number", () => false);
  }

  /** The pseudonym of hexadecimal digits, such as those of a UUID. */
  ofHex(run: string): string {
    const known = this.#known.get(run);
    if (known !== undefined) return known;
    const pseudonym = this.#drawn(run, "hex");
    this.#known.set(run, pseudonym);
    return pseudonym;
  }

  /** The pseudonym of a part of a run, which long runs repeat. */
  #segment(word: string): string {
    if (word.length < longestWord) return this.#one(word);
    const known = this.#known.get(word) ?? this.#one(word);
    this.#known.set(word, known);
    return known;
  }

  #one(word: string): string {
    const form = formOf(word);
    if (this.#stays(word, form)) return word;
    if (isDrawn(word, form)) return this.#drawn(word, form);
    return this.#walk(word, form, (other) => this.#stays(other, formOf(other)) || formOf(other) !== form);
  }

  #stays(word: string, form: Form): boolean {
    if (this.#hidden.has(word)) return false;
    if (form === "number" && isPlainNumber(word)) return true;
    if (word.length === 1) return word <= "z";
    if (form === "word") return this.#kept.has(word.toLowerCase());
    return false;
  }

  #drawn(word: string, form: Form): string {
    const lower = lowered(word);
    const alphabets = alphabetsOf(lower, form);
    const digits = this.#permutation.nextByPrefix(
      lower.map((character, at) => alphabets[at]?.places.get(character) ?? 0),
      alphabets.map(({ characters }) => characters.length),
    );
    return inCaseOf(
      word,
      digits.map((digit, at) => alphabets[at]?.characters[digit] ?? ""),
    );
  }

  /** The next word on the circle that is not taken: no word becomes one that stays. */
  #walk(word: string, form: Form, isTaken: (word: string) => boolean): string {
    const lower = lowered(word);
    const alphabets = alphabetsOf(lower, form);
    const bases = alphabets.map(({ characters }) => characters.length);
    let digits = lower.map((character, at) => alphabets[at]?.places.get(character) ?? 0);
    for (;;) {
      digits = this.#permutation.next(digits, bases);
      const next = digits.map((digit, at) => alphabets[at]?.characters[digit] ?? "");
      const pseudonym = inCaseOf(word, next);
      if (pseudonym === word || !isTaken(pseudonym)) return pseudonym;
    }
  }
}

/** Numbers that say nothing of anybody: of one or two figures, round ones, and times since 1970. */
function isPlainNumber(number: string): boolean {
  return number.length <= 2 || /^[1-9]0+$/.test(number) || isEpoch(number);
}

/** Seconds, or thousandths and less of them, from 2017 to 2033. */
function isEpoch(number: string): boolean {
  return /^1[5-9]\d{8}(?:\d{3}){0,3}$/.test(number);
}

function formOf(word: string): Form {
  if (/^\d+$/.test(word)) return /^(?:19|20)\d\d$/.test(word) ? "year" : "number";
  return isHex(word) ? "hex" : "word";
}

/** Hashes: hexadecimal digits of one case, letters as well as figures. */
function isHex(word: string): boolean {
  return word.length >= 7 && /^(?:[\da-f]+|[\dA-F]+)$/.test(word) && /\d/.test(word) && /[a-f]/i.test(word);
}

/** Ids and hashes: letters and figures in no order. */
function isDrawn(word: string, form: Form): boolean {
  return form === "hex" || (form === "word" && word.length >= 8 && /\d/.test(word));
}

/** ASCII in lower case, so that `Paris` and `paris` stay one word; letters beyond have their own places. */
function lowered(word: string): string[] {
  return Array.from(word, (character) => (character <= "Z" ? character.toLowerCase() : character));
}

function inCaseOf(word: string, lower: readonly string[]): string {
  let at = 0;
  let cased = "";
  for (const character of word) {
    const next = lower[at++] ?? "";
    cased += character >= "A" && character <= "Z" ? next.toUpperCase() : next;
  }
  return cased;
}

function alphabetsOf(word: readonly string[], form: Form): Alphabet[] {
  return word.map((character, at) => {
    if (character > "\x7f") return alphabetBeyond(character);
    if (character > "9") return form === "hex" ? hexLetters : letters;
    if (form === "year" && at < 2) return only(character);
    if (form !== "number" || at > 0) return figures;
    return character === "0" ? only("0") : leadingFigures;
  });
}

const single = new Map<string, Alphabet>();

function only(character: string): Alphabet {
  const known = single.get(character);
  if (known) return known;
  const alphabet = { characters: [character], places: new Map([[character, 0]]) };
  single.set(character, alphabet);
  return alphabet;
}

/** Longer runs are not names in camel case. */
const longestName = 48;

/** No word or id is longer; of what is, a slice that comes again is known. */
const longestWord = 512;

function slicesOf(run: string): string[] {
  const slices: string[] = [];
  for (let start = 0; start < run.length; ) {
    let end = Math.min(run.length, start + longestWord);
    // Both halves of a character stay together.
    if (/[\ud800-\udbff]/.test(run.charAt(end - 1))) end = Math.min(run.length, end + 1);
    slices.push(run.slice(start, end));
    start = end;
  }
  return slices;
}

/**
 * The words of a run: `filePath2` has three, so that it stays recognisable beside `file_path`. An id or a
 * token, where cases and figures change too often, is one. Told by the cases and figures alone, which its
 * pseudonym shares.
 */
function segmentsOf(run: string): readonly string[] {
  const isPlain = /^(?:[a-z]+|[A-Z][a-z]*|\d+)$/.test(run);
  if (isPlain || run.length > longestName || !/^[A-Za-z\d]+$/.test(run)) return [run];
  const segments = run.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [run];
  if (/^\d+[a-z]{1,3}$/i.test(run)) return segments;
  if (/\d/.test(run)) {
    const turns = run.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
    if (turns > 1 || /^\d/.test(run) || /\d{5}/.test(run) || isHex(run)) return [run];
  }
  const short = segments.filter((segment) => segment.length === 1 && !/\d/.test(segment)).length;
  return short <= 1 && segments.length <= Math.max(2, run.length / 3) ? segments : [run];
}
