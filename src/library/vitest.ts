/**
 * A matcher for vitest, and its type.
 *
 * @example
 * import { toHaveHealthyConversations } from "toollint/vitest";
 * import { expect } from "vitest";
 *
 * expect.extend({ toHaveHealthyConversations });
 *
 * @packageDocumentation
 */
import type { HealthOptions } from "./matcher.ts";

export { type HealthOptions, toHaveHealthyConversations } from "./matcher.ts";
export { toHaveAcceptedEveryHistory } from "./testing-matcher.ts";

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: all declarations of an interface have the same parameters
  interface Matchers<T = any> {
    /** Asserts that this log has no finding at or above `failOn` (default `error`). Await it. */
    toHaveHealthyConversations(options?: HealthOptions): Promise<void>;
    /** Asserts that a server from `toollint/testing` refused no history and answered every request. */
    toHaveAcceptedEveryHistory(): void;
  }
}
