import { readFile } from "node:fs/promises";
import path from "node:path";
import validate from "schema:config";
import { type JSONPath, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import schema from "../../../schemas/config.schema.json" with { type: "json" };
import type { FailOn } from "../../findings/gate.ts";
import { pointerTokens, valueAt } from "../../reading/pointer.ts";
import { typeWords } from "../../reporters/type-words.ts";
import { systemTrouble, Trouble } from "../trouble.ts";
import { didYouMean } from "../usage/nearest.ts";
import type { Level, ReportFormat } from "../usage/values.ts";

/** The content of a config file: `schemas/config.schema.json`. */
export interface Config extends ConfiguredFiles {
  readonly failOn?: FailOn;
  readonly maxWarnings?: number;
  readonly outputs?: readonly (ReportFormat | `${ReportFormat}=${string}`)[];
  readonly baseline?: string;
  readonly overrides?: readonly (ConfiguredFiles & { readonly files: readonly string[] })[];
  readonly ignore?: readonly IgnoreEntry[];
}

/** Settings for all files, or for some. */
export interface ConfiguredFiles {
  readonly rules?: Readonly<Record<string, RuleSetting>>;
  readonly complete?: boolean;
  readonly container?: string;
  readonly protocol?: string;
  /** `NAME` or `NAME/MODEL`. */
  readonly profile?: string;
}

type RuleOptions = Readonly<Record<string, number>>;
export type RuleSetting = Level | RuleOptions | readonly [Level, RuleOptions];

/** Findings to ignore, with the reason. */
export interface IgnoreEntry {
  readonly rule?: string;
  readonly file?: string;
  readonly tool?: string;
  readonly fingerprint?: string;
  readonly reason: string;
  readonly expires?: string;
}

/** A valid config file. */
export interface ConfigFile {
  /** Its path as messages print it, relative to the working directory. */
  readonly shown: string;
  /** The folder that its paths and globs are relative to. */
  readonly folder: string;
  readonly config: Config;
  /** The place of a value: `toollint.config.json:4:3`. */
  place(at: JSONPath): string;
}

/** Reads a config file; throws {@link Trouble} if it cannot be read or is invalid. */
export async function readConfig(full: string, cwd: string): Promise<ConfigFile> {
  const below = path.relative(cwd, full);
  const shown = below === "" || below.startsWith("..") ? full : below;
  let text: string;
  try {
    text = await readFile(full, "utf8");
  } catch (error) {
    throw systemTrouble(error, `cannot read ${shown}`);
  }
  const errors: ParseError[] = [];
  const tree = treeOf(text.replace(/^\ufeff/, " "), errors, shown);
  const [error] = errors;
  if (error || !tree) {
    const what = error ? words(printParseErrorCode(error.error)) : "nothing in it";
    throw new Trouble(
      `${shown}:${placeAt(text, error?.offset ?? 0)}: this is not JSON with comments: ${what}`,
    );
  }
  const place = (at: JSONPath) => `${shown}:${placeAt(text, nodeAt(tree, at).offset)}`;
  const faults = [
    ...repeatedKeys(tree),
    ...invalid(plainValue(tree)).map(({ at, sentence }) => ({ offset: nodeAt(tree, at).offset, sentence })),
  ].sort((a, b) => a.offset - b.offset);
  if (faults.length > 0) {
    const lines = faults
      .slice(0, mostFaults)
      .map(({ offset, sentence }) => `${shown}:${placeAt(text, offset)}: ${sentence}`);
    if (faults.length > mostFaults) lines.push("and more");
    throw new Trouble(lines.join("\n"));
  }
  return { shown, folder: path.dirname(full), config: plainValue(tree) as Config, place };
}

/** The first faults say enough, and the checks of a long file end early. */
const mostFaults = 20;

/** The tree of a config file, which only a hostile one nests so deep that it cannot be walked. */
function treeOf(text: string, errors: ParseError[], shown: string): Node | undefined {
  try {
    const tree = parseTree(text, errors, { allowTrailingComma: true });
    if (tree) plainValue(tree);
    return tree;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Trouble(`${shown}: its lists and objects are nested too deeply for a config file`);
  }
}

/** An error in a config file. */
interface Fault {
  readonly at: JSONPath;
  readonly sentence: string;
}

/** `CommaExpected` as `comma expected`. */
function words(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}

function placeAt(text: string, offset: number): string {
  const before = text.slice(0, offset).split(/\r\n|[\r\n]/);
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

/** The node at a path; for a member its key, which is what people look for. */
function nodeAt(tree: Node, at: JSONPath): Node {
  let node = tree;
  let found = tree;
  for (const segment of at) {
    const next =
      node.type === "array"
        ? node.children?.[Number(segment)]
        : node.children?.find(({ children }) => children?.[0]?.value === segment);
    if (!next) break;
    found = next;
    node = (next.type === "property" ? next.children?.[1] : next) ?? next;
  }
  return found;
}

/** The plain value of a tree; `__proto__` is an ordinary key. */
function plainValue(node: Node): unknown {
  if (node.type === "array") return node.children?.map(plainValue) ?? [];
  if (node.type !== "object") return node.value;
  return Object.fromEntries(
    (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
      key && value ? [[key.value, plainValue(value)]] : [],
    ),
  );
}

/** Keys that appear twice in an object: it is unclear which one counts. */
function* repeatedKeys(node: Node): Generator<{ readonly offset: number; readonly sentence: string }> {
  const seen = new Set<string>();
  for (const child of node.children ?? []) {
    yield* repeatedKeys(child);
    const key = child.type === "property" ? child.children?.[0]?.value : undefined;
    if (seen.has(key)) yield { offset: child.offset, sentence: `\`${key}\` appears twice here` };
    if (key !== undefined) seen.add(key);
  }
}

/** Each schema violation, once. */
function invalid(config: unknown): Fault[] {
  if (validate(config)) return [];
  return (validate.errors ?? []).flatMap(({ keyword, instancePath, schemaPath, params, message }) => {
    // The branches of a condition report their own errors.
    if (keyword === "if" || schemaPath.includes("/anyOf/")) return [];
    const at = pointerTokens(instancePath);
    const value = valueAt(config, instancePath);
    const name = nameOf(at);
    // Only for kinds of faults that name the value: it may be the whole file.
    const seen = (): string => JSON.stringify(value);
    const rule = schemaAt(at);
    switch (keyword) {
      case "additionalProperties": {
        const key = String(params["additionalProperty"]);
        const keys = Object.keys(rule.properties ?? {});
        const what = at.at(-1) === "rules" ? "rule" : "key";
        const rest = keys.length > 12 ? "" : `; choose from ${keys.join(", ")}`;
        return {
          at: [...at, key],
          sentence: `there is no ${what} \`${key}\`${didYouMean(key, keys) || rest}`,
        };
      }
      case "required":
        return { at, sentence: `${name} has no \`${params["missingProperty"]}\`` };
      case "anyOf":
        return {
          at,
          sentence: `${name} does not say what to ignore: add \`rule\`, \`file\`, \`tool\` or \`fingerprint\``,
        };
      case "enum": {
        const allowed: readonly string[] = params["allowedValues"];
        const meant = typeof value === "string" ? didYouMean(value, allowed) : "";
        return {
          at,
          sentence: `${name} cannot be \`${seen()}\`${meant || `; choose from ${allowed.join(", ")}`}`,
        };
      }
      case "type":
        return {
          at,
          sentence: `${name} must be ${typeWords[String(params["type"])] ?? "a level, options, or both in a list"}, not \`${seen()}\``,
        };
      case "pattern":
        return { at, sentence: `${name} cannot be \`${seen()}\`: ${rule.description ?? message}` };
      case "minItems":
      case "maxItems":
        return {
          at,
          sentence: rule.prefixItems
            ? `${name} must be a list of a level and options, not \`${seen()}\``
            : `${name} is empty`,
        };
      case "minimum":
        return {
          at,
          sentence: `${name} must be a whole number of at least ${params["limit"]}, not \`${seen()}\``,
        };
      default:
        return { at, sentence: `${name} ${message}` };
    }
  });
}

function nameOf(at: readonly string[]): string {
  const last = at.at(-1);
  if (last === undefined) return "the config";
  return /^\d+$/.test(last) ? `entry ${Number(last) + 1} of \`${at.at(-2)}\`` : `\`${last}\``;
}

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
}

/** The schema of the value at this path. */
function schemaAt(at: readonly string[]): Schema {
  const resolved = (part: Schema): Schema => {
    if (part.$ref === undefined || part.properties) return part;
    const name = part.$ref.slice("#/$defs/".length);
    return (schema.$defs as Readonly<Record<string, unknown>>)[name] as Schema;
  };
  return at.reduce<Schema>(
    (part, key) => resolved(part.properties?.[key] ?? part.prefixItems?.[Number(key)] ?? part.items ?? {}),
    schema as Schema,
  );
}
