import { answered, blockText, type Part } from "../portable-request.ts";
import type { Answers, ClientIdiom, Encode, HistoryWriter } from "../protocol.ts";
import { asText, defined } from "../wire.ts";

/**
 * Calls have no ids; the name says which call is answered.
 * @see https://docs.ollama.com/capabilities/tool-calling
 */
export const idiom: ClientIdiom = {
  append: "messages.push(reply.message, ...results)",
  result: '{ role: "tool", tool_name: call.function.name, content }',
};

function toolMessage(name: string, content: string, id?: string) {
  return { role: "tool", content, tool_name: name, ...(id !== undefined && { tool_call_id: id }) };
}

export const answers: Answers = (results) =>
  results.map(({ call, text }) => toolMessage(call.name, text, call.id));

export const writes: HistoryWriter = {
  result: ({ id, name }, text) => ({ element: toolMessage(name, text, id) }),
  text: (content) => ({ element: { role: "user", content } }),
  content: asText,
};

export const encode: Encode = (plain, model, isStreaming) => {
  let linked = 0;
  const images = (parts: readonly Part[]) =>
    parts.flatMap((part) => {
      if ("text" in part) return [];
      if (part.image.data !== undefined) return [part.image.data];
      linked++;
      return [];
    });
  const messages = plain.blocks.flatMap((block): unknown[] => {
    const shown = images(block.parts);
    const said = { content: blockText(block), ...(shown.length > 0 && { images: shown }) };
    if (block.role === "user") return [{ role: "user", ...said }];
    const calls = block.rounds.map(({ name, arguments: args }) => ({ function: { name, arguments: args } }));
    return [
      { role: "assistant", ...said, ...(calls.length > 0 && { tool_calls: calls }) },
      ...answered(block).map(({ name, result }) => toolMessage(name, result.text)),
    ];
  });
  const options = defined({ num_predict: plain.maxTokens, temperature: plain.temperature });
  const body = {
    model,
    messages:
      plain.system === undefined ? messages : [{ role: "system", content: plain.system }, ...messages],
    tools: plain.tools?.map((tool) => ({ type: "function", function: { ...tool } })),
    options: Object.keys(options).length > 0 ? options : undefined,
    stream: isStreaming,
  };
  const isForced = plain.toolChoice?.mode === "required" || plain.toolChoice?.mode === "tool";
  const lost = [
    ...(linked > 0 ? ["images that are only linked: Ollama wants their bytes"] : []),
    ...(isForced ? ["the forced choice of a tool: Ollama has none"] : []),
  ];
  return { body: defined(body), lost };
};
