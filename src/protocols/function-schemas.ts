import type { RequestFault } from "../conversation/exchange.ts";
import { pointerToken, pointerTokens } from "../reading/pointer.ts";
import { type Fields, fields, isFields, list } from "./wire.ts";

/** Unchanged tools are the same object in the next request. */
const known = new WeakMap<object, readonly RequestFault[]>();

/** Deeper schemas are rare, and the first faults are enough. */
const maxDepth = 12;

/** Thousands of faults help no reader. */
export const maxSchemaFaults = 1_000;

/**
 * What OpenAI refuses in the schemas of functions, with pointers from the request; `key` is the member of a
 * tool that holds its function, `""` where the tool is the function. Clones of its APIs take such schemas.
 * - `Invalid schema for function 'read': In context=('properties', 'paths'), array schema missing items.`
 * - `… In context=(), 'required' is required to be supplied and to be an array including every key in
 *   properties. Missing 'params'.`
 * - `… In context=(), 'additionalProperties' is required to be supplied and to be false.`
 * - `… In context=(), object schema missing properties.`
 * - `… schema must be a JSON Schema of 'type: "object"', got 'type: "array"'.`
 * @see https://github.com/sigoden/aichat/pull/1049
 * @see https://github.com/kevinwatt/mysql-mcp/issues/5
 * @see https://github.com/tmc/langchaingo/issues/1446
 * @see https://github.com/farion1231/cc-switch/issues/5490
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function functionSchemaFaults(tools: unknown, key: string): readonly RequestFault[] {
  if (!Array.isArray(tools)) return [];
  const faults =
    known.get(tools) ??
    tools.flatMap((tool, index) => {
      const { parameters, strict } = key === "" ? fields(tool) : fields(fields(tool)[key]);
      const pointer = `/tools/${index}${key === "" ? "" : `/${key}`}`;
      return [
        ...faultsOfRoot(parameters, `${pointer}/parameters`),
        ...firstOf(faultsOf(parameters, `${pointer}/parameters`, 0)),
        ...(strict === true ? loose(parameters, pointer) : []),
      ];
    });
  known.set(tools, faults);
  return faults;
}

/** The first faults of one schema. */
export function* firstOf(faults: Iterable<RequestFault>): Generator<RequestFault> {
  let count = 0;
  for (const fault of faults) {
    if (++count > maxSchemaFaults) return;
    yield fault;
  }
}

/** What can replace `properties` in an object's schema. */
const otherParts = ["$ref", "anyOf", "oneOf", "allOf", "patternProperties"];

/** What only the schema of all parameters has to be: an object, with the properties that it has. */
function* faultsOfRoot(schema: unknown, pointer: string): Generator<RequestFault> {
  if (isNoObject(schema)) {
    const seen = JSON.stringify(fields(schema)["type"]);
    yield { kind: "limit", pointer: `${pointer}/type`, wanted: '`"object"`', seen, known: [] };
    return;
  }
  if (!isFields(schema) || schema["type"] !== "object" || schema["properties"] !== undefined) return;
  if (!otherParts.some((part) => schema[part] !== undefined))
    yield {
      kind: "alone",
      pointer,
      member: "type",
      wanted: "`properties`, since it is an object",
      known: [],
      isAbridgeable: true,
    };
}

/** The schema of parameters says that they are something else than an object. */
export function isNoObject(schema: unknown): boolean {
  if (!isFields(schema) || schema["type"] === undefined) return false;
  const { type } = schema;
  return Array.isArray(type) ? !type.includes("object") : type !== "object";
}

function* faultsOf(schema: unknown, pointer: string, depth: number): Generator<RequestFault> {
  if (depth > maxDepth) return;
  if (!isFields(schema)) {
    // The schema of the request covers the parameters themselves.
    if (depth > 0 && (typeof schema === "string" || typeof schema === "number"))
      yield { kind: "limit", pointer, wanted: "a schema", seen: JSON.stringify(schema), known: [] };
    return;
  }
  const { type, items } = schema;
  const isList = type === "array" || (Array.isArray(type) && type.includes("array"));
  if (isList && items === undefined && schema["prefixItems"] === undefined)
    yield { kind: "alone", pointer, member: "type", wanted: "`items`, since it is an array", known: [] };
  for (const [part, below] of partsOf(schema)) yield* faultsOf(part, `${pointer}/${below}`, depth + 1);
}

/** What a strict function leaves open. */
function loose(schema: unknown, pointer: string): RequestFault[] {
  const found = looseObject(schema);
  if (!found) return [];
  const wanted =
    found.optional !== undefined
      ? `every property in \`required\`; \`${found.optional}\` is not`
      : "`additionalProperties: false` in every object";
  return [{ kind: "alone", pointer, member: "strict", wanted, known: [] }];
}

/** An object of a schema that a strict function may not have. */
interface LooseObject {
  /** The keys that lead to it. */
  readonly place: readonly string[];
  /** A property that is not required; absent: it takes further properties. */
  readonly optional?: string;
}

/** The first object of a function's schema that leaves something open; `undefined` if none does. */
export function looseObject(schema: unknown, place: readonly string[] = []): LooseObject | undefined {
  if (!isFields(schema) || place.length > 2 * maxDepth) return undefined;
  const { properties, required, additionalProperties } = schema;
  const names = new Set(list(required));
  if (isFields(properties)) {
    const optional = Object.keys(properties).find((name) => !names.has(name));
    if (optional !== undefined) return { place, optional };
    if (additionalProperties !== false) return { place };
  }
  for (const [part, below] of partsOf(schema)) {
    const found = looseObject(part, [...place, ...pointerTokens(`/${below}`)]);
    if (found) return found;
  }
  return undefined;
}

/** The schemas within a schema, each with its pointer from there. */
function partsOf(schema: Fields): (readonly [part: unknown, pointer: string])[] {
  const properties = Object.entries(fields(schema["properties"]));
  const choices = ["anyOf", "oneOf", "allOf"].flatMap((key) =>
    list(schema[key]).map((choice, index) => [choice, `${key}/${index}`] as const),
  );
  const items = isFields(schema["items"]) ? [[schema["items"], "items"] as const] : [];
  return [
    ...properties.map(([name, part]) => [part, `properties/${pointerToken(name)}`] as const),
    ...items,
    ...choices,
  ];
}
