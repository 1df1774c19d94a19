import { plainText } from "../../reading/escapes.ts";
import type { JsonNode } from "../../reading/json-node.ts";
import { readValue } from "../../reading/json-values.ts";
import type { Origin } from "../../reading/origin.ts";
import { isJson } from "../../reading/parse.ts";
import { originOf, type Span } from "../../reading/place.ts";
import { remembered } from "../../reading/remembered.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { responseBodyKey } from "./error-bodies.ts";
import { looksLikeEvents } from "./frames.ts";
import { BeyondBounds, triedText } from "./packed.ts";
import { scalars } from "./plain-members.ts";
import { type Context, contextWithin } from "./record-context.ts";
import { beginsAsMessage } from "./reported.ts";
import { holdsBroken, type Slice, spanOf } from "./slice.ts";
import { isWordInBrackets, type Unread, type UnreadTexts } from "./unread.ts";
import { unreadValue } from "./unread-json.ts";

/** A body that is neither JSON nor events, by the beginning of its text, or why it was not unpacked. */
export interface UnknownBody {
  readonly head: string | BeyondBounds;
  readonly origin: Origin;
  readonly half: "request" | "reply";
  readonly context: Context;
}

/*
 * The name of a half, with what may stand before and after it. One expression of them all would be compiled
 * for each way to leave parts out, in every run.
 */
const anyHalf = /req|post|resp|reply/i;
const beforeHalf = /^(?:raw|http|api|llm|upstream|provider|original)?[_-]?/i;
const halfName = /^(?:request|req|post|response|resp|reply)/i;
const afterHalf = /^[_-]?(?:body|text|data|content|json|raw|string|params|payload)$/i;

/** The half of an exchange that a member holds, by its key. */
export const halfOfKey = remembered((key: string): "request" | "reply" | undefined => {
  if (!anyHalf.test(key)) return undefined;
  const named = key.replace(beforeHalf, "");
  const [name] = halfName.exec(named) ?? [];
  if (name === undefined) return undefined;
  const half = /^re[sp]/i.test(name) ? "reply" : "request";
  const rest = named.slice(name.length);
  if (rest === "") return half;
  return afterHalf.test(rest) && (half === "request" || !/params$/i.test(rest)) ? half : undefined;
});

const headLength = 4096;

/** Notes the bodies of a record that are neither JSON nor events. */
export function noteBodies(
  unread: UnreadTexts,
  at: Slice,
  record: JsonNode,
  outer: RecordContext,
  found: readonly PayloadCandidate[],
): void {
  if (outer.half) {
    noteValue(unread, at, record, outer.half, outer, false);
    if (record.kind === "object" && outer.half === "reply") unreadValue(unread, at, record, outer);
    return;
  }
  const holders = holdersIn(at, record, outer, 0);
  for (const { half, node, context } of holders) {
    if (found.some(({ part }) => (part === "request") === (half === "request"))) continue;
    const body = node.kind === "object" ? bodyOf(node) : node;
    // An event of a stream may tell of the request.
    if (body && found.some(({ place }) => covers(place.span, spanOf(at, body)))) continue;
    if (body) noteValue(unread, at, body, half, context, half === "request" && isAnsweredIn(holders, at));
  }
}

/** Whether the reply of a record is a message of a model: what stands for its request is then a loss. */
function isAnsweredIn(holders: readonly Holder[], at: Slice): boolean {
  return holders.some(({ half, node }) => {
    if (half !== "reply") return false;
    const isText = node.kind === "string";
    const start = node.start + (isText ? 2 ** at.level : 0);
    const text = plainText(
      at.bytes,
      start,
      Math.min(node.end, start + headLength),
      at.level + Number(isText),
    );
    return beginsAsMessage(text);
  });
}

function covers(outer: Span, inner: Span): boolean {
  return outer.view === inner.view && outer.start <= inner.start && inner.end <= outer.end;
}

/** Objects around the two halves of an exchange. */
const maxDepth = 3;

interface Holder {
  readonly half: "request" | "reply";
  readonly node: JsonNode;
  readonly context: RecordContext;
}

/** The values of a record that are a half of an exchange, with what is said of them. */
function holdersIn(at: Slice, parent: JsonNode, outer: RecordContext, depth: number): Holder[] {
  const members = parent.members ?? [];
  const isHolder = members.some(({ key }) => halfOfKey(key));
  if (!isHolder && (depth >= maxDepth || !members.some(({ node }) => node.kind === "object"))) return [];
  // Postman saves a reply as what stands beside the request that it answers.
  const isReply = members.some(({ key }) => key === "originalRequest");
  const halves = members.flatMap(({ key, node }) => {
    const half = halfOfKey(key) ?? (isReply && key === "body" ? "reply" : undefined);
    return half ? [{ half, node }] : [];
  });
  let context = depth > maxDepth ? outer : contextWithin(outer, scalars(at, parent));
  for (const { node } of halves)
    if (node.kind === "object") context = contextWithin(context, scalars(at, node));
  if (halves.length > 0) return halves.map((half) => ({ ...half, context }));
  return members.flatMap(({ node }) =>
    node.kind === "object" ? holdersIn(at, node, context, depth + 1) : [],
  );
}

