/**
 * A copy of a schema that is safe to compile. Schemas come from logs, so they may be invalid, of any draft,
 * or hostile. The copy has only known keywords of draft 2020-12, bounded size and depth, and no slow
 * patterns. It drops what it cannot keep, and drops a whole condition (`not`, `if`) where a part would reject
 * more, so it never rejects what the original accepts.
 */
export type SanitizedSchema = boolean | { readonly [keyword: string]: unknown };

const maxNodes = 5_000;
const maxDepth = 64;

/** Copies a schema; `undefined` if it is too large, too deep, or no schema. */
export function sanitizeSchema(schema: unknown): SanitizedSchema | undefined {
  try {
    return isObject(schema) ? new SchemaSanitizer().copy(schema, 0).schema : undefined;
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}

class TooLarge extends Error {}

type Fields = Readonly<Record<string, unknown>>;

interface Copy {
  readonly schema: SanitizedSchema;
  /** Nothing that affects validity was dropped. */
  readonly isWhole: boolean;
}

const typeNames = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
const numbers = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
const counts = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];
/** Keywords without effect on validity. */
const annotations = new Set(
  "title description default examples example $schema $comment $id id format deprecated readOnly writeOnly strict discriminator externalDocs xml nullable contentEncoding contentMediaType propertyOrdering additionalItems $defs definitions then else".split(
    " ",
  ),
);

class SchemaSanitizer {
  private nodes = 0;
  /** Everything copied so far under `$defs` is whole. */
  private areDefinitionsWhole = true;

  copy(given: unknown, depth: number): Copy {
    if (++this.nodes > maxNodes || depth > maxDepth) throw new TooLarge();
    if (typeof given === "boolean") return { schema: given, isWhole: true };
    if (!isObject(given)) return { schema: true, isWhole: false };
    const kept: Record<string, unknown> = {};
    let isWhole = Object.keys(given).every((keyword) => annotations.has(keyword) || readers.has(keyword));
    for (const place of ["$defs", "definitions"]) {
      const definitions = this.copyMap(given[place], depth);
      if (definitions) {
        kept[place] = definitions.schemas;
        this.areDefinitionsWhole &&= definitions.isWhole;
      }
    }
    for (const [keyword, read] of readers)
      if (Object.hasOwn(given, keyword)) isWhole = read(this, given, kept, depth + 1) && isWhole;
    // The tool fills in a default.
    if (Object.hasOwn(given, "default")) kept["default"] = true;
    return { schema: given["nullable"] === true ? orNull(kept) : kept, isWhole };
  }

  copyMap(given: unknown, depth: number): { schemas: Fields; isWhole: boolean } | undefined {
    if (!isObject(given)) return undefined;
    let isWhole = true;
    const entries = Object.entries(given).map(([name, schema]) => {
      const copied = this.copy(schema, depth + 1);
      isWhole &&= copied.isWhole;
      return [name, copied.schema] as const;
    });
    return { schemas: Object.fromEntries(entries), isWhole };
  }

  copyList(given: unknown, depth: number): { schemas: SanitizedSchema[]; isWhole: boolean } | undefined {
    if (!Array.isArray(given) || given.length === 0) return undefined;
    const copies = given.map((schema) => this.copy(schema, depth + 1));
    return { schemas: copies.map(({ schema }) => schema), isWhole: copies.every(({ isWhole }) => isWhole) };
  }

  /** Counts the values of `enum` and `const` towards the size. */
  count(value: unknown, depth = 0): void {
    if (++this.nodes > maxNodes || depth > maxDepth) throw new TooLarge();
    if (typeof value === "object" && value !== null)
      for (const inner of Object.values(value)) this.count(inner, depth + 1);
  }

  get hasWholeDefinitions(): boolean {
    return this.areDefinitionsWhole;
  }
}

/** Copies one keyword into `kept`. Returns whether it was copied whole. */
type Reader = (
  sanitizer: SchemaSanitizer,
  given: Fields,
  kept: Record<string, unknown>,
  depth: number,
) => boolean;

