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
  { pattern: /^model is required/i, ...means.badSettings },
];
