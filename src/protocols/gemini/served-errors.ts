import type { ServedError } from "../refusals.ts";

/** @see https://ai.google.dev/gemini-api/docs/troubleshooting */
const statusNames: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/**
 * An error as Google's APIs send it. What fails while the body is read names the field once more;
 * an overload says when to try again.
 */
export function errorBody({ status, message, type, param, retryAfterMs }: ServedError) {
  const violation = {
    "@type": "type.googleapis.com/google.rpc.BadRequest",
    fieldViolations: [{ ...(param !== "" && { field: param }), description: message }],
  };
  // @see https://cloud.google.com/apis/design/errors#error_details
  const wait = {
    "@type": "type.googleapis.com/google.rpc.RetryInfo",
    retryDelay: `${(retryAfterMs ?? 0) / 1000}s`,
  };
  const details = [
    ...(param !== undefined ? [violation] : []),
    ...(retryAfterMs !== undefined ? [wait] : []),
  ];
  return {
    error: {
      code: status,
      message,
      status: type ?? statusNames[status] ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL"),
      ...(details.length > 0 && { details }),
    },
  };
}
