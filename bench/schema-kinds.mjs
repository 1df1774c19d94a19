/**
 * Tool schemas and arguments that make a validator work hard: `kinds[name](n)` gives a schema and the arguments of calls, which grow with n.
 * Small n are used by the tests, which count the work, and large n by the benchmark, which measures it.
 */
/** Not written as a key: an object with it looks like a promise. */
const branch = "then";
const range = (n, value) => Array.from({ length: Math.max(0, Math.floor(n)) }, (_, index) => value(index));
const members = (n, entry) => Object.fromEntries(range(n, entry));
const nest = (depth, innermost, around) => range(depth, () => 0).reduce((inner) => around(inner), innermost);
const list = (schema) => ({ type: "object", properties: { a: { type: "array", ...schema } } });
const text = (schema) => ({ type: "object", properties: { a: { type: "string", ...schema } } });
const one = (schema, args) => ({ schema, calls: [args] });
/** Ids in arguments, so that no two calls are the same. */
const many = (schema, n, args) => ({ schema, calls: range(n, args) });
const deepObject = (depth) => nest(depth, {}, (a) => ({ a }));
const deepList = (depth) => nest(depth, [], (inner) => [inner]);

export const kinds = {
  // Patterns
  "pattern: repetitions that multiply": (n) =>
    one(text({ pattern: `^a*${"a{999}".repeat(28)}b$` }), { a: "a".repeat(n) }),
  "pattern: repetitions within repetitions": (n) =>
    one(text({ pattern: "^(((a{30}){30}){30}){30}$" }), { a: "a".repeat(n) }),
  "pattern: many stars": (n) => one(text({ pattern: `^${"a*".repeat(200)}b$` }), { a: "a".repeat(n) }),
  "pattern: a star of a star": (n) => one(text({ pattern: "^(a+)+$" }), { a: `${"a".repeat(n)}!` }),
  "pattern: states that double": (n) =>
    one(text({ pattern: "^[ab]*a[ab]{900}$" }), {
      a: range(n, (i) => ((i * i * 7919) % 13 < 6 ? "a" : "b")).join(""),
    }),
  "pattern: a long one": (n) => one(text({ pattern: `^${"x?".repeat(n / 2)}$` }), { a: "x".repeat(n / 2) }),
  "pattern: many alternatives": (n) =>
    one(text({ pattern: `^(?:${range(n / 8, (i) => `w${i}`).join("|")})*$` }), {
      a: "w1w2w3".repeat(n / 12),
    }),
  "pattern: many groups": (n) => one(text({ pattern: "(".repeat(n / 2) + ")".repeat(n / 2) }), { a: "x" }),
  "pattern: many of them": (n) => ({
    schema: {
      type: "object",
      properties: members(n / 60, (i) => [`p${i}`, { pattern: `^[a-z]{2,40}-${i}-[0-9]{1,90}$` }]),
    },
    calls: [members(n / 60, (i) => [`p${i}`, `abc-${i}-12`])],
  }),
  "pattern: many calls": (n) =>
    many(text({ pattern: "^(?:[a-z]{1,90}[0-9]{1,90}){1,8}$" }), n / 60, (i) => ({ a: `abc${i}`.repeat(8) })),
  "pattern: what RE2 lacks": (n) =>
    many(text({ pattern: "^(?=(a+)+$)" }), n / 40, (i) => ({ a: `${"a".repeat(30)}${i}` })),
  "patternProperties against members": (n) =>
    one(
      { type: "object", patternProperties: members(n / 40, (i) => [`^[a-z]*${i}$`, { type: "string" }]) },
      members(n / 40, (i) => [`k${i}`, i]),
    ),
  "patternProperties that are not run": (n) =>
    one(
      {
        type: "object",
        patternProperties: members(n / 40, (i) => [`(?!x)${i}`, false]),
        additionalProperties: false,
      },
      members(n / 40, (i) => [`k${i}`, i]),
    ),
  "propertyNames with a pattern": (n) =>
    one(
      { type: "object", propertyNames: { pattern: "^(?:[a-z]+[0-9]*)*$" } },
      members(n / 12, (i) => [`k${i}!`, 1]),
    ),

  // Lists of names and values
  required: (n) =>
    many({ type: "object", required: range(n / 16, (i) => `r${i}`) }, n / 80, (i) => ({ a: i })),
  "required, one name over and over": (n) =>
    many({ type: "object", required: range(n / 8, () => "a") }, n / 80, (i) => ({ a: i })),
  "required that is no name": (n) =>
    many({ type: "object", required: [deepList(n / 8)] }, n / 80, (i) => ({ a: i })),
  dependentRequired: (n) =>
    many({ dependentRequired: { a: range(n / 16, (i) => `r${i}`) } }, n / 80, (i) => ({ a: i })),
  dependencies: (n) =>
    many({ dependencies: { a: range(n / 16, (i) => `r${i}`) } }, n / 80, (i) => ({ a: i })),
  dependentSchemas: (n) =>
    one(
      { dependentSchemas: members(n / 60, (i) => [`k${i}`, { required: ["x"] }]) },
      members(n / 60, (i) => [`k${i}`, i]),
    ),
  "enum against a list": (n) =>
    one(list({ items: { enum: range(n / 16, (i) => `e${i}`) } }), { a: range(n / 16, (i) => `x${i}`) }),
  "enum of objects": (n) =>
    one(list({ items: { enum: range(n / 24, (i) => ({ e: i })) } }), { a: range(n / 24, (i) => ({ x: i })) }),
  "enum, many calls": (n) =>
    many(text({ enum: range(n / 16, (i) => `e${i}`) }), n / 80, (i) => ({ a: `x${i}` })),
  "enum of enums": (n) => one(list({ items: { enum: [deepList(n / 4)] } }), { a: [deepList(n / 4)] }),
  "const of a long text": (n) => many(text({ const: "c".repeat(n / 2) }), n / 100, (i) => ({ a: `${i}` })),
  "const of a large object": (n) =>
    one(
      { properties: { a: { const: members(n / 24, (i) => [`k${i}`, i]) } } },
      { a: members(n / 24, (i) => [`k${i}`, i + 1]) },
    ),
  "const of a large object, many calls": (n) =>
    many({ properties: { a: { const: members(n / 24, (i) => [`k${i}`, i]) } } }, n / 100, (i) => ({
      a: { i },
    })),
  uniqueItems: (n) => one(list({ uniqueItems: true }), { a: range(n / 14, (i) => ({ k: i })) }),
  "uniqueItems, over and over": (n) =>
    one(
      { allOf: range(n / 60, () => ({ properties: { a: { uniqueItems: true } } })) },
      { a: range(n / 14, (i) => ({ k: i })) },
    ),
  "many properties": (n) =>
    many(
      { properties: members(n / 30, (i) => [`p${i}`, { type: "string" }]), additionalProperties: false },
      n / 90,
      (i) => ({
        [`x${i}`]: i,
      }),
    ),
  "many types": (n) =>
    many({ properties: { a: { type: range(n / 10, () => "string") } } }, n / 90, (i) => ({ a: i })),
  "types of types": (n) => one({ properties: { a: { type: deepList(n / 4) } } }, { a: 1 }),
  "unknown keywords": (n) =>
    many({ required: ["z"], ...members(n / 16, (i) => [`x-${i}`, i]) }, n / 90, (i) => ({ a: i })),

  // Forms
  "oneOf of 10,000": (n) => one({ oneOf: range(n / 30, (i) => ({ required: [`r${i}`] })) }, { a: 1 }),
  "oneOf for each entry": (n) =>
    one(list({ items: { oneOf: range(n / 60, (i) => ({ required: [`r${i}`] })) } }), {
      a: range(n / 16, (i) => ({ i })),
    }),
  "anyOf and required": (n) =>
    one({ anyOf: [0, 1].map((side) => ({ required: range(n / 20, (i) => `${side}${i}`) })) }, {}),
  "anyOf within anyOf": (n) =>
    one(
      nest(n / 30, { required: ["x"] }, (inner) => ({ anyOf: [{ required: ["x"] }, inner] })),
      { a: 1 },
    ),
  "allOf within allOf": (n) =>
    one(
      nest(n / 12, { required: ["x"] }, (inner) => ({ allOf: [inner] })),
      { a: 1 },
    ),
  "allOf with one type each": (n) =>
    many({ allOf: range(n / 30, () => ({ type: "object" })) }, n / 90, (i) => ({ a: i, b: [] })),
  "not within not": (n) =>
    one(
      nest(n / 8, { required: ["x"] }, (not) => ({ not })),
      { a: 1 },
    ),
  "if, then, else, in a chain": (n) =>
    one(
      nest(n / 60, { required: ["z"] }, (inner) => ({
        if: { required: ["x"] },
        [branch]: false,
        else: inner,
      })),
      { a: 1 },
    ),
  "if within if": (n) =>
    one(
      nest(n / 8, { required: ["x"] }, (inner) => ({ if: inner, [branch]: { required: ["x"] } })),
      { a: 1 },
    ),
  contains: (n) =>
    one(list({ contains: { anyOf: range(n / 40, (i) => ({ const: i })) } }), {
      a: range(n / 10, (i) => `x${i}`),
    }),
  "contains, counted": (n) =>
    one(list({ contains: { type: "string" }, minContains: n, maxContains: n * 2 }), {
      a: range(n / 10, (i) => `x${i}`),
    }),
  prefixItems: (n) =>
    one(list({ prefixItems: range(n / 30, () => ({ type: "string" })) }), { a: range(n / 10, (i) => i) }),
  unevaluatedProperties: (n) =>
    one(
      { allOf: range(n / 60, (i) => ({ properties: { [`p${i}`]: true } })), unevaluatedProperties: false },
      members(n / 30, (i) => [`k${i}`, 1]),
    ),
  unevaluatedItems: (n) =>
    one(list({ prefixItems: [true], unevaluatedItems: false }), { a: range(n / 10, (i) => i) }),

  // References
  "$ref to itself": (n) => many({ $ref: "#" }, n / 60, (i) => ({ a: i })),
  "$ref in a circle": (n) =>
    one(
      {
        $ref: "#/$defs/d0",
        $defs: members(n / 40, (i) => [`d${i}`, { $ref: `#/$defs/d${(i + 1) % Math.floor(n / 40)}` }]),
      },
      { a: 1 },
    ),
  "$ref that doubles": (n) =>
    many(
      {
        $ref: "#/$defs/d0",
        $defs: members(n / 100, (i) => [
          `d${i}`,
          { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
        ]),
      },
      Math.min(200, n / 100),
      (i) => ({ a: i }),
    ),
  "dense $refs": (n) => {
    const width = Math.floor(Math.sqrt(n / 30));
    const forms = () => range(width, (k) => ({ $ref: `#/$defs/d${k}` }));
    return one(
      {
        $ref: "#/$defs/d0",
        $defs: members(width, (i) => [`d${i}`, { properties: { a: { anyOf: forms() } }, required: ["x"] }]),
      },
      deepObject(29),
    );
  },
  "dense $refs, many calls": (n) => {
    const { schema } = kinds["dense $refs"](n / 2);
    return many(schema, n / 300, (i) => nest(29, { i }, (a) => ({ a })));
  },
  "$ref by a long pointer": (n) => many({ $ref: `#${"/a".repeat(n / 4)}` }, n / 100, (i) => ({ a: i })),
  "$ref to elsewhere": (n) =>
    many(list({ items: { $ref: "https://127.0.0.1:9/x" } }), n / 100, (i) => ({ a: range(9, () => i) })),
  $dynamicRef: (n) =>
    many({ $dynamicAnchor: "node", properties: { a: { $dynamicRef: "#node" } } }, n / 100, (i) =>
      nest(9, { i }, (a) => ({ a })),
    ),
  "$id in each part": (n) =>
    one(
      {
        $id: "https://example.com/a",
        ...nest(Math.min(150, n / 60), { $ref: "#" }, (inner) => ({ $id: "b", properties: { a: inner } })),
      },
      deepObject(200),
    ),
  "a tree that is entangled": (n) =>
    one(
      { properties: { a: { anyOf: [{ $ref: "#" }, { $ref: "#" }, { type: "string" }] } }, required: ["b"] },
      deepObject(Math.min(60, n / 10)),
    ),

  // Depth and size
  "a deep schema": (n) =>
    one(
      nest(n / 25, { type: "string" }, (inner) => ({ properties: { a: inner } })),
      deepObject(n / 12),
    ),
  "deep arguments": (n) => one({ required: ["x"], properties: { a: { $ref: "#" } } }, deepObject(n / 10)),
  "deep lists": (n) =>
    one(
      { properties: { a: { items: { $ref: "#/properties/a" } } }, required: ["x"] },
      { a: deepList(n / 4) },
    ),
  "wide arguments": (n) =>
    one(
      { additionalProperties: { type: "string", minLength: 2 } },
      members(n / 12, (i) => [`k${i}`, `${i}`]),
    ),
  "long arguments": (n) =>
    one(text({ minLength: n, maxLength: n + 1, pattern: "^[^!]*$" }), { a: "ä".repeat(n / 2) }),
  "large limits": (n) =>
    many(text({ minLength: 1e308, maxLength: -1, minItems: 2 ** 53, multipleOf: 1e-308 }), n / 90, (i) => ({
      a: `${i}`,
    })),
  "small steps": (n) =>
    one(list({ items: { multipleOf: 1e-300, minimum: -1e308, maximum: 1e308 } }), {
      a: range(n / 12, (i) => i * 1e292),
    }),
  formats: (n) => one(list({ items: { format: "email" } }), { a: range(9, () => `${"a@".repeat(n / 20)}!`) }),
  "regular expressions as values": (n) =>
    one(list({ items: { format: "regex" } }), { a: range(9, () => "(a+)+".repeat(n / 50)) }),
  "a long name": (n) => many({ required: ["n".repeat(n / 2)] }, n / 100, (i) => ({ a: i })),
  "a long name that nobody knows": (n) =>
    many({ additionalProperties: false, properties: { b: {} } }, 20, (i) => ({
      [`${i}${"n".repeat(n / 40)}`]: 1,
    })),
  "a schema for each call": (n) => ({
    tools: range(n / 300, (i) => ({
      anyOf: [{ required: ["x"] }, { required: ["y"], properties: { k: { pattern: `^x{1,${i}}$` } } }],
    })),
    calls: range(n / 300, (i) => ({ k: `a${i}` })),
  }),
};

/** The lines of a log whose request has these schemas and whose reply calls the tools. */
export function hostileLog(name, n) {
  const { schema, tools = [schema], calls } = kinds[name](n);
  const request = {
    model: "gpt-5",
    messages: [{ role: "user", content: "Go on." }],
    tools: tools.map((parameters, index) => ({
      type: "function",
      function: { name: `t${index}`, parameters },
    })),
  };
  const message = {
    role: "assistant",
    content: null,
    tool_calls: calls.map((args, index) => ({
      id: `c${index}`,
      type: "function",
      function: { name: `t${index % tools.length}`, arguments: stringify(args) },
    })),
  };
  const response = {
    id: "x",
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: "tool_calls" }],
  };
  const url = "https://api.openai.com/v1/chat/completions";
  return `${stringify({ url, request, status: 200, response })}\n`;
}

/** JSON of values that are deeper than the stack of JSON.stringify. */
function stringify(value) {
  const text = [];
  const left = [{ value }];
  for (let next = left.pop(); next; next = left.pop()) {
    if ("raw" in next) text.push(next.raw);
    else if (typeof next.value !== "object" || next.value === null) text.push(JSON.stringify(next.value));
    else {
      const isList = Array.isArray(next.value);
      const parts = Object.entries(next.value).flatMap(([key, inner], index) => [
        { raw: (index > 0 ? "," : "") + (isList ? "" : `${JSON.stringify(key)}:`) },
        { value: inner },
      ]);
      left.push({ raw: isList ? "]" : "}" }, ...parts.reverse(), { raw: isList ? "[" : "{" });
    }
  }
  return text.join("");
}
