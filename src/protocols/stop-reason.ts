import type { Extent } from "../conversation/item.ts";
import type { Finish, FinishMeaning } from "../conversation/reply.ts";
import { defined } from "./wire.ts";

/** Why a reply ended. A word without a `meaning` is one that the provider may have added since. */
export function stopReason(
  reason: string,
  meaning: FinishMeaning | undefined,
  pointer: string,
  extent: Extent | undefined,
): Finish {
  const isUnknown = meaning === undefined ? true : undefined;
  return defined({ reason, meaning: meaning ?? ("other" as const), isUnknown, pointer, extent });
}
