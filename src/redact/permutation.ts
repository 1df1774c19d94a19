import { type Cipher, createCipheriv, createHash, createHmac } from "node:crypto";

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
  readonly #key: Buffer;
  readonly #cipher: Cipher;

  /** @param key any bytes */
  constructor(key: Uint8Array) {
    this.#key = createHash("sha256").update("toollint redact 1").update(key).digest();
    this.#cipher = createCipheriv("aes-256-ecb", this.#key, null).setAutoPadding(false);
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
    let state: Buffer = Buffer.alloc(16, 0xff);
    return digits.map((digit, at) => {
      const base = bases[at] ?? 1;
      state = this.#cipher.update(state);
      const shift = base > 1 ? 1 + (state.readUInt16BE(0) % (base - 1)) : 0;
      state.writeUInt16BE(state.readUInt16BE(2) ^ digit, 2);
      return (digit + shift) % base;
    });
  }

  #mix(word: number[], bases: readonly number[], direction: 1 | -1): void {
    const middle = word.length >> 1;
    for (let step = 0; step < rounds; step++) {
      const round = direction === 1 ? step : rounds - 1 - step;
      const isLeft = round % 2 === 0;
      const [from, to] = isLeft ? [0, middle] : [middle, word.length];
      const noise = this.#noise(round, isLeft ? word.slice(middle) : word.slice(0, middle), to - from);
      for (let at = from; at < to; at++) {
        const base = bases[at] ?? 1;
        const shift = ((noise[2 * (at - from)] ?? 0) * 256 + (noise[2 * (at - from) + 1] ?? 0)) % base;
        word[at] = ((word[at] ?? 0) + (direction === 1 ? shift : base - shift)) % base;
      }
    }
  }

  /** Bytes that depend on the key, the round and one half: two for each of `count` digits. */
  #noise(round: number, half: readonly number[], count: number): Uint8Array {
    if (half.length <= 7 && count <= 8) {
      const block = Buffer.alloc(16);
      block[0] = round;
      block[1] = half.length * 16 + count;
      for (let at = 0; at < half.length; at++) block.writeUInt16BE(half[at] ?? 0, 2 + 2 * at);
      return this.#cipher.update(block);
    }
    const seed = createHmac("sha256", this.#key)
      .update(`${round} ${count} `)
      .update(Uint16Array.from(half))
      .digest();
    const stream = createCipheriv("aes-256-ctr", seed, Buffer.alloc(16));
    return stream.update(Buffer.alloc(2 * count));
  }
}

const rounds = 8;
