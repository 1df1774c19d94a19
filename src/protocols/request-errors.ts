import { protocols } from "./index.ts";
import type { RequestErrors } from "./protocol.ts";

const all = protocols.flatMap(({ requestErrors }): RequestErrors[] => (requestErrors ? [requestErrors] : []));

/** The types of errors that blame the request, of all providers: gateways pass on the errors of others. */
export const requestErrorTypes: ReadonlySet<string> = new Set(all.flatMap(({ types }) => types));

/** The HTTP status of a refusal that a client library prints; `undefined` if the line is no such print. */
export function printedStatus(line: string): number | undefined {
  return all.find(({ printed }) => printed?.pattern.test(line))?.printed?.status;
}
