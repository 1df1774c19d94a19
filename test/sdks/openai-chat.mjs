import OpenAI from "openai";
import { fault, maxRounds, names, parameters, question, run } from "./tools.mjs";

// A streaming agent on the chat API.
// keeps-last-fragment: each piece of a call's arguments overwrites the one before.
// forgets-calls: the results go back without the assistant's message.
const client = new OpenAI({ apiKey: "test", maxRetries: 0 });
const tools = names.map((name) => ({ type: "function", function: { name, parameters: parameters[name] } }));
const messages = [{ role: "user", content: question }];

for (let round = 0; round < maxRounds; round++) {
  const stream = await client.chat.completions.create({ model: "gpt-4o", messages, tools, stream: true });
  let content = "";
  const calls = [];
  for await (const { choices } of stream) {
    const delta = choices[0]?.delta ?? {};
    content += delta.content ?? "";
    for (const { index, id, function: piece } of delta.tool_calls ?? []) {
      calls[index] ??= { id, type: "function", function: { name: piece.name, arguments: "" } };
      const kept = fault === "keeps-last-fragment" ? "" : calls[index].function.arguments;
      calls[index].function.arguments = kept + (piece.arguments ?? "");
    }
  }
  if (calls.length === 0) {
    console.log(content);
    break;
  }
  if (fault !== "forgets-calls")
    messages.push({ role: "assistant", content: content || null, tool_calls: calls });
  for (const { id, function: called } of calls)
    messages.push({ role: "tool", tool_call_id: id, content: run[called.name]() });
}
