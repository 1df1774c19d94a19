import { valueAt } from "../../reading/pointer.ts";
import type { SanitizedSchema } from "./sanitize-schema.ts";

type Node = Exclude<SanitizedSchema, boolean>;

/**
 * How often one value can be looked at, at most, when arguments of this depth are held against a schema.
 * Forms within forms multiply, and schemas that refer to themselves do so with each level: a few lines can
 * ask for more looks than anybody has time for.
 */
export function expenseOf(schema: SanitizedSchema, depth: number): number {
  const known = new Map<Node, number[]>();

  const expense = (node: unknown, levels: number): number => {
    if (typeof node !== "object" || node === null) return 1;
    const own = node as Node;
    const memory = known.get(own) ?? [];
    known.set(own, memory);
    const before = memory[levels];
    if (before !== undefined) return before;
    // Met again before it is known, on the same value: it leads to itself.
    memory[levels] = Number.POSITIVE_INFINITY;
    const total = 1 + sum(sameValue(own, schema), levels) + (levels > 0 ? below(own, levels - 1) : 0);
    memory[levels] = total;
    return total;
  };

  const sum = (nodes: readonly unknown[], levels: number): number =>
    nodes.reduce<number>((all, node) => all + expense(node, levels), 0);

  /** A member is held against one of `properties`, and against each pattern that fits its name. */
  const below = (node: Node, levels: number): number => {
    const {
      additionalProperties,
      items,
      prefixItems,
      properties,
      patternProperties,
      contains,
      propertyNames,
    } = node;
    const either = [additionalProperties, items, ...valuesOf(prefixItems), ...valuesOf(properties)];
    const most = either.reduce<number>((highest, one) => Math.max(highest, expense(one, levels)), 0);
    return most + sum([...valuesOf(patternProperties), contains, propertyNames], levels);
  };

  return expense(schema, depth);
}

/** Schemas that are held against the very value of `node`. */
function sameValue(node: Node, root: SanitizedSchema): readonly unknown[] {
  const { $ref, allOf, anyOf, not, if: condition, then, else: otherwise, dependentSchemas } = node;
  const target = typeof $ref === "string" ? [targetOf($ref, root)] : [];
  const some = [not, condition, then, otherwise].filter((one) => one !== undefined);
  return [...target, ...valuesOf(allOf), ...valuesOf(anyOf), ...some, ...valuesOf(dependentSchemas)];
}

/** What a reference within the schema leads to. */
function targetOf(reference: string, root: SanitizedSchema): unknown {
  return valueAt(root, reference.replace(/^#/, ""));
}

function valuesOf(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}
