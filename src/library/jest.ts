/**
 * A matcher for Jest with ES modules, and its type.
 *
 * @example
 * import { toHaveHealthyConversations } from "toollint/jest";
 *
 * expect.extend({ toHaveHealthyConversations });
 *
 * @packageDocumentation
 */
import type { HealthOptions } from "./matcher.ts";

export { type HealthOptions, toHaveHealthyConversations } from "./matcher.ts";
export { toHaveAcceptedEveryHistory } from "./testing-matcher.ts";

declare global {
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: all declarations of an interface have the same parameters
    interface Matchers<R, T = {}> {
      /** Asserts that this log has no finding at or above `failOn` (default `error`). Await it. */
      toHaveHealthyConversations(options?: HealthOptions): Promise<R>;
      /** Asserts that a server from `toollint/testing` refused no history and answered every request. */
      toHaveAcceptedEveryHistory(): R;
    }
  }
}
