import { pointerTokens, valueAt } from "../../reading/pointer.ts";
import { looseObject } from "../function-schemas.ts";
import { bracketed, type RefusalFacts, type RefusalText } from "../refusals.ts";
import { fields, filled } from "../wire.ts";

/**
 * How OpenAI's APIs word what they refuse in the schemas of functions.
 * @see https://github.com/sigoden/aichat/pull/1049
 * @see https://github.com/kevinwatt/mysql-mcp/issues/5
 */

/** A place in the schema of a function, in the notation of the validator: `('properties', 'paths')`. */
function context(tokens: readonly string[]): string {
  const all = tokens.map((token) => `'${token}'`).join(", ");
  return `(${tokens.length === 1 ? `${all},` : all})`;
}

/** The function whose schema a reason is about: `/tools/0/function`, or `/tools/0`. */
function functionAt({ pointer }: RefusalFacts): string {
  return /^\/tools\/\d+(?:\/function)?/.exec(pointer)?.[0] ?? "";
}

const isOfSchema = (facts: RefusalFacts): boolean =>
  /^\/tools\/\d+(?:\/function)?\/parameters\//.test(facts.pointer);

function schemaText(more: Pick<RefusalText, "kinds" | "fits" | "text" | "values">): RefusalText {
  return {
    rule: "invalid-request",
    stage: "shape",
    ...more,
    values: (facts) => ({
      ...more.values?.(facts),
      function: filled(fields(valueAt(facts.body, functionAt(facts)))["name"]) ?? "",
      place: `${bracketed(functionAt(facts))}.parameters`,
    }),
    param: "{place}",
    code: "invalid_function_parameters",
  };
}

const isStrict = ({ pointer }: RefusalFacts): boolean => pointer.endsWith("/strict");
const looseIn = (facts: RefusalFacts) =>
  looseObject(fields(valueAt(facts.body, functionAt(facts)))["parameters"]);

export const schemaTexts: readonly RefusalText[] = [
  schemaText({
    kinds: ["alone"],
    fits: (facts) => isOfSchema(facts) && facts.pointer.endsWith("/type"),
    text: "Invalid schema for function '{function}': In context={context}, array schema missing items.",
    values: (facts) => ({
      context: context(
        pointerTokens(facts.pointer.slice(`${functionAt(facts)}/parameters`.length)).slice(0, -1),
      ),
    }),
  }),
  schemaText({
    kinds: ["limit"],
    fits: isOfSchema,
    text: "Invalid schema for function '{function}': {value} is not of type 'object', 'boolean'.",
    values: ({ body, pointer }) => {
      const value = valueAt(body, pointer);
      return { value: typeof value === "string" ? `'${value}'` : JSON.stringify(value) };
    },
  }),
  schemaText({
    kinds: ["alone"],
    fits: (facts) => isStrict(facts) && looseIn(facts)?.optional !== undefined,
    text: "Invalid schema for function '{function}': In context={context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '{optional}'.",
    values: (facts) => ({
      context: context(looseIn(facts)?.place ?? []),
      optional: looseIn(facts)?.optional ?? "",
    }),
  }),
  schemaText({
    kinds: ["alone"],
    fits: isStrict,
    text: "Invalid schema for function '{function}': In context={context}, 'additionalProperties' is required to be supplied and to be false.",
    values: (facts) => ({ context: context(looseIn(facts)?.place ?? []) }),
  }),
];
