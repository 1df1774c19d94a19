/** @see https://platform.claude.com/docs/en/api/errors */
const types = new Map([
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [500, "api_error"],
  [504, "timeout_error"],
  [529, "overloaded_error"],
]);

/** The `error.type` that goes with a status. */
export function errorType(status: number): string {
  return types.get(status) ?? (status >= 500 ? "api_error" : "invalid_request_error");
}
