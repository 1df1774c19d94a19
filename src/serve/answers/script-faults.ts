import validate from "schema:script";
import schema from "../../../schemas/script.schema.json" with { type: "json" };
import { pointerTokens, valueAt } from "../../reading/pointer.ts";
import { type Fields, fields, list } from "../../reading/values.ts";
import { typeWords } from "../../reporters/type-words.ts";
import { visible } from "../../reporters/visible.ts";
import { nearest } from "../../rules/requests/nearest.ts";
import { short } from "../../rules/words.ts";
import { FaultError, parseKinds } from "../faults/parse.ts";

/** What is wrong with a script. */
export interface ScriptFault {
  readonly path: readonly (string | number)[];
  readonly sentence: string;
}

/** Everything that is wrong with a value that should be a script; empty for a script. */
export function faultsOf(script: unknown): readonly ScriptFault[] {
  if (containsItself(script))
    return [{ path: [], sentence: "the script contains itself: remove the alias that leads back" }];
  if (validate(script)) return furtherFaults(script);
  const errors = validate.errors ?? [];
  const misspelt = new Set(
    errors.filter(({ keyword }) => keyword === "additionalProperties").map((error) => error.instancePath),
  );
  return errors.flatMap(({ keyword, instancePath, schemaPath, params }) => {
    // The branches of a condition report their own errors.
    if (schemaPath.includes("/anyOf/")) return [];
    // What is missing is there under another name.
    if ((keyword === "required" || keyword === "anyOf") && misspelt.has(instancePath)) return [];
    const path = pathOf(script, instancePath);
    const rule = schemaAt(path);
    const value = valueAt(script, instancePath);
    const sentence = wordsFor(keyword, params, { path, rule, value });
    return { path: keyword === "additionalProperties" ? [...path, unknownOf(params)] : path, sentence };
  });
}

/** Whether a value is part of itself, as an alias in YAML can make it. */
function containsItself(value: unknown, around = new Set<unknown>(), whole = new Set<unknown>()): boolean {
  if (typeof value !== "object" || value === null || whole.has(value)) return false;
  if (around.has(value)) return true;
  around.add(value);
  if (Object.values(value).some((each) => containsItself(each, around, whole))) return true;
  around.delete(value);
  whole.add(value);
  return false;
}

interface Seen {
  readonly path: ScriptFault["path"];
  readonly rule: Schema;
  readonly value: unknown;
}

const unknownOf = (params: Fields): string => String(params["additionalProperty"]);

function wordsFor(keyword: string, params: Fields, { path, rule, value }: Seen): string {
  const name = nameOf(path);
  const example = exampleIn(rule);
  const write = example === undefined ? "" : `: write ${example}`;
  switch (keyword) {
    case "additionalProperties": {
      const word = unknownOf(params);
      const known = Object.keys(rule.properties ?? {}).filter((key) => key !== "$schema");
      const meant = nearest(word, known);
      const rest = meant === undefined ? `; choose from ${listed(known)}` : `; did you mean \`${meant}\`?`;
      return `${name} has no member \`${seen(word)}\`${rest}`;
    }
    case "required":
      return `${name} has no \`${String(params["missingProperty"])}\`${write}`;
    case "anyOf":
      return `${name} is empty: write ${listed(
        (rule.anyOf ?? []).flatMap(({ required = [] }) => required),
        "or",
      )}`;
    case "enum": {
      const allowed = (params["allowedValues"] as readonly unknown[]).map(String);
      const meant = typeof value === "string" ? nearest(value, allowed) : undefined;
      const rest = meant === undefined ? `: write ${listed(allowed, "or")}` : `; did you mean \`${meant}\`?`;
      return `${name} cannot be \`${seen(value)}\`${rest}`;
    }
    case "type": {
      const wanted = [params["type"]].flat().map(String);
      const isScalar = value === null || ["number", "boolean"].includes(typeof value);
      const quotes = wanted.includes("string") && isScalar ? ": put it in quotes" : write;
      return `${name} must be ${wanted.map((type) => typeWords[type] ?? type).join(" or ")}, not \`${seen(value)}\`${quotes}`;
    }
    case "maxProperties":
      return `${name} has ${listed(Object.keys(fields(value)))} together: make each a separate entry`;
    case "minimum":
      return `${name} must be a whole number of at least ${String(params["limit"])}, not \`${seen(value)}\``;
    default:
      // minItems, minLength, minProperties
      return `${name} is empty${write}`;
  }
}

