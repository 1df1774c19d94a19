import type { Fields } from "../wire.ts";

/** The name of a member as `value` spells it: REST `functionCall` (as in `name`), Python `function_call`. */
export function wireName(value: Fields, name: string): string {
  if (value[name] !== undefined && value[name] !== null) return name;
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return value[snake] === undefined || value[snake] === null ? name : snake;
}

/** The member `name` (camel case), in either spelling. */
export function member(value: Fields, name: string): unknown {
  return value[wireName(value, name)];
}
