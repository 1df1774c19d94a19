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

/** How far from its beginning a line may say it: behind a quotation mark, a status or an error's name. */
const maxLead = 60;

/** Whether a line begins with the words in which a provider refuses a history, or tools and settings. */
export function refusesInWords(line: string): boolean {
  const isError = marks.test(line);
  return knownErrors.some(
    ({ about, pattern }) =>
      (about === "history" || (isError && about === "request")) &&
      (pattern.exec(line)?.index ?? Number.POSITIVE_INFINITY) <= maxLead,
  );
}

/** What stands beside a refusal: people also write of settings and tools without one. */
const marks = /\b(?:400|422|bad request)\b|error|exception|invalid|\bfail|\brefus|\breject|unable to submit/i;
