import OpenAI from "openai";
import { fault, maxRounds, names, parameters, question, run } from "./tools.mjs";

// An agent on the Responses API.
// rebuilds-history: every request is the first prompt and the newest round.
// forgets-type: results go back without their type.
const client = new OpenAI({ apiKey: "test", maxRetries: 0 });
const tools = names.map((name) => ({
  type: "function",
  name,
  parameters: parameters[name],
  strict: false,
}));
const first = { role: "user", content: question };
let input = [first];

for (let round = 0; round < maxRounds; round++) {
  const response = await client.responses.create({ model: "gpt-5", input, tools, store: false });
  const calls = response.output.filter(({ type }) => type === "function_call");
  if (calls.length === 0) {
    console.log(response.output_text);
    break;
  }
  const outputs = calls.map(({ call_id, name }) => ({
    ...(fault !== "forgets-type" && { type: "function_call_output" }),
    call_id,
    output: run[name](),
  }));
  const kept = fault === "rebuilds-history" ? [first] : input;
  input = [...kept, ...response.output, ...outputs];
}
