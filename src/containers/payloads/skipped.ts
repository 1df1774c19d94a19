import type { JsonNode } from "../../reading/json-node.ts";
import type { Origin } from "../../reading/origin.ts";
import type { Skipped } from "../../traffic/container.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import { scalars } from "./plain-members.ts";
import { type Context, contextWithin, noContext } from "./record-context.ts";
import type { Slice } from "./slice.ts";

/** A record without a payload; `context` is its request's. */
export function skippedRecord(origin: Origin, context: Context, recognizer: Recognizer): Skipped {
  const { method = "request to", url } = context;
  const isProbe = recognizer.isProbe(context.method, url);
  const is = recognizer.asksModel(context.method, url) ? "was not understood" : "is not model traffic";
  const reason = url === undefined ? "no model traffic in this record" : `${method} ${url} ${is}`;
  return { origin, reason, ...(isProbe && { isProbe }) };
}

/** Collections keep with a reply what was sent for it, beside what the request became. */
const requestKey = /^(?:request|originalRequest)$/;

/** The method and URL that a record states, itself or in its `request`, on top of the outer context. */
export function statedContext(at: Slice, record: JsonNode, outer: Context = noContext): Context {
  const request = record.members?.find(({ key }) => requestKey.test(key))?.node;
  const own = contextWithin(outer, scalars(at, record));
  return request?.kind === "object" ? contextWithin(own, scalars(at, request)) : own;
}
