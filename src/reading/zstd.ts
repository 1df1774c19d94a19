/**
 * Zstandard, as RFC 8878 has it: Codex keeps rollouts so, Inspect its logs, Zed its threads, and Node can undo it only since 22.15. Checksums
 * are not compared: what is damaged hardly unpacks to JSON.
 * @see https://www.rfc-editor.org/rfc/rfc8878
 */

const frameMark = 0xfd2fb528;

export function isZstd(bytes: Buffer): boolean {
  return bytes.length >= 4 && bytes.readUInt32LE(0) === frameMark;
}

/** What all frames hold, as far as they go when the end is missing; `undefined` when they are damaged, need a dictionary or hold more than `limit`. */
export function unzstd(bytes: Buffer, limit: number): Buffer | undefined {
  const output = new Output(limit);
  try {
    for (let at = 0; at + 4 <= bytes.length; ) at = readFrame(bytes, at, output);
  } catch (error) {
    if (error !== ended || output.length === 0) return undefined;
  }
  return output.bytes();
}

/** Thrown where the bytes end too early, and where they cannot be right. */
const ended = new Error("ends too early");
const damaged = new Error("no Zstandard");

/** Bytes in frames that hold them as they are: for files that were compressed, and are to be written again. */
export function storedZstd(bytes: Buffer): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32LE(frameMark, 0);
  // One segment, with its size in eight bytes, without a checksum.
  head[4] = 0xe0;
  head.writeBigUInt64LE(BigInt(bytes.length), 5);
  const parts: Buffer[] = [head];
  for (let at = 0; at === 0 || at < bytes.length; at += maxBlock) {
    const block = bytes.subarray(at, at + maxBlock);
    const mark = Buffer.alloc(3);
    mark.writeUIntLE(block.length * 8 + (at + maxBlock >= bytes.length ? 1 : 0), 0, 3);
    parts.push(mark, block);
  }
  return Buffer.concat(parts);
}

const maxBlock = 1 << 17;

class Output {
  length = 0;
  /** Where the frame began: nothing before it is copied from. */
  frame = 0;
  readonly #limit: number;
  #kept = Buffer.alloc(1 << 16);

  constructor(limit: number) {
    this.#limit = limit;
  }

  bytes(): Buffer {
    return this.#kept.subarray(0, this.length);
  }

