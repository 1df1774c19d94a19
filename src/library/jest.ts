/**
 * Matchers for Jest, and their types for the global `expect` and for that of `@jest/globals`.
 *
 * @example
 * const { toHaveHealthyConversations } = require("toollint/jest");
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

// biome-ignore lint/suspicious/noTsIgnore: where the module is there, nothing is wrong
/** @ts-ignore: whoever has the global types only need not have this module */
declare module "expect" {
  interface Matchers<R extends void | Promise<void>, T = unknown> {
    /** Asserts that this log has no finding at or above `failOn` (default `error`). Await it. */
    toHaveHealthyConversations(options?: HealthOptions): Promise<void>;
    /** Asserts that a server from `toollint/testing` refused no history and answered every request. */
    toHaveAcceptedEveryHistory(): R;
  }
}
