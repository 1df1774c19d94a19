import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { check } from "../src/index.ts";
import { surelyFits } from "../src/rules/schema/argument-schema.ts";
import { createValidator } from "../src/rules/schema/argument-validator.ts";
import { isQuick } from "../src/rules/schema/sanitize-schema.ts";

const validator = createValidator();

/** The faults of arguments as lines; `not judged` when that cannot be told. */
function faults(args: object, schema: object): readonly string[] | "not judged" {
  return (
    validator(args, schema)?.map(({ kind, path, wanted, isConvertible }) =>
      [kind, path, wanted, ...(isConvertible ? ["convertible"] : [])].join(" "),
    ) ?? "not judged"
  );
}

const object = (properties: object, more: object = {}): object => ({ type: "object", properties, ...more });

describe("arguments are held against the whole schema", () => {
  const stop = object({ station: { type: "string" } }, { required: ["station"] });
  test.each([
    { name: "a member is missing", schema: stop, args: {}, expected: ["missing station station"] },
    {
      name: "a definition is referred to",
      schema: { ...object({ stops: { type: "array", items: { $ref: "#/$defs/stop" } } }), $defs: { stop } },
      args: { stops: [{ station: "Lyon" }, { station: 7 }] },
      expected: ["type stops[1].station string convertible"],
    },
    {
      name: "a tree refers to itself",
      schema: {
        ...object({ root: { $ref: "#/definitions/node" } }),
        definitions: { node: object({ left: { $ref: "#/definitions/node" }, key: { type: "integer" } }) },
      },
      args: { root: { left: { left: { key: "a" } } } },
      expected: ["type root.left.left.key integer"],
    },
    {
      name: "one of several types fits none",
      schema: object({ when: { anyOf: [{ type: "string" }, { type: "null" }] } }),
      args: { when: [] },
      expected: ["type when string or null"],
    },
    {
      name: "the form that was meant lacks something",
      schema: object({ to: { anyOf: [stop, { type: "string" }] } }),
      args: { to: { name: "Lyon" } },
      expected: ["missing to.station station"],
    },
    {
      name: "no form fits",
      schema: object({ to: { oneOf: [stop, object({ code: { type: "string" } }, { required: ["code"] })] } }),
      args: { to: { name: "Lyon" } },
      expected: ["form to one of several forms"],
    },
    {
      name: "a limit is passed",
      schema: object({ seats: { type: "integer", minimum: 1, maximum: 9 }, notes: { maxItems: 1 } }),
      args: { seats: 12, notes: ["a", "b"] },
      expected: ["limit seats at most 9", "limit notes at most 1 entries"],
    },
    {
      name: "a pattern is not met",
      schema: object({ day: { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" } }),
      args: { day: "tomorrow" },
      expected: ["limit day text like /^\\d{4}-\\d{2}-\\d{2}$/"],
    },
    {
      name: "one member asks for another",
      schema: object({ from: {}, to: {} }, { dependentRequired: { from: ["to"] } }),
      args: { from: "Lyon" },
      expected: ["missing to to"],
    },
    {
      name: "draft-07: a list of schemas by place",
      schema: object({ pair: { type: "array", items: [{ type: "string" }, { type: "number" }] } }),
      args: { pair: ["Lyon", "soon"] },
      expected: ["type pair[1] number"],
    },
    {
      name: "OpenAPI: limits in the words of draft-04",
      schema: object({ seats: { type: "number", minimum: 0, exclusiveMinimum: true } }),
      args: { seats: 0 },
      expected: ["limit seats more than 0"],
    },
    {
      name: "types in capitals",
      schema: { type: "OBJECT", properties: { seats: { type: "INTEGER" } } },
      args: { seats: "two" },
      expected: ["type seats integer"],
    },
    {
      name: "a condition holds",
      schema: JSON.parse(
        '{"if":{"properties":{"kind":{"const":"return"}},"required":["kind"]},"then":{"required":["back"]}}',
      ) as object,
      args: { kind: "return" },
      expected: ["missing back back"],
    },
  ])("$name", ({ schema, args, expected }) => {
    expect(faults(args, schema)).toEqual(expected);
  });
});

describe("what the schema, or whoever runs the tool, gets on with is no fault", () => {
  test.each([
    {
      name: "null for a member that may be left out",
      schema: object({ when: { type: "string" }, unit: { enum: ["km", "mi"] } }),
      args: { when: null, unit: null },
    },
    {
      name: "a missing member that has a default",
      schema: object({ days: { type: "integer", default: 1 } }, { required: ["days"] }),
      args: {},
    },
    {
      name: "OpenAPI's `nullable`",
      schema: object({ unit: { enum: ["km"], nullable: true } }),
      args: { unit: null },
    },
    {
      name: "two forms that both fit, which is a mistake of the schema",
      schema: object({ seats: { oneOf: [{ type: "number" }, { type: "integer" }] } }),
      args: { seats: 2 },
    },
    {
      name: "a member that a pattern allows, although the pattern is not run",
      schema: {
        type: "object",
        patternProperties: { "^(x-)+$": {} },
        additionalProperties: false,
        properties: {},
      },
      args: { "x-seat": 1 },
    },
    {
      name: "what is not something that cannot be told",
      schema: object({ day: { not: { pattern: "^(a+)+$" } } }),
      args: { day: "aaaa" },
    },
    {
      name: "a format",
      schema: object({ at: { type: "string", format: "date-time" } }),
      args: { at: "soon" },
    },
    {
      name: "a member called like a property of every object",
      schema: object({ constructor: { type: "string" } }, { required: ["constructor"] }),
      args: JSON.parse('{"constructor":"a","__proto__":{"polluted":true}}') as object,
    },
    {
      name: "any member, where only `additionalProperties` is forbidden",
      schema: { additionalProperties: false },
      args: { a: 1 },
    },
  ])("$name", ({ schema, args }) => {
    expect(faults(args, schema)).toEqual([]);
  });
});

describe("a schema that cannot be followed is not judged", () => {
  /** Each level holds its value twice against the next. */
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => [
      `l${level}`,
      { allOf: [{ $ref: `#/$defs/l${level + 1}` }, { $ref: `#/$defs/l${level + 1}` }] },
    ]),
  );
  let deep: object = { type: "string" };
  for (let level = 0; level < 5_000; level++) deep = { type: "array", items: deep };
  test.each([
    { name: "it leads only to itself", schema: { $ref: "#" } },
    { name: "it leads nowhere", schema: object({ a: { $ref: "#/$defs/none" } }) },
    {
      name: "its references double with each level",
      schema: { $ref: "#/$defs/l0", $defs: { ...doubling, l40: {} } },
    },
    {
      name: "its forms double with each level of the arguments",
      schema: { anyOf: [object({ a: { $ref: "#" } }), object({ a: { $ref: "#" } })] },
    },
    { name: "it is very deep", schema: object({ a: deep }) },
    {
      name: "it is very large",
      schema: object({ a: { enum: Array.from({ length: 20_000 }, (_, n) => `v${n}`) } }),
    },
  ])("$name", ({ schema }) => {
    let args: object = { a: "x" };
    for (let level = 0; level < 25; level++) args = { a: args };
    expect(faults(args, schema)).toBe("not judged");
  });

  test("nor are arguments that are very deep", () => {
    let args: object = {};
    for (let level = 0; level < 50; level++) args = { a: args };
    expect(faults(args, object({ b: { type: "string" } }, { required: ["b"] }))).toBe("not judged");
  });
});

test("a report says which schema was not followed", async () => {
  const parameters = object({ to: { $ref: "#/$defs/Station" } });
  const { notChecked, findings } = await check({
    request: {
      model: "gpt-5-mini",
      messages: [{ role: "user", content: "Two seats to Lyon, please." }],
      tools: [
        { type: "function", function: { name: "book", parameters: { ...parameters, required: ["seats"] } } },
      ],
      tool_choice: { type: "function", function: { name: "book" } },
    },
    response: {
      choices: [
        {
          message: {
            role: "assistant",
            content: null,
            tool_calls: [
              { id: "call_1", type: "function", function: { name: "book", arguments: '{"seats":2,"to":7}' } },
            ],
          },
          finish_reason: "stop",
        },
      ],
    },
  });
  expect(findings).toEqual([]);
  expect(notChecked).toEqual([
    {
      file: "log",
      rule: "invalid-arguments",
      why: "the schema of `book` is too large or too entangled to follow, or refers to what it does not hold",
    },
  ]);
});

test.each([
  ["^[a-z]+$", true],
  ["^\\d{4}-\\d{2}$", true],
  ["^https?://", true],
  ["[a-z]{2,8}", false],
  ["^(a+)+$", false],
  ["^a*a*b$", false],
  ["a+b", false],
  ["^(?=.*a)", false],
  ["\\1", false],
  ["[", false],
])("the pattern %s is run: %s", (pattern, expected) => {
  expect(isQuick(pattern)).toBe(expected);
});

test("what a quick look takes for right has no fault", () => {
  const scalar = fc.constantFrom<unknown>("a", "abc", 0, 7, 1.5, true, null);
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      scalar,
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "c"), tie("any"), { maxKeys: 3 }),
    ),
  })).any;
  const schema = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<object>(
        { type: "string", minLength: 2 },
        { type: ["integer", "null"] },
        { type: "NUMBER", maximum: 5, nullable: true },
        { enum: ["a", 7] },
        { const: "abc" },
        { $ref: "#/$defs/d" },
      ),
      fc.record({ anyOf: fc.array(tie("any"), { minLength: 1, maxLength: 2 }) }),
      fc.record({ type: fc.constant("array"), items: tie("any"), maxItems: fc.constant(2) }),
      fc.record({
        type: fc.constant("object"),
        properties: fc.dictionary(fc.constantFrom("a", "b"), tie("any"), { maxKeys: 2 }),
        required: fc.constantFrom([], ["a"]),
        additionalProperties: fc.boolean(),
      }),
    ),
  })).any;
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("a", "b"), value, { maxKeys: 2 }), schema, (args, given) => {
      const whole = { ...(given as object), $defs: { d: { type: "boolean" } } };
      if (surelyFits(args, whole)) expect(faults(args, whole)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
