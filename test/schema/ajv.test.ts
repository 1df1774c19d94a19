import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createValidator } from "../../src/rules/schema/argument-validator.ts";

/**
 * A validator in wide use says the same of schemas that it can compile. Left out is what is read leniently on
 * purpose: `null`, defaults, several forms of `oneOf`, `additionalProperties: false` without `properties`.
 */
/** Not written as a key: an object with it looks like a promise. */
const branch = "then";
const scalar = fc.constantFrom<unknown>("a", "abc", "b-1", "", 0, 7, 1.5, -3, true, false);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small", maxDepth: 4 },
    scalar,
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("any"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;
const name = fc.constantFrom("a", "b", "c");
const schema = fc.letrec((tie) => {
  const any = tie("any");
  const map = fc.dictionary(name, any, { maxKeys: 2, noNullPrototype: true });
  const names = fc.uniqueArray(name, { maxLength: 2 });
  const some = fc.array(any, { minLength: 1, maxLength: 3 });
  const part = (parts: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
    fc.record(parts, { requiredKeys: [] });
  return {
    any: fc.oneof(
      { depthSize: "small", maxDepth: 4 },
      fc.boolean(),
      fc.constantFrom<object>(
        { type: "string", minLength: 1, maxLength: 2 },
        { type: ["integer", "string"] },
        { type: "number", minimum: 1, exclusiveMaximum: 7 },
        { type: "number", maximum: 3, exclusiveMinimum: -3, multipleOf: 2 },
        { enum: ["a", 7, { a: 1 }, ["b"]] },
        { const: "abc" },
        { const: { a: [] } },
        { pattern: "^[a-z](?:-\\d)?$" },
        { contains: { type: "string" }, minItems: 1 },
        { $ref: "#/$defs/d" },
        { $ref: "#" },
      ),
      part({ anyOf: some, allOf: some, not: any, if: any, [branch]: any, else: any }),
      part({
        type: fc.constant("array"),
        items: any,
        prefixItems: some,
        minItems: fc.constantFrom(0, 1),
        maxItems: fc.constantFrom(1, 2),
        uniqueItems: fc.boolean(),
      }),
      part({
        type: fc.constant("object"),
        required: names,
        minProperties: fc.constantFrom(0, 1, 2),
        maxProperties: fc.constantFrom(1, 2),
        propertyNames: any,
        patternProperties: fc.dictionary(fc.constantFrom("^a", "[bc]$"), any, {
          maxKeys: 2,
          noNullPrototype: true,
        }),
        dependentRequired: fc.dictionary(name, names, { maxKeys: 2, noNullPrototype: true }),
        dependentSchemas: map,
      }),
      fc.record(
        { properties: map, required: names, additionalProperties: any },
        { requiredKeys: ["properties"] },
      ),
    ),
  };
}).any;

test("the verdict is that of another validator", () => {
  const validator = createValidator();
  const args = fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true });
  let both = 0;
  fc.assert(
    fc.property(args, fc.array(schema, { minLength: 1, maxLength: 2 }), (given, [first, second = true]) => {
      if (typeof first === "boolean") return;
      const whole = { ...(first as object), $defs: { d: second } };
      const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false });
      let fits: boolean;
      try {
        fits = ajv.compile(whole)(given);
      } catch {
        // A schema that refers to itself without end.
        return;
      }
      const { faults, unfollowed } = validator.judge(given, whole);
      if (unfollowed === undefined) {
        both++;
        expect(faults.length === 0).toBe(fits);
      } else if (fits) expect(faults).toEqual([]);
    }),
    { numRuns: 500 },
  );
  expect(both).toBeGreaterThan(100);
});
