import { plainText } from "../../reading/escapes.ts";
import { type JsonDefect, jsonDefect } from "../../reading/json-defect.ts";
import type { JsonNode } from "../../reading/json-node.ts";
import { isJson } from "../../reading/parse.ts";
import { plainSpan } from "../../reading/place.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { beginsAsMessage } from "./reported.ts";
import { statedContext } from "./skipped.ts";
import { type Slice, spanOf } from "./slice.ts";
import type { UnreadTexts } from "./unread.ts";
import { dueHalf, looksLikePayload } from "./unread-json.ts";

/** A longer value is looked at only where the log says that it belongs to a call of a model. */
const maxSize = 1 << 20;

/**
 * Notes a record without a payload in which a string is no JSON: a damaged key or role hides what the record
 * is. Other slips (a trailing comma, a word of Python) hide nothing but a message that a tool reports as the
 * reply: it is read as JSON only. Returns whether there is one.
 */
export function unreadStrings(unread: UnreadTexts, at: Slice, node: JsonNode, outer: RecordContext): boolean {
  if (node.kind !== "object" || node.state === "open") return false;
  const isDue = outer.half !== undefined || unread.recognizer.asksModel(outer.method, outer.url);
  const slip = !isDue && node.end - node.start > maxSize ? undefined : slipIn(at, node);
  if (!slip || (!slip.isInString && !isReportedMessage(at, node, outer))) return false;
  const context = { ...outer, ...statedContext(at, node, outer) };
  unread.add({
    kind: "broken",
    origin: slip.origin,
    message: `not valid JSON: ${slip.message}`,
    half: dueHalf(context),
    context,
    isPayload: looksLikePayload(unread, at, node.start, node.end, context),
  });
  return true;
}

function isReportedMessage(at: Slice, node: JsonNode, { reportedHalf }: RecordContext): boolean {
  return reportedHalf === "reply" && beginsAsMessage(plainText(at.bytes, node.start, node.end, at.level));
}

/** Notes what is no JSON in the attributes of a span that was read; a damaged name hides an attribute. */
export function unreadAttributes(
  unread: UnreadTexts,
  at: Slice,
  node: JsonNode,
  context: RecordContext,
  found: readonly PayloadCandidate[],
): void {
  const slip = node.state === "open" ? undefined : slipIn(at, node);
  if (!slip) return;
  const isRequest = found.some(({ part }) => part === "request");
  const isReply = found.some(({ part }) => part !== "request");
  unread.add({
    kind: slip.isInString && !(isRequest && isReply) ? "broken" : "lax",
    origin: slip.origin,
    message: `not valid JSON: ${slip.message}`,
    half: isRequest ? (isReply ? context.half : "reply") : "request",
    context,
    isPayload: true,
  });
}

/** The first byte of a value that JSON does not allow, and its place. */
function slipIn(
  at: Slice,
  node: JsonNode,
): (JsonDefect & { readonly origin: ReturnType<Slice["view"]["origin"]> }) | undefined {
  if (isJson(plainText(at.bytes, node.start, node.end, at.level))) return undefined;
  const { view, start, end } = plainSpan(spanOf(at, node));
  const defect = jsonDefect(view.read(start, end));
  const from = start + (defect?.at ?? 0);
  return defect && { ...defect, origin: view.origin(from, Math.min(end, from + 1)) };
}
