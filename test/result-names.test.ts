import { describe, expect, test } from "vitest";
import { check } from "../src/index.ts";

/** The tool names that clients write into results. */

const chat = (name: string) => ({
  model: "gpt-5",
  messages: [
    { role: "user", content: "Does it rain in Oslo?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "get_weather", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "call_1", name, content: "rain" },
  ],
});
const gemini = (name: string) => ({
  contents: [
    { role: "user", parts: [{ text: "Does it rain in Oslo?" }] },
    { role: "model", parts: [{ functionCall: { name: "get_weather", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name, response: { output: "rain" } } }] },
  ],
});
const ollama = (name: string) => ({
  model: "llama3.2",
  options: { num_ctx: 4096 },
  messages: [
    { role: "user", content: "Does it rain in Oslo?" },
    { role: "assistant", content: "", tool_calls: [{ function: { name: "get_weather", arguments: {} } }] },
    { role: "tool", tool_name: name, content: "rain" },
  ],
});

async function namesFound(request: object): Promise<readonly string[]> {
  const { findings } = await check(JSON.stringify({ request }));
  return findings.filter(({ rule }) => rule === "result-kind-mismatch").map(({ message }) => message);
}

describe("where ids pair calls and results", () => {
  test.each(["tool", "function", "Tool", "tool_result", "tool_response", "get_weather"])(
    "the name `%s` names no other tool",
    async (name) => expect(await namesFound(chat(name))).toEqual([]),
  );

  test.each(["get_forecast", "tools", "function_call"])("the name `%s` does", async (name) =>
    expect(await namesFound(chat(name))).toEqual([
      `the result of \`get_weather\` carries the tool name \`${name}\``,
    ]),
  );
});

test.each([
  ["gemini", gemini],
  ["ollama", ollama],
])("where names pair them, `tool` is another name: %s", async (_name, request) =>
  expect(await namesFound(request("tool"))).toHaveLength(1),
);
