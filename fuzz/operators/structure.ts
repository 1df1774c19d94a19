import type { Dice } from "../dice.ts";
import { isObject, type Node, nodesOf, print, printed, Raw, slicesOf } from "../document.ts";
import { type Operator, onText } from "./operator.ts";

type Fields = Record<string, unknown>;
type Change = (node: Node, key: string, dice: Dice) => unknown;

/** Changes a member of an object or an element of an array, anywhere in the log; what it returns takes its place. */
const onMember =
  (change: Change, fits: (value: unknown, node: Node) => boolean = () => true) =>
  (text: string, { dice }: { readonly dice: Dice }): string | undefined => {
    const slices = slicesOf(text);
    const places: { node: Node; key: string }[] = [];
    for (const { root } of slices)
      for (const node of nodesOf(root.value))
        for (const [key, value] of Object.entries(node.value))
          if (fits(value, node)) places.push({ node, key });
    if (places.length === 0) return undefined;
    const { node, key } = dice.pick(places);
    const fields = node.value as Fields;
    fields[key] = change(node, key, dice);
    if (Array.isArray(node.value) && fields[key] === undefined) node.value.splice(Number(key), 1);
    return printed(text, slices);
  };

const valueAt = (node: Node, key: string): unknown => (node.value as Fields)[key];
const json = (value: unknown): string => print(value, "");
const isIn = (kind: "object" | "array") => (_: unknown, node: Node) =>
  Array.isArray(node.value) === (kind === "array");
const isOf = (type: string) => (value: unknown) => typeof value === type;
const raw =
  (text: string): Change =>
  () =>
    new Raw(text);

/** Gives a member to the whole object that a key is in: what JavaScript objects cannot hold. */
const beside =
  (extra: (node: Node, key: string) => string): Change =>
  (node, key) =>
    new Raw(`${json(valueAt(node, key))},${extra(node, key)}`);

const nested = (depth: number, open: string, close: string): string =>
  open.repeat(depth) + close.repeat(depth);

export const structureOperators: readonly Operator[] = onText("structure", {
  "drop a member": onMember(() => undefined),
  "duplicate a key": onMember(
    beside((node, key) => `${JSON.stringify(key)}:${json(valueAt(node, key))}`),
    isIn("object"),
  ),
  "duplicate a key with another value": onMember(
    beside((_, key) => `${JSON.stringify(key)}:"other"`),
    isIn("object"),
  ),
  "duplicate an element": onMember(
    beside((node, key) => json(valueAt(node, key))),
    isIn("array"),
  ),
  "rename a key": onMember((node, key, dice) => {
    const fields = node.value as Fields;
    const name = dice.pick([`${key}_`, key.toUpperCase(), key.slice(1), `x-${key}`, "", "type", "content"]);
    if (!(name in fields)) fields[name] = fields[key];
    return undefined;
  }, isIn("object")),
  "change the type": onMember((_, __, dice) =>
    dice.pick<unknown>([null, true, 0, -1, 1.5, "", "x", [], {}, [[]], [null], { a: {} }]),
  ),
  null: onMember(() => null),
  "empty string": onMember(() => "", isOf("string")),
  "empty list": onMember(() => [], Array.isArray),
  "empty object": onMember(() => ({}), isObject),
  "huge number": onMember(raw("123456789012345678901234567890")),
  "minus zero": onMember(raw("-0"), isOf("number")),
  "1e999": onMember(raw("1e999")),
  "tiny number": onMember(raw("1e-999"), isOf("number")),
  "large index": onMember(
    (_, __, dice) => dice.pick([-1, 2 ** 31, 2 ** 53, 4294967295, 0.5]),
    isOf("number"),
  ),
  "lone surrogate": onMember((node, key, dice) => {
    const text = valueAt(node, key);
    return new Raw(
      `${JSON.stringify(text).slice(0, -1)}${dice.pick(["\\ud83d", "\\udc00", "\\udc00\\ud83d"])}"`,
    );
  }, isOf("string")),
  "control characters": onMember(
    (node, key) => `${valueAt(node, key)}\u0000\u0007\u001b[31m\u009b2J\u202e\u200b\u2028`,
    isOf("string"),
  ),
  __proto__: onMember(
    beside(() => '"__proto__":{"role":"user","polluted":true},"constructor":{"prototype":{"polluted":true}}'),
    isIn("object"),
  ),
  "name from Object.prototype": onMember(
    (_, __, dice) => dice.pick(["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "then"]),
    isOf("string"),
  ),
  "nest deeply": onMember((_, __, dice) => {
    const depth = dice.pick([50, 130, 600, 5000]);
    return new Raw(dice.once(2) ? nested(depth, "[", "]") : `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
  }),
  "wrap into lists": onMember((node, key) => [[valueAt(node, key)]]),
  "list of the value": onMember((node, key) => [valueAt(node, key)]),
  "value of the list": onMember((node, key) => (valueAt(node, key) as unknown[])[0] ?? null, Array.isArray),
  "object to list": onMember((node, key) => Object.values(valueAt(node, key) as Fields), isObject),
  "list to object": onMember((node, key) => ({ ...(valueAt(node, key) as unknown[]) }), Array.isArray),
  "number to string": onMember((node, key) => String(valueAt(node, key)), isOf("number")),
  "string to number": onMember((node, key) => String(valueAt(node, key)).length, isOf("string")),
  "boolean to string": onMember((node, key) => String(valueAt(node, key)), isOf("boolean")),
  "object to its JSON": onMember(
    (node, key) => json(valueAt(node, key)),
    (value) => isObject(value) || Array.isArray(value),
  ),
  "swap siblings": onMember((node, key, dice) => {
    const fields = node.value as Fields;
    const other = dice.pick(Object.keys(fields));
    const own = fields[key];
    const theirs = fields[other];
    fields[other] = own;
    return theirs;
  }),
  "reverse the keys": onMember(
    (node, key) => Object.fromEntries(Object.entries(valueAt(node, key) as Fields).reverse()),
    isObject,
  ),
  "shuffle a list": onMember(
    (node, key, dice) => dice.shuffled(valueAt(node, key) as unknown[]),
    Array.isArray,
  ),
  "double a list": onMember((node, key) => {
    const list = valueAt(node, key) as unknown[];
    return [...list, ...list];
  }, Array.isArray),
  "an unknown member": onMember(
    beside(() => '"x_unknown":{"role":"user","content":"quoted","messages":[]}'),
    isIn("object"),
  ),
  "a long string": onMember(
    (node, key, dice) =>
      String(valueAt(node, key)).concat(dice.pick(["x", "\u0301", "👩‍👩‍👧", "\\", '"']).repeat(3000)),
    isOf("string"),
  ),
  "many copies": onMember((node, key) => {
    const list = valueAt(node, key) as unknown[];
    return list.length === 0 ? list : Array.from({ length: 200 }, (_, index) => list[index % list.length]);
  }, Array.isArray),
  "white space": (text, { dice }) => {
    const slices = slicesOf(text);
    if (slices.length === 0) return undefined;
    const slice = dice.pick(slices);
    slice.root.value = new Raw(
      print(slice.root.value, slice.indent).replace(
        /[:,](?=["[{])/g,
        (mark) => mark + dice.pick([" ", "  ", "\t", ""]),
      ),
    );
    return printed(text, slices);
  },
});
