import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { createValidator } from "../../src/rules/schema/argument-validator.ts";
import { surelyFits } from "../../src/rules/schema/quick-check.ts";

const validator = createValidator();

/** The faults of arguments as lines; what was not followed comes last. */
function faults(args: object, schema: object): readonly string[] {
  const { faults, unfollowed } = validator.judge(args, schema as Readonly<Record<string, unknown>>);
  return [
    ...faults.map(({ kind, path, wanted, isConvertible }) =>
      [kind, path, wanted, ...(isConvertible ? ["convertible"] : [])].join(" "),
    ),
    ...(unfollowed === undefined ? [] : [`not checked: the schema ${unfollowed}`]),
  ];
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
      name: "a member that a pattern allows",
      schema: {
        type: "object",
        patternProperties: { "^(x-)+": {} },
        additionalProperties: false,
        properties: {},
      },
      args: { "x-seat": 1 },
    },
    {
      name: "what is not something that cannot be told",
      schema: object({ day: { not: { format: "date" } } }),
      args: { day: "aaaa" },
    },
    {
      name: "null in one of several forms",
      schema: object({
        to: { anyOf: [object({ name: { type: "string" } }), object({ code: {} }, { required: ["code"] })] },
      }),
      args: { to: { name: null } },
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

describe("what cannot be followed is accepted, and said", () => {
  /** Each level holds its value twice against the next. */
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => [
      `l${level}`,
      { allOf: [{ $ref: `#/$defs/l${level + 1}` }, { $ref: `#/$defs/l${level + 1}` }] },
    ]),
  );
  let deep: object = { type: "string" };
  for (let level = 0; level < 5_000; level++) deep = { properties: { a: deep } };
  let deepArguments: object = { a: "x" };
  for (let level = 0; level < 5_000; level++) deepArguments = { a: deepArguments };

  test.each([
    { name: "it leads only to itself", schema: { $ref: "#" }, expected: "is too deep to follow" },
    {
      name: "it leads nowhere",
      schema: object({ a: { $ref: "#/$defs/none" } }),
      expected: "refers to `#/$defs/none`, which it does not hold",
    },
    {
      name: "it refers to another document",
      schema: object({ a: { $ref: "https://example.com/schemas/station.json" } }),
      expected: "refers to `https://example.com/schemas/station.json`, which is not followed",
    },
    {
      name: "its references double with each level",
      schema: { $ref: "#/$defs/l0", $defs: { ...doubling, l40: {} } },
      expected: "is too large or too entangled to follow",
    },
    {
      name: "its forms double with each level of the arguments",
      schema: { anyOf: [object({ a: { $ref: "#" } }), object({ a: { $ref: "#" } })], required: ["a"] },
      expected: "is too large or too entangled to follow",
    },
    { name: "it is very deep", schema: deep, expected: "is too deep to follow" },
    {
      name: "it has a pattern that looks ahead",
      schema: object({ a: object({ a: { pattern: "^(?=a)" } }) }),
      args: { a: { a: "b" } },
      expected: "has a pattern that is not run: `^(?=a)`",
    },
    {
      name: "it has a keyword that nothing here follows",
      schema: object({ a: {} }, { unevaluatedProperties: false }),
      expected: "uses `unevaluatedProperties`, which is not followed",
    },
  ])("$name", ({ schema, args = deepArguments, expected }) => {
    expect(faults(args, schema)).toEqual([`not checked: the schema ${expected}`]);
  });

  test("and what is wrong beside it is a fault", () => {
    const schema = object({ to: { $ref: "#/$defs/Station" }, seats: { type: "integer" } });
    expect(faults({ to: 7, seats: "two" }, schema)).toEqual([
      "type seats integer",
      "not checked: the schema refers to `#/$defs/Station`, which it does not hold",
    ]);
  });

  test("arguments may be as deep as they like where the schema says nothing of them", () => {
    expect(faults(deepArguments, object({ b: { type: "string" } }, { required: ["b"] }))).toEqual([
      "missing b b",
    ]);
  });

  test("a long list of values is followed", () => {
    const schema = object({ a: { enum: Array.from({ length: 20_000 }, (_, n) => `v${n}`) } });
    expect(faults({ a: "v19999" }, schema)).toEqual([]);
    expect(faults({ a: "w" }, schema)).toEqual(['value a "v0", "v1", "v2", "v3", "v4", …']);
  });
});

describe("references", () => {
  test.each([
    {
      name: "begin at the part that has an `$id` of its own",
      schema: object({
        inner: { $id: "inner.json", $ref: "#/$defs/a", $defs: { a: { type: "object" } } },
      }),
      args: { inner: 1 },
      expected: ["type inner object"],
    },
    {
      name: "may name the schema itself",
      schema: {
        $id: "https://example.com/seat.json",
        ...object({ a: { $ref: "https://example.com/seat.json#/$defs/a" } }),
        $defs: { a: { type: "string" } },
      },
      args: { a: 1 },
      expected: ["type a string convertible"],
    },
    {
      name: "are percent-encoded",
      schema: object({ a: { $ref: "#/$defs/a%20b~1c" } }, { $defs: { "a b/c": { type: "string" } } }),
      args: { a: [] },
      expected: ["type a string"],
    },
    {
      name: "stand alone in a schema that says it is of draft-07",
      schema: {
        $schema: "http://json-schema.org/draft-07/schema#",
        ...object({ a: { $ref: "#/definitions/a", maxLength: 1 } }),
        definitions: { a: { type: "string" } },
      },
      args: { a: "Lyon" },
      expected: [],
    },
  ])("$name", ({ schema, args, expected }) => {
    expect(faults(args, schema)).toEqual(expected);
  });
});

describe("digits that were lost in reading prove nothing", () => {
  test.each([
    {
      name: "of entries that may differ",
      schema: { uniqueItems: true },
      text: "[9007199254740993,9007199254740992]",
    },
    { name: "of a multiple", schema: { items: { multipleOf: 10 } }, text: "[12345678901234567890]" },
    {
      name: "of a limit",
      schema: { items: { exclusiveMaximum: 9007199254740992 } },
      text: "[9007199254740993]",
    },
    { name: "of a whole number", schema: { items: { type: "integer" } }, text: "[1e400]" },
  ])("$name", ({ schema, text }) => {
    expect(faults({ a: JSON.parse(text) as unknown }, object({ a: schema }))).toEqual([]);
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
      why: "the schema of `book` refers to `#/$defs/Station`, which it does not hold",
    },
  ]);
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
