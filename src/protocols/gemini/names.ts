import type { Fields } from "../wire.ts";

/**
 * REST writes `functionCall`; Python clients and their logs write `function_call`. The member's name as it stands in
 * `value`, given in camel case.
 */
export function wireName(value: Fields, name: string): string {
  if (value[name] !== undefined && value[name] !== null) return name;
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return value[snake] === undefined || value[snake] === null ? name : snake;
}

/** The member `name` (in camel case) in either spelling. */
export function member(value: Fields, name: string): unknown {
  return value[wireName(value, name)];
}
