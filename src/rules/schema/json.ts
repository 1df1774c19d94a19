import type { Fields } from "../../reading/values.ts";
import type { Work } from "./work.ts";

/** Deeper values are not compared. */
const maxDepth = 100;

/**
 * JSON with sorted keys, equal for equal values; `undefined` for what is too deep to compare. Each value, key
 * and sixteen characters are a step of work.
 */
export function comparable(value: unknown, work: Work, depth = 0): string | undefined {
  work.spend(typeof value === "string" ? 1 + (value.length >> 4) : 1);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (depth > maxDepth) return undefined;
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) {
      const text = comparable(item, work, depth + 1);
      if (text === undefined) return undefined;
      parts.push(text);
    }
    return `[${parts.join(",")}]`;
  }
  const keys = Object.keys(value).sort();
  work.spend(2 * keys.length);
  for (const key of keys) {
    const text = comparable((value as Fields)[key], work, depth + 1);
    if (text === undefined) return undefined;
    parts.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${parts.join(",")}}`;
}

/** Whether no number within lost digits when it was read: two that differed may be equal now. */
export function isExact(value: unknown): boolean {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const inner = left.pop();
    if (typeof inner === "number" && Math.abs(inner) > Number.MAX_SAFE_INTEGER) return false;
    if (typeof inner === "object" && inner !== null) for (const one of Object.values(inner)) left.push(one);
  }
  return true;
}

/** The number of all values and of the characters of all texts and keys. */
export function sizeOf(value: unknown): { readonly values: number; readonly characters: number } {
  let values = 0;
  let characters = 0;
  // A list of what is left to count: arguments may be nested deeper than the stack allows.
  const left: unknown[] = [value];
  while (left.length > 0) {
    const inner = left.pop();
    values++;
    if (typeof inner === "string") characters += inner.length;
    if (typeof inner !== "object" || inner === null) continue;
    if (Array.isArray(inner)) {
      for (const item of inner) left.push(item);
      continue;
    }
    for (const key of Object.keys(inner)) {
      characters += key.length;
      left.push((inner as Fields)[key]);
    }
  }
  return { values, characters };
}
