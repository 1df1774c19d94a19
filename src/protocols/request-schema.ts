import type { ErrorObject, ValidateFunction } from "ajv";
import type { Demands, Request, RequestFault, RequestForm } from "../conversation/exchange.ts";
import { emptyList } from "../reading/lists.ts";
import { pointerToken, valueAt } from "../reading/pointer.ts";
import type { Element } from "../reading/shared-run.ts";
import type { RequestBody } from "../traffic/payload.ts";
import { misnamedRoles } from "../traffic/roles.ts";
import { callTypes, resultTypes } from "../traffic/vocabulary.ts";
import type { Protocol } from "./protocol.ts";
import type { Validators } from "./validators.ts";
import { type Fields, fields, string } from "./wire.ts";

/**
 * Creates a checker for the form of one protocol's requests, which adds what the provider of each request
 * demands besides. Parts that requests repeat are checked once.
 */
export function createFormReader(
  { body: validateBody, element: validateElement, words }: Validators,
  { furtherFaults, historyKeys: [historyKey = ""] }: Pick<Protocol, "furtherFaults" | "historyKeys">,
): (body: RequestBody, request: Request, demands: Demands) => RequestForm {
  const known = new WeakMap<Element, readonly RequestFault[]>();
  const heardOf = new Set([...words, ...callTypes, ...resultTypes, ...misnamedRoles]);
  const faultsOf = (validate: ValidateFunction, value: unknown, base = ""): readonly RequestFault[] =>
    validate(value) ? [] : validationFaults(validate, base, heardOf);
  const writtenFaults = (element: unknown): readonly RequestFault[] => faultsOf(validateElement, element);
  /** Of the latest request: many have the same members, and share what is said of them. */
  let last:
    | {
        readonly fields: Fields;
        readonly base: string;
        readonly members: readonly string[];
        readonly faults: readonly RequestFault[];
      }
    | undefined;

  return (body, request, demands) => {
    const { history } = request;
    const members = writtenMembers(membersOf(body));
    // Only the whole body shows that a history is empty.
    const whole = body.run?.length === 0 ? { ...members, [historyKey]: emptyList } : members;
    const { base, isBare } = body;
    if (!last || last.base !== base || !isSame(last.fields, whole)) {
      const faults = [...faultsOf(validateBody, whole, base), ...halves(members, base)];
      last = { fields: whole, base, members: Object.keys(members), faults };
    }
    const others = isBare
      ? emptyList
      : [
          ...(furtherFaults?.(body, history) ?? emptyList),
          ...conflictsIn(members, base, request, demands),
          ...(demands.wantsUniqueTools ? namesakes(request) : emptyList),
        ];
    return {
      members: last.members,
      faults: isBare ? emptyList : others.length === 0 ? last.faults : [...last.faults, ...others],
      elementFaults(index, among = history) {
        const element = among.element(index);
        let faults = known.get(element);
        if (!faults) {
          const { value } = element;
          faults = isLarge(element)
            ? []
            : [...faultsOf(validateElement, value), ...(element.isWellFormed ? [] : halves(value))];
          known.set(element, faults);
        }
        const further = element.isBroken ? undefined : demands.elementFaults?.(element.value);
        return further && further.length > 0 ? [...faults, ...further] : faults;
      },
      writtenFaults,
    };
  };
}

/**
 * Members without those that a Python logger wrote as the text `None` because they had no value. A single one
 * may have been sent so.
 */
function writtenMembers(members: Fields): Fields {
  if (!Object.values(members).includes("None")) return members;
  const written = Object.entries(members).filter(([, value]) => value !== "None");
  return Object.keys(members).length - written.length > 1 ? Object.fromEntries(written) : members;
}

