import { GoogleGenAI } from "@google/genai";
import { fault, maxRounds, names, parameters, question, run } from "./tools.mjs";

// An agent on the Gemini API.
// rebuilds-history: every request is the first prompt and the newest round.
const client = new GoogleGenAI({ apiKey: "test" });
const functionDeclarations = names.map((name) => ({ name, parametersJsonSchema: parameters[name] }));
const first = { role: "user", parts: [{ text: question }] };
let contents = [first];

for (let round = 0; round < maxRounds; round++) {
  const reply = await client.models.generateContent({
    model: "gemini-2.5-pro",
    contents,
    config: { tools: [{ functionDeclarations }] },
  });
  const calls = reply.functionCalls ?? [];
  if (calls.length === 0) {
    console.log(reply.text);
    break;
  }
  const parts = calls.map(({ name }) => ({ functionResponse: { name, response: JSON.parse(run[name]()) } }));
  const kept = fault === "rebuilds-history" ? [first] : contents;
  contents = [...kept, reply.candidates[0].content, { role: "user", parts }];
}
