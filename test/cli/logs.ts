// A small story: an assistant looks up the weather in Paris.

const tools = [
  { type: "function", function: { name: "list_cities", parameters: { type: "object", properties: {} } } },
  {
    type: "function",
    function: {
      name: "get_weather",
      parameters: { type: "object", properties: { city: { type: "string" } } },
    },
  },
];
const question = { role: "user", content: "How warm is it in Paris?" };
const call = {
  role: "assistant",
  content: null,
  tool_calls: [
    { id: "call_paris", type: "function", function: { name: "get_weather", arguments: '{"city":"Paris"}' } },
  ],
};
const result = { role: "tool", tool_call_id: "call_paris", content: '{"celsius":18}' };
const answer = { role: "assistant", content: "It is 18 degrees in Paris." };

function reply(message: object, reason: string, time: number): object {
  return {
    id: `chatcmpl-${time}`,
    object: "chat.completion",
    created: time,
    model: "gpt-4.1",
    choices: [{ index: 0, message, finish_reason: reason }],
    usage: { prompt_tokens: 50, completion_tokens: 10, total_tokens: 60 },
  };
}

function lines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

function exchange(messages: readonly object[], response: object): object {
  return { request: { model: "gpt-4.1", messages, tools }, response };
}

const wantsTool = reply(call, "tool_calls", 1767600000);
const answers = reply(answer, "stop", 1767600001);

/** Both rounds as they should be. */
export const healthyLog = lines([
  exchange([question], wantsTool),
  exchange([question, call, result], answers),
]);

/** The client sends the result without the message that made the call: an error. */
export const brokenLog = lines([exchange([question], wantsTool), exchange([question, result], answers)]);

/** The log ends on a call: a warning, or an error for a finished run. */
export const openLog = lines([exchange([question], wantsTool)]);

/** The same call five times, always with the same result. */
export function loopLog(rounds: number): string {
  const history: object[] = [question];
  const records: object[] = [];
  for (let round = 1; round <= rounds; round++) {
    const again = { ...call, tool_calls: [{ ...call.tool_calls[0], id: `call_${round}` }] };
    records.push(exchange([...history], reply(again, "tool_calls", 1767600000 + round)));
    history.push(again, { ...result, tool_call_id: `call_${round}` });
  }
  records.push(exchange([...history], answers));
  return lines(records);
}
