import type { FindingReport } from "../findings/report.ts";
import { placeInRun } from "./numbers.ts";
import type { Root } from "./roots.ts";

/**
 * The provider's own words about a finding, unescaped, where nothing else shows them whole: messages have
 * room for a beginning, and a refusal that follows from another finding is folded. `undefined` for none.
 */
export function providerAnswer({ finding, consequences }: Root): string | undefined {
  const own = errorOf(finding);
  if (own !== undefined) return finding.message.includes(own) ? undefined : `the provider answers: ${own}`;
  const refused = consequences.find((each) => errorOf(each) !== undefined);
  if (!refused) return undefined;
  const where = placeInRun(refused.location);
  return `the provider answers${where === undefined ? "" : ` (${where})`}: ${errorOf(refused)}`;
}

/** A message that has this many characters of an answer quotes it. */
const tellingLength = 40;

/** The message of a finding without the beginning of the answer that is shown whole below it. */
export function messageAboveAnswer({ finding }: Root): string {
  const { message } = finding;
  const own = errorOf(finding);
  if (own === undefined || message.includes(own)) return message;
  const at = message.lastIndexOf(`: ${own.slice(0, tellingLength)}`);
  return at > 0 ? message.slice(0, at) : message;
}

/** The error text that a finding is about. */
function errorOf({ data }: FindingReport): string | undefined {
  const { error } = data;
  if (typeof error !== "string") return undefined;
  const line = error.replace(/\s+/g, " ").trim();
  return line === "" ? undefined : line;
}
