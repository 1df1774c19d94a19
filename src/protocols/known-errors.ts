import type { ErrorText } from "./error-text.ts";
import { protocols } from "./index.ts";
import { profiles } from "./profiles/index.ts";
import { supported } from "./protocol.ts";

/**
 * The error texts that single providers, servers and frameworks send; the first that matches wins. Every log
 * is compared with all of them, because gateways pass on the errors of others.
 */
export const knownErrors: readonly ErrorText[] = [
  ...protocols.flatMap(({ errorTexts }) => supported(errorTexts) ?? []),
  ...profiles.flatMap(({ errorTexts = [] }) => errorTexts),
];
