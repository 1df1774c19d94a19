import type { JsonNode } from "../../reading/json-node.ts";
import { originOf } from "../../reading/place.ts";
import { type Twin, twinAmong, twinWithin } from "../../reading/repeated-keys.ts";
import { scanJson } from "../../reading/scan.ts";
import type { SharedRun } from "../../reading/shared-run.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { type Slice, spanOf } from "./slice.ts";
import type { UnreadTexts } from "./unread.ts";

/** Notes a half of an exchange without a payload whose key stands twice: two records ran together there. */
export function unreadTwin(
  unread: UnreadTexts,
  at: Slice,
  key: string,
  node: JsonNode,
  context: RecordContext,
): void {
  if (node.kind !== "object" || node.members?.length === 0) return;
  unread.add({
    kind: "broken",
    origin: originOf(spanOf(at, node)),
    message: `\`${key}\` occurs twice in this record, and this one cannot be read`,
    half: context.half,
    context,
    isPayload: true,
  });
}

/**
 * Notes the first member of a payload whose key stands again with another value: among the members of a
 * request, whose messages are looked at one by one, and anywhere in a reply.
 */
export function repeatedMember(
  unread: UnreadTexts,
  at: Slice,
  payload: JsonNode,
  half: "request" | "reply",
  context: RecordContext,
): void {
  const found = half === "request" ? twinAmong(at.bytes, payload.members) : twinWithin(at.bytes, payload);
  if (found) note(unread, at, found, half === "request" ? "request" : "response", { ...context, half });
}

/** Notes the first member of a message whose key stands again in the same object with another value. */
export function repeatedInMessage(
  unread: UnreadTexts,
  at: Slice,
  run: SharedRun,
  index: number,
  context: RecordContext,
): void {
  const node = scanJson(at.bytes, run.start(index) - at.shift, run.end(index) - at.shift, at.level);
  const found = node && twinWithin(at.bytes, node);
  if (found) note(unread, at, found, "message", context);
}

function note(
  unread: UnreadTexts,
  at: Slice,
  { key, node, last }: Twin,
  holder: string,
  context: RecordContext,
): void {
  unread.add({
    kind: "lax",
    origin: originOf(spanOf(at, node)),
    message: `\`${key}\` occurs twice in this ${holder}, and only one counts`,
    related: { message: "this one counts", origin: originOf(spanOf(at, last)) },
    half: context.half,
    context,
    isPayload: true,
  });
}
