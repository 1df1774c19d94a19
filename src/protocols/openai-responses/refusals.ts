import { bracketed, type Refusals, type RefusalText } from "../refusals.ts";

const texts: readonly RefusalText[] = [
  {
    rule: "unanswered-tool-call",
    // @see https://github.com/RooCodeInc/Roo-Code/issues/12248
    text: "No tool output found for function call {first}.",
    values: ({ ids: [first = ""] }) => ({ first }),
    param: "input",
  },
  {
    rule: "orphaned-tool-result",
    // @see https://github.com/continuedev/continue/issues/10092
    text: "No tool call found for function call output with call_id {first}.",
    values: ({ ids: [first = ""] }) => ({ first }),
    param: "input",
  },
];

export const refusals: Refusals = {
  texts,
  path: bracketed,
  errorBody: ({ message, type = "invalid_request_error", param, code }) => ({
    error: { message, type, param: param ?? null, code: code ?? null },
  }),
  notJson: {
    text: "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, please contact us through our help center at help.openai.com.)",
  },
};
