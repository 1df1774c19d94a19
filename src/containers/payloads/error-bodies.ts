import type { JsonNode } from "../../reading/json-node.ts";
import { readValue } from "../../reading/json-values.ts";
import { parseJson } from "../../reading/parse.ts";
import { originOf, type Span } from "../../reading/place.ts";
import { fields } from "../../reading/values.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { level } from "../../traffic/certainty.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { scalars } from "./plain-members.ts";
import { contextWithin, noContext } from "./record-context.ts";
import { jsonPlace, type Slice, spanOf, streamPlace } from "./slice.ts";

/**
 * Errors that gateways, proxies and logs write in a form of their own. They match no API's reply, but they
 * are where the reply belongs, and the status or the member's name says that the request failed.
 */

/** Keys of a response or its body. */
const responseKey =
  /^(?:raw|http|api|upstream|provider|llm)?[_-]?(?:response|resp|reply|result|output)(?:[_-]?(?:body|text|data|content|json|raw))?$/i;
export const responseBodyKey = /^(?:raw|response)?[_-]?(?:body|text|content|data|payload|string|raw|json)$/i;
const errorKey =
  /^(?:last|api|raw|http|llm)?[_-]?(?:error|err|exception|failure)(?:[_-]?(?:message|msg|body|text|str|string|details?|response))?$/i;

/** Keys of an error's message, the most informative first. */
const messageKeys = [
  "message",
  "Message",
  "msg",
  "detail",
  "error_message",
  "errorMessage",
  "error_description",
  "responseBody",
  "body",
  "description",
  "reason",
  "error",
  "title",
];

const shortest = 8;
const longest = 20_000;
const maxDepth = 4;

/** The error in the form that APIs use; `undefined` if it has no message. */
function refusalIn(value: unknown): object | undefined {
  const message = messageIn(value, 0);
  if (message === undefined) return undefined;
  return { ...fields(value), message, error: { message } };
}

