import { valueAt } from "../../reading/pointer.ts";
import type { SanitizedSchema } from "./sanitize-schema.ts";

type Node = Exclude<SanitizedSchema, boolean>;

/**
 * The maximum number of checks per value when arguments of this depth are validated. Nested alternatives
 * multiply, and recursive schemas do so on every level: a few lines can require more checks than is feasible.
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
    // A second visit with the same value before a result is known: the schema refers to itself.
    memory[levels] = Number.POSITIVE_INFINITY;
    const total = 1 + sum(sameValue(own, schema), levels) + (levels > 0 ? below(own, levels - 1) : 0);
    memory[levels] = total;
    return total;
  };

  const sum = (nodes: readonly unknown[], levels: number): number =>
    nodes.reduce<number>((all, node) => all + expense(node, levels), 0);

  /** A member is checked against one of `properties` and every pattern that matches its name. */
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

/** The schemas that apply to the same value as `node`. */
function sameValue(node: Node, root: SanitizedSchema): readonly unknown[] {
  const { $ref, allOf, anyOf, not, if: condition, then, else: otherwise, dependentSchemas } = node;
  const target = typeof $ref === "string" ? [targetOf($ref, root)] : [];
  const some = [not, condition, then, otherwise].filter((one) => one !== undefined);
  return [...target, ...valuesOf(allOf), ...valuesOf(anyOf), ...some, ...valuesOf(dependentSchemas)];
}

/** The target of a reference within the schema. */
function targetOf(reference: string, root: SanitizedSchema): unknown {
  return valueAt(root, reference.replace(/^#/, ""));
}

function valuesOf(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}
