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

/** An error as Google's APIs send it. What fails while the body is read names the field once more. */
export function errorBody({ status, message, type, param }: ServedError) {
  const details = {
    "@type": "type.googleapis.com/google.rpc.BadRequest",
    fieldViolations: [{ ...(param !== "" && { field: param }), description: message }],
  };
  return {
    error: {
      code: status,
      message,
      status: type ?? statusNames[status] ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL"),
      ...(param !== undefined && { details: [details] }),
    },
  };
}
