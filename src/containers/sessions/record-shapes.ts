import { isFields } from "../../reading/values.ts";
import { argumentKeys } from "./unread-speech.ts";

/** Records of further shapes are not compared with what was read of them. */
const maxShapes = 512;

/** Deeper values are not messages. */
const maxDepth = 8;

/** Elements of a list that are looked at. */
const maxElements = 256;

/** The keys whose words say what an object is. */
const kindKeys = /^(?:type|kind|role|status)$/;

/** Longer words are not kinds. */
const maxKind = 32;

/**
 * Tells the records of a session apart by their keys and the types of their values. A session has thousands
 * of records and some dozen shapes: what is true of one record is true of all of its shape.
 */
export class RecordShapes {
  readonly #known = new Set<number>();
  readonly #keys = new Map<string, number>();

  /** Whether no record before had the shape of this one. */
  isNew(record: object): boolean {
    if (this.#known.size >= maxShapes) return false;
    const before = this.#known.size;
    this.#known.add(this.#shapeOf(record, 0));
    return this.#known.size > before;
  }

  #shapeOf(value: unknown, depth: number): number {
    if (typeof value === "string") return value === "" ? 1 : 2;
    if (typeof value === "number") return 3;
    if (typeof value === "boolean") return 4;
    if (value === null || value === undefined) return 5;
    if (depth > maxDepth) return 6;
    if (Array.isArray(value)) {
      let shape = 7;
      let last = 0;
      for (const [index, each] of value.entries()) {
        if (index >= maxElements) break;
        const own = this.#shapeOf(each, depth + 1);
        // How many alike elements follow each other says nothing.
        if (own !== last) shape = mixed(shape, own);
        last = own;
      }
      return shape;
    }
    if (!isFields(value)) return 2;
    let shape = 8;
    for (const key in value) {
      const child = value[key];
      const isKind = typeof child === "string" && child.length <= maxKind && kindKeys.test(key);
      // The members of arguments are the tool's own.
      const own = isKind
        ? this.#hashOf(child)
        : this.#shapeOf(child, argumentKeys.test(key) ? maxDepth : depth + 1);
      shape = mixed(mixed(shape, this.#hashOf(key)), own);
    }
    return shape;
  }

  /** A number for a key, always the same. */
  #hashOf(key: string): number {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    let hash = 0;
    for (let at = 0; at < key.length; at++) hash = mixed(hash, key.charCodeAt(at));
    if (this.#keys.size < 4096) this.#keys.set(key, hash);
    return hash;
  }
}

const mixed = (one: number, other: number): number => (Math.imul(one, 0x9e3779b1) ^ (one >>> 15)) + other;
