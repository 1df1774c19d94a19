import type { Failures } from "../failures.ts";

/**
 * The status names follow the status.
 * @see https://ai.google.dev/gemini-api/docs/troubleshooting
 * @see https://github.com/google-gemini/gemini-cli/issues/1906 for the text of 429
 * @see https://github.com/google-gemini/gemini-cli/issues/3665 for the text of 500
 * @see https://github.com/anig1scur/tocify/issues/22 for the text of 503
 */
export const failures: Failures = {
  texts: [
    { status: 429, text: "Resource has been exhausted (e.g. check quota)." },
    {
      status: 500,
      text: "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
    },
    { status: 503, text: "The model is overloaded. Please try again later." },
    { status: 504, text: "Deadline expired before operation could complete." },
  ],
  inStream: 503,
};