/** How base64 begins. */
const encoded = /^(?:base64:)?[A-Za-z0-9+/=\r\n]{64}/;

function noteValue(
  unread: UnreadTexts,
  at: Slice,
  body: JsonNode,
  half: "request" | "reply",
  context: RecordContext,
  isAnswered: boolean,
): void {
  const isEmpty =
    (body.kind === "literal" && readValue(at.bytes, body, at.level) === null) ||
    (body.kind === "object" && body.members?.length === 0);
  if (body.kind === "object" && !isEmpty && (half === "request" || holdsBroken(body)))
    unreadValue(unread, at, body, { ...context, half });
  // Without a status, nothing says that there was a response.
  if (body.kind !== "string" && (!isEmpty || context.status === undefined)) return;
  const slashes = 2 ** at.level;
  const start = body.start + slashes;
  const end = body.end - (body.state === "open" ? 0 : slashes);
  const stop = Math.min(end, start + headLength);
  const written = isEmpty ? "" : plainText(at.bytes, start, stop, at.level + 1);
  const packed = encoded.test(written)
    ? triedText(plainText(at.bytes, start, end, at.level + 1), written, at.view.source)
    : undefined;
  const head = Buffer.isBuffer(packed) ? packed.toString("utf8", 0, headLength) : (packed ?? written);
  noteBody(unread, { head, origin: originOf(spanOf(at, body)), half, context }, isAnswered);
}

/** The body in a message that is kept with its headers. */
function bodyOf(reply: JsonNode): JsonNode | undefined {
  if (reply.members?.length === 0) return reply;
  const members = reply.members ?? [];
  const inner = members.find(({ key }) => responseBodyKey.test(key) || /^post_?data$/i.test(key))?.node;
  if (!inner) return members.some(({ key }) => !aboutKey.test(key)) ? reply : undefined;
  return inner.kind === "object" ? bodyOf(inner) : inner;
}

/** What describes a message, next to its body. */
const aboutKey =
  /status|header|url|uri|version|time|date|size|mime|cookie|redirect|duration|method|path|host|query|port|scheme|proto|endpoint|file|^ok$|^id$|^type$|^kind$|^_/i;

/** Notes a body that is neither JSON nor events. What begins as such was noted when it was searched. */
export function noteBody(
  unread: UnreadTexts,
  { head, origin, half, context }: UnknownBody,
  isPayload = false,
): void {
  const found =
    head instanceof BeyondBounds ? refusedBody(head) : judged(head.replace(/^\uFEFF/, "").trim(), half);
  if (!found) return;
  // A program may ask in words of its own.
  unread.add({ ...found, origin, half, context, isPayload: isPayload && found.kind !== "unknown" });
}

function refusedBody({ message }: BeyondBounds): Pick<Unread, "kind" | "message"> {
  return {
    kind: "broken",
    message: `a packed body that is not read: ${message}`,
  };
}

function judged(text: string, half: "request" | "reply"): Pick<Unread, "kind" | "message"> | undefined {
  const isReply = half === "reply";
  if (/^(?:null|\{\s*\}|\[\s*\])?$/.test(text))
    return {
      kind: "empty",
      message: isReply ? "the response has no body" : "the request has no body",
    };
  if (/^<(?:!doctype|html|head|body|\?xml)\b/i.test(text))
    return {
      kind: "foreign",
      message: `an HTML page stands in place of the ${isReply ? "model's reply" : "request to the model"}`,
    };
  if (isWordInBrackets(text))
    return { kind: "left-out", message: `\`${text.slice(0, 40)}\` stands in place of a body` };
  const chunk = chunkHead.exec(text);
  if (chunk) return judged(text.slice(chunk[0].length), half);
  if (beginsAsEvents(text)) return brokenOff;
  if (/^[{[]/.test(text))
    return text.length < shortestJson && !isJson(text)
      ? { kind: "cut", message: "the JSON of this body is cut off" }
      : undefined;
  if (looksLikeEvents(text)) return text.length < shortestJson ? brokenOff : undefined;
  if (text.length >= 64 && (/^[A-Za-z0-9+/]+={0,2}$/.test(text) || /^H4sI[A-Za-z0-9+/]/.test(text)))
    return { kind: "broken", message: "an encoded body that cannot be decoded" };
  return {
    kind: "unknown",
    message: isReply ? "no known API sends this response" : "no known API accepts this request",
  };
}

const brokenOff = { kind: "cut", message: "the stream is cut off in its first event" } as const;

/** The length of a first chunk: the body in the chunks was searched like any other. */
const chunkHead = /^[0-9a-f]{1,8}[ \t]*(?:;[^\r\n]{0,200})?\r?\n\s*(?=\S)/i;

/** Shorter texts are not searched. */
const shortestJson = 12;

function beginsAsEvents(text: string): boolean {
  const isField = ["data:", "event:"].some((field) => field.startsWith(text));
  return isField || /^event:[^\n]*\n?(?:d|da|dat|data)?$/.test(text);
}
