import type { Dice } from "../dice.ts";
import { isObject, printedAnew, slicesOf } from "../document.ts";
import { type Operator, onText } from "./operator.ts";

/** JSON as databases type it, and as the languages that programs are written in print it. */

/** How a notation writes values. */
interface Notation {
  readonly text?: (text: string) => string;
  readonly none?: string;
  readonly list?: (elements: readonly string[]) => string;
  readonly members: (members: readonly (readonly [key: string, value: string])[], path: string) => string;
}

const quoted = (text: string): string => JSON.stringify(text);
const single = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
const joined = (members: readonly (readonly [string, string])[], between: string): string =>
  members.map(([key, value]) => `${key}${between}${value}`).join(", ");

function noted(notation: Notation, value: unknown, path = "request"): string {
  const { text = quoted, none = "null", list = (all) => `[${all.join(", ")}]`, members } = notation;
  if (typeof value === "string") return text(value);
  if (value === null) return none;
  if (Array.isArray(value)) return list(value.map((each) => noted(notation, each, path)));
  if (!isObject(value)) return String(value);
  return members(
    Object.entries(value).map(([key, each]) => [key, noted(notation, each, key)] as const),
    path,
  );
}

const typeName = (path: string): string =>
  path.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()).replace(/s$/, "");

const languages: Readonly<Record<string, Notation>> = {
  Ruby: {
    none: "nil",
    members: (all) =>
      `{${joined(
        all.map(([key, value]) => [quoted(key), value]),
        "=>",
      )}}`,
  },
  "Ruby with symbols": { none: "nil", members: (all) => `{${joined(all, ": ")}}` },
  Elixir: {
    none: "nil",
    members: (all) =>
      `%{${joined(
        all.map(([key, value]) => [quoted(key), value]),
        " => ",
      )}}`,
  },
  Rust: { none: "None", members: (all, path) => `${typeName(path)} { ${joined(all, ": ")} }` },
  Swift: {
    none: "nil",
    members: (all) =>
      `[${joined(
        all.map(([key, value]) => [quoted(key), value]),
        ": ",
      )}]`,
  },
  Clojure: {
    none: "nil",
    list: (all) => `[${all.join(" ")}]`,
    members: (all) => `{${all.map(([key, value]) => `:${key} ${value}`).join(", ")}}`,
  },
  Perl: {
    none: "undef",
    text: single,
    members: (all) =>
      `{${joined(
        all.map(([key, value]) => [single(key), value]),
        " => ",
      )}}`,
  },
  Java: { text: (text) => text, members: (all) => `{${joined(all, "=")}}` },
  "a record of Java": {
    text: (text) => text,
    members: (all, path) => `${typeName(path)}[${joined(all, "=")}]`,
  },
  "a class of Kotlin": {
    text: (text) => text,
    members: (all, path) => `${typeName(path)}(${joined(all, "=")})`,
  },
  "a model of Python": {
    none: "None",
    text: single,
    members: (all, path) => `${typeName(path)}(${joined(all, "=")})`,
  },
  Go: {
    text: (text) => text,
    none: "<nil>",
    list: (all) => `[${all.join(" ")}]`,
    members: (all) => `map[${all.map(([key, value]) => `${key}:${value}`).join(" ")}]`,
  },
};

/** A value with the type of each value beside it. */
interface Typing {
  readonly text: string;
  readonly number: (value: number) => unknown;
  readonly flag: string;
  readonly none: unknown;
  readonly list: (elements: readonly unknown[]) => unknown;
  readonly object: (members: Readonly<Record<string, unknown>>) => unknown;
}

function typed(by: Typing, value: unknown): unknown {
  if (typeof value === "string") return { [by.text]: value };
  if (typeof value === "number") return by.number(value);
  if (typeof value === "boolean") return { [by.flag]: value };
  if (Array.isArray(value)) return by.list(value.map((each) => typed(by, each)));
  if (!isObject(value)) return by.none;
  return by.object(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, typed(by, each)])));
}

const stores: Readonly<Record<string, Typing>> = {
  DynamoDB: {
    text: "S",
    number: (value) => ({ N: String(value) }),
    flag: "BOOL",
    none: { NULL: true },
    list: (L) => ({ L }),
    object: (M) => ({ M }),
  },
  Firestore: {
    text: "stringValue",
    number: (value) => ({ integerValue: String(value) }),
    flag: "booleanValue",
    none: { nullValue: null },
    list: (values) => ({ arrayValue: { values } }),
    object: (fields) => ({ mapValue: { fields } }),
  },
  OpenTelemetry: {
    text: "stringValue",
    number: (value) => ({ doubleValue: value }),
    flag: "boolValue",
    none: {},
    list: (values) => ({ arrayValue: { values } }),
    object: (members) => ({
      kvlistValue: { values: Object.entries(members).map(([key, value]) => ({ key, value })) },
    }),
  },
};

/** A value as MongoDB exports it: numbers are objects, too. */
function extended(value: unknown): unknown {
  if (typeof value === "number")
    return Number.isInteger(value) ? { $numberInt: String(value) } : { $numberDouble: String(value) };
  if (Array.isArray(value)) return value.map(extended);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, extended(each)]));
}

/** Writes all values of a log anew, or one of them. */
const anew =
  (write: (value: unknown) => string) =>
  (text: string, { dice }: { readonly dice: Dice }): string | undefined => {
    const chosen = dice.once(2) ? dice.below(slicesOf(text).length) : undefined;
    let index = 0;
    return printedAnew(text, (value) =>
      chosen === undefined || index++ === chosen ? write(value) : JSON.stringify(value),
    );
  };

/** The numbers of a log in another form. */
const numbers =
  (change: (digits: string) => string) =>
  (text: string, { dice }: { readonly dice: Dice }): string | undefined => {
    const all = dice.once(2);
    const places = [...text.matchAll(/(?<=": ?)\d+(?=[,}\n])/g)];
    if (places.length === 0) return undefined;
    const chosen = dice.pick(places).index;
    return text.replace(/(?<=": ?)\d+(?=[,}\n])/g, (digits, at: number) =>
      all || at === chosen ? change(digits) : digits,
    );
  };

export const printOperators: readonly Operator[] = [
  ...onText(
    "prints",
    Object.fromEntries([
      ...Object.entries(languages).map(([name, notation]) => [name, anew((value) => noted(notation, value))]),
      ...Object.entries(stores).map(([name, by]) => [
        `types of ${name}`,
        anew((value) => JSON.stringify(typed(by, value))),
      ]),
      ["types of MongoDB", anew((value) => JSON.stringify(extended(value)))],
    ]),
  ),
  ...onText("protocol", {
    "whole numbers as fractions": numbers((digits) => `${digits}.0`),
    "numbers with an exponent": numbers((digits) => `${digits}e0`),
    "keys in upper case": anew((value) =>
      JSON.stringify(value).replace(/"([a-z_]+)":/g, (_, key: string) => `"${key.toUpperCase()}":`),
    ),
  }),
  ...onText(
    "prints/broken",
    { "NaN for a number": numbers(() => "NaN"), "Infinity for a number": numbers(() => "-Infinity") },
    { breaksOnly: true },
  ),
];
