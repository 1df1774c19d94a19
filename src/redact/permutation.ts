import { createHash } from "node:crypto";
import { KeyedNoise } from "./keyed-noise.ts";

/**
 * A secret bijection between the words of one form: equal words become equal pseudonyms, different words
 * different ones, and no word becomes itself. No table is kept, so any number of files agree that have the
 * key.
 *
 * A word is a list of digits, each below the base of its place. A Feistel network permutes them: the halves
 * add to each other what a keyed function makes of the other half, as in FF1. The words of a form lie on one
 * circle, and a pseudonym is the next word on it.
 *
 * @see https://csrc.nist.gov/pubs/sp/800/38/g/upd1/final
 */
export class Permutation {
  readonly #noise: KeyedNoise;

  /** @param key any bytes */
  constructor(key: Uint8Array) {
    this.#noise = new KeyedNoise(createHash("sha256").update("toollint redact 2").update(key).digest());
  }

  /** The next word on the circle of all words with these bases; never the word itself if there is another. */
  next(digits: readonly number[], bases: readonly number[]): number[] {
    const [digit = 0] = digits;
    if (digits.length === 1) return [this.#nextDigit(digit, bases[0] ?? 1)];
    const word = [...digits];
    this.#mix(word, bases, 1);
    for (let at = 0; at < word.length; at++) {
      const following = (word[at] ?? 0) + 1;
      if (following < (bases[at] ?? 1)) {
        word[at] = following;
        break;
      }
      word[at] = 0;
    }
    this.#mix(word, bases, -1);
    return word;
  }

  /** Alone, a digit has no other half: it is written as two. What stands for none is passed over. */
  #nextDigit(digit: number, base: number): number {
    const side = Math.ceil(Math.sqrt(base));
    for (let at = digit; ; ) {
      const [high = 0, low = 0] = this.next([Math.floor(at / side), at % side], [side, side]);
      at = high * side + low;
      if (at < base) return at;
    }
  }

  /**
   * Another word with the same bases, by which words that begin alike go on to begin alike: each digit is
   * replaced by another one, which depends on the digits before it. For ids, which get cut at their end.
   */
  nextByPrefix(digits: readonly number[], bases: readonly number[]): number[] {
    const noise = this.#noise;
    noise.begin(byPrefix);
    noise.take(digits, 0, 0);
    let taken = 0;
    return digits.map((digit, at) => {
      const base = bases[at] ?? 1;
      // An id is cut anywhere, a long run of letters hardly ever: it takes fewer blocks.
      if (at - taken === (at < longestId ? 1 : perStep)) {
        noise.takeMore(digits, taken, at);
        taken = at;
      }
      const shift = base > 1 ? 1 + (noise.at(at - taken) % (base - 1)) : 0;
      return (digit + shift) % base;
    });
  }

  #mix(word: number[], bases: readonly number[], direction: 1 | -1): void {
    const middle = word.length >> 1;
    for (let step = 0; step < rounds; step++) {
      const round = direction === 1 ? step : rounds - 1 - step;
      const isLeft = round % 2 === 0;
      const [from, to] = isLeft ? [0, middle] : [middle, word.length];
      this.#noise.begin(round | ((word.length & lengths) << 4));
      this.#noise.take(word, isLeft ? middle : 0, isLeft ? word.length : middle);
      for (let at = from; at < to; at++) {
        const base = bases[at] ?? 1;
        const shift = this.#noise.at(at - from) % base;
        word[at] = ((word[at] ?? 0) + (direction === 1 ? shift : base - shift)) % base;
      }
    }
  }
}

const rounds = 8;

/** The bits for the length of a word in a header. */
const lengths = 0xffffff;

/** Longer words are no ids. */
const longestId = 128;

/** As many digits of a longer word depend on those before them together. */
const perStep = 6;

/** The header of what depends on the beginning of a word; those of the rounds end with their number. */
const byPrefix = 15;
