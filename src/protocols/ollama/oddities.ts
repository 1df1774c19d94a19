import { eachEvent, type Oddities, without } from "../oddity.ts";
import { type Fields, fields, list } from "../wire.ts";

type Edit = (value: Fields) => Fields;

const inCalls =
  (edit: Edit): Edit =>
  (chunk) => {
    const message = fields(chunk["message"]);
    if (!Array.isArray(message["tool_calls"])) return chunk;
    return {
      ...chunk,
      message: { ...message, tool_calls: message["tool_calls"].map((call) => edit(fields(call))) },
    };
  };

const inFunction = (edit: Edit): Edit =>
  inCalls((call) => ({ ...call, function: edit(fields(call["function"])) }));

const textArguments = inFunction((body) => ({ ...body, arguments: JSON.stringify(body["arguments"]) }));

const callsReason: Edit = (chunk) =>
  chunk["done"] === true ? { ...chunk, done_reason: "tool_calls" } : chunk;

/** What servers of this API do that breaks clients, although most of it can be put together. */
export const oddities: Oddities = {
  "calls-in-last-chunk": {
    summary: "sends the calls in the chunk that says `done: true`",
    seen: "Ollama with some models, https://github.com/QuantumNous/new-api/issues/7252; llama-swappo, https://github.com/kooshi/llama-swappo/pull/13",
    events: (events) => {
      const calls = events.flatMap(({ value }) => list(fields(fields(value)["message"])["tool_calls"]));
      return eachEvent((chunk) => {
        const message = fields(chunk["message"]);
        if (chunk["done"] === true) return { ...chunk, message: { ...message, tool_calls: calls } };
        return message["tool_calls"] === undefined ? chunk : undefined;
      })(events);
    },
  },
  "calls-reason": {
    summary: "sends the finish reason `tool_calls`, where Ollama says `stop`",
    seen: "llama-swappo, https://github.com/kooshi/llama-swappo/pull/13",
    events: eachEvent(callsReason),
    whole: callsReason,
  },
  "text-arguments": {
    summary: "sends arguments as text instead of an object",
    seen: "servers that put replies of OpenAI's API into Ollama's form",
    events: eachEvent(textArguments),
    whole: textArguments,
  },
  "no-id": {
    summary: "gives calls neither id nor index",
    seen: "Ollama until 2025",
    events: eachEvent((chunk) => inFunction(without("index"))(inCalls(without("id"))(chunk))),
    whole: (body) => inFunction(without("index"))(inCalls(without("id"))(body)),
  },
};
