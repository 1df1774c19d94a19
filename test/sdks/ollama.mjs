import { Ollama } from "ollama";
import { fault, maxRounds, names, parameters, question, run } from "./tools.mjs";

// An agent on Ollama's own API.
// forgets-calls: the results go back without the assistant's message.
const client = new Ollama({ host: process.env.OLLAMA_HOST });
const tools = names.map((name) => ({
  type: "function",
  function: { name, description: name, parameters: parameters[name] },
}));
const messages = [{ role: "user", content: question }];

for (let round = 0; round < maxRounds; round++) {
  const { message } = await client.chat({ model: "qwen3", messages, tools });
  const calls = message.tool_calls ?? [];
  if (calls.length === 0) {
    console.log(message.content);
    break;
  }
  if (fault !== "forgets-calls") messages.push(message);
  for (const { function: called } of calls)
    messages.push({ role: "tool", tool_name: called.name, content: run[called.name]() });
}