const readers = new Map<string, Reader>([
  [
    "$ref",
    (sanitizer, { $ref }, kept) => {
      if (typeof $ref !== "string" || !/^#(?:\/|$)/.test($ref)) return false;
      kept["$ref"] = $ref;
      return sanitizer.hasWholeDefinitions;
    },
  ],
  [
    "type",
    (_, { type }, kept) => {
      const names = (Array.isArray(type) ? type : [type]).map((name) =>
        typeof name === "string" ? name.toLowerCase() : "",
      );
      if (names.length === 0 || !names.every((name) => typeNames.has(name))) return false;
      kept["type"] = [...new Set(names)];
      return true;
    },
  ],
  [
    "enum",
    (sanitizer, { enum: values }, kept) => {
      sanitizer.count(values);
      if (!Array.isArray(values) || values.length === 0) return false;
      kept["enum"] = values;
      return true;
    },
  ],
  [
    "const",
    (sanitizer, { const: value }, kept) => {
      sanitizer.count(value);
      kept["const"] = value;
      return true;
    },
  ],
  ...numbers.map((keyword): [string, Reader] => [keyword, (_, given, kept) => limit(keyword, given, kept)]),
  ...counts.map((keyword): [string, Reader] => [
    keyword,
    (_, given, kept) => {
      const value = given[keyword];
      if (!Number.isSafeInteger(value) || Number(value) < 0) return false;
      kept[keyword] = value;
      return true;
    },
  ]),
  [
    "multipleOf",
    (_, { multipleOf }, kept) => {
      // Results for fractions depend on the implementation.
      if (!Number.isSafeInteger(multipleOf) || Number(multipleOf) <= 0) return false;
      kept["multipleOf"] = multipleOf;
      return true;
    },
  ],
  [
    "uniqueItems",
    (_, { uniqueItems }, kept) => {
      kept["uniqueItems"] = uniqueItems === true;
      return true;
    },
  ],
  [
    "pattern",
    (_, { pattern }, kept) => {
      if (typeof pattern !== "string" || !isQuick(pattern)) return false;
      kept["pattern"] = pattern;
      return true;
    },
  ],
  [
    "required",
    (_, { required }, kept) => {
      if (!Array.isArray(required)) return false;
      kept["required"] = [...new Set(required.filter((name) => typeof name === "string"))];
      return true;
    },
  ],
  [
    "dependentRequired",
    (_, { dependentRequired }, kept) => {
      if (!isObject(dependentRequired)) return false;
      kept["dependentRequired"] = Object.fromEntries(
        Object.entries(dependentRequired).filter(
          ([, names]) => Array.isArray(names) && names.every((name) => typeof name === "string"),
        ),
      );
      return true;
    },
  ],
  ["properties", (sanitizer, given, kept, depth) => copyMap("properties", sanitizer, given, kept, depth)],
  [
    "dependentSchemas",
    (sanitizer, given, kept, depth) => copyMap("dependentSchemas", sanitizer, given, kept, depth),
  ],
  [
    "patternProperties",
    (sanitizer, { patternProperties }, kept, depth) => {
      const copied = sanitizer.copyMap(patternProperties, depth);
      if (!copied || !Object.keys(copied.schemas).every(isQuick)) return false;
      kept["patternProperties"] = copied.schemas;
      return copied.isWhole;
    },
  ],
  [
    "additionalProperties",
    (sanitizer, given, kept, depth) => {
      // Without the patterns, it is unknown which members are additional.
      if (Object.hasOwn(given, "patternProperties") && !Object.hasOwn(kept, "patternProperties"))
        return false;
      // Without `properties` it would reject everything; the author means the members of another part.
      if (given["additionalProperties"] === false && !isObject(given["properties"])) return false;
      const copied = sanitizer.copy(given["additionalProperties"], depth);
      kept["additionalProperties"] = copied.schema;
      return copied.isWhole;
    },
  ],
  [
    "propertyNames",
    (sanitizer, given, kept, depth) => copyOne("propertyNames", sanitizer, given, kept, depth),
  ],
  [
    "items",
    (sanitizer, given, kept, depth) => {
      if (!Array.isArray(given["items"])) return copyOne("items", sanitizer, given, kept, depth);
      // Draft-07: a list of schemas by position, and `additionalItems` for the rest.
      const first = sanitizer.copyList(given["items"], depth);
      if (!first) return false;
      kept["prefixItems"] = first.schemas;
      if (!Object.hasOwn(given, "additionalItems")) return first.isWhole;
      const rest = sanitizer.copy(given["additionalItems"], depth);
      kept["items"] = rest.schema;
      return first.isWhole && rest.isWhole;
    },
  ],
  [
    "prefixItems",
    (sanitizer, given, kept, depth) => copyList("prefixItems", "prefixItems", sanitizer, given, kept, depth),
  ],
  ["contains", (sanitizer, given, kept, depth) => copyOne("contains", sanitizer, given, kept, depth)],
  ["allOf", (sanitizer, given, kept, depth) => copyList("allOf", "allOf", sanitizer, given, kept, depth)],
  ["anyOf", (sanitizer, given, kept, depth) => copyList("anyOf", "anyOf", sanitizer, given, kept, depth)],
  [
    "oneOf",
    (sanitizer, given, kept, depth) => {
      const forms = sanitizer.copyList(given["oneOf"], depth);
      if (!forms) return false;
      // If several alternatives match, the schema is wrong, not the arguments.
      const both = { anyOf: forms.schemas };
      if (Object.hasOwn(given, "anyOf"))
        kept["allOf"] = [...((kept["allOf"] as SanitizedSchema[]) ?? []), both];
      else kept["anyOf"] = forms.schemas;
      return false;
    },
  ],
  [
    "not",
    (sanitizer, given, kept, depth) => {
      const copied = sanitizer.copy(given["not"], depth);
      if (!copied.isWhole) return false;
      kept["not"] = copied.schema;
      return true;
    },
  ],
  [
    "if",
    (sanitizer, given, kept, depth) => {
      const condition = sanitizer.copy(given["if"], depth);
      if (!condition.isWhole) return false;
      kept["if"] = condition.schema;
      let isWhole = true;
      for (const branch of ["then", "else"]) {
        if (!Object.hasOwn(given, branch)) continue;
        const copied = sanitizer.copy(given[branch], depth);
        kept[branch] = copied.schema;
        isWhole &&= copied.isWhole;
      }
      return isWhole;
    },
  ],
]);

function limit(keyword: string, given: Fields, kept: Record<string, unknown>): boolean {
  const value = given[keyword];
  // Draft-04 and OpenAPI: `exclusiveMinimum: true` next to `minimum`.
  if (value === true && keyword.startsWith("exclusive")) {
    const plain = keyword === "exclusiveMinimum" ? "minimum" : "maximum";
    if (typeof given[plain] !== "number") return false;
    kept[keyword] = given[plain];
    return true;
  }
  if (value === false && keyword.startsWith("exclusive")) return true;
  if (typeof value !== "number") return false;
  kept[keyword] = value;
  return true;
}

function copyOne(
  keyword: string,
  sanitizer: SchemaSanitizer,
  given: Fields,
  kept: Record<string, unknown>,
  depth: number,
): boolean {
  const copied = sanitizer.copy(given[keyword], depth);
  kept[keyword] = copied.schema;
  return copied.isWhole;
}

function copyMap(
  keyword: string,
  sanitizer: SchemaSanitizer,
  given: Fields,
  kept: Record<string, unknown>,
  depth: number,
): boolean {
  const copied = sanitizer.copyMap(given[keyword], depth);
  if (!copied) return false;
  kept[keyword] = copied.schemas;
  return copied.isWhole;
}

function copyList(
  keyword: string,
  as: string,
  sanitizer: SchemaSanitizer,
  given: Fields,
  kept: Record<string, unknown>,
  depth: number,
): boolean {
  const copied = sanitizer.copyList(given[keyword], depth);
  if (!copied) return false;
  kept[as] = copied.schemas;
  return copied.isWhole;
}

/** OpenAPI's `nullable: true`. */
function orNull(kept: Record<string, unknown>): SanitizedSchema {
  if (
    Array.isArray(kept["type"]) &&
    !["enum", "const", "anyOf", "allOf", "$ref", "not"].some((keyword) => keyword in kept)
  )
    return { ...kept, type: [...new Set([...kept["type"], "null"])] };
  const { $defs, definitions, default: value, ...rest } = kept;
  return {
    anyOf: [rest, { type: ["null"] }],
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
    ...(value !== undefined && { default: value }),
  };
}

/** One character or character class with its quantifier. */
const atom = /\\[dDwWsSbBnrtfv.\-/\\^$*+?()[\]{}|]|\[\^?(?:\\.|[^\]\\])+\]|[^\\^$*+?()[\]{}|]/;
const plainPattern = new RegExp(
  `^\\^?(?:(?:${atom.source})(?:[*+?]|\\{\\d{1,3}(?:,\\d{0,3})?\\})?){0,50}\\$?$`,
);

/**
 * Whether a pattern is fast on any text: characters and classes without groups, alternatives or references,
 * with at most one unbounded repetition, and that only in an anchored pattern.
 */
export function isQuick(pattern: string): boolean {
  if (pattern.length > 200 || !plainPattern.test(pattern)) return false;
  const outside = pattern.replace(/\\./g, "a").replace(/\[\^?[^\]]+\]/g, "a");
  const open = outside.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
  const optional = outside.match(/\?/g)?.length ?? 0;
  if (open > 1 || optional > 3 || (open === 1 && !pattern.startsWith("^"))) return false;
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
