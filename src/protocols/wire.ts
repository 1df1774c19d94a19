import { parseJson } from "../reading/parse.ts";

import { type Fields, fields, isFields, list, string } from "../reading/values.ts";

export {
  type Fields,
  fields,
  filled,
  isFields,
  jsonType,
  list,
  number,
  string,
  valueText,
} from "../reading/values.ts";

/** Looks up a word of the wire in a table. Inherited names such as `constructor` are not in the table. */
export function lookUp<T>(table: Readonly<Record<string, T>>, word: string | undefined): T | undefined {
  return word !== undefined && Object.hasOwn(table, word) ? table[word] : undefined;
}

/** The arguments of a call as text and as a value. Empty text means no arguments: `{}`. */
export function callArguments(value: unknown): { argumentsText: string; arguments: unknown } {
  if (typeof value === "string") {
    return { argumentsText: value, arguments: value.trim() === "" ? {} : parseJson(value) };
  }
  if (value === undefined || value === null) return { argumentsText: "", arguments: {} };
  return { argumentsText: JSON.stringify(value), arguments: value };
}

/** The text of a call's arguments; nothing becomes an empty object. */
export function argumentsText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? {});
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Omits members that are `undefined`, as exact optional types require. */
export function defined<T extends object>(value: T): Defined<T> {
  let kept: Record<string, unknown> | undefined;
  for (const key in value) {
    if (value[key] === undefined) continue;
    kept ??= {};
    kept[key] = value[key];
  }
  return (kept ?? nothing) as Defined<T>;
}

/** Shared, as most requests of a long log state none of what is optional. */
const nothing: object = Object.freeze({});

/**
 * The text of content that may be a string or a list of parts; parts without text count as media. An object
 * is one part, or the value that a schema asked for: Workers AI of Cloudflare does not write it as text.
 */
export function contentText(
  value: unknown,
  isText: (part: Fields) => string | undefined,
): { text: string; hasMedia: boolean } {
  if (typeof value === "string") return { text: value, hasMedia: false };
  const texts: string[] = [];
  let hasMedia = false;
  if (isFields(value) && typeof value["type"] !== "string" && isText(value) === undefined)
    return { text: Object.keys(value).length > 0 ? JSON.stringify(value) : "", hasMedia };
  for (const part of isFields(value) ? [value] : list(value)) {
    const text = typeof part === "string" ? part : (isText(fields(part)) ?? valueOfText(fields(part)));
    if (text === undefined) hasMedia = true;
    else texts.push(text);
  }
  return { text: texts.join("\n"), hasMedia };
}

/** Tools for training write the text of a text part as its `value`. */
function valueOfText({ type, value }: Fields): string | undefined {
  return type === "text" ? string(value) : undefined;
}

/** Members of parts that say what they are: some programs leave out their `type`. */
const ofPart =
  /^(?:text|image|image_url|file|audio|video|input_\w{1,20}|source|data|inline_?data|json|document)$/i;

/** What the message of a flaw calls a list for which {@link isListOfData} holds. */
export const listOfData = "array (without content parts)";

/** Whether a list holds a tool's own objects or numbers in place of parts: nobody wrote it as JSON. */
export function isListOfData(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isNoPart);
}

function isNoPart(value: unknown): boolean {
  if (typeof value === "number" || typeof value === "boolean") return true;
  if (!isFields(value) || typeof value["type"] === "string") return false;
  const keys = Object.keys(value);
  return keys.length > 0 && !keys.some((key) => ofPart.test(key));
}

/** A value as the text of a result: text stays, nothing becomes empty, anything else becomes JSON. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  const isNothing = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  return isNothing ? "" : JSON.stringify(value);
}
