/** The most 16-bit numbers that one block takes in beside its header. */
const perBlock = 6;

/** The most 16-bit numbers that one block gives. */
const given = 32;

/**
 * Numbers that depend on a key and on other numbers, and say nothing of either: ChaCha with 12 rounds, where
 * what is taken in stands in the place of the nonce. In plain code, since a call of OpenSSL costs more than
 * the block that it would encrypt.
 *
 * @see https://cr.yp.to/chacha/chacha-20080128.pdf
 */
export class KeyedNoise {
  readonly #key: Int32Array;
  readonly #taken = new Int32Array(4);
  readonly #block = new Int32Array(16);

  /** @param key 32 bytes */
  constructor(key: Buffer) {
    this.#key = Int32Array.from({ length: 8 }, (_, at) => key.readInt32LE(4 * at));
  }

  /** Begins anew; what is taken in under another header gives other numbers. */
  begin(header: number): void {
    this.#taken.fill(0);
    this.#taken[0] = header;
  }

  /** Takes in the numbers from `start` to `end`, each below 65,536, and makes the first block of noise. */
  take(numbers: readonly number[], start: number, end: number): void {
    for (let at = start; at < end; at++) {
      const slot = (at - start) % perBlock;
      if (slot === 0 && at > start) {
        this.#run();
        this.#chain();
      }
      const half = (numbers[at] ?? 0) << (16 * (slot & 1));
      this.#taken[1 + (slot >> 1)] = (this.#taken[1 + (slot >> 1)] ?? 0) ^ half;
    }
    this.#run();
  }

  /** Takes in more, after what was taken in before. */
  takeMore(numbers: readonly number[], start: number, end: number): void {
    this.#chain();
    this.take(numbers, start, end);
  }

  /** The number at this place in what was made last, below 65,536. Places are asked for in rising order. */
  at(place: number): number {
    const inBlock = place % given;
    if (inBlock === 0 && place > 0) this.takeMore([], 0, 0);
    return ((this.#block[inBlock >> 1] ?? 0) >>> (16 * (inBlock & 1))) & 0xffff;
  }

  /** What was made last stands for all that was taken in before it. */
  #chain(): void {
    for (let at = 0; at < 4; at++) this.#taken[at] = this.#block[at] ?? 0;
  }

  #run(): void {
    const block = this.#block;
    block.set(constants);
    block.set(this.#key, 4);
    block.set(this.#taken, 12);
    for (let round = 0; round < 6; round++) {
      quarter(block, 0, 4, 8, 12);
      quarter(block, 1, 5, 9, 13);
      quarter(block, 2, 6, 10, 14);
      quarter(block, 3, 7, 11, 15);
      quarter(block, 0, 5, 10, 15);
      quarter(block, 1, 6, 11, 12);
      quarter(block, 2, 7, 8, 13);
      quarter(block, 3, 4, 9, 14);
    }
    for (let at = 0; at < 4; at++) {
      block[at] = (block[at] ?? 0) + (constants[at] ?? 0);
      block[12 + at] = (block[12 + at] ?? 0) + (this.#taken[at] ?? 0);
    }
    for (let at = 0; at < 8; at++) block[4 + at] = (block[4 + at] ?? 0) + (this.#key[at] ?? 0);
  }
}

/** "expand 32-byte k" */
const constants = Int32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574);

function quarter(block: Int32Array, i: number, j: number, k: number, l: number): void {
  let a = block[i] as number;
  let b = block[j] as number;
  let c = block[k] as number;
  let d = block[l] as number;
  a = (a + b) | 0;
  d ^= a;
  d = (d << 16) | (d >>> 16);
  c = (c + d) | 0;
  b ^= c;
  b = (b << 12) | (b >>> 20);
  a = (a + b) | 0;
  d ^= a;
  d = (d << 8) | (d >>> 24);
  c = (c + d) | 0;
  b ^= c;
  b = (b << 7) | (b >>> 25);
  block[i] = a;
  block[j] = b;
  block[k] = c;
  block[l] = d;
}
