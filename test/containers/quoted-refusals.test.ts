import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";

/** A report that has a request in a block of code, with words before or behind it. */
const report = (before: string, body: object, after = ""): string =>
  `${before}\n\n\`\`\`json\n${JSON.stringify(body, null, 1)}\n\`\`\`\n\n${after}\n`;

async function found(text: string): Promise<readonly string[]> {
  const { findings } = await check(text);
  return findings.filter(({ severity }) => severity !== "info").map(({ rule }) => rule);
}

const parameters = { type: "object", properties: { order: { type: "string" } } };
const openai = {
  model: "gpt-5",
  messages: [{ role: "user", content: "refund order 7" }],
  tools: [{ type: "function", function: { name: "refund", parameters } }],
};
const gemini = {
  contents: [{ role: "user", parts: [{ text: "refund order 7" }] }],
  tools: [{ functionDeclarations: [{ name: "refund", parameters }] }],
};
const responses = {
  model: "gpt-5",
  input: [{ role: "user", content: "refund order 7" }],
  tools: [{ type: "function", name: "refund", parameters }],
};

describe("a refusal of the tools that words quote belongs to the request beside it", () => {
  const topLevel =
    "Error: `Invalid schema for function 'refund': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`";
  const vertex =
    "> Unable to submit request because `refund` functionDeclaration `parameters.order` schema didn't specify the schema type field.";

  test.each([
    ["before a request for Chat Completions", report(topLevel, openai)],
    ["behind it", report("I send this:", openai, topLevel)],
    ["before one for the Responses API", report(topLevel, responses)],
    ["behind one for Gemini", report("This fails.", gemini, vertex)],
  ])("%s", async (_, text) => {
    expect(await found(text)).toEqual(["provider-rejected"]);
  });
});

describe("words that tell of something else are no refusal", () => {
  test.each([
    "This used to fail with \"messages with role 'tool' must be a response to a preceeding message with 'tool_calls'\".",
    "Version 2 no longer says: Invalid schema for function 'refund': schema must be a JSON Schema of 'type: \"object\"', got 'type: null'.",
    "We fixed the \"An assistant message with 'tool_calls' must be followed by tool messages\" in May.",
    "This model does not support tools as well as the other one, which we have in production.",
  ])("%s", async (words) => {
    expect(await found(report(words, openai))).toEqual([]);
    expect(await found(report("The request:", openai, words))).toEqual([]);
  });
});
