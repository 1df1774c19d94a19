import { pointerTokens, valueAt } from "../../reading/pointer.ts";
import { dotted, type RefusalFacts, type Refusals, type RefusalText } from "../refusals.ts";
import { lookUp } from "../wire.ts";
import { failures } from "./failures.ts";
import { syntaxError } from "./syntax.ts";

/** The type of each field, as Go names it. @see https://github.com/ollama/ollama/blob/main/api/types.go */
const goTypes: Readonly<Record<string, string>> = {
  messages: "[]api.Message",
  "messages.images": "[]api.ImageData",
  "messages.tool_calls": "[]api.ToolCall",
  "messages.tool_calls.function": "api.ToolCallFunction",
  "messages.tool_calls.function.arguments": "api.ToolCallFunctionArguments",
  stream: "bool",
  options: "map[string]interface {}",
  tools: "api.Tools",
  "tools.function": "api.ToolFunction",
  "tools.function.parameters": "api.ToolFunctionParameters",
  "tools.function.parameters.properties": "map[string]api.ToolProperty",
};

/** The path without indexes: Go names the fields of its types only. */
function fieldOf({ pointer }: RefusalFacts): string {
  return pointerTokens(pointer)
    .filter((token) => !/^\d+$/.test(token))
    .join(".");
}

function goKind({ pointer, body }: RefusalFacts): string {
  const value = valueAt(body, pointer);
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/**
 * Ollama refuses only what the types of its program do not take. Whether calls and results belong together
 * it does not look at.
 * @see https://github.com/ollama/ollama/issues/12794
 * @see https://github.com/ollama/ollama/issues/10328
 */
const texts: readonly RefusalText[] = [
  { rule: "invalid-request", kinds: ["type"] },
  { rule: "misencoded-arguments", kinds: ["type"] },
  { rule: "malformed-tool-result", kinds: ["content"] },
].map((each) => ({
  ...each,
  stage: "shape",
  text: "json: cannot unmarshal {seen} into Go struct field ChatRequest.{field} of type {type}",
  values: (facts) => ({
    seen: goKind(facts),
    field: fieldOf(facts),
    type: lookUp(goTypes, fieldOf(facts)) ?? "string",
  }),
}));

export const refusals: Refusals = {
  texts,
  failures,
  path: dotted,
  errorBody: ({ message }) => ({ error: message }),
  notJson: { text: "{reason}", reason: syntaxError },
};
