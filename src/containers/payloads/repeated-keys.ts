import type { JsonNode, Member } from "../../reading/json-node.ts";
import { originOf } from "../../reading/place.ts";
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

/** An object with more members is none whose keys are compared one by one. */
const maxCompared = 64;

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
  const found = half === "request" ? twinAmong(at, payload.members) : twinWithin(at, payload);
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
  const found = node && twinWithin(at, node);
  if (found) note(unread, at, found, "message", context);
}

/** A member that does not count, and the last of its key, which does. */
interface Twin {
  readonly key: string;
  readonly node: JsonNode;
  readonly last: JsonNode;
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

function twinWithin(at: Slice, node: JsonNode): Twin | undefined {
  const own = twinAmong(at, node.members);
  if (own) return own;
  for (const { node: child } of node.members ?? []) {
    const found = twinWithin(at, child);
    if (found) return found;
  }
  for (const item of node.items ?? []) {
    const found = twinWithin(at, item);
    if (found) return found;
  }
  return undefined;
}

function twinAmong(at: Slice, members: readonly Member[] = []): Twin | undefined {
  if (members.length > maxCompared) return undefined;
  for (const [index, { key, node }] of members.entries())
    for (let next = members.length - 1; next > index; next--) {
      const { key: other, node: last } = members[next] as Member;
      if (other !== key) continue;
      if (!isSameText(at.bytes, node, last)) return { key, node, last };
      break;
    }
  return undefined;
}

function isSameText(bytes: Buffer, a: JsonNode, b: JsonNode): boolean {
  return bytes.compare(bytes, b.start, b.end, a.start, a.end) === 0;
}
