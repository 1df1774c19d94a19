import type { Answers, ClientIdiom, HistoryWriter, Writing } from "../protocol.ts";
import { asText } from "../wire.ts";

/** @see https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html */
export const idiom: ClientIdiom = {
  append: 'messages.push(reply.output.message, { role: "user", content: results })',
  result: "{ toolResult: { toolUseId: call.toolUseId, content: [{ text }] } }",
};

function toolResult(id: string | undefined, text: string, isError: boolean | undefined) {
  return { toolResult: { toolUseId: id, content: [{ text }], ...(isError && { status: "error" }) } };
}

/** All results of a reply go into one message. */
export const answers: Answers = (results) => [
  { role: "user", content: results.map(({ call, text, isError }) => toolResult(call.id, text, isError)) },
];

export const writes: HistoryWriter = {
  result: ({ id }, text) => partOfUser(toolResult(id, text, true)),
  text: (text) => partOfUser({ text }),
  // A block of JSON has to hold an object.
  content: (value, pointer) =>
    pointer.endsWith("/json") ? { output: value ?? "" } : [{ text: asText(value) }],
};

function partOfUser(value: object): Writing {
  return { element: { role: "user", content: [value] }, part: { list: "/content", value } };
}
