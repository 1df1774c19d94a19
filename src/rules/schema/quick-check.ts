import { type Fields, isFields } from "../../reading/values.ts";

/** The step limit of the quick check; longer checks are left to the validator. */
const maxSteps = 2_000;
const maxDepth = 100;

/** Arguments and the schema that they are known to match. */
const fitting = new WeakMap<object, object>();

/** Whether a quick check accepts a value. It accepts most calls, so the validator is rarely loaded. */
export function surelyFits(value: unknown, schema: unknown): boolean {
  if (!isFields(schema) || !isFields(value)) return false;
  if (fitting.get(value) === schema) return true;
  const doesFit = fits(value, schema, { root: schema, steps: 0, depth: 0 });
  if (doesFit) fitting.set(value, schema);
  return doesFit;
}

interface Look {
  readonly root: unknown;
  steps: number;
  depth: number;
}

/** Keywords that the quick check supports, and those without effect on validity. */
const understood = new Set(
  "type properties required additionalProperties items enum const anyOf $ref nullable minimum maximum minLength maxLength minItems maxItems $defs definitions title description default examples example $schema $comment format deprecated readOnly writeOnly strict".split(
    " ",
  ),
);

function fits(value: unknown, schema: unknown, look: Look): boolean {
  if (++look.steps > maxSteps || look.depth >= maxDepth) return false;
  if (schema === true) return true;
  if (!isFields(schema) || !isUnderstood(schema)) return false;
  if (value === null && schema["nullable"] === true) return true;
  look.depth++;
  const doesFit = fitsParts(value, schema, look);
  look.depth--;
  return doesFit;
}

/** Schemas with another keyword, so that one with many is not searched for each call. */
const foreign = new WeakSet<object>();

function isUnderstood(schema: Fields): boolean {
  if (foreign.has(schema)) return false;
  if (Object.keys(schema).every((keyword) => understood.has(keyword))) return true;
  foreign.add(schema);
  return false;
}

function fitsParts(value: unknown, schema: Fields, look: Look): boolean {
  const { $ref, anyOf } = schema;
  if ($ref !== undefined && !fits(value, target($ref, look.root), look)) return false;
  if (anyOf !== undefined && !(Array.isArray(anyOf) && anyOf.some((form) => fits(value, form, look))))
    return false;
  return (
    isOfType(value, schema["type"]) &&
    isChosen(value, schema, look) &&
    isWithin(value, schema) &&
    holds(value, schema, look)
  );
}

/** Counts a list that is searched. */
function isShort(list: readonly unknown[], look: Look): boolean {
  look.steps += list.length >> 2;
  return look.steps <= maxSteps;
}

function target(reference: unknown, root: unknown): unknown {
  const [, place = "", name = ""] =
    /^#\/(\$defs|definitions)\/([^/~%]{1,200})$/.exec(typeof reference === "string" ? reference : "") ?? [];
  const named = isFields(root) && Object.hasOwn(root, place) ? root[place] : undefined;
  return isFields(named) && Object.hasOwn(named, name) ? named[name] : undefined;
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === undefined) return true;
  if (Array.isArray(type))
    return type.length < 10 && type.some((one) => typeof one === "string" && isOfType(value, one));
  switch (typeof type === "string" ? type.toLowerCase() : "") {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isFields(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
    case "string":
    case "boolean":
      return typeof value === String(type).toLowerCase();
    default:
      return false;
  }
}

function isChosen(value: unknown, schema: Fields, look: Look): boolean {
  const choices = Object.hasOwn(schema, "const") ? [schema["const"]] : schema["enum"];
  return (
    choices === undefined || (Array.isArray(choices) && isShort(choices, look) && choices.includes(value))
  );
}

function isWithin(value: unknown, schema: Fields): boolean {
  const size = typeof value === "string" || Array.isArray(value) ? value.length : value;
  const unit = typeof value === "string" ? "Length" : Array.isArray(value) ? "Items" : "imum";
  if (typeof size !== "number") return true;
  const {
    [`min${unit}`]: least = Number.NEGATIVE_INFINITY,
    [`max${unit}`]: most = Number.POSITIVE_INFINITY,
  } = schema;
  return typeof least === "number" && typeof most === "number" && size >= least && size <= most;
}

function holds(value: unknown, schema: Fields, look: Look): boolean {
  const { items, properties = {}, required = [], additionalProperties = true } = schema;
  if (Array.isArray(value)) return items === undefined || value.every((item) => fits(item, items, look));
  if (!isFields(value)) return true;
  if (!isFields(properties) || !Array.isArray(required) || !isShort(required, look)) return false;
  return (
    required.every((name) => typeof name === "string" && Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, member]) =>
      fits(member, Object.hasOwn(properties, name) ? properties[name] : additionalProperties, look),
    )
  );
}
