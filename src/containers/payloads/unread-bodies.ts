import { plainText } from "../../reading/escapes.ts";
import type { Origin } from "../../reading/origin.ts";
import { originOf } from "../../reading/place.ts";
import { type JsonNode, readValue } from "../../reading/scan.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { scalars } from "./candidates.ts";
import { bodyIn, responseBodyKey } from "./error-bodies.ts";
import { type Context, contextWithin } from "./record-context.ts";
import { type Slice, spanOf } from "./slice.ts";
import { isWordInBrackets, type Unread, type UnreadTexts } from "./unread.ts";

/** A body that is neither JSON nor events, by the beginning of its text. */
export interface UnknownBody {
  readonly head: string;
  readonly origin: Origin;
  readonly half: "request" | "reply";
  readonly context: Context;
}

const requestKey =
  /^(?:raw|http|api|llm|upstream|provider|original)?[_-]?(?:req|request|post)(?:[_-]?(?:body|text|data|content|json|raw|string|params|payload))?$/i;
const replyKey =
  /^(?:raw|http|api|llm|upstream|provider|original)?[_-]?(?:response|resp|reply)(?:[_-]?(?:body|text|data|content|json|raw|string|payload))?$/i;

/** The half of an exchange that a member holds, by its key. */
export function halfOfKey(key: string): "request" | "reply" | undefined {
  return requestKey.test(key) ? "request" : replyKey.test(key) ? "reply" : undefined;
}

const headLength = 4096;

/** Notes the bodies of a record that are neither JSON nor events. */
export function noteBodies(unread: UnreadTexts, at: Slice, record: JsonNode, outer: RecordContext): void {
  const members = record.members ?? [];
  const reply = members.find(({ key }) => replyKey.test(key))?.node;
  if (!reply) return;
  const request = members.find(({ key, node }) => requestKey.test(key) && node.kind === "object")?.node;
  let context = contextWithin(outer, scalars(at, record));
  for (const holder of [request, reply])
    if (holder?.kind === "object") context = contextWithin(context, scalars(at, holder));
  const body = reply.kind === "object" ? bodyOf(reply) : reply;
  if (!body) return;
  const isEmpty =
    (body.kind === "literal" && readValue(at.bytes, body, at.level) === null) ||
    (body.kind === "object" && body.members?.length === 0);
  if (body.kind !== "string" && !isEmpty) return;
  const slashes = 2 ** at.level;
  const text = (): string =>
    plainText(
      at.bytes,
      body.start + slashes,
      Math.min(body.end - (body.state === "open" ? 0 : slashes), body.start + headLength),
      at.level + 1,
    );
  noteBody(unread, {
    head: isEmpty ? "" : text(),
    origin: originOf(spanOf(at, body)),
    half: "reply",
    context,
  });
}

/** The body in a response that is kept with its status and headers. */
function bodyOf(reply: JsonNode): JsonNode | undefined {
  if (reply.members?.length === 0) return reply;
  const inner = reply.members?.find(({ key }) => responseBodyKey.test(key))?.node;
  return inner?.kind === "object" ? (bodyIn(inner, 1) ?? bodyOf(inner)) : inner;
}

/** Notes a body that is neither JSON nor events; any other form may be one that nobody knows yet. */
export function noteBody(unread: UnreadTexts, { head, origin, half, context }: UnknownBody): void {
  const found = judged(head.replace(/^\uFEFF/, "").trim());
  if (found) unread.add({ ...found, origin, half, context, isPayload: false });
}

function judged(text: string): Pick<Unread, "kind" | "message"> | undefined {
  if (text === "") return { kind: "empty", message: "the response has status 200 and no body" };
  if (/^<(?:!doctype|html|head|body|\?xml)\b/i.test(text))
    return { kind: "foreign", message: "a page stands where the reply of a model belongs" };
  if (isWordInBrackets(text))
    return { kind: "left-out", message: `\`${text.slice(0, 40)}\` stands in place of a body` };
  if (
    ["data:", "event:"].some((field) => field.startsWith(text)) ||
    /^event:[^\n]*\n?(?:d|da|dat|data)?$/.test(text)
  )
    return { kind: "cut", message: "the stream breaks off before its first event" };
  if (text.length >= 64 && (/^[A-Za-z0-9+/]+={0,2}$/.test(text) || /^H4sI[A-Za-z0-9+/]/.test(text)))
    return { kind: "broken", message: "an encoded body that cannot be unpacked" };
  return undefined;
}
