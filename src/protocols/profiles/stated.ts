import type { Demands } from "../../conversation/exchange.ts";
import { templateErrors } from "./refusals/templates.ts";
import { xaiErrors } from "./refusals/xai.ts";
import { zaiErrors } from "./refusals/zai.ts";

/** A sentence of a server that says what it demands, whoever it is. */
interface Statement {
  readonly pattern: RegExp;
  readonly demands?: Partial<Demands>;
}

/**
 * What servers demand, by their own words when they refuse a request: a chat template says how it wants the
 * turns, even on a host and for a model of which nothing is known.
 */
const sentences: readonly Statement[] = [
  ...[templateErrors, xaiErrors, zaiErrors].flat().filter(({ demands }) => demands !== undefined),
  { pattern: /system role not supported/i, demands: { refusesSystem: true } },
  { pattern: /conversation must start with a user message/i, demands: { firstRoles: ["user"] } },
  {
    pattern: /(?:\.id|_id)'?: string too long\. expected a string with maximum length 40\b/i,
    demands: { maxIdLength: 40 },
  },
  {
    // @see https://github.com/openclaw/openclaw/issues/19386
    pattern: /invalid params, invalid chat setting|invalid message role: system/i,
    demands: { systemFirst: true },
  },
  {
    // Gemini counts a content of words between a call and its response as a turn, and each of two contents
    // with one response each.
    // @see https://github.com/BerriAI/litellm/issues/26755
    // @see https://github.com/patterns-ai-core/langchainrb/issues/993
    pattern:
      /function response turn comes immediately after a function call turn|number of function response parts (?:is|should be) equal/i,
    demands: { mergesRoles: false },
  },
];

/** Refusals are short; long texts quote the request. */
const maxWords = 4000;

/** The demands that a refusal puts into words. */
export function statedDemands(refusal: string | undefined): readonly Partial<Demands>[] {
  if (refusal === undefined) return [];
  const words = refusal.slice(0, maxWords);
  return sentences.flatMap(({ pattern, demands }) => (demands && pattern.test(words) ? [demands] : []));
}
