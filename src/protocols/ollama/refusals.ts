import { dotted, type Refusals, type RefusalText } from "../refusals.ts";
import { failures } from "./failures.ts";

/**
 * Ollama refuses only what its types do not take.
 * @see https://github.com/ollama/ollama/issues/12794
 */
const texts: readonly RefusalText[] = [
  {
    rule: "misencoded-arguments",
    text: "json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments",
  },
];

export const refusals: Refusals = {
  texts,
  failures,
  path: dotted,
  errorBody: ({ message }) => ({ error: message }),
  notJson: { text: "{reason}" },
};
