import { bracketed, type Refusals, type RefusalText } from "../refusals.ts";
import { errorBody } from "./served-errors.ts";

const counts =
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";

/** @see https://github.com/google-gemini/gemini-cli/issues/17208 */
const texts: readonly RefusalText[] = [
  { rule: "unanswered-tool-call", text: counts },
  {
    rule: "orphaned-tool-result",
    text: "Please ensure that function response turn comes immediately after a function call turn.",
  },
];

export const refusals: Refusals = {
  texts,
  path: bracketed,
  errorBody,
  notJson: { text: "Invalid JSON payload received. Unexpected token.\n{reason}" },
};
