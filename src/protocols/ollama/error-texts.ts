import { type ErrorText, means } from "../error-text.ts";

/** What Ollama says, on its own API and on those it imitates. */
export const errorTexts: readonly ErrorText[] = [
  { pattern: /block missing required 'id' field/i, ...means.badId },
  {
    pattern:
      /cannot unmarshal array into .{0,80}?\.content of type string|invalid message content type: \[\]/i,
    ...means.textOnly,
  },
  { pattern: /invalid tool call arguments/i, rule: "incomplete-arguments", about: "history" },
  {
    pattern: /cannot unmarshal (?:string|array) into .{0,120}?ToolCallFunctionArguments/i,
    ...means.misencoded,
  },
  {
    // @see https://github.com/ollama/ollama/issues/14492
    pattern:
      /tool call parsing failed|failed to parse JSON: (?:unexpected end of JSON input|invalid character)/i,
    ...means.modelFault,
    advice:
      "Ollama cannot read the call that the model wrote: leave it room for the whole call (`num_predict`, `num_ctx`), or try another version of the server or the model",
  },
  { pattern: /^model is required/i, ...means.badSettings },
];