  #grow(count: number): void {
    const needed = this.length + count;
    if (needed > this.#limit) throw damaged;
    if (needed <= this.#kept.length) return;
    const larger = Buffer.alloc(Math.max(needed, this.#kept.length * 2));
    this.#kept.copy(larger, 0, 0, this.length);
    this.#kept = larger;
  }

  put(bytes: Uint8Array): void {
    this.#grow(bytes.length);
    this.#kept.set(bytes, this.length);
    this.length += bytes.length;
  }

  fill(byte: number, count: number): void {
    this.#grow(count);
    this.#kept.fill(byte, this.length, this.length + count);
    this.length += count;
  }

  /** Says once more what stands `back` bytes before, which may reach into what it says. */
  copy(back: number, count: number): void {
    const from = this.length - back;
    if (back < 1 || from < this.frame) throw damaged;
    this.#grow(count);
    const kept = this.#kept;
    if (back >= count) kept.copyWithin(this.length, from, from + count);
    else for (let index = 0; index < count; index++) kept[this.length + index] = kept[from + index] ?? 0;
    this.length += count;
  }
}

function readFrame(bytes: Buffer, start: number, output: Output): number {
  const mark = bytes.readUInt32LE(start);
  let at = start + 4;
  if (mark >= 0x184d2a50 && mark <= 0x184d2a5f) return at + 4 + number(bytes, at, 4);
  if (mark !== frameMark) throw damaged;
  const flags = number(bytes, at++, 1);
  const isSegment = (flags & 32) !== 0;
  const dictionarySize = [0, 1, 2, 4][flags & 3] ?? 0;
  const sizeSize = [isSegment ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0;
  if (!isSegment) at++;
  if (dictionarySize > 0 && number(bytes, at, dictionarySize) !== 0) throw damaged;
  at += dictionarySize + sizeSize;
  output.frame = output.length;
  const state: FrameState = { huffman: undefined, tables: {}, offsets: [1, 4, 8] };
  for (let isLast = false; !isLast; ) {
    const head = number(bytes, at, 3);
    at += 3;
    isLast = (head & 1) === 1;
    const kind = (head >> 1) & 3;
    const size = head >> 3;
    if (kind === 1) {
      output.fill(number(bytes, at++, 1), size);
      continue;
    }
    if (at + size > bytes.length) throw ended;
    const block = bytes.subarray(at, at + size);
    if (kind === 0) output.put(block);
    else if (kind === 2) readBlock(block, state, output);
    else throw damaged;
    at += size;
  }
  return at + (flags & 4 ? 4 : 0);
}

/** A number of up to six bytes, the lowest first. */
function number(bytes: Buffer, at: number, size: number): number {
  if (at + size > bytes.length) throw ended;
  return size === 0 ? 0 : bytes.readUIntLE(at, size);
}

/** What a block leaves to the next one. */
interface FrameState {
  huffman: HuffmanTable | undefined;
  tables: { [kind in Kind]?: FseTable };
  readonly offsets: [number, number, number];
}

/** The codes of a sequence: how many literals, where the match stands, how long it is. */
type Kind = "literals" | "offset" | "match";

function readBlock(block: Buffer, state: FrameState, output: Output): void {
  if (block.length < 2) throw damaged;
  const { literals, next } = readLiterals(block, state);
  let at = next;
  const first = byteAt(block, at++);
  let count = first;
  if (first === 255) {
    count = byteAt(block, at) + (byteAt(block, at + 1) << 8) + 0x7f00;
    at += 2;
  } else if (first >= 128) count = ((first - 128) << 8) + byteAt(block, at++);
  if (count === 0) {
    output.put(literals);
    return;
  }
  const modes = byteAt(block, at++);
  const table = (kind: Kind, mode: number): FseTable => {
    const found = readTable(block, at, kind, mode, state.tables[kind]);
    at = found.next;
    state.tables[kind] = found.table;
    return found.table;
  };
  const ofLiterals = table("literals", modes >> 6);
  const ofOffset = table("offset", (modes >> 4) & 3);
  const ofMatch = table("match", (modes >> 2) & 3);
  const bits = new BackwardBits(block, at, block.length);
  let literalsState = bits.take(ofLiterals.log);
  let offsetState = bits.take(ofOffset.log);
  let matchState = bits.take(ofMatch.log);
  let used = 0;
  for (let left = count; left > 0; left--) {
    const offsetCode = ofOffset.symbols[offsetState] ?? 0;
    if (offsetCode > 31) throw damaged;
    const offsetValue = 2 ** offsetCode + bits.take(offsetCode);
    const [matchBase, matchBits] = matchCodes[ofMatch.symbols[matchState] ?? 0] ?? none;
    const matchLength = matchBase + bits.take(matchBits);
    const [literalsBase, literalsBits] = literalsCodes[ofLiterals.symbols[literalsState] ?? 0] ?? none;
    const literalsLength = literalsBase + bits.take(literalsBits);
    if (left > 1) {
      literalsState = ofLiterals.step(literalsState, bits);
      matchState = ofMatch.step(matchState, bits);
      offsetState = ofOffset.step(offsetState, bits);
    }
    if (bits.left < 0 || used + literalsLength > literals.length) throw damaged;
    output.put(literals.subarray(used, used + literalsLength));
    used += literalsLength;
    output.copy(offsetOf(offsetValue, literalsLength === 0, state.offsets), matchLength);
  }
  if (bits.left !== 0) throw damaged;
  output.put(literals.subarray(used));
}

/** Small values name one of the last three offsets, which then is the newest. */
function offsetOf(value: number, hasNoLiterals: boolean, offsets: FrameState["offsets"]): number {
  const [first, second, third] = offsets;
  const which = value > 3 ? 4 : value + (hasNoLiterals ? 1 : 0);
  if (value <= 3 && which === 1) return first;
  const offset = value > 3 ? value - 3 : which === 2 ? second : which === 3 ? third : first - 1;
  offsets[2] = value <= 3 && which === 2 ? third : second;
  offsets[1] = first;
  offsets[0] = offset;
  return offset;
}

function readLiterals(block: Buffer, state: FrameState): { literals: Buffer; next: number } {
  const head = byteAt(block, 0);
  const kind = head & 3;
  const form = (head >> 2) & 3;
  if (kind < 2) {
    const headSize = form === 1 ? 2 : form === 3 ? 3 : 1;
    const size = number(block, 0, headSize) >> (headSize === 1 ? 3 : 4);
    if (size > maxBlock) throw damaged;
    if (kind === 1) return { literals: Buffer.alloc(size, byteAt(block, headSize)), next: headSize + 1 };
    if (headSize + size > block.length) throw damaged;
    return { literals: block.subarray(headSize, headSize + size), next: headSize + size };
  }
  const headSize = form < 2 ? 3 : form + 2;
  const width = form < 2 ? 10 : form === 2 ? 14 : 18;
  const told = Math.floor(number(block, 0, headSize) / 16);
  const size = told % 2 ** width;
  const packed = Math.floor(told / 2 ** width);
  const end = headSize + packed;
  if (end > block.length || size > maxBlock) throw damaged;
  let at = headSize;
  if (kind === 2) {
    const found = readHuffman(block.subarray(0, end), at);
    state.huffman = found.table;
    at = found.next;
  }
  if (!state.huffman) throw damaged;
  const literals = Buffer.alloc(size);
  if (form === 0) state.huffman.read(block, at, end, literals);
  else {
    const each = Math.floor((size + 3) / 4);
    let from = at + 6;
    for (let stream = 0; stream < 4; stream++) {
      const to = stream === 3 ? end : from + number(block, at + stream * 2, 2);
      if (to > end) throw damaged;
      state.huffman.read(
        block,
        from,
        to,
        literals.subarray(stream * each, stream === 3 ? size : (stream + 1) * each),
      );
      from = to;
    }
  }
  return { literals, next: end };
}

/** Bits that were written from the front and are read from the end, where a lone 1 marks their beginning. */
class BackwardBits {
  left: number;
  readonly #bytes: Buffer;
  readonly #start: number;

  constructor(bytes: Buffer, start: number, end: number) {
    const last = end > start ? byteAt(bytes, end - 1) : 0;
    if (last === 0) throw damaged;
    this.#bytes = bytes.subarray(0, end);
    this.#start = start;
    this.left = (end - start - 1) * 8 + (31 - Math.clz32(last));
  }

  take(count: number): number {
    if (count > 16) {
      const high = this.take(count - 16);
      return high * 65536 + this.take(16);
    }
    this.left -= count;
    return this.peek(this.left, count);
  }

  /** So many bits from a place on, up to 16; before the beginning stands nothing but zeros. */
  peek(from: number, count: number): number {
    if (count === 0) return 0;
    if (from < 0) return from + count <= 0 ? 0 : this.peek(0, from + count) << -from;
    const at = this.#start + (from >> 3);
    const bytes = this.#bytes;
    const word = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
    return (word >> (from & 7)) & ((1 << count) - 1);
  }
}

class HuffmanTable {
  readonly #log: number;
  readonly #symbols: Uint8Array;
  readonly #sizes: Uint8Array;

  constructor(weights: readonly number[]) {
    const sum = weights.reduce((total, weight) => total + (weight > 0 ? 2 ** (weight - 1) : 0), 0);
    if (sum === 0) throw damaged;
    this.#log = 32 - Math.clz32(sum);
    const rest = 2 ** this.#log - sum;
    if (this.#log > 11 || (rest & (rest - 1)) !== 0) throw damaged;
    // The last symbol's weight is what is left.
    const all = [...weights, 32 - Math.clz32(rest)];
    this.#symbols = new Uint8Array(1 << this.#log);
    this.#sizes = new Uint8Array(1 << this.#log);
    let at = 0;
    for (let weight = 1; weight <= this.#log; weight++)
      for (const [symbol, own] of all.entries()) {
        if (own !== weight) continue;
        const end = at + 2 ** (weight - 1);
        this.#symbols.fill(symbol, at, end);
        this.#sizes.fill(this.#log + 1 - weight, at, end);
        at = end;
      }
  }

  read(bytes: Buffer, start: number, end: number, into: Buffer): void {
    const bits = new BackwardBits(bytes, start, end);
    for (let index = 0; index < into.length; index++) {
      const code = bits.peek(bits.left - this.#log, this.#log);
      into[index] = this.#symbols[code] ?? 0;
      bits.left -= this.#sizes[code] ?? 0;
    }
    if (bits.left !== 0) throw damaged;
  }
}

function readHuffman(block: Buffer, start: number): { table: HuffmanTable; next: number } {
  const head = byteAt(block, start);
  const from = start + 1;
  const weights: number[] = [];
  if (head >= 128) {
    const count = head - 127;
    for (let index = 0; index < count; index++) {
      const byte = byteAt(block, from + (index >> 1));
      weights.push(index % 2 === 0 ? byte >> 4 : byte & 15);
    }
    return { table: new HuffmanTable(weights), next: from + ((count + 1) >> 1) };
  }
  const end = from + head;
  if (end > block.length) throw damaged;
  const { table, next } = readFse(block.subarray(0, end), from, 6, 255);
  const bits = new BackwardBits(block, next, end);
  // Two states take turns until the bits are used up.
  let [state, other] = [bits.take(table.log), bits.take(table.log)];
  if (bits.left < 0) throw damaged;
  while (weights.length < 255) {
    weights.push(table.symbols[state] ?? 0);
    const stepped = table.step(state, bits);
    if (bits.left < 0) {
      weights.push(table.symbols[other] ?? 0);
      break;
    }
    [state, other] = [other, stepped];
  }
  return { table: new HuffmanTable(weights), next: end };
}

/** A table of finite states: what each stands for, and how many bits lead to the next from which base. */
class FseTable {
  readonly log: number;
  readonly symbols: Uint8Array;
  readonly #sizes: Uint8Array;
  readonly #bases: Uint16Array;

  /** From how often each symbol comes, -1 being less than once. */
  constructor(log: number, shares: readonly number[]) {
    const size = 1 << log;
    this.log = log;
    this.symbols = new Uint8Array(size);
    this.#sizes = new Uint8Array(size);
    this.#bases = new Uint16Array(size);
    let high = size;
    for (const [symbol, share] of shares.entries())
      if (share === -1 && high > 0) this.symbols[--high] = symbol;
    const step = (size >> 1) + (size >> 3) + 3;
    let at = 0;
    for (const [symbol, share] of shares.entries())
      for (let index = 0; index < share; index++) {
        this.symbols[at] = symbol;
        do at = (at + step) & (size - 1);
        while (at >= high);
      }
    const seen = shares.map((share) => Math.abs(share));
    for (let state = 0; state < size; state++) {
      const symbol = this.symbols[state] ?? 0;
      const turn = seen[symbol] ?? 0;
      seen[symbol] = turn + 1;
      const count = log - (31 - Math.clz32(turn));
      this.#sizes[state] = count;
      this.#bases[state] = (turn << count) - size;
    }
  }

  step(state: number, bits: BackwardBits): number {
    return (this.#bases[state] ?? 0) + bits.take(this.#sizes[state] ?? 0);
  }
}

function readTable(
  block: Buffer,
  at: number,
  kind: Kind,
  mode: number,
  before: FseTable | undefined,
): { table: FseTable; next: number } {
  const { log, most, shares } = presets[kind];
  if (mode === 0) return { table: new FseTable(log, shares), next: at };
  if (mode === 1) {
    const symbol = byteAt(block, at);
    if (symbol > most) throw damaged;
    return { table: new FseTable(0, [...Array<number>(symbol).fill(0), 1]), next: at + 1 };
  }
  if (mode === 2) return readFse(block, at, kind === "offset" ? 8 : 9, most);
  if (!before) throw damaged;
  return { table: before, next: at };
}

function readFse(
  block: Buffer,
  start: number,
  maxLog: number,
  most: number,
): { table: FseTable; next: number } {
  let place = start * 8;
  const take = (count: number): number => {
    const at = place >> 3;
    const word = (block[at] ?? 0) | ((block[at + 1] ?? 0) << 8) | ((block[at + 2] ?? 0) << 16);
    const value = (word >> (place & 7)) & ((1 << count) - 1);
    place += count;
    return value;
  };
  const log = take(4) + 5;
  if (log > maxLog) throw damaged;
  const shares: number[] = [];
  let left = 1 << log;
  while (left > 0) {
    if (shares.length > most) throw damaged;
    const count = 32 - Math.clz32(left + 1);
    const low = (1 << (count - 1)) - 1;
    const short = (1 << count) - 1 - (left + 1);
    let value = take(count);
    if ((value & low) < short) {
      place--;
      value &= low;
    } else if (value > low) value -= short;
    const share = value - 1;
    left -= Math.abs(share);
    shares.push(share);
    if (share !== 0) continue;
    for (let zeros = 3; zeros === 3; ) {
      zeros = take(2);
      for (let index = 0; index < zeros; index++) shares.push(0);
    }
  }
  const next = (place + 7) >> 3;
  if (left < 0 || shares.length > most + 1 || next > block.length) throw damaged;
  return { table: new FseTable(log, shares), next };
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw damaged;
  return byte;
}

const presets: Readonly<Record<Kind, { log: number; most: number; shares: readonly number[] }>> = {
  literals: {
    log: 6,
    most: 35,
    shares: [
      4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1,
      -1, -1,
    ],
  },
  offset: {
    log: 5,
    most: 31,
    shares: [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
  },
  match: {
    log: 6,
    most: 52,
    shares: [
      1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
  },
};

const none = [0, 0] as const;

/** By code: the smallest length, and how many bits are added to it. */
const literalsCodes = codes(0, 16, [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
const matchCodes = codes(3, 32, [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);

/** The first codes are one length each; where more bits make a code, it begins where a power of two would. */
function codes(
  first: number,
  single: number,
  more: readonly number[],
): (readonly [base: number, bits: number])[] {
  const list: (readonly [number, number])[] = Array.from(
    { length: single },
    (_, code) => [first + code, 0] as const,
  );
  let base = first + single;
  for (const bits of more) {
    list.push([base, bits]);
    base += 2 ** bits;
  }
  return list;
}
