import { expect, test } from "vitest";
import { profiles } from "../../src/protocols/profiles/index.ts";
import { shortAnswers } from "../../src/serve/answers/answer-source.ts";
import { ModelServer } from "../../src/serve/model-server.ts";

const question = { role: "user", content: "Weather in Oslo?" };
const call = { id: "call_w1", type: "function", function: { name: "weather", arguments: "{}" } };

async function asked(profile: string, messages: readonly object[]): Promise<ModelServer> {
  const server = await ModelServer.create({
    profile: profiles.find(({ name }) => name === profile),
    answers: shortAnswers,
  });
  await server.handle({
    method: "POST",
    target: "/v1/chat/completions",
    headers: {},
    headerList: [],
    body: Buffer.from(JSON.stringify({ model: "qwen3-coder", messages })),
  });
  return server;
}

const broken = [
  ["unanswered-tool-call", [question, { role: "assistant", content: null, tool_calls: [call] }, question]],
  ["orphaned-tool-result", [question, { role: "tool", tool_call_id: "call_w1", content: "rain" }]],
] as const;

test.each(broken)(
  "servers that do not pair calls and results answer: %s is a warning",
  async (rule, messages) => {
    for (const profile of ["vllm", "llama.cpp", "ollama", "lm-studio", "local"]) {
      const { refused, warnings } = await asked(profile, messages);
      expect(refused).toEqual([]);
      expect(warnings.map(({ rule }) => rule)).toContain(rule);
    }
    const { refused } = await asked("openai", messages);
    expect(refused.map((each) => each.rule)).toEqual([rule]);
  },
);
