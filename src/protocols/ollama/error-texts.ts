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
    // Of arguments that are a JSON string: the renderer expects an object.
    // @see https://github.com/openclaw/openclaw/pull/50749
    // @see https://github.com/promptfoo/promptfoo/pull/10980
    pattern: /value looks like object, but can't find closing/i,
    ...means.misencoded,
    advice:
      "Ollama's own API has a call's `arguments` as an object: parse the JSON text before the call goes into the history",
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
