import type { Failures } from "../failures.ts";

/**
 * The types follow the status.
 * @see https://platform.claude.com/docs/en/api/errors
 * @see https://github.com/anthropics/claude-code/issues/71670 for the text of 429
 */
export const failures: Failures = {
  texts: [
    { status: 401, text: "invalid x-api-key" },
    {
      status: 429,
      text: "This request would exceed your account's rate limit. Please try again later.",
    },
    { status: 500, text: "Internal server error" },
    { status: 529, text: "Overloaded" },
  ],
  inStream: 529,
  headers: ({ status }): Record<string, string> => ({
    "x-should-retry": String(status === 429 || status >= 500),
  }),
};
