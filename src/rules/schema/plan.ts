import type { Fields } from "../../reading/values.ts";
import type { Keyword } from "./fit.ts";
import { formKeywords } from "./form-keywords.ts";
import { memberKeywords } from "./member-keywords.ts";
import { numberAndTextKeywords, valueKeywords } from "./value-keywords.ts";
import type { Work } from "./work.ts";

/** The keywords in the order of their faults: the type first, then the value, then its members. */
const followed: ReadonlyMap<string, Keyword> = new Map(
  Object.entries({ ...numberAndTextKeywords, ...formKeywords, ...valueKeywords, ...memberKeywords }),
);
const ranks: ReadonlyMap<string, number> = new Map([...followed.keys()].map((name, rank) => [name, rank]));

/** Keywords without effect on validity, or with one only through others. */
const annotations = new Set(
  "title description default examples example $schema $comment $id id $anchor $vocabulary deprecated readOnly writeOnly strict discriminator externalDocs xml nullable contentEncoding contentMediaType contentSchema propertyOrdering additionalItems minContains $defs definitions then else".split(
    " ",
  ),
);

/** Keywords that demand something and are not followed. */
const lacking = new Set(
  "$dynamicRef $recursiveRef unevaluatedProperties unevaluatedItems maxContains propertyDependencies".split(
    " ",
  ),
);

/** What a schema says by itself, without its parts. */
interface Plan {
  readonly keywords: readonly Keyword[];
  readonly reference: Keyword | undefined;
  /** Every keyword is known. */
  readonly isWhole: boolean;
  /** The first keyword that demands something and is not followed. */
  readonly lacking: string | undefined;
}

const plans = new WeakMap<object, Plan>();

/** The plan of a schema, which is made once. */
export function planOf(schema: Fields, work: Work): Plan {
  const known = plans.get(schema);
  if (known) return known;
  const names = Object.keys(schema);
  work.spend(names.length);
  const used = names.filter((name) => ranks.has(name));
  used.sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
  const plan: Plan = {
    keywords: used.flatMap((name) => followed.get(name) ?? []),
    reference: Object.hasOwn(schema, "$ref") ? followed.get("$ref") : undefined,
    isWhole: names.every((name) => ranks.has(name) || annotations.has(name)),
    lacking: names.find(
      (name) => lacking.has(name) || (name === "minContains" && !(Number(schema[name]) <= 1)),
    ),
  };
  plans.set(schema, plan);
  return plan;
}
