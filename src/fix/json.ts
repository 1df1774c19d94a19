import { pointerToken, pointerTokens, valueAt } from "../reading/pointer.ts";
import { type Fields, isFields } from "../reading/values.ts";

/** A JSON value as an object with members; `undefined` for anything else. */
export function membersOf(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined;
}

/** A copy of `root` with `value` at a pointer whose parent exists; `undefined` removes what is there. */
export function withValueAt(root: unknown, pointer: string, value: unknown): unknown {
  const [key, ...rest] = pointerTokens(pointer);
  if (key === undefined) return value;
  const below = rest.map((part) => `/${pointerToken(part)}`).join("");
  if (Array.isArray(root)) {
    const index = Number(key);
    if (rest.length === 0 && value === undefined) return root.filter((_, place) => place !== index);
    // Copied as a block: a list of thousands may be copied thousands of times.
    const copy = root.slice();
    if (Number.isInteger(index) && index >= 0 && index < copy.length)
      copy[index] = withValueAt(root[index], below, value);
    return copy;
  }
  const members = membersOf(root) ?? {};
  if (rest.length === 0 && value === undefined) return without(members, key);
  return copyOf(members, key, withValueAt(members[key], below, value));
}

/** A copy of `root` with an element inserted before the one at `pointer`, which leads into an array. */
export function withInserted(root: unknown, pointer: string, value: unknown): unknown {
  const slash = pointer.lastIndexOf("/");
  const list = valueAt(root, pointer.slice(0, slash));
  if (!Array.isArray(list)) return root;
  const index = Number(pointer.slice(slash + 1));
  return withValueAt(root, pointer.slice(0, slash), [...list.slice(0, index), value, ...list.slice(index)]);
}

/** Whether two JSON values are equal, regardless of member order. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => isEqual(item, b[index]))
    );
  }
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key], right[key]))
  );
}

/** `__proto__` is data: members are defined, never assigned. */
function copyOf(
  members: Readonly<Record<string, unknown>>,
  key: string,
  value: unknown,
): Record<string, unknown> {
  return Object.fromEntries([
    ...Object.entries(members).map(([name, old]) => [name, name === key ? value : old] as const),
    ...(Object.hasOwn(members, key) ? [] : [[key, value] as const]),
  ]);
}

function without(members: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== key));
}
