/**
 * Plain data in a form that compresses well: of a list of objects all values of one member stand together, of
 * a list of lists all elements, and whole numbers are differences from the one before. So ten thousand steps
 * take a tenth of their JSON.
 */
export type Compact =
  /** A value as it is. */
  | { readonly r: unknown }
  /** Whole numbers, as differences. */
  | { readonly d: readonly number[] }
  /** Lists: their lengths, and all their elements. */
  | { readonly l: Compact; readonly v: Compact }
  /** Objects: how many, and their members. */
  | { readonly n: number; readonly c: Readonly<Record<string, Column>> }
  /** A list of values of several kinds. */
  | { readonly m: readonly Compact[] }
  /** One object. */
  | { readonly o: Compact };

/** One member of all objects of a list. */
interface Column {
  /** Which objects have it: a run of states and its length, in turn. Absent where all have a value. */
  readonly s?: readonly number[];
  /** The values, in order. */
  readonly v: Compact;
}

/** States of a member. */
const absent = 0;
const isNull = 1;
const isThere = 2;

/** Packs plain data; {@link expand} gives it back. Members that are `undefined` are as good as absent. */
export function compact(value: unknown): Compact {
  if (Array.isArray(value)) return compactList(value);
  return isObject(value) ? { o: compactList([value]) } : { r: value };
}

function compactList(list: readonly unknown[]): Compact {
  if (list.every(Number.isSafeInteger)) return { d: differences(list as readonly number[]) };
  if (list.every(Array.isArray)) {
    const lists = list as readonly (readonly unknown[])[];
    return { l: compactList(lists.map(({ length }) => length)), v: compactList(lists.flat()) };
  }
  if (list.every(isObject)) return { n: list.length, c: columnsOf(list) };
  if (list.some((value) => typeof value === "object" && value !== null)) return { m: list.map(compact) };
  return { r: list };
}

function columnsOf(objects: readonly Readonly<Record<string, unknown>>[]): Record<string, Column> {
  const names = new Set(objects.flatMap((object) => Object.keys(object)));
  return Object.fromEntries(
    [...names].map((name) => {
      const states: number[] = [];
      const values: unknown[] = [];
      for (const object of objects) {
        const value = Object.hasOwn(object, name) ? object[name] : undefined;
        const state = value === undefined ? absent : value === null ? isNull : isThere;
        if (state === isThere) values.push(value);
        if (states.at(-2) === state) states.push((states.pop() ?? 0) + 1);
        else states.push(state, 1);
      }
      const isWhole = states.length === 2 && states[0] === isThere;
      return [name, { ...(!isWhole && { s: states }), v: compactList(values) }];
    }),
  );
}

/** The data that {@link compact} packed. */
export function expand(packed: Compact): unknown {
  if ("r" in packed) return packed.r;
  if ("o" in packed) return (expand(packed.o) as readonly unknown[])[0];
  if ("m" in packed) return packed.m.map(expand);
  if ("d" in packed) return sums(packed.d);
  if ("n" in packed) return objectsOf(packed.n, packed.c);
  const elements = expand(packed.v) as readonly unknown[];
  let at = 0;
  return (expand(packed.l) as readonly number[]).map((length) => {
    at += length;
    return elements.slice(at - length, at);
  });
}

function objectsOf(count: number, columns: Readonly<Record<string, Column>>): Record<string, unknown>[] {
  const objects = Array.from({ length: count }, (): Record<string, unknown> => ({}));
  for (const [name, { s: states = [isThere, count], v }] of Object.entries(columns)) {
    const values = expand(v) as readonly unknown[];
    let [at, next] = [0, 0];
    for (let run = 0; run < states.length; run += 2) {
      const end = at + (states[run + 1] ?? 0);
      for (; at < end; at++) {
        const object = objects[at];
        if (object && states[run] !== absent) object[name] = states[run] === isNull ? null : values[next++];
      }
    }
  }
  return objects;
}

function differences(numbers: readonly number[]): number[] {
  return numbers.map((number, index) => number - (index > 0 ? (numbers[index - 1] ?? 0) : 0));
}

function sums(numbers: readonly number[]): number[] {
  let sum = 0;
  return numbers.map((number) => {
    sum += number;
    return sum;
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
