import { type JsonNode, readValue } from "../../reading/scan.ts";
import type { SharedRun } from "../../reading/shared-run.ts";
import type { Peek } from "../../traffic/payload.ts";
import type { Slice } from "./slice.ts";

/** A peek at a scanned value; members are read on demand, and once, as each protocol looks at the same. */
export function peekAt(at: Slice, node: JsonNode): Peek {
  const members = node.members ?? [];
  const values = new Map<JsonNode, unknown>();
  // Of a key that stands twice the last value counts: that is what a parser reads.
  const find = (key: string): JsonNode | undefined => members.findLast((member) => member.key === key)?.node;
  return {
    keys: members.map((member) => member.key),
    has: (key) => find(key) !== undefined,
    kind(key) {
      const child = find(key);
      if (!child) return undefined;
      if (child.kind !== "literal") return child.kind;
      const value = readValue(at.bytes, child, at.level);
      return value === null ? "null" : "boolean";
    },
    value(key) {
      const child = find(key);
      if (!child) return undefined;
      let value = values.get(child);
      if (value === undefined) {
        value = child.run ? endsOf(child.run) : readValue(at.bytes, child, at.level);
        values.set(child, value);
      }
      return value;
    },
  };
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
