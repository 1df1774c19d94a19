import { type Conversation, isCall, replyItems } from "../../conversation/conversation.ts";
import { newItems } from "../../conversation/new-items.ts";
import { valueText } from "../../reading/values.ts";
import { type ArgumentFault, valueWords } from "./argument-fault.ts";
import type { ArgumentValidator } from "./argument-validator.ts";

let validator: ArgumentValidator | undefined;

/** Conversations already checked, since several rules ask. */
const lookedAt = new WeakSet<readonly Conversation[]>();

/** Loads the validator unless a quick check accepts all calls. Await it before {@link argumentFaults}. */
export async function loadValidator(conversations: readonly Conversation[]): Promise<void> {
  if (lookedAt.has(conversations)) return;
  lookedAt.add(conversations);
  if (
    !validator &&
    callsOf(conversations).some(([value, schema]) => isObject(schema) && !surelyFits(value, schema))
  )
    validator = (await import("./argument-validator.ts")).createValidator();
}

/** The arguments of calls with the schemas from their requests. */
function callsOf(conversations: readonly Conversation[]): (readonly [value: unknown, schema: unknown])[] {
  return conversations
    .flatMap(({ steps }) => steps)
    .flatMap((step) => {
      const tools = new Map(step.request?.tools?.map(({ name, parameters }) => [name, parameters]));
      if (tools.size === 0) return [];
      return [...newItems(step), ...replyItems(step)]
        .filter(isCall)
        .filter(({ item }) => item.isJson && item.arguments !== undefined)
        .map(({ item }) => [item.arguments, tools.get(item.name)] as const);
    });
}

/**
 * The faults of arguments, in schema order. `undefined` if the schema cannot be used: it is no schema, has
 * external references, or is so large or recursive that validating it could hang.
 */
export function argumentFaults(value: unknown, schema: unknown): readonly ArgumentFault[] | undefined {
  if (surelyFits(value, schema)) return [];
  if (!isObject(schema)) return undefined;
  if (isObject(value)) return validator?.(value, schema);
  // Arguments must be an object, even if the schema does not say so.
  const isConvertible = typeof value === "string" && /^\s{0,10}[[{]/.test(value);
  return [{ kind: "type", path: "", wanted: "object", seen: valueWords(value), isConvertible }];
}

/** The step limit of the quick check; longer checks are left to the validator. */
const maxSteps = 2_000;

/** Arguments and the schema that they are known to match. */
const fitting = new WeakMap<object, object>();

/** Whether a quick check accepts a value. It accepts most calls, so the validator is rarely loaded. */
export function surelyFits(value: unknown, schema: unknown): boolean {
  if (!isObject(schema) || !isObject(value)) return false;
  if (fitting.get(value) === schema) return true;
  const doesFit = fits(value, schema, { root: schema, steps: 0 });
  if (doesFit) fitting.set(value, schema);
  return doesFit;
}

interface Look {
  readonly root: unknown;
  steps: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** Keywords that the quick check supports, and those without effect on validity. */
const understood = new Set(
  "type properties required additionalProperties items enum const anyOf $ref nullable minimum maximum minLength maxLength minItems maxItems $defs definitions title description default examples example $schema $comment format deprecated readOnly writeOnly strict".split(
    " ",
  ),
);

function fits(value: unknown, schema: unknown, look: Look): boolean {
  if (++look.steps > maxSteps) return false;
  if (schema === true) return true;
  if (!isObject(schema) || !Object.keys(schema).every((keyword) => understood.has(keyword))) return false;
  if (value === null && schema["nullable"] === true) return true;
  const { $ref, anyOf } = schema;
  if ($ref !== undefined && !fits(value, target($ref, look.root), look)) return false;
  if (anyOf !== undefined && !(Array.isArray(anyOf) && anyOf.some((form) => fits(value, form, look))))
    return false;
  return (
    isOfType(value, schema["type"]) &&
    isChosen(value, schema) &&
    isWithin(value, schema) &&
    holds(value, schema, look)
  );
}

function target(reference: unknown, root: unknown): unknown {
  const [, place = "", name = ""] =
    /^#\/(\$defs|definitions)\/([^/~%]{1,200})$/.exec(valueText(reference)) ?? [];
  const named = isObject(root) && Object.hasOwn(root, place) ? root[place] : undefined;
  return isObject(named) && Object.hasOwn(named, name) ? named[name] : undefined;
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === undefined) return true;
  if (Array.isArray(type)) return type.some((one) => isOfType(value, one));
  switch (typeof type === "string" ? type.toLowerCase() : "") {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
    case "string":
    case "boolean":
      return typeof value === valueText(type).toLowerCase();
    default:
      return false;
  }
}

function isChosen(value: unknown, schema: Fields): boolean {
  const choices = Object.hasOwn(schema, "const") ? [schema["const"]] : schema["enum"];
  return choices === undefined || (Array.isArray(choices) && choices.includes(value));
}

function isWithin(value: unknown, schema: Fields): boolean {
  const size = typeof value === "string" || Array.isArray(value) ? value.length : value;
  const unit = typeof value === "string" ? "Length" : Array.isArray(value) ? "Items" : "imum";
  if (typeof size !== "number") return true;
  const least = schema[`min${unit}`];
  const most = schema[`max${unit}`];
  return (least === undefined || size >= Number(least)) && (most === undefined || size <= Number(most));
}

function holds(value: unknown, schema: Fields, look: Look): boolean {
  const { items, properties = {}, required = [], additionalProperties = true } = schema;
  if (Array.isArray(value)) return items === undefined || value.every((item) => fits(item, items, look));
  if (!isObject(value)) return true;
  if (!isObject(properties) || !Array.isArray(required)) return false;
  return (
    required.every((name) => Object.hasOwn(value, valueText(name))) &&
    Object.entries(value).every(([name, member]) =>
      fits(member, Object.hasOwn(properties, name) ? properties[name] : additionalProperties, look),
    )
  );
}

/** A text that contains a JSON object: arguments that were encoded twice. */
export function isObjectText(value: unknown): boolean {
  if (typeof value !== "string" || !/^\s*\{/.test(value)) return false;
  try {
    return isObject(JSON.parse(value));
  } catch {
    return false;
  }
}

/** A JSON object. */
export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
