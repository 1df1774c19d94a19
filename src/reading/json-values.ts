import { maxCrowd } from "./crowds.ts";
import { type EscapeLevel, plainText } from "./escapes.ts";
import type { JsonNode } from "./json-node.ts";
import { isJson, parseJson } from "./parse.ts";
import { pointerTokens } from "./pointer.ts";

/** The text of a string token; `start` and `end` include its quotes. */
export function stringValue(bytes: Buffer, start: number, end: number, level: EscapeLevel): string {
  const slashes = 2 ** level - 1;
  const from = start + slashes + 1;
  const to = end - slashes - 1;
  return plainText(bytes, from, Math.max(from, to), level + 1);
}

/** The text of a string that lacks its end. */
function openStringValue(bytes: Buffer, start: number, end: number, level: EscapeLevel): string {
  return plainText(bytes, Math.min(end, start + 2 ** level), end, level + 1);
}

/**
 * Reads the value of a node: part by part where JSON.parse rejects it, up to the cut where it is cut. `onLax`
 * is called with a complete value that JSON.parse rejects.
 */
export function readValue(
  bytes: Buffer,
  node: JsonNode,
  level: EscapeLevel,
  onLax?: (node: JsonNode) => void,
): unknown {
  if (node.known) {
    if (node.known.isLax) onLax?.(node);
    return node.known.value;
  }
  if (node.run) {
    const { run } = node;
    return Array.from({ length: run.length }, (_, index) => run.element(index).value);
  }
  if (node.kind === "string") {
    if (onLax && node.state === "complete" && !isJson(plainText(bytes, node.start, node.end, level)))
      onLax(node);
    return node.state === "open"
      ? openStringValue(bytes, node.start, node.end, level)
      : stringValue(bytes, node.start, node.end, level);
  }
  if (node.state === "complete" && !isReadInParts(node)) {
    const text = plainText(bytes, node.start, node.end, level);
    const value = parseJson(text);
    if (value !== undefined) return value;
    onLax?.(node);
    if (node.kind === "number" || node.kind === "literal") return looseWord(text) ?? variable(text);
  }
  if (node.kind === "object") {
    // Keys come from a log: `__proto__` must become a key like any other.
    return Object.fromEntries(
      (node.members ?? []).map((member) => [member.key, readValue(bytes, member.node, level, onLax)]),
    );
  }
  if (node.kind === "array") {
    const items = node.isCrowd ? node.items?.slice(0, maxCrowd) : node.items;
    return (items ?? []).map((item) => readValue(bytes, item, level, onLax));
  }
  return looseWord(plainText(bytes, node.start, node.end, level));
}

function isReadInParts(node: JsonNode): boolean {
  if (node.run || node.known || node.isCrowd) return true;
  return (
    (node.members?.some((member) => isReadInParts(member.node)) || node.items?.some(isReadInParts)) ?? false
  );
}

/** Words of other languages: Python's None, JavaScript's NaN. */
function looseWord(text: string): unknown {
  if (text === "True") return true;
  if (text === "False") return false;
  if (text === "NaN" || text.endsWith("Infinity") || text === "None" || text === "undefined") return null;
  const number = Number(text);
  return Number.isNaN(number) ? null : number;
}

/**
 * A variable in the source of a program, or its member, stands for a value that nobody knows. Its name does
 * so here: `null` would say that there was none.
 */
function variable(text: string): string | null {
  return /^[a-z]\w*(?:\.[a-z]\w*)*$/.test(text) && !/^(?:undefined|null|nil|nan|inf)$/.test(text)
    ? text
    : null;
}

/** Whether a list in a value has too many entries for its size. */
export function holdsCrowd(node: JsonNode): boolean {
  if (node.isCrowd) return true;
  return (node.members?.some((member) => holdsCrowd(member.node)) || node.items?.some(holdsCrowd)) ?? false;
}

/** The node at an RFC 6901 pointer below `node`, or its nearest existing ancestor. */
export function nodeAt(node: JsonNode, pointer: string): JsonNode {
  let current = node;
  for (const token of pointerTokens(pointer)) {
    const next =
      current.kind === "object"
        ? current.members?.findLast((member) => member.key === token)?.node
        : /^(?:0|[1-9]\d*)$/.test(token)
          ? current.items?.[Number(token)]
          : undefined;
    if (!next) break;
    current = next;
  }
  return current;
}
