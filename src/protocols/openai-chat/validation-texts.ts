import { pointerTokens, valueAt } from "../../reading/pointer.ts";
import { bracketed, type RefusalFacts, type RefusalText } from "../refusals.ts";
import { valueText } from "../wire.ts";
import { schemaTexts } from "./schema-texts.ts";

/**
 * How OpenAI's APIs word what their schemas refuse. Chat Completions and Responses word it alike.
 * @see https://platform.openai.com/docs/guides/error-codes
 * @see https://github.com/kangminlee-maker/local-OAuth-CLI-API-adapter/blob/main/docs/conformance-matrix.md
 */

const shape = { rule: "invalid-request", stage: "shape" } as const;

/** The value that a reason is about. */
function subjectValue({ body, pointer }: RefusalFacts): unknown {
  return valueAt(body, pointer);
}

function wantedOf({ data }: RefusalFacts): string {
  return valueText(data["wanted"] ?? "");
}

/** The same place with a member. */
export function memberPath({ pointer }: RefusalFacts, member: string): string {
  return bracketed(`${pointer}/${member}`);
}

/** The schema's words for types, by those of the rule. */
const types: Readonly<Record<string, string>> = {
  "a string": "a string",
  "a number": "a decimal",
  "a whole number": "an integer",
  "`true` or `false`": "a boolean",
  "a list": "an array",
  "an object": "an object",
};

/** What lists hold, by their member; all others hold objects. */
const contents: Readonly<Record<string, string>> = {
  stop: "strings",
  include: "strings",
  input: "input items",
  functions: "function definitions",
};

/** `a string`, `one of a string or array of objects`. */
function expected(facts: RefusalFacts): string {
  const wanted = wantedOf(facts);
  const leaf = pointerTokens(facts.pointer).at(-1) ?? "";
  if (leaf === "metadata") return "a metadata object";
  if (/^\/input\/\d+$/.test(facts.pointer)) return "an input item";
  const found = Object.keys(types)
    .filter((type) => wanted.includes(type))
    .sort((a, b) => wanted.indexOf(a) - wanted.indexOf(b))
    .map((type) =>
      type === "a list" ? `an array of ${contents[leaf] ?? "objects"}` : (types[type] ?? type),
    );
  const [first = "another type", ...others] = found;
  const bare = others.map((type) => type.replace(/^an? /, ""));
  return bare.length === 0 ? first : `one of ${[first, ...bare].join(" or ")}`;
}

