import type { Failures } from "../failures.ts";

/**
 * @see https://github.com/continuedev/continue/issues/9233 for the text of 429
 * @see https://github.com/valentinfrlch/ha-llmvision/issues/648 for the text of 503
 */
export const failures: Failures = {
  texts: [
    { status: 429, text: "you've reached your hourly usage limit, please wait or upgrade to continue" },
    { status: 500, text: "an error was encountered while running the model: unexpected EOF" },
    { status: 503, text: "server busy, please try again.  maximum pending requests exceeded" },
  ],
  inStream: 500,
};
