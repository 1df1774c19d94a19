import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { testRefusals } from "./table.ts";

const text = { type: "string" };
const lists = { paths: { type: "array", items: text }, either: { type: ["array", "null"], items: {} } };
const schema = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const closed = (properties: object, required: readonly string[], more: object = {}) =>
  schema(properties, { required, additionalProperties: false, ...more });

describe("schemas of functions in a chat", () => {
  const chat = (parameters: object, more: object = {}) => ({
    model: "gpt-4.1-mini",
    messages: [{ role: "user", content: "Read both files." }],
    tools: [{ type: "function", function: { name: "read", parameters, ...more } }],
  });
  const row = { severity: "warning" as const, rule: "invalid-request" };
  const at = "/tools/0/function";
  testRefusals(
    "https://api.openai.com/v1/chat/completions",
    [
      {
        ...row,
        refusal: "an array without items",
        source: "https://github.com/sigoden/aichat/pull/1049",
        body: chat(schema({ paths: { type: "array" } })),
        pointer: `${at}/parameters/properties/paths/type`,
        legal: [chat(schema(lists))],
      },
      {
        ...row,
        refusal: "an array without items inside a choice",
        source: "https://github.com/ooples/token-optimizer-mcp/pull/154",
        body: chat(schema({ by: { anyOf: [text, schema({ ids: { type: "array" } })] } })),
        pointer: `${at}/parameters/properties/by/anyOf/1/properties/ids/type`,
        legal: [
          chat(schema({ by: { anyOf: [text, schema({ type: { type: "array", prefixItems: [text] } })] } })),
        ],
      },
      {
        ...row,
        refusal: "a property that is no schema",
        source: "https://github.com/anthropics/anthropic-sdk-java/issues/241",
        body: chat(schema({ path: "string" })),
        pointer: `${at}/parameters/properties/path`,
        legal: [chat(schema({ path: {}, any: true }))],
      },
      {
        ...row,
        refusal: "a strict function with an optional property",
        source: "https://github.com/kevinwatt/mysql-mcp/issues/5",
        body: chat(closed({ sql: text, params: lists.paths }, ["sql"]), { strict: true }),
        pointer: `${at}/strict`,
        legal: [
          chat(closed({ sql: text }, ["sql"]), { strict: true }),
          chat(closed({ sql: text }, []), { strict: false }),
          chat({ type: "object", properties: {}, additionalProperties: false }, { strict: true }),
        ],
      },
      {
        ...row,
        refusal: "a strict function whose inner object is open",
        source: "`In context=(), 'additionalProperties' is required to be supplied and to be false.`",
        body: chat(closed({ at: schema({ x: text }, { required: ["x"] }) }, ["at"]), { strict: true }),
        pointer: `${at}/strict`,
        legal: [chat(closed({ at: closed({ x: text }, ["x"]) }, ["at"]), { strict: true })],
      },
    ],
    "served",
  );
});

test("servers that speak the API of chats take an array without items", async () => {
  const tools = [
    { type: "function", function: { name: "read", parameters: schema({ paths: { type: "array" } }) } },
  ];
  const messages = [{ role: "user", content: "Read both files." }];
  expect((await check({ model: "qwen3-32b", messages, tools })).findings).toEqual([]);
});

describe("schemas of functions of OpenAI's Responses", () => {
  const body = (parameters: object, more: object = {}) => ({
    model: "gpt-5-mini",
    input: [{ role: "user", content: "Drop the table." }],
    tools: [{ type: "function", name: "execute", parameters, ...more }],
  });
  testRefusals(
    "https://api.openai.com/v1/responses",
    [
      {
        severity: "warning",
        rule: "invalid-request",
        refusal: "a strict function with an optional property",
        source: "https://github.com/kevinwatt/mysql-mcp/issues/5",
        body: body(closed({ sql: text, params: lists.paths }, ["sql"]), { strict: true }),
        pointer: "/tools/0/strict",
        legal: [body(closed({ sql: text }, ["sql"]), { strict: true }), body(schema({ sql: text }))],
      },
    ],
    "served",
  );
});

describe("schemas of tools of Anthropic", () => {
  const body = (properties: object) => ({
    model: "claude-sonnet-4-5",
    max_tokens: 1024,
    messages: [{ role: "user", content: "Where is it?" }],
    tools: [{ name: "locate", input_schema: schema(properties) }],
  });
  testRefusals(
    "https://api.anthropic.com/v1/messages",
    [
      {
        severity: "warning",
        rule: "invalid-request",
        refusal: "a property that is no schema",
        source: "https://github.com/anthropics/anthropic-sdk-java/issues/241",
        body: body({ x: "number" }),
        pointer: "/tools/0/input_schema/properties/x",
        legal: [body({ x: { type: "number" } }), body({ x: true, paths: { type: "array" } })],
      },
    ],
    "served",
  );
});
