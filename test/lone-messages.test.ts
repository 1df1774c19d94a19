import { describe, expect, test } from "vitest";
import { check } from "../src/index.ts";

const args = '{"order":"7"}';
const block = (message: object): string =>
  `The API answers 500 to this history:\n\n\`\`\`json\n${JSON.stringify(message, null, 1)}\n\`\`\`\n`;

async function found(text: string): Promise<readonly string[]> {
  const { findings } = await check(text);
  return findings.flatMap(({ rule, severity }) => (severity === "info" ? [] : [rule]));
}

describe("a message alone has arguments as text where its API has an object", () => {
  test.each([
    [
      "Anthropic",
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "refund", input: args }] },
    ],
    [
      "Bedrock",
      { role: "assistant", content: [{ toolUse: { toolUseId: "tooluse_1", name: "refund", input: args } }] },
    ],
    ["Gemini", { role: "model", parts: [{ functionCall: { name: "refund", args } }] }],
  ])("of %s", async (_, message) => {
    expect(await found(block(message))).toEqual(["misencoded-arguments"]);
  });
});

describe("a message alone is as its API has it", () => {
  const call = (given: unknown): object => ({ function: { name: "refund", arguments: given } });

  test.each([
    [
      "text, for OpenAI",
      { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function", ...call(args) }] },
    ],
    ["text, of a call without an id", { role: "assistant", content: "", tool_calls: [call(args)] }],
    ["an object, for Ollama", { role: "assistant", content: "", tool_calls: [call({ order: "7" })] }],
    [
      "an object, for Anthropic",
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_1", name: "refund", input: { order: "7" } }],
      },
    ],
  ])("with %s", async (_, message) => {
    expect(await found(block(message))).toEqual([]);
  });
});

test("a failure of the service is told in the words behind the gateway's", async () => {
  const raw = "glm-5.3 is temporarily rate-limited upstream. Please retry shortly.";
  const error = {
    message: "Provider returned error",
    code: 429,
    metadata: { raw, provider_name: "BaseTen" },
  };
  const { findings } = await check(JSON.stringify({ error }));
  expect(findings.map(({ message }) => message)).toEqual([`the service answers with an error (429): ${raw}`]);
});
