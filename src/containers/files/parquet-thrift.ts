/** A value in Thrift's compact protocol; a struct by the numbers of its fields. */
export type Thrift = number | boolean | Buffer | readonly Thrift[] | Struct;
export interface Struct {
  readonly fields: ReadonlyMap<number, Thrift>;
}

/** Parquet's own structs are six deep. */
const maxDepth = 40;
/** No number takes more bytes. */
const longestNumber = 10;

const past = "it ends within its description";

/**
 * Reads Thrift's compact protocol as far as Parquet uses it. Throws where the bytes are none: lengths and
 * depths come from the file.
 *
 * @see https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */
export class ThriftReader {
  readonly #bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  struct(depth = 0): Struct {
    if (depth > maxDepth) throw new Error("its description is nested too deeply");
    const fields = new Map<number, Thrift>();
    for (let number = 0; ; ) {
      const byte = this.#byte();
      if (byte === 0) return { fields };
      const step = byte >> 4;
      number = step === 0 ? this.#signed() : number + step;
      const type = byte & 15;
      fields.set(number, type === 1 || type === 2 ? type === 1 : this.#value(type, depth));
    }
  }

  /** An unsigned number of any size. */
  number(): number {
    let value = 0;
    for (let index = 0; index < longestNumber; index++) {
      const byte = this.#byte();
      value += (byte & 127) * 2 ** (7 * index);
      if (byte < 128) return value;
    }
    throw new Error("a number in its description is too long");
  }

  #value(type: number, depth: number): Thrift {
    if (type === 3) return this.#byte();
    if (type >= 4 && type <= 6) return this.#signed();
    if (type === 7) return this.#skipped(8);
    if (type === 8) return this.#skipped(this.number());
    if (type === 9) return this.#list(depth);
    if (type === 12) return this.struct(depth + 1);
    throw new Error(`its description has a value of the unknown type ${type}`);
  }

  #list(depth: number): Thrift[] {
    const byte = this.#byte();
    const size = byte >> 4 === 15 ? this.number() : byte >> 4;
    if (size > this.#bytes.length - this.at) throw new Error(past);
    const type = byte & 15;
    return Array.from({ length: size }, () => (type < 3 ? this.#byte() === 1 : this.#value(type, depth)));
  }

  #signed(): number {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  #byte(): number {
    const byte = this.#bytes[this.at++];
    if (byte === undefined) throw new Error(past);
    return byte;
  }

  #skipped(length: number): Buffer {
    const start = this.at;
    this.at += length;
    if (this.at > this.#bytes.length) throw new Error(past);
    return this.#bytes.subarray(start, this.at);
  }
}

/** A field of a struct that is a number. */
export function numberIn(struct: Struct | undefined, field: number): number | undefined {
  const value = struct?.fields.get(field);
  return typeof value === "number" ? value : undefined;
}

/** A field of a struct that is a struct. */
export function structIn(struct: Struct, field: number): Struct | undefined {
  const value = struct.fields.get(field);
  return typeof value === "object" && "fields" in value ? value : undefined;
}
