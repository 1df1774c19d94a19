import Anthropic from "@anthropic-ai/sdk";
import { fault, maxRounds, names, parameters, question, run } from "./tools.mjs";

// A streaming agent on the Messages API.
// answers-first-call: of parallel calls only the first gets its result.
// rebuilds-history: every request is the first prompt and the newest round.
const client = new Anthropic({ apiKey: "test", maxRetries: 0 });
const tools = names.map((name) => ({ name, input_schema: parameters[name] }));
const first = { role: "user", content: question };
let messages = [first];

for (let round = 0; round < maxRounds; round++) {
  const stream = client.messages.stream({ model: "claude-sonnet-4-5", max_tokens: 1000, messages, tools });
  const { content } = await stream.finalMessage();
  const calls = content.filter(({ type }) => type === "tool_use");
  if (calls.length === 0) {
    console.log(content.map(({ text }) => text).join(""));
    break;
  }
  const answered = fault === "answers-first-call" ? calls.slice(0, 1) : calls;
  const results = answered.map(({ id, name }) => ({
    type: "tool_result",
    tool_use_id: id,
    content: run[name](),
  }));
  const kept = fault === "rebuilds-history" ? [first] : messages;
  messages = [...kept, { role: "assistant", content }, { role: "user", content: results }];
}
