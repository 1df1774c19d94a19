import type { ToolCall } from "../conversation/item.ts";
import { parseJson } from "../reading/parse.ts";
import { isFields } from "./wire.ts";

/** What a client has to say to a call. */
export interface Answer {
  readonly call: ToolCall;
  readonly text: string;
  readonly isError?: boolean | undefined;
}

/** Results as the elements of a history that follow the message with their calls, by protocol, as each provider's documents show them. */
export const answerWriters: Readonly<Record<string, (answers: readonly Answer[]) => readonly unknown[]>> = {
  "openai-chat": (answers) =>
    answers.map(({ call, text }) =>
      call.wireType === "function_call" && call.id === undefined
        ? { role: "function", name: call.name, content: text }
        : { role: "tool", tool_call_id: call.id, content: text },
    ),

  "openai-responses": (answers) =>
    answers.map(({ call, text }) => ({
      type: call.wireType.endsWith("_call") ? `${call.wireType}_output` : "function_call_output",
      call_id: call.id,
      output: text,
    })),

  // All results of a reply belong into one message, before any text.
  anthropic: (answers) => [
    {
      role: "user",
      content: answers.map(({ call, text, isError }) => ({
        type: "tool_result",
        tool_use_id: call.id,
        content: text,
        ...(isError && { is_error: true }),
      })),
    },
  ],

  "bedrock-converse": (answers) => [
    {
      role: "user",
      content: answers.map(({ call, text, isError }) => ({
        toolResult: { toolUseId: call.id, content: [{ text }], ...(isError && { status: "error" }) },
      })),
    },
  ],

  gemini: (answers) => [
    {
      role: "user",
      parts: answers.map(({ call, text, isError }) => ({
        functionResponse: {
          ...(call.id !== undefined && { id: call.id }),
          name: call.name,
          response: objectOf(text) ?? { [isError ? "error" : "output"]: text },
        },
      })),
    },
  ],

  ollama: (answers) =>
    answers.map(({ call, text }) => ({
      role: "tool",
      tool_name: call.name,
      ...(call.id !== undefined && { tool_call_id: call.id }),
      content: text,
    })),
};

/** A result that is a JSON object goes as one. */
function objectOf(text: string): object | undefined {
  const value = parseJson(text);
  return isFields(value) ? value : undefined;
}
