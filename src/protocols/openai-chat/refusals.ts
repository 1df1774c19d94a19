import { bracketed, type Refusals, type RefusalText } from "../refusals.ts";

/** @see https://platform.openai.com/docs/guides/error-codes */
const texts: readonly RefusalText[] = [
  {
    rule: "unanswered-tool-call",
    text: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
    param: "messages.[{nth}].role",
    values: ({ index = 0 }) => ({ nth: String(index + 1) }),
  },
  {
    rule: "orphaned-tool-result",
    text: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    param: "messages.[{index}].role",
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
