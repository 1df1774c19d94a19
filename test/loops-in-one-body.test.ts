import { describe, expect, test } from "vitest";
import { checkFiles } from "../src/check/check.ts";
import { memorySource } from "../src/reading/source.ts";

/** One request, taken out of an agent's run: its history is all that shows the loop. */
const question = "Which file defines the routes?";
const listing = (round: number): string => `app.ts\nindex.ts\n(took ${round + 3} ms)`;
const rounds = [0, 1, 2];
const args = { path: "src" };
const json = JSON.stringify(args);
const other = { path: "README.md" };

const bodies: Readonly<Record<string, object>> = {
  chat: {
    model: "gpt-5-mini",
    messages: [
      { role: "user", content: question },
      ...rounds.flatMap((n) => [
        { role: "assistant", content: null, tool_calls: [chatCall(`call_${n}`, "list_directory", args)] },
        { role: "tool", tool_call_id: `call_${n}`, content: listing(n) },
      ]),
    ],
  },
  "chat, parallel calls": {
    model: "gpt-5-mini",
    messages: [
      { role: "user", content: question },
      ...rounds.flatMap((n) => [
        {
          role: "assistant",
          content: null,
          tool_calls: [
            chatCall(`call_${n}a`, "list_directory", args),
            chatCall(`call_${n}b`, "read_file", other),
          ],
        },
        { role: "tool", tool_call_id: `call_${n}b`, content: "A small shop." },
        { role: "tool", tool_call_id: `call_${n}a`, content: listing(n) },
      ]),
    ],
  },
  "chat, functions": {
    model: "gpt-4",
    messages: [
      { role: "user", content: question },
      ...rounds.flatMap((n) => [
        { role: "assistant", content: null, function_call: { name: "list_directory", arguments: json } },
        { role: "function", name: "list_directory", content: listing(n) },
      ]),
    ],
  },
  mistral: {
    model: "mistral-large-latest",
    messages: [
      { role: "user", content: question },
      ...rounds.flatMap((n) => [
        { role: "assistant", content: "", tool_calls: [chatCall(`abcdefgh${n}`, "list_directory", args)] },
        { role: "tool", name: "list_directory", tool_call_id: `abcdefgh${n}`, content: listing(n) },
      ]),
    ],
  },
  responses: {
    model: "gpt-5-mini",
    input: [
      { role: "user", content: question },
      ...rounds.flatMap((n) => [
        { type: "function_call", call_id: `call_${n}`, name: "list_directory", arguments: json },
        { type: "function_call_output", call_id: `call_${n}`, output: listing(n) },
      ]),
    ],
  },
  anthropic: {
    model: "claude-sonnet-4-5",
    max_tokens: 1024,
    messages: [
      { role: "user", content: question },
      ...rounds.flatMap((n) => [
        {
          role: "assistant",
          content: [
            { type: "text", text: "I look." },
            { type: "tool_use", id: `toolu_${n}`, name: "list_directory", input: args },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: `toolu_${n}`, content: [{ type: "text", text: listing(n) }] },
            { type: "text", text: "<system-reminder>Be brief.</system-reminder>" },
          ],
        },
      ]),
    ],
  },
  gemini: {
    contents: [
      { role: "user", parts: [{ text: question }] },
      ...rounds.flatMap((n) => [
        { role: "model", parts: [{ functionCall: { name: "list_directory", args } }] },
        {
          role: "user",
          parts: [{ functionResponse: { name: "list_directory", response: { output: listing(n) } } }],
        },
      ]),
    ],
  },
  bedrock: {
    modelId: "anthropic.claude-sonnet-4-5-v1:0",
    messages: [
      { role: "user", content: [{ text: question }] },
      ...rounds.flatMap((n) => [
        {
          role: "assistant",
          content: [{ toolUse: { toolUseId: `tooluse_${n}`, name: "list_directory", input: args } }],
        },
        {
          role: "user",
          content: [{ toolResult: { toolUseId: `tooluse_${n}`, content: [{ text: listing(n) }] } }],
        },
      ]),
    ],
  },
  ollama: {
    model: "qwen3:8b",
    options: { num_ctx: 4096 },
    messages: [
      { role: "user", content: question },
      ...rounds.flatMap((n) => [
        {
          role: "assistant",
          content: "",
          tool_calls: [
            { function: { name: "list_directory", arguments: args } },
            { function: { name: "read_file", arguments: other } },
          ],
        },
        { role: "tool", tool_name: "list_directory", content: listing(n) },
        { role: "tool", tool_name: "read_file", content: "A small shop." },
      ]),
    ],
  },
  cohere: {
    model: "command-a-03-2025",
    messages: [
      { role: "user", content: question },
      ...rounds.flatMap((n) => [
        {
          role: "assistant",
          tool_plan: "I look.",
          tool_calls: [chatCall(`ld_${n}`, "list_directory", args)],
        },
        {
          role: "tool",
          tool_call_id: `ld_${n}`,
          content: [{ type: "document", document: { data: listing(n) } }],
        },
      ]),
    ],
  },
};

function chatCall(id: string, name: string, input: object): object {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

async function findings(body: object): Promise<string[]> {
  const source = memorySource("body.json", Buffer.from(JSON.stringify(body)));
  const { report } = await checkFiles([{ path: "body.json", source }]);
  return report.findings
    .filter(({ rule }) => rule === "repeated-call")
    .map(({ severity, message }) => `${severity}: ${message}`);
}

describe("a loop is found in one body", () => {
  test.each(Object.entries(bodies))("%s", async (_protocol, body) => {
    const found = await findings(body);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^warning: .*`list_directory`.* 3 times in one turn/);
  });
});

test("equal calls of one assistant message are found in one body", async () => {
  const body = {
    model: "gpt-5-mini",
    messages: [
      { role: "user", content: question },
      {
        role: "assistant",
        content: null,
        tool_calls: rounds.map((n) => chatCall(`call_${n}`, "list_directory", args)),
      },
      ...rounds.map((n) => ({ role: "tool", tool_call_id: `call_${n}`, content: listing(n) })),
    ],
  };
  expect(await findings(body)).toEqual([
    "info: one reply calls `list_directory` 3 times with the same arguments, and each call has the same result",
  ]);
});

describe("results that the log left out", () => {
  const run = (result: string): object => ({
    model: "gpt-5-mini",
    messages: [
      { role: "user", content: question },
      ...rounds.flatMap((n) => [
        { role: "assistant", content: null, tool_calls: [chatCall(`call_${n}`, "list_directory", args)] },
        { role: "tool", tool_call_id: `call_${n}`, content: result },
      ]),
    ],
  });

  test.each(["[tool result]", "[REDACTED]", "<redacted>", "{{tool_output}}", "***", "[output removed]"])(
    "may have differed: %s",
    async (mark) => {
      expect(await findings(run(mark))).toEqual([]);
    },
  );

  test.each(["[]", "{}", "[no output]", "(no results)", "[ERROR]", "<html></html>", "result: 4", "[src]"])(
    "are no results of a tool that found nothing: %s",
    async (result) => {
      expect(await findings(run(result))).toHaveLength(1);
    },
  );
});
