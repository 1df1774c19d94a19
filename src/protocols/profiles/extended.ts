import type { Demands } from "../../conversation/exchange.ts";

/**
 * Demands with others over them, the last before the first. The same parts give the same object: every
 * exchange of a log holds its demands.
 */
export function extended(base: Demands, further: readonly Partial<Demands>[]): Demands {
  return further.reduce<Demands>((demands, more) => extensions(demands)(more), base);
}

const extensions = madeOnce((base: Demands) =>
  madeOnce((more: Partial<Demands>): Demands => Object.assign({}, base, more)),
);

/** A function that makes the value for an object once, and keeps it as long as the object. */
export function madeOnce<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
