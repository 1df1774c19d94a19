import { isFields } from "../../reading/values.ts";
import { valueWords } from "./argument-fault.ts";
import type { Evaluation, Fit, Keyword, Meeting } from "./fit.ts";
import { comparable, isExact } from "./json.ts";
import { characters } from "./patterns.ts";
import { firstNames } from "./violations.ts";

const typeNames = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

/** The type, and what concerns numbers and texts. */
export const numberAndTextKeywords: Readonly<Record<string, Keyword>> = {
  type: (evaluation, { schema, value, place, into }) => {
    const given = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]];
    if (given.length === 0 || given.length > 2 * typeNames.size) return "unknown";
    const types = given.map((name) => (typeof name === "string" ? name.toLowerCase() : ""));
    if (!types.every((name) => typeNames.has(name))) return "unknown";
    if (types.some((name) => isOfType(value, name))) return "fits";
    // Models write `null` for optional values that they leave out.
    if (value === null) return "unknown";
    if (schema["nullable"] === true) types.push("null");
    return evaluation.reject(into, { kind: "type", place, value, types: [...new Set(types)] });
  },
  minimum: bound("minimum", "at least", (value, limit) => value >= limit),
  maximum: bound("maximum", "at most", (value, limit) => value <= limit),
  exclusiveMinimum: bound("exclusiveMinimum", "more than", (value, limit) => value > limit),
  exclusiveMaximum: bound("exclusiveMaximum", "less than", (value, limit) => value < limit),
  multipleOf: (evaluation, { schema, value, place, into }) => {
    const divisor = schema["multipleOf"];
    // Results for fractions depend on the implementation.
    if (!Number.isSafeInteger(divisor) || Number(divisor) <= 0) return "unknown";
    if (typeof value !== "number" || value % Number(divisor) === 0) return "fits";
    if (!isExact(value)) return "unknown";
    return evaluation.reject(into, { kind: "limit", place, value, wanted: `a multiple of ${divisor}` });
  },
  minLength: count("minLength", "characters"),
  maxLength: count("maxLength", "characters"),
  pattern: (evaluation, { schema, value, place, into }) => {
    const { pattern } = schema;
    if (typeof value !== "string") return "fits";
    const isMatch = evaluation.isMatch(pattern, value);
    if (isMatch !== false) return isMatch ? "fits" : "unknown";
    const wanted = `text like /${String(pattern).slice(0, 200)}/`;
    return evaluation.reject(into, { kind: "limit", place, value, wanted });
  },
};

/** What concerns values of any type and whole lists. */
export const valueKeywords: Readonly<Record<string, Keyword>> = {
  const: (evaluation, meeting) => {
    const own = meeting.schema["const"];
    return isChosen(evaluation, meeting, [own], typeof own === "object" ? own : null);
  },
  enum: (evaluation, meeting) => {
    const choices = meeting.schema["enum"];
    if (!Array.isArray(choices) || choices.length === 0) return "unknown";
    return isChosen(evaluation, meeting, choices, choices);
  },
  minItems: count("minItems", "entries"),
  maxItems: count("maxItems", "entries"),
  uniqueItems: (evaluation, { schema, value, place, into }) => {
    if (schema["uniqueItems"] !== true || !Array.isArray(value)) return "fits";
    const seen = new Set<string>();
    for (const item of value) {
      const text = comparable(item, evaluation.work);
      if (text === undefined) return "unknown";
      if (seen.has(text))
        return isExact(item)
          ? evaluation.reject(into, { kind: "limit", place, value, wanted: "entries that differ" })
          : "unknown";
      seen.add(text);
    }
    return "fits";
  },
  minProperties: count("minProperties", "members"),
  maxProperties: count("maxProperties", "members"),
};