/** What stands there instead: `an integer`. */
function got(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal number";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** The text for a value of a wrong type; `what` was expected, by default what the rule says. */
export function wrongType(rule: string, kinds: readonly string[], what?: string, at?: RegExp): RefusalText {
  return {
    rule,
    kinds,
    stage: "shape",
    ...(at && { fits: ({ pointer }) => at.test(pointer) }),
    text: "Invalid type for '{path}': expected {expected}, but got {got} instead.",
    values: (facts) => ({ expected: what ?? expected(facts), got: got(subjectValue(facts)) }),
    param: "{path}",
    code: "invalid_type",
  };
}

/** The text for an absent member. */
export function missing(rule: string, kinds: readonly string[], member?: string): RefusalText {
  return {
    rule,
    kinds,
    stage: "shape",
    text: "Missing required parameter: '{place}'.",
    values: (facts) => ({ place: memberPath(facts, member ?? valueText(facts.data["member"])) }),
    param: "{place}",
    code: "missing_required_parameter",
  };
}

/** The text for a value that is none of these; without them, of those that the rule names. */
export function wrongValue(
  rule: string,
  kinds: readonly string[],
  more: {
    readonly supported?: readonly string[];
    readonly at?: RegExp;
    readonly param?: (facts: RefusalFacts) => string;
    readonly seen?: (facts: RefusalFacts) => string;
  } = {},
): RefusalText {
  const { supported, at, param = ({ pointer }) => bracketed(pointer), seen = seenOf } = more;
  return {
    rule,
    kinds,
    stage: "shape",
    ...(at && { fits: ({ pointer }) => at.test(pointer) }),
    text: "Invalid value: '{seen}'. Supported values are: {supported}.",
    values: (facts) => ({
      seen: seen(facts),
      supported: choice(supported ?? quoted(wantedOf(facts))),
      place: param(facts),
    }),
    param: "{place}",
    code: "invalid_value",
  };
}

function seenOf(facts: RefusalFacts): string {
  const value = subjectValue(facts);
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

/** The names in backticks. */
function quoted(words: string): readonly string[] {
  return [...words.matchAll(/`([^`]*)`/g)].map(([, name = ""]) => name);
}

/** `'a' and 'b'`, `'a', 'b', and 'c'`. */
function choice(names: readonly string[]): string {
  const all = names.map((name) => `'${name}'`);
  return all.length > 2 ? `${all.slice(0, -1).join(", ")}, and ${all.at(-1)}` : all.join(" and ");
}

/** The text for a list without elements. */
export function emptyList(rule: string, kinds: readonly string[]): RefusalText {
  return {
    rule,
    kinds,
    stage: "shape",
    text: "Invalid '{path}': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    param: "{path}",
    code: "empty_array",
  };
}

/** The text for the empty text as an id. */
export function emptyText(rule: string, kinds: readonly string[], member: string): RefusalText {
  return {
    rule,
    kinds,
    stage: "shape",
    fits: ({ body, pointer }) => valueAt(body, `${pointer}/${member}`) === "",
    text: "Invalid '{place}': empty string. Expected a string with minimum length 1, but got an empty string instead.",
    values: (facts) => ({ place: memberPath(facts, member) }),
    param: "{place}",
    code: "empty_string",
  };
}

/** The text for a text that is too long; `most` and `length` are members of the rule's data, or computed. */
export function tooLong(rule: string, kinds: readonly string[], member?: string): RefusalText {
  return {
    rule,
    kinds,
    stage: "shape",
    ...(member === undefined && {
      fits: (facts) => typeof subjectValue(facts) === "string" && /^at most/.test(wantedOf(facts)),
    }),
    text: "Invalid '{place}': string too long. Expected a string with maximum length {most}, but got a string with length {length} instead.",
    values: (facts) =>
      member === undefined
        ? {
            place: bracketed(facts.pointer),
            most: numberIn(wantedOf(facts)),
            length: String(seenOf(facts).length),
          }
        : { place: memberPath(facts, member) },
    param: "{place}",
    code: "string_above_max_length",
  };
}

function numberIn(words: string): string {
  return /\d+/.exec(words)?.[0] ?? "0";
}

const limits: readonly RefusalText[] = [
  {
    ...shape,
    kinds: ["limit"],
    fits: (facts) => wantedOf(facts) === "at least one character",
    text: "Invalid '{path}': empty string. Expected a string with minimum length 1, but got an empty string instead.",
    param: "{path}",
    code: "empty_string",
  },
  tooLong("invalid-request", ["limit"]),
  {
    ...shape,
    kinds: ["limit"],
    fits: (facts) => Array.isArray(subjectValue(facts)) && /^at most/.test(wantedOf(facts)),
    text: "Invalid '{path}': array too long. Expected an array with maximum length {most}, but got an array with length {length} instead.",
    values: (facts) => ({
      most: numberIn(wantedOf(facts)),
      length: String((subjectValue(facts) as readonly unknown[]).length),
    }),
    param: "{path}",
    code: "array_above_max_length",
  },
  {
    ...emptyList("invalid-request", ["limit"]),
    fits: (facts) => Array.isArray(subjectValue(facts)) && /^at least/.test(wantedOf(facts)),
  },
  {
    ...shape,
    kinds: ["limit"],
    fits: (facts) => /\/name$/.test(facts.pointer) && typeof subjectValue(facts) === "string",
    text: "Invalid '{path}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    param: "{path}",
    code: "invalid_value",
  },
];

/** The text for a member of the body that others, or the model, rule out, as the clause says. */
export function conflict(
  member: string,
  because: RegExp,
  text: string,
  more: Pick<RefusalText, "code"> = {},
): RefusalText {
  return {
    rule: "invalid-request",
    kinds: ["together"],
    fits: (facts) => facts.pointer === `/${member}` && because.test(wantedOf(facts)),
    text,
    param: member,
    ...more,
  };
}

/** The texts for what both schemas refuse; the more special ones of an API come first. */
export const validationTexts: readonly RefusalText[] = [
  wrongType("invalid-request", ["type"]),
  missing("invalid-request", ["missing"]),
  ...schemaTexts,
  ...limits,
  wrongValue("invalid-request", ["value"]),
  {
    ...shape,
    kinds: ["unknown"],
    fits: ({ pointer, data }) => pointerTokens(pointer).length === 1 && data["near"] !== undefined,
    text: "Unknown parameter: '{path}'. Did you mean '{near}'?",
    param: "{path}",
    code: "unknown_parameter",
  },
  {
    ...shape,
    kinds: ["unknown", "misplaced"],
    text: "Unknown parameter: '{path}'.",
    param: "{path}",
    code: "unknown_parameter",
  },
];
