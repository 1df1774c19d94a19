import type { Failures } from "../failures.ts";

/**
 * Clients read `retry-after-ms` first.
 * @see https://platform.openai.com/docs/guides/error-codes
 * @see https://github.com/openai/codex/issues/88 for the text of 429
 */
export const failures: Failures = {
  texts: [
    {
      status: 401,
      text: "Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.",
      type: "invalid_request_error",
      code: "invalid_api_key",
    },
    {
      status: 429,
      text: "Rate limit reached for {model} in organization org-toollint on tokens per min (TPM): Limit 30000, Used 29500, Requested 1500. Please try again in {seconds}s. Visit https://platform.openai.com/account/rate-limits to learn more.",
      type: "tokens",
      code: "rate_limit_exceeded",
    },
    {
      status: 500,
      text: "The server had an error while processing your request. Sorry about that!",
      type: "server_error",
    },
    { status: 503, text: "The server is overloaded or not ready yet.", type: "server_error" },
  ],
  inStream: 500,
  headers: ({ retryAfterMs }): Record<string, string> =>
    retryAfterMs === undefined ? {} : { "retry-after-ms": String(retryAfterMs) },
};
