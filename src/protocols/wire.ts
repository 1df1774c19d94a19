import { parseJson } from "../reading/parse.ts";

import { type Fields, fields, list } from "../reading/values.ts";

export { type Fields, fields, filled, isFields, list, number, string } from "../reading/values.ts";

/** What a table says about a word of the wire; words such as `constructor` are in no table. */
export function lookUp<T>(table: Readonly<Record<string, T>>, word: string | undefined): T | undefined {
  return word !== undefined && Object.hasOwn(table, word) ? table[word] : undefined;
}

/** Arguments as a wire has them, in both readings: text and value. Empty text means no arguments: `{}`. */
export function callArguments(value: unknown): { argumentsText: string; arguments: unknown } {
  if (typeof value === "string") {
    return { argumentsText: value, arguments: value.trim() === "" ? {} : parseJson(value) };
  }
  if (value === undefined || value === null) return { argumentsText: "", arguments: {} };
  return { argumentsText: JSON.stringify(value), arguments: value };
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Leaves out the members that are `undefined`, as exact optional types want it. */
export function defined<T extends object>(value: T): Defined<T> {
  const kept: Record<string, unknown> = {};
  for (const key in value) if (value[key] !== undefined) kept[key] = value[key];
  return kept as Defined<T>;
}

/** The text of content that may be a string or a list of parts; parts without text count as media. */
export function contentText(
  value: unknown,
  isText: (part: Fields) => string | undefined,
): { text: string; hasMedia: boolean } {
  if (typeof value === "string") return { text: value, hasMedia: false };
  const texts: string[] = [];
  let hasMedia = false;
  for (const part of list(value)) {
    const text = typeof part === "string" ? part : isText(fields(part));
    if (text === undefined) hasMedia = true;
    else texts.push(text);
  }
  return { text: texts.join("\n"), hasMedia };
}

/** A value as the text that a result may hold: text stays, nothing is empty, anything else is written as JSON. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  const isNothing = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  return isNothing ? "" : JSON.stringify(value);
}
