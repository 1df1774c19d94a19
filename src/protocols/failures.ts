import { STATUS_CODES } from "node:http";

/** How a provider words a failure that is not the request's fault. */
export interface FailureText {
  readonly status: number;
  /** In braces: `{model}`, and `{seconds}` until the client may try again. */
  readonly text: string;
  readonly type?: string;
  readonly code?: string;
}

/** A failure as a provider's server reports it. */
export interface ServedFailure {
  readonly status: number;
  readonly message: string;
  readonly type: string | undefined;
  readonly code: string | undefined;
  /** How long the client has to wait before it tries again. */
  readonly retryAfterMs?: number;
}

/** How a provider's server fails. */
export interface Failures {
  readonly texts: readonly FailureText[];
  /** The status of the failure that an error event in a stream names. */
  readonly inStream: number;
  /** Headers of a failure beside `retry-after`. */
  headers?(failure: ServedFailure): Readonly<Record<string, string>>;
}

/** A failure to be sent. */
export interface FailureFacts {
  readonly status: number;
  readonly model: string;
  /** How long the client has to wait, in milliseconds; absent: the server does not say. */
  readonly retryAfterMs?: number;
}

/** How the server of somebody else fails who speaks a provider's protocol: in the words of HTTP. */
export function plainFailures(failures: Failures | undefined): Failures | undefined {
  const types = failures?.texts.flatMap(({ status, type }) =>
    status >= 500 && type !== undefined ? [{ status, type, text: STATUS_CODES[status] ?? "" }] : [],
  );
  return failures && { texts: types ?? [], inStream: failures.inStream };
}

/** The error of a failing server. A status that the provider has no words for has those of HTTP. */
export function failureOf(
  failures: Failures | undefined,
  { status, model, retryAfterMs }: FailureFacts,
): ServedFailure {
  const texts = failures?.texts ?? [];
  const like = status >= 500 ? texts.find((text) => text.status === 500) : undefined;
  const { text, type, code } = texts.find((own) => own.status === status) ?? {
    ...like,
    text: STATUS_CODES[status] ?? `Status ${status}`,
  };
  const seconds = String((retryAfterMs ?? 1000) / 1000);
  return {
    status,
    message: text.replaceAll("{model}", model).replaceAll("{seconds}", seconds),
    type,
    code,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** The headers of a failure. */
export function failureHeaders(
  failures: Failures | undefined,
  failure: ServedFailure,
): Readonly<Record<string, string>> {
  const { retryAfterMs } = failure;
  return {
    ...(retryAfterMs !== undefined && { "retry-after": String(Math.ceil(retryAfterMs / 1000)) }),
    ...failures?.headers?.(failure),
  };
}
