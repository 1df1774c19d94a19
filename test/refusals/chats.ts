/** The parts of the chat requests in these tables: a question about the weather, a call, its result. */

export const question = { role: "user", content: "Is it raining in Oslo?" };
export const system = { role: "system", content: "You answer questions about the weather." };
export const weatherCall = {
  id: "call_oslo",
  type: "function",
  function: { name: "get_weather", arguments: '{"city":"Oslo"}' },
};
export const calling = { role: "assistant", content: null, tool_calls: [weatherCall] };
export const result = { role: "tool", tool_call_id: "call_oslo", content: "rain, 7 degrees" };
export const answer = { role: "assistant", content: "Yes, it is." };
const parameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
};
export const weather = {
  type: "function",
  function: { name: "get_weather", description: "The weather in a city", parameters },
};

/** A chat request after one round; `more` replaces or adds members. */
export function chat(model: string, more: object = {}): object {
  return { model, messages: [question, calling, result], tools: [weather], ...more };
}

/** The same with other messages. */
export function history(model: string, messages: readonly object[], more: object = {}): object {
  return { model, messages, tools: [weather], ...more };
}