/** What no schema can say. */
function furtherFaults(script: unknown): readonly ScriptFault[] {
  return [...repliesIn(script)].flatMap(({ reply, path }) => [
    ...doubleForms(reply, path),
    ...wrongKinds(reply, path),
  ]);
}

interface PlacedReply {
  readonly reply: Fields;
  readonly path: ScriptFault["path"];
}

/** The replies of a valid script. */
function* repliesIn(script: unknown, path: ScriptFault["path"] = []): Generator<PlacedReply> {
  const { replies, conversations, otherwise } = fields(script);
  for (const [index, reply] of list(replies).entries())
    yield { reply: fields(reply), path: [...path, "replies", index] };
  for (const [index, conversation] of list(conversations).entries())
    yield* repliesIn(conversation, [...path, "conversations", index]);
  if (otherwise !== undefined) yield { reply: fields(otherwise), path: [...path, "otherwise"] };
}

/** `items` has the order of all that a reply says, so nothing else may stand next to it. */
function doubleForms(reply: Fields, path: ScriptFault["path"]): readonly ScriptFault[] {
  const beside = ["reasoning", "text", "calls"].filter((key) => Object.hasOwn(reply, key));
  if (!Object.hasOwn(reply, "items") || beside.length === 0) return [];
  const sentence = `\`items\` excludes ${listed(beside)}: put the whole reply into \`items\``;
  return [{ path: [...path, "items"], sentence }];
}

function wrongKinds({ fault }: Fields, path: ScriptFault["path"]): readonly ScriptFault[] {
  return [fault ?? []].flat().flatMap((text) => {
    try {
      parseKinds(String(text));
      return [];
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      return [{ path: [...path, "fault"], sentence: `\`fault\`: ${visible(error.message)}` }];
    }
  });
}

/** A value of the script, on one line. */
function seen(value: unknown): string {
  return visible(short(typeof value === "string" ? value : JSON.stringify(value)));
}

/** `a`, `b` and `c`, in backticks. */
function listed(words: readonly string[], joint: "and" | "or" = "and"): string {
  const quoted = words.map((word) => `\`${seen(word)}\``);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} ${joint} ${last}`;
}

/** The lists of a script, and what one entry of each is. */
const entries: Readonly<Record<string, string>> = {
  replies: "reply",
  conversations: "conversation",
  calls: "call",
  items: "item",
};

function nameOf(path: ScriptFault["path"]): string {
  const last = path.at(-1);
  if (last === undefined) return "the script";
  return typeof last === "string" ? `\`${last}\`` : `${entries[String(path.at(-2))] ?? "entry"} ${last + 1}`;
}

/** A pointer as a path, with numbers for the entries of lists. */
function pathOf(script: unknown, pointer: string): ScriptFault["path"] {
  let value = script;
  return pointerTokens(pointer).map((token) => {
    const step = Array.isArray(value) ? Number(token) : token;
    value = (value as Readonly<Record<string, unknown>>)[token];
    return step;
  });
}

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly { readonly required?: readonly string[] }[];
}

/** The schema of the value at a path. */
function schemaAt(path: ScriptFault["path"]): Schema {
  const resolved = (part: Schema): Schema => {
    const name = part.$ref?.slice("#/$defs/".length);
    if (name === undefined) return part;
    return (schema.$defs as Readonly<Record<string, Schema>>)[name] ?? part;
  };
  return path.reduce<Schema>((part, step) => {
    const next = typeof step === "number" ? part.items : part.properties?.[step];
    return resolved(next ?? {});
  }, schema as Schema);
}

/** The example in a description: "…, such as `{ name: get_weather }`". */
function exampleIn({ description = "" }: Schema): string | undefined {
  return /\bsuch as (`[^`]+`)/.exec(description)?.[1];
}
