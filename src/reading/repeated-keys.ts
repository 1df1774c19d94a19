import { isJsonSpace } from "./json-bytes.ts";
import type { JsonNode, Member } from "./json-node.ts";

/**
 * Whether a key may stand twice in an object of a JSON text with this value, which holds the last of them. A
 * text that begins with a colon counts as one key more, so the answer is certain only where it is no.
 */
export function mayRepeatKey(text: string, value: unknown): boolean {
  return keysIn(text) > keysOf(value);
}

/** How many colons stand behind a quote; in a string, a backslash comes before the quote. */
function keysIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) {
    let before = at - 1;
    while (isJsonSpace(text.charCodeAt(before))) before--;
    if (text.charCodeAt(before) === QUOTE && text.charCodeAt(before - 1) !== BACKSLASH) count++;
  }
  return count;
}

const [QUOTE, BACKSLASH] = [34, 92];

function keysOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return inner.reduce<number>((sum, child) => sum + keysOf(child), Array.isArray(value) ? 0 : inner.length);
}

/** A member that does not count, and the last of its key, which does. */
export interface Twin {
  readonly key: string;
  readonly node: JsonNode;
  readonly last: JsonNode;
}

/** An object with more members is none whose keys are compared one by one. */
const maxCompared = 64;

/** The first member in a value whose key stands again in the same object, with another value. */
export function twinWithin(bytes: Buffer, node: JsonNode): Twin | undefined {
  const own = twinAmong(bytes, node.members);
  if (own) return own;
  for (const { node: child } of node.members ?? []) {
    const found = twinWithin(bytes, child);
    if (found) return found;
  }
  for (const item of node.items ?? []) {
    const found = twinWithin(bytes, item);
    if (found) return found;
  }
  return undefined;
}

/** The first of these members whose key stands again among them, with another value. */
export function twinAmong(bytes: Buffer, members: readonly Member[] = []): Twin | undefined {
  if (members.length > maxCompared) return undefined;
  for (const [index, { key, node }] of members.entries())
    for (let next = members.length - 1; next > index; next--) {
      const { key: other, node: last } = members[next] as Member;
      if (other !== key) continue;
      if (!isSameText(bytes, node, last)) return { key, node, last };
      break;
    }
  return undefined;
}

function isSameText(bytes: Buffer, a: JsonNode, b: JsonNode): boolean {
  return bytes.compare(bytes, b.start, b.end, a.start, a.end) === 0;
}
