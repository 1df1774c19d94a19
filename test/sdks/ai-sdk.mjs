import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { maxRounds, names, parameters, question, run } from "./tools.mjs";

// An agent of the Vercel AI SDK, which keeps the history itself.
const openai = createOpenAI({ apiKey: "test", baseURL: process.env.OPENAI_BASE_URL });
const tools = Object.fromEntries(
  names.map((name) => [
    name,
    tool({ description: name, inputSchema: jsonSchema(parameters[name]), execute: async () => run[name]() }),
  ]),
);
const { text } = await generateText({
  model: openai.chat("gpt-4o"),
  prompt: question,
  tools,
  maxRetries: 0,
  stopWhen: stepCountIs(maxRounds),
});
console.log(text);
