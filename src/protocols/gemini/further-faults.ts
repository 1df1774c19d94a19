import type { RequestFault } from "../../conversation/exchange.ts";
import { pointerToken } from "../../reading/pointer.ts";
import { maxSchemaFaults } from "../function-schemas.ts";
import type { RequestBody } from "../protocol.ts";
import { type Fields, fields, isFields, list, string } from "../wire.ts";
import { member, wireName } from "./names.ts";

/** Faults of a request that no schema expresses: names declared twice, and members of a tool's schema. */
export function furtherFaults(body: RequestBody): readonly RequestFault[] {
  return [...faultsIn(body), ...besideFunctions(body)];
}

/**
 * What Gemini 2 and earlier do not combine with functions: an answer in JSON, and Google's search. "Function
 * calling with a response mime type: 'application/json' is unsupported", "Tool use with function calling is
 * unsupported".
 * @see https://github.com/googleapis/go-genai/issues/323
 */
function* besideFunctions({ fields: request, envelope, base, url }: RequestBody): Generator<RequestFault> {
  const model = string(request["model"]) ?? string(envelope["model"]) ?? url ?? "";
  const tools = list(request["tools"]).map(fields);
  const hasFunctions = tools.some((tool) => list(member(tool, "functionDeclarations")).length > 0);
  if (!/gemini-[12]\b/.test(model) || !hasFunctions) return;
  const key = wireName(request, "generationConfig");
  const config = fields(request[key]);
  const type = wireName(config, "responseMimeType");
  if (config[type] === "application/json")
    yield {
      kind: "limit",
      pointer: `${base}/${key}/${type}`,
      wanted: "another type from this model, or no functions",
      seen: JSON.stringify(config[type]),
      known: [],
    };
  for (const [place, tool] of tools.entries()) {
    const search = ["googleSearch", "googleSearchRetrieval"].find((name) => isFields(member(tool, name)));
    if (search !== undefined)
      yield {
        kind: "limit",
        pointer: `${base}/tools/${place}/${wireName(tool, search)}`,
        wanted: "no search together with functions for this model",
        seen: "an object",
        known: [],
      };
  }
}

function faultsIn({ fields: request, base }: RequestBody): readonly RequestFault[] {
  const { tools } = request;
  if (!Array.isArray(tools)) return [];
  const faults = known.get(tools) ?? faultsOfTools(tools);
  known.set(tools, faults);
  return base === "" ? faults : faults.map((fault) => ({ ...fault, pointer: `${base}${fault.pointer}` }));
}

/** Unchanged tools are the same object in the next request. */
const known = new WeakMap<object, readonly RequestFault[]>();

function faultsOfTools(tools: readonly unknown[]): readonly RequestFault[] {
  const faults: RequestFault[] = [];
  const names = new Set<string>();
  for (const [place, value] of tools.entries()) {
    const entry = fields(value);
    const key = wireName(entry, "functionDeclarations");
    for (const [index, declaration] of list(entry[key]).entries()) {
      const pointer = `/tools/${place}/${key}/${index}`;
      const name = string(fields(declaration)["name"]);
      // `Duplicate function declaration found: get_weather`
      if (name !== undefined && names.has(name))
        faults.push({
          kind: "limit",
          pointer: `${pointer}/name`,
          wanted: "each name of a function once",
          seen: JSON.stringify(name),
          known: [],
        });
      if (name !== undefined) names.add(name);
      for (const fault of faultsOfSchema(fields(declaration)["parameters"], `${pointer}/parameters`, 0)) {
        if (faults.length >= maxSchemaFaults) return faults;
        faults.push(fault);
      }
    }
  }
  return faults;
}

/** Deeper schemas are rare, and the first faults are enough. */
const maxDepth = 12;

/**
 * Words of JSON Schema that `Schema` of this API lacks; `parametersJsonSchema` has them: `Unknown name
 * "$schema" at 'tools[0].function_declarations[0].parameters': Cannot find field.`
 */
const unknownWords = ["$schema", "$id", "const", "exclusiveMinimum", "exclusiveMaximum", "patternProperties"];

/**
 * Words that `Schema` has, and words of JSON Schema and OpenAPI that Vertex AI or newer versions may have.
 * Any other name is one of the tool's own properties, or notes of its author, in the wrong place.
 * @see https://github.com/router-for-me/CLIProxyAPI/issues/1189
 */
const schemaWords: ReadonlySet<string> = new Set([
  ...unknownWords,
  ...`type format title description nullable enum default example examples properties required minProperties
  maxProperties propertyOrdering additionalProperties propertyNames unevaluatedProperties unevaluatedItems
  items additionalItems minItems maxItems uniqueItems prefixItems contains minContains maxContains minLength
  maxLength pattern minimum maximum multipleOf contentEncoding contentMediaType anyOf oneOf allOf not if then
  else ref defs definitions dependencies dependentRequired dependentSchemas readOnly writeOnly deprecated
  discriminator xml externalDocs $ref $defs $comment $anchor`.split(/\s+/),
]);

const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Faults of a schema in the API's own `Schema`, a part of OpenAPI's. */
function* faultsOfSchema(value: unknown, pointer: string, depth: number): Generator<RequestFault> {
  if (!isFields(value) || depth > maxDepth) return;
  for (const word of Object.keys(value))
    if (unknownWords.includes(word) || !(schemaWords.has(camelCase(word)) || word.startsWith("x-")))
      yield { kind: "misplaced", pointer, member: word, wanted: "nothing", known: [] };
  yield* ownFaults(value, pointer);
  const { items, properties } = value;
  yield* faultsOfSchema(items, `${pointer}/items`, depth + 1);
  for (const [name, property] of Object.entries(fields(properties)))
    yield* faultsOfSchema(property, `${pointer}/properties/${pointerToken(name)}`, depth + 1);
  for (const key of ["anyOf", "any_of"])
    for (const [index, choice] of list(value[key]).entries())
      yield* faultsOfSchema(choice, `${pointer}/${key}/${index}`, depth + 1);
}

function* ownFaults(schema: Fields, pointer: string): Generator<RequestFault> {
  const { type, required, properties } = schema;
  // `Proto field is not repeating, cannot start list.`
  if (Array.isArray(type))
    yield { kind: "type", pointer: `${pointer}/type`, wanted: "a string", seen: "a list", known: [] };
  // `… parameters.properties[cities].items: missing field.`
  if (string(type)?.toLowerCase() === "array" && !isFields(schema["items"]))
    yield { kind: "missing", pointer, member: "items", wanted: "`items`", known: [] };
  // `… parameters.properties[n].enum: only allowed for STRING type`
  if (Array.isArray(schema["enum"]) && /^(?:integer|number|boolean)$/i.test(string(type) ?? ""))
    yield {
      kind: "limit",
      pointer: `${pointer}/enum`,
      wanted: "a list of values for strings only",
      seen: "a list",
      known: [],
    };
  // `… parameters.required[0]: property is not defined`
  const declared = member(schema, "properties") === undefined ? undefined : fields(properties);
  for (const [index, name] of list(required).entries())
    if (typeof name === "string" && declared && !Object.hasOwn(declared, name))
      yield {
        kind: "limit",
        pointer: `${pointer}/required/${index}`,
        wanted: "names of `properties`",
        seen: JSON.stringify(name),
        known: [],
      };
}
