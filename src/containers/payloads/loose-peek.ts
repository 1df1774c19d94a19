import type { JsonNode } from "../../reading/json-node.ts";
import { endOfString, scanJson, skipValue } from "../../reading/scan.ts";
import type { Peek } from "../../traffic/payload.ts";
import { peekAt } from "./peek.ts";
import type { Slice } from "./slice.ts";

const QUOTE = 34;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Members behind so many are not looked for: payloads have few. */
const maxMembers = 64;

/**
 * A look at an object that is not valid JSON: the members that can be told, whatever stands between them. A
 * value that cannot be read is there, and has no value.
 */
export function loosePeek(at: Slice, start: number, end: number): Peek {
  const { bytes } = at;
  const members: { key: string; node: JsonNode }[] = [];
  let place = start + 1;
  while (place < end && members.length < maxMembers) {
    const byte = bytes[place];
    if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) break;
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      place = endOfValue(bytes, place, end);
    } else if (byte === QUOTE) {
      const close = endOfString(bytes, place + 1, end, 0);
      if (close < 0) break;
      const value = valueAt(bytes, close, end);
      if (value !== undefined) {
        const node = scanJson(bytes, value, end) ?? unreadable(bytes, value, end);
        const key = bytes.toString("utf8", place + 1, close - 1);
        // A second one may belong to something else that damage put here.
        if (members.every((member) => member.key !== key)) members.push({ key, node });
        place = Math.max(node.end, value + 1);
      } else place = close;
    } else place++;
  }
  return peekAt(at, { kind: "object", start, end, state: "open", members });
}

/** Where the value behind a key begins; `undefined` if the string was no key. */
function valueAt(bytes: Buffer, from: number, end: number): number | undefined {
  const between = /^\s*:\s*/.exec(bytes.toString("latin1", from, Math.min(end, from + 64)));
  return between && from + between[0].length < end ? from + between[0].length : undefined;
}

function endOfValue(bytes: Buffer, at: number, end: number): number {
  const stop = skipValue(bytes, at, end, 0);
  return stop < 0 ? end : stop;
}

/** A value whose kind is known by its first byte. */
function unreadable(bytes: Buffer, start: number, end: number): JsonNode {
  const kind = bytes[start] === OPEN_ARRAY ? "array" : bytes[start] === OPEN_OBJECT ? "object" : "literal";
  const stop = kind === "literal" ? start + 1 : endOfValue(bytes, start, end);
  return kind === "array"
    ? { kind, start, end: stop, state: "open", items: firstItems(bytes, start, stop) }
    : { kind, start, end: stop, state: "open", ...(kind === "object" && { members: [] }) };
}

/** The elements of a list before the one that cannot be read. */
function firstItems(bytes: Buffer, start: number, end: number): JsonNode[] {
  const items: JsonNode[] = [];
  for (let at = start + 1; at < end && items.length < maxMembers; ) {
    const node = bytes[at] === OPEN_OBJECT ? scanJson(bytes, at, end) : undefined;
    if (node) items.push(node);
    else if (bytes[at] === OPEN_OBJECT) break;
    at = node ? node.end : at + 1;
  }
  return items;
}
