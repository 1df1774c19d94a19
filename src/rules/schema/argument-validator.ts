import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { type ArgumentFault, valueWords } from "./argument-fault.ts";
import { type SanitizedSchema, sanitizeSchema } from "./sanitize-schema.ts";
import { expenseOf } from "./schema-expense.ts";

/** Returns the faults of arguments that are an object; `undefined` if the schema cannot be used. */
export type ArgumentValidator = (value: object, schema: object) => readonly ArgumentFault[] | undefined;

interface Compiled {
  readonly schema: SanitizedSchema;
  readonly validate: ValidateFunction;
}

/** Arguments that are deeper or have more values are not checked. */
const maxDepth = 32;
const maxValues = 5_000;
/** The maximum number of value checks for one call. */
const maxLooks = 200_000;
const maxFaults = 20;

/** Makes a validator that compiles each distinct schema once. */
export function createValidator(): ArgumentValidator {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    verbose: true,
    messages: false,
    validateFormats: false,
    validateSchema: false,
    inlineRefs: false,
    addUsedSchema: false,
    logger: false,
  });
  // Requests of one log share the schemas of their tools, or at least have the same text.
  const byObject = new WeakMap<object, Compiled | "none">();
  const byText = new Map<string, Compiled | "none">();

  const compile = (given: object): Compiled | "none" => {
    const schema = sanitizeSchema(given);
    if (schema === undefined) return "none";
    const text = JSON.stringify(schema);
    const known = byText.get(text);
    if (known) return known;
    let compiled: Compiled | "none" = "none";
    try {
      compiled = { schema, validate: ajv.compile(typeof schema === "boolean" ? schema : { ...schema }) };
    } catch {
      // A reference without a target: the meaning of the schema is unknown.
    }
    byText.set(text, compiled);
    return compiled;
  };

  return (value, given) => {
    const compiled = byObject.get(given) ?? compile(given);
    byObject.set(given, compiled);
    const size = sizeOf(value);
    if (compiled === "none" || !size) return undefined;
    const { schema, validate } = compiled;
    if (expenseOf(schema, size.depth) * size.values > maxLooks) return undefined;
    const faults = validate(value) ? [] : faultsOf(validate.errors ?? []);
    validate.errors = null;
    return faults;
  };
}

/** The number and depth of all values; `undefined` if there are too many. */
function sizeOf(value: unknown): { readonly values: number; readonly depth: number } | undefined {
  let values = 0;
  let deepest = 0;
  const count = (inner: unknown, depth: number): boolean => {
    deepest = Math.max(deepest, depth);
    if (++values > maxValues || depth > maxDepth) return false;
    return (
      typeof inner !== "object" ||
      inner === null ||
      Object.values(inner).every((one) => count(one, depth + 1))
    );
  };
  return count(value, 0) ? { values, depth: deepest } : undefined;
}

function faultsOf(errors: readonly ErrorObject[]): readonly ArgumentFault[] {
  const faults = new Map<string, ArgumentFault>();
  for (const fault of withoutForms(errors).flatMap(faultOf)) {
    const key = `${fault.kind} ${fault.path}`;
    if (!faults.has(key)) faults.set(key, fault);
    if (faults.size >= maxFaults) break;
  }
  return [...faults.values()];
}

/** Replaces the errors of several alternatives if none matches. */
interface NoForm {
  readonly instancePath: string;
  readonly data?: unknown;
  /** The types that would match, if only the type is wrong. */
  readonly types: readonly string[] | undefined;
}

type SchemaError = ErrorObject | NoForm;

function isNoForm(error: SchemaError): error is NoForm {
  return !("schemaPath" in error);
}

/**
 * The validator reports the errors of each alternative before that of the choice. If only one alternative has
 * other than type errors, it was probably meant, and its errors remain. Otherwise one error replaces them,
 * with the possible types if only types are wrong.
 */
function withoutForms(errors: readonly ErrorObject[]): readonly SchemaError[] {
  const kept: SchemaError[] = [];
  for (const error of errors) {
    if (error.keyword !== "anyOf") {
      kept.push(error);
      continue;
    }
    const { instancePath, schemaPath, data } = error;
    const parent = schemaPath.slice(0, -"/anyOf".length);
    const inner: SchemaError[] = [];
    for (
      let last = kept.at(-1);
      last && isWithin(last, instancePath, parent, schemaPath);
      last = kept.at(-1)
    ) {
      inner.unshift(last);
      kept.pop();
    }
    const others = inner.filter((one) => one.instancePath !== instancePath || !typesOf(one));
    const forms = new Set(others.map((one) => formOf(one, schemaPath)));
    const types = new Set(inner.flatMap((one) => typesOf(one) ?? []));
    if (forms.size === 1) kept.push(...others);
    else kept.push({ instancePath, data, types: forms.size === 0 ? [...types] : undefined });
  }
  return kept;
}

