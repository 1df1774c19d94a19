import type { ServedError } from "../protocols/refusals.ts";

/** A request that was refused, or would have been. */
export interface RefusedRequest {
  /** The number of the request, from 1, in order of arrival. */
  readonly request: number;
  readonly method: string;
  readonly target: string;
  readonly profile: string;
  readonly error: ServedError;
  /** The rule that names the defect; absent for a body that is not a request at all. */
  readonly rule?: string;
  /** RFC 6901 pointer from the body. */
  readonly pointer?: string;
}

/** A request that nothing was planned for. */
export interface Miss {
  readonly request: number;
  readonly method: string;
  readonly target: string;
  readonly why: string;
}

/** A request that asks no model and is at no address of an API: a health check, telemetry. */
export interface OtherRequest {
  readonly request: number;
  readonly method: string;
  readonly path: string;
}

/** What the provider takes, although it misleads the model. */
export interface ServedWarning {
  readonly request: number;
  readonly rule: string;
  /** One sentence, not yet escaped. */
  readonly message: string;
}

/**
 * What came of the requests of a run so far, in order of arrival. None of it holds a whole request, since a
 * server may run for days.
 */
export interface Outcomes {
  readonly refused: RefusedRequest[];
  readonly misses: Miss[];
  readonly otherRequests: OtherRequest[];
  readonly warnings: ServedWarning[];
  /** What else the user should know; sentences. */
  readonly notes: string[];
}