/** Tools with the name of an earlier one. */
function namesakes({ tools = [] }: Request): readonly RequestFault[] {
  const first = new Map<string, object>();
  for (const tool of tools) if (!first.has(tool.name)) first.set(tool.name, tool);
  return tools
    .filter((tool) => first.get(tool.name) !== tool)
    .map(({ name, pointer }) => ({
      kind: "together",
      pointer,
      wanted: "the name of another tool, and the API wants each name once",
      seen: JSON.stringify(name),
      known: [],
    }));
}

/** Members of the request that its provider rejects because of others. */
function conflictsIn(
  members: Fields,
  base: string,
  request: Request,
  { conflicts = [] }: Demands,
): readonly RequestFault[] {
  return conflicts
    .filter(({ isIn }) => isIn(members, request))
    .map(({ member, clause, place }) => {
      const below = place?.(members[member]) ?? "";
      return {
        kind: "together",
        pointer: `${base}/${pointerToken(member)}${below}`,
        wanted: clause,
        seen: written(valueAt(members[member], below)),
        known: [],
      };
    });
}

/** The members of the request itself, without those of an enclosing envelope. */
function membersOf({ fields: all, envelope }: RequestBody): Fields {
  const around = Object.keys(envelope);
  return around.length === 0
    ? all
    : Object.fromEntries(Object.entries(all).filter(([name]) => !around.includes(name)));
}

/** Unchanged values are the same objects in the next request. */
function isSame(a: Fields, b: Fields): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** Every part of an element can have a fault, and thousands of faults help no reader. */
const maxParts = 1_000;
const maxFaults = 20;

/** Skips broken bytes and elements with too many parts. */
function isLarge({ value, isBroken }: Element): boolean {
  return (
    isBroken || Object.values(fields(value)).some((part) => Array.isArray(part) && part.length > maxParts)
  );
}

const maxTexts = 5_000;

/**
 * Finds a text with half a character. A client cut it in the middle, and the provider rejects the JSON:
 * `The request body is not valid JSON: no low surrogate in string`
 * @see https://github.com/anthropics/claude-code/issues/3277
 */
function halves(value: unknown, base = ""): readonly RequestFault[] {
  const faults: RequestFault[] = [];
  let texts = 0;
  const look = (inner: unknown, pointer: string, depth: number): void => {
    if (faults.length > 0 || ++texts > maxTexts || depth > maxTextDepth) return;
    if (typeof inner === "string") {
      if (!inner.isWellFormed())
        faults.push({ kind: "text", pointer, wanted: "whole characters", seen: halfOf(inner), known: [] });
    } else if (typeof inner === "object" && inner !== null)
      for (const [name, member] of Object.entries(inner))
        look(member, `${pointer}/${pointerToken(name)}`, depth + 1);
  };
  look(value, base, 0);
  return faults;
}

/** Tool schemas and arguments may be deeper; texts that clients cut are not. */
const maxTextDepth = 12;

/** The first lone half of a character, as an escape. */
function halfOf(text: string): string {
  const at = [...text].find((letter) => !letter.isWellFormed());
  return `\\u${(at?.charCodeAt(0) ?? 0).toString(16)}`;
}

function validationFaults(
  validate: ValidateFunction,
  base: string,
  heardOf: ReadonlySet<string>,
): readonly RequestFault[] {
  const faults = new Map<string, RequestFault>();
  for (const error of validate.errors ?? []) {
    const found = faultOf(error, base);
    if (!found) continue;
    const fault = isUnheardOf(found, error.data, heardOf) ? { ...found, isUnheardOf: true } : found;
    const key = `${fault.kind} ${fault.pointer} ${fault.member ?? ""}`;
    if (!faults.has(key)) faults.set(key, fault);
    if (faults.size >= maxFaults) break;
  }
  validate.errors = null;
  return [...faults.values()];
}

/** A type or role that no known API has. The types of a tool's JSON Schema are none of the API's. */
function isUnheardOf({ kind, pointer }: RequestFault, value: unknown, heardOf: ReadonlySet<string>): boolean {
  const isName = /\/(?:type|role)$/.test(pointer) && !/(?:schema|parameters|json)\/type$/i.test(pointer);
  return kind === "value" && isName && typeof value === "string" && !heardOf.has(value);
}

