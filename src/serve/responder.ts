import type { Finding } from "../findings/finding.ts";
import { refusalsOf } from "../protocols/profiles/refusals.ts";
import type { ProviderError } from "../protocols/refusals.ts";
import type { Address } from "./addresses.ts";
import type { HttpAnswer, ServedRequest } from "./http-server.ts";
import type { Outcomes } from "./outcomes.ts";

/** A request in a run. */
export interface NumberedRequest extends ServedRequest {
  /** The number of the request, from 1, in order of arrival. */
  readonly number: number;
}

/** Answers one request in its provider's form, and adds to the outcomes what did not go as planned. */
export class Responder {
  readonly requestId: string;
  private readonly request: NumberedRequest;
  private readonly address: Address;
  private readonly outcomes: Outcomes;

  constructor(request: NumberedRequest, address: Address, requestId: string, outcomes: Outcomes) {
    this.request = request;
    this.address = address;
    this.requestId = requestId;
    this.outcomes = outcomes;
  }

  json(status: number, value: unknown): HttpAnswer {
    return {
      status,
      headers: { "content-type": "application/json", ...this.address.server.headers(this.requestId) },
      body: `${JSON.stringify(value)}\n`,
    };
  }

  /** A provider's error. */
  failed(error: ProviderError): HttpAnswer {
    const { route } = this.address;
    const body = this.errorBody(error);
    return this.json(error.status, route.does === "turn" && route.listsErrors ? [body] : body);
  }

  /** A provider's error for a mistake in the request. */
  refuse(error: ProviderError, ground?: Finding): HttpAnswer {
    const { number, method, target } = this.request;
    this.outcomes.refused.push({
      request: number,
      method,
      target,
      profile: this.address.profile.name,
      error: { ...error, requestId: this.requestId },
      ...(ground && { rule: ground.rule, pointer: ground.locus.pointer }),
    });
    return this.failed(error);
  }

  /** The answer where a test is wrong: it planned no answer, or asks for a fault that does not exist. */
  noAnswer(status: number, why: string): HttpAnswer {
    const { number, method, target } = this.request;
    this.outcomes.misses.push({ request: number, method, target, why });
    const message = `toollint serve has no answer: ${why}`;
    return this.json(status, this.errorBody({ status, message, type: "toollint_no_answer" }));
  }

  private errorBody(error: ProviderError): unknown {
    const { profile, protocol } = this.address;
    return refusalsOf(profile, protocol.name)?.errorBody({ ...error, requestId: this.requestId });
  }
}
