import { dotted, type Refusals, type RefusalText } from "../refusals.ts";
import { errorType } from "./served-errors.ts";

/** @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls */
const texts: readonly RefusalText[] = [
  {
    rule: "unanswered-tool-call",
    text: "messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  },
  {
    rule: "orphaned-tool-result",
    text: "{path}: unexpected `tool_use_id` found in `tool_result` blocks: {ids}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
  },
];

export const refusals: Refusals = {
  texts,
  path: dotted,
  errorBody: ({ status, message, type = errorType(status), requestId }) => ({
    type: "error",
    error: { type, message },
    request_id: requestId,
  }),
  notJson: { text: "The request body is not valid JSON: {reason}" },
};