/** The fault of a validator's error; `undefined` for keywords that only lead to more precise errors. */
function faultOf(
  { keyword, instancePath, params, parentSchema, data, schema, propertyName }: ErrorObject,
  base: string,
): RequestFault | undefined {
  const at = { pointer: `${base}${instancePath}`, seen: written(data), known: [] };
  switch (keyword) {
    case "type":
      return { ...at, kind: "type", wanted: typeWords(schema) };
    case "required":
      return {
        ...at,
        kind: "missing",
        member: String(params["missingProperty"]),
        wanted: `\`${params["missingProperty"]}\``,
        known: Object.keys(fields(data)),
      };
    // The member that selects one of several forms is absent or not a string.
    case "discriminator": {
      const member = String(params["tag"]);
      if (params["error"] !== "tag" || params["tagValue"] !== undefined) return undefined;
      return { ...at, kind: "missing", member, wanted: `\`${member}\``, known: Object.keys(fields(data)) };
    }
    case "enum":
    case "const": {
      const allowed: readonly unknown[] = params["allowedValues"] ?? [params["allowedValue"]];
      const known = allowed.filter((one): one is string => typeof one === "string" && one !== "");
      return { ...at, kind: "value", wanted: choice(known), known };
    }
    case "additionalProperties": {
      const known = Object.keys(fields(parentSchema?.["properties"]));
      return {
        ...at,
        kind: "unknown",
        member: String(params["additionalProperty"]),
        wanted: choice(known),
        known,
      };
    }
    case "false schema": {
      const cut = instancePath.lastIndexOf("/");
      const member = instancePath.slice(cut + 1);
      return {
        ...at,
        pointer: `${base}${instancePath.slice(0, cut)}`,
        kind: "misplaced",
        member,
        wanted: "nothing",
      };
    }
    case "dependentRequired": {
      const member = String(params["property"]);
      if (fields(data)[member] === null) return undefined;
      return { ...at, kind: "alone", member, wanted: `\`${params["missingProperty"]}\`` };
    }
    case "minItems":
    case "maxItems": {
      const limit = Number(params["limit"]);
      const wanted = `at ${keyword === "minItems" ? "least" : "most"} ${limit} element${limit === 1 ? "" : "s"}`;
      return { ...at, kind: "limit", seen: `a list of ${Array.isArray(data) ? data.length : 0}`, wanted };
    }
    case "pattern": {
      // A schema with a pattern of its own describes it.
      const wanted = string(parentSchema?.["description"]) ?? "letters, digits, `_` and `-`";
      const key = propertyName === undefined ? "" : `/${pointerToken(propertyName)}`;
      return { ...at, pointer: `${at.pointer}${key}`, kind: "limit", wanted };
    }
    case "minProperties":
      return { ...at, kind: "limit", seen: "an empty object", wanted: "an object with data" };
    case "minLength":
      return { ...at, kind: "limit", wanted: "at least one character" };
    case "maxLength":
      return { ...at, kind: "limit", wanted: `at most ${params["limit"]} characters` };
    default:
      return undefined;
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "`true` or `false`",
  array: "a list",
  object: "an object",
};

function typeWords(schema: unknown): string {
  const types = (Array.isArray(schema) ? schema : [schema]).flatMap((type) => typeNames[String(type)] ?? []);
  return types.length > 1
    ? `${types.slice(0, -1).join(", ")} or ${types.at(-1)}`
    : (types[0] ?? "another type");
}

/** The first few values, quoted. */
function choice(names: readonly string[]): string {
  const quoted = names.slice(0, 6).map((name) => `\`${name}\``);
  if (names.length > quoted.length) return `${quoted.join(", ")} …`;
  return quoted.length > 1
    ? `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`
    : (quoted[0] ?? "nothing");
}

function written(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return JSON.stringify(typeof value === "string" ? value.slice(0, 100) : value);
}
