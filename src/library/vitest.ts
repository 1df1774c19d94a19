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

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: all declarations of an interface have the same parameters
  interface Matchers<T = any> {
    /** Nothing at or above `failOn` (`error` when left out) is found in this log. To be awaited. */
    toHaveHealthyConversations(options?: HealthOptions): Promise<void>;
  }
}
