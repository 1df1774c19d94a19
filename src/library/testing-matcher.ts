import { quotable } from "../reporters/visible.ts";
import type { MatcherResult } from "./matcher.ts";

/** A request that was refused. */
export interface TestRefusal {
  /** The number of the request, from 1, in order of arrival. */
  readonly request: number;
  readonly profile: string;
  readonly status: number;
  /** What the provider says. */
  readonly message: string;
  /** The rule that names the defect; absent for a body that is not a request at all. */
  readonly rule?: string;
  /** RFC 6901 pointer from the body to the offending element. */
  readonly pointer?: string;
}

/** A request that nothing was planned for. */
export interface TestMiss {
  readonly request: number;
  /** What differs from what was planned. */
  readonly why: string;
}

export interface TestServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The variables that lead the usual clients here, with keys, for programs that a test starts. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * The base URL for a provider's client: `openai`, `anthropic`, `gemini`, `ollama`, `mistral` ….
   * @throws `RangeError` for a provider without known clients.
   */
  baseUrl(provider: string): string;
  /** The number of requests so far. */
  readonly requests: number;
  readonly refusals: readonly TestRefusal[];
  readonly misses: readonly TestMiss[];
  /** What the provider takes without a word although something is wrong; a sentence each. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A matcher for `expect.extend`: a server from {@link serve} refused no history and had an answer for every
 * request, also where the client swallowed the error. A server that nobody asked does not pass.
 * @throws `TypeError` for anything else.
 * @example
 * expect.extend({ toHaveAcceptedEveryHistory });
 * expect(server).toHaveAcceptedEveryHistory();
 */
export function toHaveAcceptedEveryHistory(received: unknown): MatcherResult {
  if (!isTestServer(received))
    throw new TypeError(`toHaveAcceptedEveryHistory() takes the result of serve(), not ${String(received)}`);
  const { requests, refusals, misses } = received;
  const faults = [
    ...refusals.map(refusalLines),
    ...misses.map(({ request, why }) => `request ${request} has no answer: ${quotable(why)}`),
    ...(requests === 0 ? ["no request arrived: the client does not use this server"] : []),
  ];
  return {
    pass: faults.length === 0,
    message: () =>
      faults.length === 0
        ? `expected a history to be rejected, but all ${requests} requests were answered`
        : `expected the server to accept every history\n\n${faults.join("\n")}`,
  };
}

function refusalLines({ request, profile, status, message, rule, pointer = "" }: TestRefusal): string {
  const refusal = `request ${request}: ${profile} rejects it (${status}): ${quotable(message)}`;
  if (rule === undefined) return refusal;
  return `${refusal}\n  ${rule} at ${quotable(pointer)} · toollint explain ${rule}`;
}

function isTestServer(value: unknown): value is TestServer {
  return typeof value === "object" && value !== null && "refusals" in value && "misses" in value;
}
