import type { History } from "./exchange.ts";
import type { Item } from "./item.ts";

/**
 * Defines when two items are equal: when a model would read them alike. Key order, white space around text,
 * cache marks, item ids and status do not count, because clients change them freely.
 */

const keys = new WeakMap<Item, string>();
const contents = new WeakMap<Item, string>();
const callTexts = new WeakMap<Item, string>();

/** Identity of an item: a call or result keeps its key under the same id even if its content changes. */
export function keyOf(item: Item): string {
  const known = keys.get(item);
  if (known !== undefined) return known;
  const key = makeKey(item);
  keys.set(item, key);
  return key;
}

function makeKey(item: Item): string {
  switch (item.kind) {
    case "call":
      return item.id !== undefined ? `call ${item.id}` : contentOf(item);
    case "result":
      return item.callId !== undefined ? `result ${item.callId}` : contentOf(item);
    case "reasoning":
      return item.id !== undefined ? `reasoning ${item.id}` : contentOf(item);
    default:
      return contentOf(item);
  }
}

/** Identity and content of an item: equal for items that a model reads as equal. */
export function contentOf(item: Item): string {
  const known = contents.get(item);
  if (known !== undefined) return known;
  const content = makeContent(item);
  contents.set(item, content);
  return content;
}

function makeContent(item: Item): string {
  switch (item.kind) {
    case "message":
      return `message ${item.role} ${item.hasMedia ? "+" : ""}${item.text.trim()}`;
    case "call":
      return `call ${item.id ?? ""} ${callText(item)}`;
    case "result":
      return `result ${item.callId ?? item.name ?? ""} ${item.text.trim()}`;
    case "reasoning":
      return `reasoning ${item.seal ?? item.text.trim()}`;
    case "reference":
      return `reference ${item.id}`;
    case "compaction":
      return `compaction ${item.text.trim()}`;
    case "opaque":
      return `opaque ${item.wireType} ${item.id ?? canonical(item.value)}`;
  }
}

/** The tool and its arguments with sorted keys: equal for two calls that ask for the same thing. */
export function callText(call: Item & { kind: "call" }): string {
  const known = callTexts.get(call);
  if (known !== undefined) return known;
  const args = call.arguments === undefined ? call.argumentsText.trim() : canonical(call.arguments);
  const text = `${call.name} ${args}`;
  callTexts.set(call, text);
  return text;
}

/** Keeps hostile nesting off the stack. Deeper values all compare as equal. */
const maxDepth = 200;

/** JSON with sorted keys: equal for equal values. */
export function canonical(value: unknown, depth = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (depth > maxDepth) return "…";
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(",")}]`;
  const members = value as Readonly<Record<string, unknown>>;
  return `{${Object.keys(members)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(members[key], depth + 1)}`)
    .join(",")}}`;
}

/** Whether a model reads two history elements alike. Fast for shared elements, which are the same object. */
export function sameElement(a: History, aIndex: number, b: History, bIndex: number): boolean {
  if (a.element(aIndex) === b.element(bIndex)) return true;
  if (a.role(aIndex) !== b.role(bIndex)) return false;
  const left = a.items(aIndex);
  const right = b.items(bIndex);
  return (
    left.length === right.length &&
    left.every((item, index) => contentOf(item) === contentOf(right[index] as Item))
  );
}

/** The length of the common prefix of two histories, in elements. */
export function commonElements(a: History, b: History): number {
  const most = Math.min(a.length, b.length);
  let common = 0;
  while (common < most && sameElement(a, common, b, common)) common++;
  return common;
}
