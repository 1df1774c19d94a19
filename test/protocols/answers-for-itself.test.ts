import { describe, expect, test } from "vitest";
import type { ToolCall } from "../../src/conversation/item.ts";
import { protocolNamed, protocols } from "../../src/protocols/index.ts";
import { type Protocol, supported } from "../../src/protocols/protocol.ts";

/** What a protocol has to answer for itself: these may be `unsupported`, and may not be left out. */
const answers = [
  "paths",
  "endpoint",
  "idiom",
  "answers",
  "encode",
  "writes",
  "places",
  "loadSchema",
  "refusals",
  "loadServerSide",
] as const satisfies readonly (keyof Protocol)[];

/** Nobody plays their servers. */
const unserved = ["refusals", "loadServerSide"] as const;

/** What each protocol has no answer for, so that a lost answer shows. */
const unsupported: Readonly<Record<string, readonly (typeof answers)[number][]>> = {
  "openai-chat": [],
  "openai-responses": [],
  anthropic: [],
  "bedrock-converse": ["endpoint", "encode", ...unserved],
  gemini: [],
  "gemini-interactions": ["endpoint", "answers", "encode", "writes", "places", "loadSchema", ...unserved],
  ollama: [],
  cohere: ["endpoint", "answers", "encode", "writes", "places", ...unserved],
  "sdk-messages": ["paths", "endpoint", "idiom", "answers", "encode", "loadSchema", ...unserved],
  "app-events": answers,
  plain: answers,
};

describe("a protocol answers for itself", () => {
  test.each(protocols)("$name states every answer", (protocol) => {
    expect(answers.filter((answer) => protocol[answer] === undefined)).toEqual([]);
    expect(answers.filter((answer) => protocol[answer] === "unsupported")).toEqual(
      unsupported[protocol.name],
    );
  });

  test("who can be sent to can be answered, written and read again", () => {
    for (const { endpoint, answers, encode, historyKeys } of protocols) {
      if (endpoint === "unsupported") continue;
      expect([answers, encode]).not.toContain("unsupported");
      expect(historyKeys).toHaveLength(1);
    }
  });
});

/** As the providers' own documents show a client that goes on with a reply. */
const documented: Readonly<Record<string, { readonly append: string; readonly result: string }>> = {
  // https://platform.openai.com/docs/guides/function-calling?api-mode=chat
  "openai-chat": {
    append: "messages.push(reply.message, ...results)",
    result: '{ role: "tool", tool_call_id: call.id, content }',
  },
  // https://platform.openai.com/docs/guides/function-calling?api-mode=responses
  "openai-responses": {
    append: "input.push(...reply.output, ...outputs)",
    result: '{ type: "function_call_output", call_id: call.call_id, output }',
  },
  // https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
  anthropic: {
    append:
      'messages.push({ role: "assistant", content: reply.content }, { role: "user", content: results })',
    result: '{ type: "tool_result", tool_use_id: call.id, content }',
  },
  // https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html
  "bedrock-converse": {
    append: 'messages.push(reply.output.message, { role: "user", content: results })',
    result: "{ toolResult: { toolUseId: call.toolUseId, content: [{ text }] } }",
  },
  // https://ai.google.dev/gemini-api/docs/function-calling
  gemini: {
    append: 'contents.push(candidate.content, { role: "user", parts: results })',
    result: "{ functionResponse: { id: call.id, name: call.name, response } }",
  },
  // https://ai.google.dev/gemini-api/docs/interactions
  "gemini-interactions": {
    append: "input.push(...interaction.steps, ...results)",
    result: '{ type: "function_result", name: call.name, call_id: call.id, result }',
  },
  // https://docs.ollama.com/capabilities/tool-calling
  ollama: {
    append: "messages.push(reply.message, ...results)",
    result: '{ role: "tool", tool_name: call.function.name, content }',
  },
  // https://docs.cohere.com/docs/tool-use-overview
  cohere: {
    append: "messages.push(reply.message, ...results)",
    result: '{ role: "tool", tool_call_id: call.id, content }',
  },
};

describe("the idiom of a protocol is its provider's documented form", () => {
  test.each(protocols)("$name", ({ name, idiom }) => {
    expect(supported(idiom)).toEqual(documented[name]);
  });

  const call: ToolCall = {
    kind: "call",
    role: "assistant",
    pointer: "",
    id: "call_1",
    name: "weather",
    argumentsText: "{}",
    arguments: {},
    isJson: true,
    wireType: "function",
    isHosted: false,
    state: "complete",
  };

  /** The same forms with their values in them: what a replay sends. */
  const sent: Readonly<Record<string, readonly unknown[]>> = {
    "openai-chat": [{ role: "tool", tool_call_id: "call_1", content: "sunny" }],
    "openai-responses": [{ type: "function_call_output", call_id: "call_1", output: "sunny" }],
    anthropic: [
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "sunny" }] },
    ],
    "bedrock-converse": [
      { role: "user", content: [{ toolResult: { toolUseId: "call_1", content: [{ text: "sunny" }] } }] },
    ],
    gemini: [
      {
        role: "user",
        parts: [{ functionResponse: { id: "call_1", name: "weather", response: { output: "sunny" } } }],
      },
    ],
    ollama: [{ role: "tool", tool_name: "weather", tool_call_id: "call_1", content: "sunny" }],
  };

  test.each(protocols.filter(({ answers }) => answers !== "unsupported"))(
    "and $name sends it",
    ({ name, answers }) => {
      expect(supported(answers)?.([{ call, text: "sunny" }])).toEqual(sent[name]);
    },
  );
});

test("a protocol is found by its name, and nothing else is", () => {
  expect(protocols.map(({ name }) => protocolNamed(name)?.name)).toEqual(protocols.map(({ name }) => name));
  expect(protocolNamed("constructor")).toBeUndefined();
});