function bound(keyword: string, words: string, isWithin: (value: number, limit: number) => boolean): Keyword {
  return (evaluation, { schema, value, place, into }) => {
    let limit = schema[keyword];
    if (limit === false) return "fits";
    // Draft-04 and OpenAPI: `exclusiveMinimum: true` next to `minimum`.
    if (limit === true) limit = schema[keyword === "exclusiveMinimum" ? "minimum" : "maximum"];
    if (typeof limit !== "number") return "unknown";
    if (typeof value !== "number" || isWithin(value, limit)) return "fits";
    // The digits in which they differed may be lost.
    if (value === limit && !isExact(value)) return "unknown";
    return evaluation.reject(into, { kind: "limit", place, value, wanted: `${words} ${limit}` });
  };
}

function count(keyword: string, unit: "characters" | "entries" | "members"): Keyword {
  const isLeast = keyword.startsWith("min");
  return (evaluation, { schema, value, place, into }) => {
    const limit = schema[keyword];
    if (!Number.isSafeInteger(limit) || Number(limit) < 0) return "unknown";
    const size = sizeIn(evaluation, value, unit);
    if (size === undefined || (isLeast ? size >= Number(limit) : size <= Number(limit))) return "fits";
    const wanted = `at ${isLeast ? "least" : "most"} ${limit} ${unit}`;
    return evaluation.reject(into, { kind: "limit", place, value, wanted });
  };
}

function sizeIn(
  evaluation: Evaluation,
  value: unknown,
  unit: "characters" | "entries" | "members",
): number | undefined {
  if (unit === "entries") return Array.isArray(value) ? value.length : undefined;
  if (unit === "members") return isFields(value) ? evaluation.keysOf(value).length : undefined;
  if (typeof value !== "string") return undefined;
  evaluation.work.spend(value.length >> 3);
  return characters(value);
}

/** The choices of an `enum` or `const`, by their values, and by their texts for what is not a scalar. */
interface Choices {
  readonly scalars: ReadonlySet<unknown>;
  readonly others: ReadonlySet<string>;
  /** Each can be compared. */
  readonly isWhole: boolean;
  /** The scalars as text in lower case, once a fault asks for them. */
  lowerCase?: ReadonlySet<string>;
}

const known = new WeakMap<object, Choices>();

function isChosen(
  evaluation: Evaluation,
  { value, place, into }: Meeting,
  list: readonly unknown[],
  owner: object | null,
): Fit {
  const choices = (owner && known.get(owner)) ?? choicesOf(evaluation, list, owner);
  if (typeof value !== "object" || value === null) {
    if (choices.scalars.has(value)) return "fits";
    if (value === null) return "unknown";
  } else {
    const text = choices.others.size > 0 ? comparable(value, evaluation.work) : "";
    if (text !== undefined && choices.others.has(text)) return "fits";
    if (text === undefined || !choices.isWhole) return "unknown";
  }
  if (!into) return "fails";
  evaluation.work.spend(list.length);
  choices.lowerCase ??= new Set([...choices.scalars].map(lowerCase));
  const isConvertible = typeof value !== "object" && choices.lowerCase.has(lowerCase(value));
  const wanted = firstNames(list.slice(0, 6).map(valueWords));
  return evaluation.reject(into, { kind: "value", place, value, wanted, isConvertible });
}

/** Longer texts than any choice. */
const maxChoice = 1_000;

function lowerCase(value: unknown): string {
  return String(value).slice(0, maxChoice).toLowerCase();
}

function choicesOf({ work }: Evaluation, list: readonly unknown[], owner: object | null): Choices {
  work.spend(list.length);
  const scalars = new Set<unknown>();
  const others = new Set<string>();
  let isWhole = true;
  for (const one of list) {
    if (typeof one !== "object" || one === null) {
      scalars.add(one);
      continue;
    }
    const text = comparable(one, work);
    if (text === undefined) isWhole = false;
    else others.add(text);
  }
  const choices = { scalars, others, isWhole };
  if (owner) known.set(owner, choices);
  return choices;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isFields(value);
    case "integer":
      // Numbers beyond the largest are read as infinite.
      return typeof value === "number" && (Number.isInteger(value) || !Number.isFinite(value));
    default:
      return typeof value === type;
  }
}
