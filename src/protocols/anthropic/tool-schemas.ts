import type { RequestFault } from "../../conversation/exchange.ts";
import { pointerToken } from "../../reading/pointer.ts";
import { firstOf } from "../function-schemas.ts";
import { fields, isFields, list, string } from "../wire.ts";

/** Unchanged tools are the same object in the next request. */
const known = new WeakMap<object, readonly RequestFault[]>();

/**
 * What the schemas of tools have from older drafts of JSON Schema, or has never been one, with pointers from
 * the request:
 * "tools.17.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12".
 * @see https://github.com/anthropics/claude-code/issues/86664
 */
export function olderSchemas(tools: unknown): readonly RequestFault[] {
  if (!Array.isArray(tools)) return [];
  const faults =
    known.get(tools) ??
    tools.flatMap((tool, index) => [
      ...firstOf(faultsOf(fields(tool)["input_schema"], `/tools/${index}/input_schema`, 0)),
    ]);
  known.set(tools, faults);
  return faults;
}

/** Deeper schemas are rare, and the first faults are enough. */
const maxDepth = 12;

const types = ["string", "number", "integer", "boolean", "array", "object", "null"];

function* faultsOf(schema: unknown, pointer: string, depth: number): Generator<RequestFault> {
  if (depth > maxDepth) return;
  if (!isFields(schema)) {
    // @see https://github.com/anthropics/anthropic-sdk-java/issues/241
    if (typeof schema === "string" || typeof schema === "number")
      yield { kind: "limit", pointer, wanted: "a schema", seen: JSON.stringify(schema), known: [] };
    return;
  }
  const fault = (member: string, wanted: string): RequestFault => ({
    kind: "limit",
    pointer: `${pointer}/${member}`,
    wanted,
    seen: Array.isArray(schema[member]) ? "a list" : JSON.stringify(schema[member]),
    known: [],
  });
  for (const bound of ["exclusiveMinimum", "exclusiveMaximum"])
    if (typeof schema[bound] === "boolean") yield fault(bound, "a number");
  if (typeof schema["required"] === "boolean") yield fault("required", "a list of names");
  if (Array.isArray(schema["items"])) yield fault("items", "one schema");
  const type = string(schema["type"]);
  if (type !== undefined && !types.includes(type)) yield fault("type", "a type of JSON Schema");
  yield* faultsOf(schema["items"], `${pointer}/items`, depth + 1);
  for (const [name, property] of Object.entries(fields(schema["properties"])))
    yield* faultsOf(property, `${pointer}/properties/${pointerToken(name)}`, depth + 1);
  for (const key of ["anyOf", "oneOf", "allOf"])
    for (const [index, choice] of list(schema[key]).entries())
      yield* faultsOf(choice, `${pointer}/${key}/${index}`, depth + 1);
}