function messageIn(value: unknown, depth: number): string | undefined {
  if (depth > maxDepth) return undefined;
  if (typeof value === "string") {
    const text = value.trim();
    const inner = /^[{[]/.test(text) ? parseJson(text) : undefined;
    if (inner !== undefined) return messageIn(inner, depth + 1);
    const isMessage = text.length >= shortest && !/^<(?:!doctype|html|\?xml)/i.test(text);
    return isMessage ? text.slice(0, longest) : undefined;
  }
  if (Array.isArray(value)) return messageIn(value[0], depth + 1);
  if (typeof value !== "object" || value === null) return undefined;
  const members = value as Record<string, unknown>;
  // The server's own message is more informative than the library's summary of it.
  for (const key of ["responseBody", "error", "errors", ...messageKeys]) {
    const inner = Object.hasOwn(members, key) ? members[key] : undefined;
    if (typeof inner === "string" && (key === "error" || key === "errors")) continue;
    const nested = messageIn(inner, depth + 1);
    if (nested !== undefined) return nested;
  }
  const { error } = members;
  return typeof error === "string" && error.trim().length >= shortest ? error.trim() : undefined;
}

/** Whether a payload is the body of an error: all that it says is why a request failed. */
export function isErrorBody(found: PayloadCandidate): boolean {
  return found.part === "reply" && fields(found.value)["error"] !== undefined;
}

/** The error that answers the record's request, if the record holds no reply of an API. */
export function errorBeside(
  at: Slice,
  record: JsonNode,
  found: readonly PayloadCandidate[],
  outer: RecordContext,
): PayloadCandidate | undefined {
  const [request] = found;
  if (found.length !== 1 || request?.part !== "request" || request.fidelity === "reported") return undefined;
  const error = findError(at, record, outer.status, "record", 0);
  if (!error) return undefined;
  const span = spanOf(at, error.node);
  return {
    protocol: request.protocol,
    certainty: level.vague,
    record: { ...request.record, ...(error.status !== undefined && { status: error.status }) },
    start: originOf(span).start,
    place: jsonPlace(span),
    isCut: error.node.state === "open",
    fidelity: "wire",
    part: "reply",
    value: error.value,
  };
}

/** A body shorter than this says nothing: `{}`, `null`, `OK`. */
const shortestBody = 24;

/** What describes a response, next to its body. */
const aboutKey =
  /status|header|url|version|time|date|size|mime|cookie|redirect|duration|^ok$|^id$|^type$|^kind$/i;

/** The request of a record whose response has a body that no protocol knows, with the place of that body. */
export function withUnknownReply(
  at: Slice,
  record: JsonNode,
  found: readonly PayloadCandidate[],
): readonly PayloadCandidate[] {
  const [request] = found;
  if (found.length !== 1 || request?.part !== "request" || request.fidelity === "reported") return found;
  const holder = record.members?.find(({ key }) => responseKey.test(key) && /resp|reply/i.test(key))?.node;
  const body = holder && bodyIn(holder, 0);
  return body ? [{ ...request, unknownReply: originOf(spanOf(at, body)) }] : found;
}

function bodyIn(node: JsonNode, depth: number): JsonNode | undefined {
  if (node.end - node.start < shortestBody || depth > maxDepth) return undefined;
  if (node.kind !== "object") return node;
  const members = node.members ?? [];
  const body = members.find(({ key }) => responseBodyKey.test(key))?.node;
  if (body) return bodyIn(body, depth + 1);
  return members.some(({ key }) => !aboutKey.test(key)) ? node : undefined;
}

/** The error in a record without a request. Only an id can link it to one. */
export function errorAlone(at: Slice, record: JsonNode, outer: RecordContext): PayloadCandidate | undefined {
  if (record.kind !== "object") return undefined;
  const context = contextWithin(outer, scalars(at, record));
  if ((context.status ?? 0) < 400 || context.ids.size === 0) return undefined;
  const error = findError(at, record, context.status, "response", 0);
  if (!error) return undefined;
  return { ...errorAt(spanOf(at, error.node), error, context), isRefusal: true };
}

/** The error that a value states whose object is not all in the log: `"error": {"message": …}`. */
export function errorInMember(at: Slice, node: JsonNode, record: RecordContext): ErrorReply | undefined {
  const value = node.kind === "object" ? refusalIn(readValue(at.bytes, node, at.level)) : undefined;
  return value && errorAt(spanOf(at, node), { node, value }, record);
}

/** An error message in words of which no status tells that a request failed. */
export function errorInWords(span: Span, text: string, record: RecordContext): ErrorReply {
  return errorAt(span, { value: { error: { message: text } } }, record);
}

type ErrorReply = Extract<PayloadCandidate, { part: "reply" }>;

function errorAt(
  span: Span,
  { node, value }: { readonly node?: JsonNode; readonly value: object },
  record: RecordContext,
): ErrorReply {
  return {
    protocol: "",
    certainty: level.vague,
    record,
    start: originOf(span).start,
    place: node ? jsonPlace(span) : streamPlace(span),
    isCut: node?.state === "open",
    fidelity: "wire",
    part: "reply",
    value,
  };
}

/** The error that the text of a failed response states. */
export function errorInText(span: Span, text: string, record: RecordContext): PayloadCandidate | undefined {
  const value = (record.status ?? 0) >= 400 ? refusalIn(text) : undefined;
  return value && errorAt(span, { value }, record);
}

interface FoundError {
  readonly node: JsonNode;
  readonly value: object;
  readonly status: number | undefined;
}

function findError(
  at: Slice,
  node: JsonNode,
  outer: number | undefined,
  within: "record" | "response",
  depth: number,
): FoundError | undefined {
  if (node.kind !== "object" || depth > maxDepth) return undefined;
  const members = node.members ?? [];
  const status = contextWithin(noContext, scalars(at, node)).status ?? outer;
  const hasFailed = (status ?? 0) >= 400;
  const take = (child: JsonNode): FoundError | undefined => {
    if ((child.kind !== "string" && child.kind !== "object") || child.end - child.start > longest)
      return undefined;
    const value = refusalIn(readValue(at.bytes, child, at.level));
    return value && { node: child, value, status };
  };
  for (const { key, node: child } of members) {
    const isBody = within === "response" && responseBodyKey.test(key);
    if (!isBody && !responseKey.test(key)) continue;
    const inner = child.kind === "object" ? findError(at, child, status, "response", depth + 1) : undefined;
    const error = inner ?? (hasFailed ? take(child) : undefined);
    if (error) return error;
  }
  const named = members.find(({ key }) => errorKey.test(key));
  const error = named && take(named.node);
  if (error) return error;
  return within === "response" &&
    hasFailed &&
    depth > 0 &&
    !members.some(({ key }) => responseBodyKey.test(key))
    ? take(node)
    : undefined;
}
