import type { JsonNode, Member } from "../../reading/json-node.ts";
import { readValue } from "../../reading/json-values.ts";
import { emptyList } from "../../reading/lists.ts";
import type { SharedRun } from "../../reading/shared-run.ts";
import type { Peek } from "../../traffic/payload.ts";
import type { Slice } from "./slice.ts";

/** A peek at a scanned value; members are read on demand, and once, as each protocol looks at the same. */
export function peekAt(at: Slice, node: JsonNode): Peek {
  return new NodePeek(at, node);
}

// Each object of a log is looked at by all protocols, which ask for some fifty keys: closures made for each
// object and for each question would cost more than the answers.
class NodePeek implements Peek {
  readonly #at: Slice;
  readonly #members: readonly Member[];
  #keys: readonly string[] | undefined;
  #values: Map<JsonNode, unknown> | undefined;

  constructor(at: Slice, { members = emptyList }: JsonNode) {
    this.#at = at;
    this.#members = members;
  }

  get keys(): readonly string[] {
    this.#keys ??= this.#members.map((member) => member.key);
    return this.#keys;
  }

  has(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  kind(key: string): ReturnType<Peek["kind"]> {
    const child = this.#find(key);
    if (!child) return undefined;
    if (child.kind !== "literal") return child.kind;
    const value = readValue(this.#at.bytes, child, this.#at.level);
    return value === null ? "null" : "boolean";
  }

  value(key: string): unknown {
    const child = this.#find(key);
    if (!child) return undefined;
    this.#values ??= new Map();
    let value = this.#values.get(child);
    if (value === undefined) {
      value = child.run ? endsOf(child.run) : readValue(this.#at.bytes, child, this.#at.level);
      this.#values.set(child, value);
    }
    return value;
  }

  /** Of a key that stands twice the last value counts: that is what a parser reads. */
  #find(key: string): JsonNode | undefined {
    const members = this.#members;
    for (let index = members.length - 1; index >= 0; index--) {
      const member = members[index];
      if (member?.key === key) return member.node;
    }
    return undefined;
  }
}

/** The values of the first and the last elements of a history. */
function endsOf(run: SharedRun): unknown[] {
  const count = Math.min(run.length, 12);
  const head = Array.from({ length: count }, (_, place) => run.element(place).value);
  const from = Math.max(count, run.length - 4);
  return [
    ...head,
    ...Array.from({ length: run.length - from }, (_, place) => run.element(from + place).value),
  ];
}

/** A peek at a parsed value. */
export function peekValue(value: object, event?: string): Peek {
  const members = value as Readonly<Record<string, unknown>>;
  const has = (key: string): boolean => Object.hasOwn(members, key);
  return {
    keys: Object.keys(members),
    ...(event !== undefined && { event }),
    has,
    kind(key) {
      if (!has(key)) return undefined;
      const member = members[key];
      if (member === null) return "null";
      if (Array.isArray(member)) return "array";
      const kind = typeof member;
      return kind === "object" || kind === "string" || kind === "number" || kind === "boolean"
        ? kind
        : undefined;
    },
    value: (key) => (has(key) ? members[key] : undefined),
  };
}
