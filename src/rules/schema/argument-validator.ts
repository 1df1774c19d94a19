import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { type ArgumentFault, valueWords } from "./argument-fault.ts";
import { type SanitizedSchema, sanitizeSchema } from "./sanitize-schema.ts";
import { expenseOf } from "./schema-expense.ts";

/** Tells what is wrong with arguments that are an object; `undefined` when the schema cannot be followed. */
export type ArgumentValidator = (value: object, schema: object) => readonly ArgumentFault[] | undefined;

interface Compiled {
  readonly schema: SanitizedSchema;
  readonly validate: ValidateFunction;
}

/** Arguments that are deeper or hold more values are not judged. */
const maxDepth = 32;
const maxValues = 5_000;
/** So many looks at values may be taken for one call. */
const maxLooks = 200_000;
const maxFaults = 20;

/** Compiles each distinct schema once. */
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
  // Requests of one log share the schemas of their tools; where they do not, the text is still the same.
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
      // A reference that leads nowhere: what the schema means cannot be told.
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

/** How many values there are and how deep they lie; `undefined` when that is too much. */
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

/** Stands for the errors of several forms of which none fits. */
interface NoForm {
  readonly instancePath: string;
  readonly data?: unknown;
  /** The types that would fit, where nothing else is the matter. */
  readonly types: readonly string[] | undefined;
}

type FaultWords = ErrorObject | NoForm;

function isNoForm(told: FaultWords): told is NoForm {
  return !("schemaPath" in told);
}

/**
 * Where none of several forms fits, the validator tells the errors of each, and then of the choice. What the
 * form that was meant lacks says most; where only the types differ, that none of them fits; otherwise that no
 * form does.
 */
function withoutForms(errors: readonly ErrorObject[]): readonly FaultWords[] {
  const told: FaultWords[] = [];
  for (const error of errors) {
    if (error.keyword !== "anyOf") {
      told.push(error);
      continue;
    }
    const { instancePath, schemaPath, data } = error;
    const parent = schemaPath.slice(0, -"/anyOf".length);
    const inner: FaultWords[] = [];
    for (
      let last = told.at(-1);
      last && isWithin(last, instancePath, parent, schemaPath);
      last = told.at(-1)
    ) {
      inner.unshift(last);
      told.pop();
    }
    const others = inner.filter((one) => one.instancePath !== instancePath || !typesOf(one));
    const forms = new Set(others.map((one) => formOf(one, schemaPath)));
    const types = new Set(inner.flatMap((one) => typesOf(one) ?? []));
    if (forms.size === 1) told.push(...others);
    else told.push({ instancePath, data, types: forms.size === 0 ? [...types] : undefined });
  }
  return told;
}

/** Whether an error was told about one of the forms of a choice, and not about what stands beside it. */
function isWithin(told: FaultWords, instancePath: string, parent: string, schemaPath: string): boolean {
  if (told.instancePath !== instancePath && !told.instancePath.startsWith(`${instancePath}/`)) return false;
  if (isNoForm(told)) return true;
  return told.schemaPath.startsWith(`${schemaPath}/`) || !told.schemaPath.startsWith(`${parent}/`);
}

function typesOf(told: FaultWords): readonly string[] | undefined {
  if (isNoForm(told)) return told.types;
  return told.keyword === "type" ? (told.schema as readonly string[]) : undefined;
}

/** Which of the forms an error belongs to: its number, or the definition that it stands in. */
function formOf(told: FaultWords, schemaPath: string): string {
  if (isNoForm(told)) return told.instancePath;
  const path = told.schemaPath;
  if (!path.startsWith(schemaPath)) return path.split("/").slice(0, 3).join("/");
  return path.slice(schemaPath.length).split("/")[1] ?? "";
}

function faultOf(told: FaultWords): readonly ArgumentFault[] {
  const { instancePath, data } = told;
  const path = pathOf(instancePath);
  const at = { path, seen: valueWords(data), isConvertible: false };
  const types = typesOf(told);
  if (types) {
    // `null` for what may be left out is how models leave it out.
    if (data === null) return [];
    const isConvertible = types.some((type) => canBecome(data, type));
    return [{ ...at, kind: "type", wanted: types.join(" or "), isConvertible }];
  }
  if (isNoForm(told)) return data === null ? [] : [{ ...at, kind: "form", wanted: "one of several forms" }];
  const { keyword, params, schema, parentSchema } = told;
  switch (keyword) {
    case "required":
    case "dependentRequired": {
      const name = String(params["missingProperty"]);
      // A default is filled in by whoever runs the tool.
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

/** `/days/2/name` as people write it. */
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
