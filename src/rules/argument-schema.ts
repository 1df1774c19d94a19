/**
 * A look at arguments through the common keywords of JSON Schema: `type`, `required`, `enum`, `const`, `properties`, `items`,
 * `additionalProperties`. Schemas come from logs: what is deep is not followed, no pattern of theirs is run, and a schema with other
 * keywords at a place says nothing about that place.
 */
export interface SchemaFault {
  readonly kind: "type" | "missing" | "unknown" | "value";
  /** The path of the value within the arguments, `city` or `days[2].name`; `""` for the arguments themselves. */
  readonly path: string;
  /** What the schema wants, for messages. */
  readonly wanted: string;
  /** The value seen, as JSON; absent for a missing one. */
  readonly seen?: string;
  /** Clients that convert scalars, or read JSON inside of text, get on with it. */
  readonly isConvertible: boolean;
}

const maxDepth = 16;
const maxFaults = 20;
/** Values looked at; larger arguments are judged by their beginning. */
const maxValues = 5_000;

interface Check {
  readonly root: unknown;
  readonly faults: SchemaFault[];
  values: number;
}

/** What is wrong with arguments, in the order of the schema. */
export function schemaFaults(value: unknown, schema: unknown): readonly SchemaFault[] {
  const check: Check = { root: schema, faults: [], values: 0 };
  look(value, schema, "", 0, check);
  return check.faults;
}

/** Keywords that can excuse what others forbid, or hold rules that are not read here. */
const beyond = [
  "anyOf",
  "oneOf",
  "allOf",
  "not",
  "if",
  "$ref",
  "$dynamicRef",
  "$recursiveRef",
  "patternProperties",
  "unevaluatedProperties",
  "propertyNames",
  "dependentSchemas",
];

function look(value: unknown, given: unknown, path: string, depth: number, check: Check): void {
  if (depth > maxDepth || check.faults.length >= maxFaults || ++check.values > maxValues) return;
  const schema = resolved(given, check.root);
  if (!schema || beyond.some((keyword) => has(schema, keyword))) return;
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOf(value, type))) {
    // `null` for what may be left out is how models leave it out.
    if (value === null && depth > 0) return;
    check.faults.push({
      kind: "type",
      path,
      wanted: types.join(" or "),
      seen: written(value),
      isConvertible: types.some((type) => canBecome(value, type)),
    });
    return;
  }
  lookAtChoice(value, schema, path, check);
  if (Array.isArray(value)) {
    const items = member(schema, "items");
    if (isObject(items))
      for (const [index, item] of value.entries()) look(item, items, `${path}[${index}]`, depth + 1, check);
  } else if (isObject(value)) lookInside(value, schema, path, depth, check);
}

function lookAtChoice(value: unknown, schema: Fields, path: string, check: Check): void {
  const choices = has(schema, "const") ? [member(schema, "const")] : member(schema, "enum");
  if (
    !Array.isArray(choices) ||
    choices.length === 0 ||
    choices.length > 1_000 ||
    isObject(value) ||
    Array.isArray(value)
  )
    return;
  if (choices.includes(value) || value === null || choices.some((choice) => typeof choice === "object"))
    return;
  check.faults.push({
    kind: "value",
    path,
    wanted: choices.slice(0, 5).map(written).join(", ") + (choices.length > 5 ? ", …" : ""),
    seen: written(value),
    isConvertible: choices.some((choice) => String(choice).toLowerCase() === String(value).toLowerCase()),
  });
}

function lookInside(value: Fields, schema: Fields, path: string, depth: number, check: Check): void {
  const properties = member(schema, "properties");
  const known = isObject(properties) ? properties : {};
  const required = member(schema, "required");
  if (Array.isArray(required))
    for (const name of required.slice(0, 1_000)) {
      if (typeof name !== "string" || has(value, name)) continue;
      // A default is filled in by whoever runs the tool.
      const own = has(known, name) ? resolved(member(known, name), check.root) : undefined;
      if (own && has(own, "default")) continue;
      check.faults.push({ kind: "missing", path: join(path, name), wanted: name, isConvertible: false });
    }
  const isClosed = member(schema, "additionalProperties") === false && isObject(properties);
  for (const [name, inner] of Object.entries(value)) {
    if (has(known, name)) look(inner, member(known, name), join(path, name), depth + 1, check);
    else if (isClosed && check.faults.length < maxFaults)
      check.faults.push({
        kind: "unknown",
        path: join(path, name),
        wanted: Object.keys(known).slice(0, 5).join(", "),
        seen: written(inner),
        isConvertible: false,
      });
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** The schema itself, or what a reference within the tool's own schema means. */
function resolved(given: unknown, root: unknown): Fields | undefined {
  let schema = given;
  for (let hops = 0; hops < 4; hops++) {
    if (!isObject(schema)) return undefined;
    const reference = member(schema, "$ref");
    if (typeof reference !== "string") return schema;
    const [, place, name] = /^#\/(\$defs|definitions)\/([^/~%]{1,200})$/.exec(reference) ?? [];
    if (place === undefined || name === undefined || !isObject(root)) return undefined;
    const named = member(root, place);
    schema = isObject(named) ? member(named, name) : undefined;
  }
  return undefined;
}

const typeNames = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

/** The types that a schema allows, in lower case as JSON Schema has them; none when it does not say, or says something unknown. */
function typesOf(schema: Fields): string[] {
  const type = member(schema, "type");
  const types = (Array.isArray(type) ? type : [type]).map((one) =>
    typeof one === "string" ? one.toLowerCase() : "",
  );
  if (types.some((one) => !typeNames.has(one))) return [];
  return member(schema, "nullable") === true ? [...types, "null"] : types;
}

function isOf(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return typeof value === "number" && Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function canBecome(value: unknown, type: string): boolean {
  if (type === "string") return typeof value === "number" || typeof value === "boolean";
  if (typeof value !== "string") return type === "integer" && typeof value === "number";
  if (type === "number" || type === "integer") return value.trim() !== "" && Number.isFinite(Number(value));
  if (type === "boolean") return /^(?:true|false)$/i.test(value);
  return (type === "object" || type === "array") && /^\s{0,10}[[{]/.test(value);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Own members only: `__proto__` and `constructor` are names like any other. */
function has(value: Fields, name: string): boolean {
  return Object.hasOwn(value, name);
}

function member(value: Fields, name: string): unknown {
  return has(value, name) ? value[name] : undefined;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function written(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return JSON.stringify(typeof value === "string" ? value.slice(0, 100) : value) ?? "undefined";
}