/** Whether an error belongs to an alternative of the choice, rather than to a sibling keyword. */
function isWithin(error: SchemaError, instancePath: string, parent: string, schemaPath: string): boolean {
  if (error.instancePath !== instancePath && !error.instancePath.startsWith(`${instancePath}/`)) return false;
  if (isNoForm(error)) return true;
  return error.schemaPath.startsWith(`${schemaPath}/`) || !error.schemaPath.startsWith(`${parent}/`);
}

function typesOf(error: SchemaError): readonly string[] | undefined {
  if (isNoForm(error)) return error.types;
  return error.keyword === "type" ? (error.schema as readonly string[]) : undefined;
}

/** The alternative of an error, by its number or by the definition that contains it. */
function formOf(error: SchemaError, schemaPath: string): string {
  if (isNoForm(error)) return error.instancePath;
  const path = error.schemaPath;
  if (!path.startsWith(schemaPath)) return path.split("/").slice(0, 3).join("/");
  return path.slice(schemaPath.length).split("/")[1] ?? "";
}

function faultOf(error: SchemaError): readonly ArgumentFault[] {
  const { instancePath, data } = error;
  const path = pathOf(instancePath);
  const at = { path, seen: valueWords(data), isConvertible: false };
  const types = typesOf(error);
  if (types) {
    // Models write `null` for optional values that they leave out.
    if (data === null) return [];
    const isConvertible = types.some((type) => canBecome(data, type));
    return [{ ...at, kind: "type", wanted: types.join(" or "), isConvertible }];
  }
  if (isNoForm(error)) return data === null ? [] : [{ ...at, kind: "form", wanted: "one of several forms" }];
  const { keyword, params, schema, parentSchema } = error;
  switch (keyword) {
    case "required":
    case "dependentRequired": {
      const name = String(params["missingProperty"]);
      // The tool fills in a default.
      const own = (parentSchema?.["properties"] as Readonly<Record<string, unknown>> | undefined)?.[name];
      if (typeof own === "object" && own !== null && "default" in own) return [];
      return [{ kind: "missing", path: join(path, name), wanted: name, isConvertible: false }];
    }
    case "additionalProperties": {
      const name = String(params["additionalProperty"]);
      const known = Object.keys(parentSchema?.["properties"] ?? {});
      return [
        {
          ...at,
          kind: "unknown",
          path: join(path, name),
          wanted: listed(known),
          seen: valueWords((data as Readonly<Record<string, unknown>>)[name]),
        },
      ];
    }
    case "enum":
    case "const": {
      if (data === null) return [];
      const choices: readonly unknown[] = keyword === "enum" ? (schema as unknown[]) : [schema];
      const isConvertible = choices.some(
        (choice) => String(choice).toLowerCase() === String(data).toLowerCase(),
      );
      return [{ ...at, kind: "value", wanted: listed(choices.map(valueWords)), isConvertible }];
    }
    case "false schema":
      return [{ ...at, kind: "unknown", wanted: "nothing" }];
    default: {
      const wanted = limits[keyword]?.(schema);
      return wanted === undefined ? [] : [{ ...at, kind: "limit", wanted }];
    }
  }
}

const limits: Readonly<Record<string, (limit: unknown) => string>> = {
  minimum: (limit) => `at least ${limit}`,
  maximum: (limit) => `at most ${limit}`,
  exclusiveMinimum: (limit) => `more than ${limit}`,
  exclusiveMaximum: (limit) => `less than ${limit}`,
  multipleOf: (limit) => `a multiple of ${limit}`,
  minLength: (limit) => `at least ${limit} characters`,
  maxLength: (limit) => `at most ${limit} characters`,
  minItems: (limit) => `at least ${limit} entries`,
  maxItems: (limit) => `at most ${limit} entries`,
  minProperties: (limit) => `at least ${limit} members`,
  maxProperties: (limit) => `at most ${limit} members`,
  uniqueItems: () => "entries that differ",
  contains: () => "an entry of another kind among them",
  pattern: (limit) => `text like /${limit}/`,
  not: () => "another value",
};

function canBecome(value: unknown, type: string): boolean {
  if (type === "string") return typeof value === "number" || typeof value === "boolean";
  if (typeof value !== "string") return type === "integer" && typeof value === "number";
  if (type === "number" || type === "integer") return value.trim() !== "" && Number.isFinite(Number(value));
  if (type === "boolean") return /^(?:true|false)$/i.test(value);
  return (type === "object" || type === "array") && /^\s{0,10}[[{]/.test(value);
}

/** The usual notation for `/days/2/name`: `days[2].name`. */
function pathOf(pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((path, name) => (/^\d+$/.test(name) ? `${path}[${name}]` : join(path, name)), "");
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function listed(names: readonly string[]): string {
  return names.slice(0, 5).join(", ") + (names.length > 5 ? ", …" : "");
}
