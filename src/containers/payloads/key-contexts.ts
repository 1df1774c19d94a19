import type { JsonNode } from "../../reading/json-node.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { bodyKey, reportedHalf, transcriptKey } from "./reported.ts";
import type { Slice } from "./slice.ts";
import { halfOfKey } from "./unread-bodies.ts";

/**
 * A key may say which half of an exchange its value is. JSON in a string is often the result of a tool, so
 * there only both halves together count.
 */
export function contextOfHalf(
  key: string,
  context: RecordContext,
  at: Slice,
  parent: JsonNode,
): RecordContext {
  const half = context.half ? undefined : halfOfKey(key);
  const isEmbedded = at.level > 0 || at.isEmbedded === true;
  if (!half || (isEmbedded && !holdsExchange(parent))) return context;
  return { ...context, half };
}

function holdsExchange({ members = [] }: JsonNode): boolean {
  const halves = new Set(members.map(({ key }) => halfOfKey(key)));
  return halves.has("request") && halves.has("reply");
}

/** The input and the output of a step that may be a call of a model. */
export function contextOfReport(key: string, context: RecordContext): RecordContext {
  const half = context.isModelCall === false ? undefined : reportedHalf(key);
  return half ? { ...context, reportedHalf: half } : context;
}

/** A key may also say whether its value was sent or is a report. */
export function contextOfMember(
  key: string,
  outer: RecordContext,
  at: Slice,
  parent: JsonNode,
): RecordContext {
  const context = contextOfReport(key, contextOfHalf(key, outer, at, parent));
  if (transcriptKey.test(key)) return { ...context, fidelity: "reported" };
  return context.fidelity === "reported" && bodyKey.test(key) ? { ...context, fidelity: "wire" } : context;
}
